import { expect, test } from "vitest";
import { gaugeText, needle } from "./gauge.ts";

test("the bound is in the middle, good is left, and an arrow marks values off the scale", () => {
  expect(needle(0)).toEqual({ at: 0.5, off: null });
  expect(needle(-2).at).toBe(0.25);
  expect(needle(-9)).toEqual({ at: 0, off: "left" });
  expect(needle(Infinity)).toEqual({ at: 1, off: "right" });
  expect(needle(NaN).off).toBe("right");
});

test("it has a text alternative", () => {
  expect(gaugeText(-2)).toBe("100 times inside the bound");
  expect(gaugeText(Math.log10(1.26))).toBe("1.3 times beyond the bound");
  expect(gaugeText(-Infinity)).toBe("no measurable error");
});
