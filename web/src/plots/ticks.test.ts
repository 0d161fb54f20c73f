import { expect, test } from "vitest";
import { along, logAxis, tickLabel } from "./ticks.ts";

test("all values are inside the axis, with a margin on both sides", () => {
  const axis = logAxis([1e-9, 3], 7);
  expect(along(axis, 1e-9)).toBeGreaterThan(0);
  expect(along(axis, 3)).toBeLessThan(1);
});

test("there are never many more labels than wanted, and never none", () => {
  for (const values of [[1e-15, 10], [1, 1000], [0.001, 0.1], [2, 3], [5]]) {
    const { major } = logAxis(values, 7);
    expect(major.length, String(values)).toBeGreaterThanOrEqual(1);
    expect(major.length, String(values)).toBeLessThanOrEqual(9);
  }
});

test("values without a logarithm are ignored", () => {
  expect(logAxis([0, -1, NaN, Infinity], 7).major).toEqual([0.1, 1, 10]);
  expect(logAxis([0, 1, 100], 7).from).toBeGreaterThan(-1);
});

test("labels are short", () => {
  expect([1e-7, 0.01, 1, 20, 1000, 2e5].map(tickLabel)).toEqual(["1e-7", "0.01", "1", "20", "1000", "2e5"]);
});
