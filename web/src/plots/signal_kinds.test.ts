import { expect, test } from "vitest";
import { byKind, kindOf } from "./signal_kinds.ts";

test("signals are grouped by the first part of their name, in order of appearance", () => {
  const signal = (name: string) => ({ name, unit: "", curves: [], reference: null });
  const groups = byKind(["q/arm/a", "effort/arm/a", "q/arm/b", "total"].map(signal));
  expect([...groups].map(([kind, list]) => [kind, list.length])).toEqual([
    ["joint positions", 2],
    ["joint efforts", 1],
    ["other", 1],
  ]);
  expect(kindOf("radar/x")).toBe("radar");
  expect(kindOf("solver/residual")).toBe("residual of the engine's solver");
});
