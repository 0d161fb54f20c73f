// Curves with different times on one time axis, as uPlot needs them.

import type uPlot from "uplot";

export interface TimedValues {
  time: Float64Array;
  value: Float32Array;
}

/**
 * One row of times and one row of values per curve. `undefined` where a curve has no sample (drawn through), `null` where
 * its sample cannot be drawn (a gap): not finite, or not positive on a logarithmic axis.
 */
export function aligned(curves: TimedValues[], log: boolean): uPlot.AlignedData {
  const times = unionOfTimes(curves.map((curve) => curve.time));
  const rows = curves.map(({ time, value }) => {
    const row: (number | null | undefined)[] = new Array(times.length).fill(undefined);
    let at = 0;
    for (let index = 0; index < time.length; index++) {
      while (at < times.length && (times[at] as number) < (time[index] as number)) at++;
      const sample = value[index] as number;
      row[at] = Number.isFinite(sample) && (!log || sample > 0) ? sample : null;
    }
    return row;
  });
  return [times, ...rows] as uPlot.AlignedData;
}

/** The sample nearest to a time; `null` outside the curve's own range. */
export function nearestSample({ time, value }: TimedValues, moment: number): number | null {
  const last = time.length - 1;
  if (last < 0 || moment < (time[0] as number) || moment > (time[last] as number)) return null;
  let [low, high] = [0, last];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if ((time[middle] as number) <= moment) low = middle;
    else high = middle;
  }
  const nearest = moment - (time[low] as number) <= (time[high] as number) - moment ? low : high;
  return value[nearest] as number;
}

/** How many samples of a curve a plot cannot show, by reason. */
export function undrawable({ value }: TimedValues, log: boolean): { notFinite: number; notPositive: number } {
  let [notFinite, notPositive] = [0, 0];
  for (const sample of value) {
    if (!Number.isFinite(sample)) notFinite++;
    else if (log && sample <= 0) notPositive++;
  }
  return { notFinite, notPositive };
}

/** Whole powers of ten around all values that can be drawn. */
export function decadeRange(values: Iterable<number>): [number, number] {
  let [low, high] = [Infinity, 0];
  for (const value of values) {
    if (!(value > 0) || !Number.isFinite(value)) continue;
    low = Math.min(low, value);
    high = Math.max(high, value);
  }
  if (high === 0) return [1e-3, 1];
  const bottom = Math.floor(Math.log10(low) + 1e-9);
  const top = Math.max(Math.ceil(Math.log10(high) - 1e-9), bottom + 1);
  return [10 ** bottom, 10 ** top];
}

function unionOfTimes(all: Float64Array[]): number[] {
  const [first, ...rest] = all;
  if (first === undefined) return [];
  const same = rest.every(
    (other) => other.length === first.length && other.every((time, index) => time === first[index]),
  );
  const union = same ? [...first] : [...new Set(all.flatMap((times) => [...times]))].sort((a, b) => a - b);
  return union.filter((time, index) => index === 0 || time !== union[index - 1]);
}
