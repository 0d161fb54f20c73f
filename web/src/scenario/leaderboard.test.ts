import { expect, test } from "vitest";
import type { Check, Scenario } from "../data/schema.ts";
import { scenario, trial } from "../fixtures.ts";
import { linesOf } from "./leaderboard.ts";

const check = (metric: string, value: number): Check => ({
  metric,
  value,
  uncertainty: null,
  bound: { value: 1, side: "at_most", reason: "" },
  unit: "m",
  outcome: "held",
  reason: "",
});
const cost = (cpu_s: number) => ({ cpu_s, steps: 1000, real_time_factor: 10 / cpu_s });
const ranked: Scenario = scenario({
  trials: [
    trial({ spec: "slow", checks: [check("energy", 9), check("angle", 0.5)], cost: cost(1) }),
    trial({ spec: "none", verdict: "not_expressible" }),
    trial({ spec: "fast", checks: [check("angle", 0.1)], cost: cost(0.01) }),
    trial({ spec: "between", checks: [check("angle", 0.2)], cost: cost(0.1) }),
  ],
});
const places = [
  { rank: 1, trial: 2, check: 0 },
  { rank: 2, trial: 3, check: 0 },
  { rank: 3, trial: 0, check: 1 },
  { rank: null, trial: 1, check: null },
];

test("lines are in the board's order, with the number each is ranked by", () => {
  const lines = linesOf(ranked, { metric: "angle", places });
  expect(lines.map((line) => [line.rank, line.trial.spec, line.check?.value ?? null])).toEqual([
    [1, "fast", 0.1],
    [2, "between", 0.2],
    [3, "slow", 0.5],
    [null, "none", null],
  ]);
});

test("cost is per simulated second, and its bar is logarithmic", () => {
  const lines = linesOf(ranked, { metric: "angle", places });
  expect(lines.map((line) => line.cpuPerSecond)).toEqual([0.001, 0.01, 0.1, null]);
  expect(lines.map((line) => line.stepsPerSecond)).toEqual([100_000, 10_000, 1000, null]);
  const [cheap, between, dear, none] = lines.map((line) => line.bar) as [number, number, number, number];
  expect(cheap).toBeCloseTo(0.06);
  expect(between).toBeCloseTo((cheap + dear) / 2);
  expect([dear, none]).toEqual([1, 0]);
});

test("a single trial has a bar, and a place of a missing trial is left out", () => {
  const lines = linesOf(ranked, {
    metric: "angle",
    places: [
      { rank: 1, trial: 2, check: 0 },
      { rank: 2, trial: 9, check: null },
    ],
  });
  expect(lines.length).toBe(1);
  expect(lines[0]?.bar).toBeGreaterThan(0);
});
