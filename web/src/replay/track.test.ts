import { expect, test } from "vitest";
import { pointInWorld, POSE_NUMBERS, Track } from "./track.ts";

const half = Math.SQRT1_2;
/** Two bodies: one moves along x, one turns by 90 degrees about z. */
const poses = Float32Array.from([
  0,
  0,
  0,
  1,
  0,
  0,
  0,
  /**/ 5,
  0,
  0,
  1,
  0,
  0,
  0,
  2,
  0,
  0,
  1,
  0,
  0,
  0,
  /**/ 5,
  0,
  0,
  half,
  0,
  0,
  half,
]);
const track = () => new Track(Float32Array.from([0, 1]), poses, 2);
const sample = (at: Track, time: number, body: number) => {
  const out = new Float64Array(POSE_NUMBERS);
  return at.sample(time, body, out) ? [...out] : null;
};

test("positions are interpolated linearly, orientations along the shorter arc", () => {
  expect(sample(track(), 0.5, 0)).toEqual([1, 0, 0, 1, 0, 0, 0]);
  const turned = sample(track(), 0.5, 1) as number[];
  expect(turned[3]).toBeCloseTo(Math.cos(Math.PI / 8));
  expect(turned[6]).toBeCloseTo(Math.sin(Math.PI / 8));
  const negated = Float32Array.from(poses);
  for (let i = 24; i < 28; i++) negated[i] = -(negated[i] as number);
  const same = sample(new Track(Float32Array.from([0, 1]), negated, 2), 0.5, 1) as number[];
  expect(same[3]).toBeCloseTo(turned[3] as number);
});

test("the pose is constant before the start and after the end", () => {
  expect(sample(track(), -1, 0)?.[0]).toBe(0);
  expect(sample(track(), 9, 0)?.[0]).toBe(2);
});

test("seeking gives the same as playing", () => {
  const times = Float32Array.from({ length: 100 }, (_, index) => index * 0.1);
  const line = Float32Array.from(times).reduce<number[]>((all, time) => [...all, time, 0, 0, 1, 0, 0, 0], []);
  const one = new Track(times, Float32Array.from(line), 1);
  for (const time of [0, 5.05, 5.15, 9.85, 0.05, 3.33]) expect(sample(one, time, 0)?.[0]).toBeCloseTo(time, 5);
});

test("non-finite numbers are not drawn", () => {
  const broken = new Track(Float32Array.from([0]), Float32Array.from([NaN, 0, 0, 1, 0, 0, 0]), 1);
  expect(sample(broken, 0, 0)).toBeNull();
  expect(sample(new Track(new Float32Array(0), new Float32Array(0), 1), 0, 0)).toBeNull();
});

test("a point rotates with its body", () => {
  const [x, y, z] = pointInWorld(Float64Array.from([1, 2, 3, half, 0, 0, half]), [1, 0, 0]);
  expect([x, y, z].map((value) => Math.round(value * 1e6) / 1e6)).toEqual([1, 3, 3]);
});
