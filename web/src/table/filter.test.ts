import { expect, test } from "vitest";
import type { Trial } from "../data/schema.ts";
import { headHeading, scenario, trial } from "../fixtures.ts";
import { type Filter, type Line, matcher, type Row, sorted } from "./filter.ts";

const row = (title: string, change: Partial<Trial> = {}): Row => ({
  scenario: scenario({ title }),
  trial: trial(change),
});
const line = (title: string, change: Partial<Trial> = {}): Line => ({
  at: 0,
  index: 0,
  heading: headHeading({ name: title, title, metrics: ["slip"] }),
  trial: trial(change),
});
const matches = (filter: Filter, one: Line) => matcher(filter)(one);
const filter = (change: Partial<Filter> = {}): Filter => ({
  text: "",
  verdicts: new Set(),
  onlySurprises: false,
  onlyOpen: false,
  ...change,
});

test("every word must occur somewhere, in any case", () => {
  const one = line("Double pendulum", { spec: "rapier:iters=4" });
  expect(matches(filter(), one)).toBe(true);
  expect(matches(filter({ text: "PENDULUM rapier" }), one)).toBe(true);
  expect(matches(filter({ text: "pendulum mujoco" }), one)).toBe(false);
  expect(matches(filter({ text: "slip" }), one)).toBe(true);
});

test("verdicts and surprises filter", () => {
  const planned = line("a", { verdict: "rejected", expected: ["rejected"] });
  const surprise = line("b", { verdict: "rejected", expected: ["accepted"] });
  expect([planned, surprise].map((one) => matches(filter({ onlySurprises: true }), one))).toEqual([false, true]);
  expect(matches(filter({ verdicts: new Set(["accepted"]) }), planned)).toBe(false);
  const open = line("c", { verdict: "rejected", expected: [] });
  expect([planned, surprise, open].map((one) => matches(filter({ onlyOpen: true }), one))).toEqual([
    false,
    false,
    true,
  ]);
});

test("sorting is stable, works in both directions, and puts missing numbers last", () => {
  const rows = [
    row("c", { step_s: 0.1 }),
    row("a", { step_s: null }),
    row("b", { step_s: 0.01 }),
    row("d", { step_s: 0.1 }),
  ];
  const names = (list: Row[]) => list.map((one) => one.scenario.title).join("");
  expect(names(sorted(rows, "step", false))).toBe("bcda");
  expect(names(sorted(rows, "step", true))).toBe("cdba");
  expect(names(sorted(rows, "scenario", false))).toBe("abcd");
});

test("infinite margins sort with finite ones", () => {
  const bound = { value: 1, side: "at_most", reason: "" } as const;
  const of = (title: string, value: number | "nan") =>
    row(title, { checks: [{ metric: "m", value, uncertainty: null, bound, unit: "", outcome: "held", reason: "" }] });
  const names = sorted([of("nan", "nan"), of("zero", 0), of("one", 1)], "margin", false).map(
    (one) => one.scenario.title,
  );
  expect(names).toEqual(["zero", "one", "nan"]);
});
