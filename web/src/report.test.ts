import { expect, test } from "vitest";
import { slugsOf, splitSpec } from "./report.ts";

test("addresses are plain and unique whatever the names are", () => {
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
