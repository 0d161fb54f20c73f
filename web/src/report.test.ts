import { expect, test } from "vitest";
import { trial } from "./fixtures.ts";
import type { ReportData } from "./data/schema.ts";
import { slugsOf, specsOf, splitSpec } from "./report.ts";

test("addresses are plain and unique for any names", () => {
  expect(slugsOf(["Pendulum", "pendulum", "</script> x", "…", "…"])).toEqual([
    "pendulum",
    "pendulum-2",
    "script-x",
    "4",
    "5",
  ]);
});

test("a spec splits into engine and settings", () => {
  expect(splitSpec("native")).toEqual({ engine: "native", settings: "" });
  expect(splitSpec("rapier:joints=multibody,iters=4")).toEqual({
    engine: "rapier",
    settings: "joints=multibody iters=4",
  });
  expect(splitSpec("mujoco@3.17:cone=elliptic")).toEqual({ engine: "mujoco", settings: "@3.17 cone=elliptic" });
});

test("thirty-six specs look different from each other, in the engines' order", () => {
  const names = Array.from({ length: 36 }, (_, index) => `e${index}`);
  const scenario = { trials: names.toReversed().map((spec) => trial({ spec })), convergence: [] };
  const engines = [{ specs: ["e0", "not run", "e1"] }];
  const specs = specsOf({ scenarios: [scenario], engines } as unknown as ReportData);
  expect(specs.slice(0, 3).map((spec) => spec.text)).toEqual(["e0", "e1", "e35"]);
  expect(new Set(specs.map((spec) => `${spec.colourVariable} ${spec.marker}`)).size).toBe(36);
});
