import { expect, test } from "vitest";
import type { SolidBody as Body } from "./decoded.ts";
import { bodyExtent, framing, movingBodies } from "./extent.ts";
import { Track } from "./track.ts";

const still = { position_m: [0, 0, 0], rotation_wxyz: [1, 0, 0, 0] } as Body["shapes"][number]["body_from_shape"];
const ball: Body = {
  name: "ball",
  fixed: false,
  shapes: [{ body_from_shape: still, geometry: { kind: "sphere", radius_m: 0.5 } }],
};
const ground: Body = {
  name: "ground",
  fixed: true,
  shapes: [{ body_from_shape: still, geometry: { kind: "plane" } }],
};

/** Along x from 0 to `far`. */
function along(far: number): Track {
  return new Track(Float32Array.from([0, 1]), Float32Array.from([0, 0, 0, 1, 0, 0, 0, far, 0, 0, 1, 0, 0, 0]), 1);
}

test("a body is as large as its shapes together", () => {
  const apart = { position_m: [2, 0, 0], rotation_wxyz: [1, 0, 0, 0] } as typeof still;
  const two: Body = {
    ...ball,
    shapes: [...ball.shapes, { body_from_shape: apart, geometry: { kind: "sphere", radius_m: 0.5 } }],
  };
  expect(bodyExtent(two)).toEqual({ centre: [1, 0, 0], radius: 1.5 });
  expect(bodyExtent(ground).radius).toBe(0);
});

test("the camera sees all of a common motion", () => {
  const { centre, radius, follow } = framing([ball], [along(4), along(4)]);
  expect(centre[0]).toBeCloseTo(2);
  expect(radius).toBeGreaterThan(2.5);
  expect(follow).toBe(false);
});

test("one engine that diverges does not push the others out of view", () => {
  const calm = framing([ball], [along(4), along(4), along(4)]).radius;
  const wild = framing([ball], [along(4), along(1e9), along(4)]).radius;
  expect(wild).toBeLessThan(3 * calm);
});

test("a body that stands still in every track does not count as moving", () => {
  const both = new Track(
    Float32Array.from([0, 1]),
    Float32Array.from([
      ...[0, 0, 0, 1, 0, 0, 0],
      ...[0, 0, 0, 1, 0, 0, 0],
      ...[0, 0, 0, 1, 0, 0, 0],
      ...[1, 0, 0, 1, 0, 0, 0],
    ]),
    2,
  );
  expect(movingBodies([ball, ball], [both])).toEqual([false, true]);
  expect(movingBodies([{ ...ground, fixed: false }, ball], [both])).toEqual([false, true]);
  expect(movingBodies([ball], [along(0)])).toEqual([true]);
  expect(movingBodies([{ ...ball, fixed: true }], [along(1)])).toEqual([false]);
});

test("a long path is followed; an empty scene has a frame too", () => {
  expect(framing([ball], [along(1000)]).follow).toBe(true);
  expect(framing([ball], [along(NaN)]).radius).toBeGreaterThan(0);
  expect(framing([ball], []).radius).toBe(1);
});

test("bodies far from each other are shown together while they can be seen, else one of them is looked at", () => {
  /** Two balls a distance apart that travel along x together. */
  const pair = (distance: number, far: number) =>
    new Track(
      Float32Array.from([0, 1]),
      Float32Array.from([0, far].flatMap((x) => [x, 0, 0, 1, 0, 0, 0, x, distance, 0, 1, 0, 0, 0])),
      2,
    );
  const near = framing([ball, ball], [pair(10, 1000)]);
  expect([near.follow, near.apart]).toEqual([true, false]);
  expect(near.together).toBeGreaterThan(5);
  const wide = framing([ball, ball], [pair(1000, 10)]);
  expect([wide.follow, wide.apart]).toEqual([false, true]);
});

test("the camera fits what moves, not a table that does not", () => {
  const table: Body = {
    ...ball,
    name: "table",
    fixed: true,
    shapes: [{ body_from_shape: still, geometry: { kind: "box", size_m: [50, 50, 1] } }],
  };
  const both = new Track(
    Float32Array.from([0, 1]),
    Float32Array.from([0, 1].flatMap((x) => [0, 0, 0, 1, 0, 0, 0, x, 0, 0, 1, 0, 0, 0])),
    2,
  );
  expect(framing([table, ball], [both]).radius).toBeLessThan(2);
});
