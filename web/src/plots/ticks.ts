// Logarithmic axes.

export interface LogAxis {
  /** Powers of ten at its ends. */
  from: number;
  to: number;
  /** Labelled ticks. */
  major: number[];
  minor: number[];
}

/** An axis around these positive numbers, with a small margin, and at most about `wanted` labels. */
export function logAxis(values: number[], wanted: number): LogAxis {
  const usable = values.filter((value) => value > 0 && Number.isFinite(value)).map(Math.log10);
  if (usable.length === 0) return { from: -1, to: 1, major: [0.1, 1, 10], minor: [] };
  // Not `Math.min(...usable)`: a study may have more points than a call can have arguments.
  let from = usable.reduce((least, value) => Math.min(least, value), Infinity);
  let to = usable.reduce((most, value) => Math.max(most, value), -Infinity);
  const air = Math.max(0.06 * (to - from), 0.12);
  from -= air;
  to += air;
  const first = Math.ceil(from);
  const last = Math.floor(to);
  const decades = Math.max(last - first + 1, 0);
  const stride = Math.max(1, Math.ceil(decades / wanted));
  const major: number[] = [];
  const minor: number[] = [];
  for (let exponent = Math.floor(from); exponent <= last; exponent++) {
    const labelled = exponent >= first && (exponent - first) % stride === 0;
    if (exponent >= first) (labelled ? major : minor).push(10 ** exponent);
    if (stride > 1) continue;
    for (let digit = 2; digit <= 9; digit++) {
      const place = Math.log10(digit) + exponent;
      if (place < from || place > to) continue;
      // With less than two powers of ten on the axis, 2 and 5 need labels too.
      (decades < 2 && (digit === 2 || digit === 5) ? major : minor).push(digit * 10 ** exponent);
    }
  }
  return { from, to, major: major.sort((a, b) => a - b), minor };
}

/** From 0 to 1 along the axis. */
export function along(axis: LogAxis, value: number): number {
  return (Math.log10(value) - axis.from) / (axis.to - axis.from);
}

export function tickLabel(value: number): string {
  const exponent = Math.floor(Math.log10(value) + 1e-9);
  const digit = Math.round(value / 10 ** exponent);
  if (exponent >= -2 && exponent <= 3) return String(Number(value.toPrecision(2)));
  return `${digit}e${exponent}`;
}
