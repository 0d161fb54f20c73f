import { expect, test } from "vitest";
import { mapTitle, placeOf } from "./variations.ts";

test("a boundary between two columns is drawn on the one whose middle is nearer", () => {
  expect(placeOf(1.25, 3)).toEqual({ cell: 1, across: 0.75 });
  expect(placeOf(1.75, 3)).toEqual({ cell: 2, across: 0.25 });
  // The first value itself lies in the middle of the first column.
  expect(placeOf(0, 3)).toEqual({ cell: 0, across: 0.5 });
  expect(placeOf(2.9, 3)).toEqual({ cell: 2, across: 1 });
});

test("the title of a map has the axes, units and what is fixed", () => {
  const side = (name: string, unit: string) => ({ name, unit, labels: [] });
  const map = {
    fixed: [{ name: "engine", value: "native" }],
    columns: side("mass", "kg"),
    rows: side("step", ""),
    cells: [],
    ends: [],
  };
  expect(mapTitle(map)).toBe("mass [kg] against step, engine native");
});
