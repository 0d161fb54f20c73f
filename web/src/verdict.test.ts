import { expect, test } from "vitest";
import type { Bound, Check, Real } from "./data/schema.ts";
import { trial } from "./fixtures.ts";
import { decadesBeyond, decisive, expectationClass, isSurprise, verdictText } from "./verdict.ts";

function check(value: Real, bound: Bound | null): Check {
  return { metric: "m", value, uncertainty: null, bound, unit: "m", outcome: "held", reason: "" };
}
const atMost = (value: Real): Bound => ({ value, side: "at_most", reason: "" });
const atLeast = (value: Real): Bound => ({ value, side: "at_least", reason: "" });

test("a planned rejection is marked as expected, a surprise names what was expected", () => {
  expect(verdictText(trial({ verdict: "rejected", expected: ["rejected"] }))).toBe("rejected, as expected");
  expect(verdictText(trial({ verdict: "rejected", expected: ["accepted", "cannot_tell"] }))).toBe(
    "rejected; expected accepted or cannot tell",
  );
  expect(verdictText(trial({ verdict: "accepted", expected: ["accepted"] }))).toBe("accepted");
  expect(verdictText(trial({ verdict: "too_slow" }))).toBe("too slow");
  expect(isSurprise(trial({ verdict: "rejected" }))).toBe(false);
});

test("a trial without an expectation, where others have one, is neither a success nor a failure", () => {
  const open = trial({ verdict: "rejected", expected: [] });
  expect(verdictText(open, true)).toBe("rejected, no expectation");
  expect(verdictText(trial({ verdict: "accepted", expected: [] }), true)).toBe("accepted, no expectation");
  expect(verdictText(open, false)).toBe("rejected");
  expect([expectationClass(open, true), expectationClass(open, false)]).toEqual(["open", ""]);
  expect(expectationClass(trial({ verdict: "rejected", expected: ["accepted"] }), true)).toBe("surprise");
  expect(expectationClass(trial({ verdict: "rejected", expected: ["rejected"] }), true)).toBe("");
});

test("decades beyond a bound are signed, on either side", () => {
  expect(decadesBeyond(check(0.1, atMost(1)))).toBeCloseTo(-1);
  expect(decadesBeyond(check(100, atMost(1)))).toBeCloseTo(2);
  expect(decadesBeyond(check(0.1, atLeast(1)))).toBeCloseTo(1);
  expect(decadesBeyond(check(10, atLeast(1)))).toBeCloseTo(-1);
  expect(decadesBeyond(check(1, null))).toBeNull();
});

test("zero, negative, infinite and missing numbers have a side of the bound", () => {
  expect(decadesBeyond(check(0, atMost(1)))).toBe(-Infinity);
  expect(decadesBeyond(check(-2, atMost(-1)))).toBe(-Infinity);
  expect(decadesBeyond(check(-1, atMost(-2)))).toBe(Infinity);
  expect(decadesBeyond(check("inf", atMost(1)))).toBe(Infinity);
  expect(decadesBeyond(check("nan", atMost(1)))).toBe(Infinity);
});

test("the deciding check is the one furthest beyond its bound", () => {
  const [held, broken, shown] = [check(0.5, atMost(1)), check(3, atMost(1)), check(1e9, null)];
  expect(decisive(trial({ checks: [held, broken, shown] }))).toBe(broken);
  expect(decisive(trial({ checks: [check(0, atMost(1))] }))).not.toBeNull();
  expect(decisive(trial({ checks: [shown] }))).toBeNull();
});
