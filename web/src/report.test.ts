import { expect, test } from "vitest";
import { headHeading, trial } from "./fixtures.ts";
import type { Index, Standing } from "./data/schema.ts";
import { Report, slugsOf, specsOf, splitSpec, standingOf, withoutVariation } from "./report.ts";

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

test("no two of a hundred specs have the same colour", () => {
  const specs = specsOf(Array.from({ length: 100 }, (_, index) => `e${index}`));
  expect(new Set(specs.map((spec) => spec.colourVariable)).size).toBe(100);
});

test("a scenario fails by one trial, and passes by one where none fails", () => {
  const of = (...standings: Standing[]) =>
    standingOf(headHeading({ trials: standings.map((standing) => trial({ standing })) }));
  expect(of("passed", "failed", "skipped")).toBe("failed");
  expect(of("failed", "error")).toBe("error");
  expect(of("skipped", "passed")).toBe("passed");
  expect(of("skipped")).toBe("skipped");
  expect(of()).toBe("skipped");
});

test("an address names a scenario or a trial of it, also where a name ends like a trial", () => {
  const headings = ["Drop", "drop trial 2"].map((name) => headHeading({ name }));
  const report = new Report({ specs: [], headings } as unknown as Index, () => Promise.reject(new Error("unused")));
  expect(report.placeOf(report.scenarioId(0))).toEqual({ at: 0, trial: null });
  expect(report.placeOf(report.trialId(0, 4))).toEqual({ at: 0, trial: 4 });
  expect(report.placeOf(report.scenarioId(1))).toEqual({ at: 1, trial: null });
  expect(report.placeOf(report.trialId(1, 0))).toEqual({ at: 1, trial: 0 });
  expect(report.placeOf("verdicts")).toBeNull();
  expect(report.placeOf("scenario-other")).toBeNull();
});

test("trials of a study with variations belong to their engine", () => {
  expect(splitSpec("native with friction 0.2")).toEqual({ engine: "native", settings: "with friction 0.2" });
  expect(splitSpec("rapier:iters=4 with mass 1 kg")).toEqual({
    engine: "rapier",
    settings: "iters=4 with mass 1 kg",
  });
  expect(withoutVariation("rapier:iters=4 with mass 1 kg")).toBe("rapier:iters=4");
});
