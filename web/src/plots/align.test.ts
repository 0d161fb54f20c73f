import { expect, test } from "vitest";
import { aligned, decadeRange, nearestSample, undrawable } from "./align.ts";

const curve = (time: number[], value: number[]) => ({
  time: Float64Array.from(time),
  value: Float32Array.from(value),
});

test("curves with different times share one axis; a time without a sample is not a gap", () => {
  const data = aligned([curve([0, 1, 2], [1, 2, 3]), curve([0, 0.5, 2], [4, 5, 6])], false);
  expect(data[0]).toEqual([0, 0.5, 1, 2]);
  expect(data[1]).toEqual([1, undefined, 2, 3]);
  expect(data[2]).toEqual([4, 5, undefined, 6]);
});

test("samples that cannot be drawn are gaps, and are counted", () => {
  const values = curve([0, 1, 2, 3], [0, NaN, Infinity, 1]);
  expect(aligned([values], true)[1]).toEqual([null, null, null, 1]);
  expect(aligned([values], false)[1]).toEqual([0, null, null, 1]);
  expect(undrawable(values, true)).toEqual({ notFinite: 2, notPositive: 1 });
  expect(undrawable(values, false)).toEqual({ notFinite: 2, notPositive: 0 });
});

test("two samples at one time keep the later", () => {
  expect(aligned([curve([0, 1, 1], [1, 2, 3])], false)).toEqual([
    [0, 1],
    [1, 3],
  ]);
});

test("a time between samples reads the nearer one, a time outside none", () => {
  const values = curve([0, 1, 4], [10, 20, 30]);
  expect([0, 0.4, 0.6, 2, 3, 4].map((moment) => nearestSample(values, moment))).toEqual([10, 10, 20, 20, 30, 30]);
  expect([nearestSample(values, -1), nearestSample(values, 5), nearestSample(curve([], []), 0)]).toEqual([
    null,
    null,
    null,
  ]);
});

test("an empty curve next to a full one", () => {
  expect(aligned([curve([], []), curve([0], [1])], true)).toEqual([[0], [undefined], [1]]);
  expect(aligned([], true)).toEqual([[]]);
});

test("a logarithmic range is whole powers of ten and never empty", () => {
  expect(decadeRange([0.002, 30])).toEqual([1e-3, 100]);
  expect(decadeRange([1])).toEqual([1, 10]);
  expect(decadeRange([0, NaN, -1])).toEqual([1e-3, 1]);
});
