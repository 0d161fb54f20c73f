// Size of bodies and extent of their motion, to place the camera.

import type { Pose } from "../data/schema.ts";
import type { SolidBody, SolidGeometry } from "./decoded.ts";
import { pointInWorld, POSE_NUMBERS, type Track } from "./track.ts";

export type Point = [number, number, number];

export interface BodyExtent {
  /** Middle of its shapes, in its own frame. */
  centre: Point;
  /** About that middle; zero without a shape. A plane has no size. */
  radius: number;
}

export function bodyExtent(body: SolidBody): BodyExtent {
  const parts = body.shapes.flatMap(({ geometry, body_from_shape }) => {
    if (geometry.kind === "plane") return [];
    const { centre, radius } = geometryExtent(geometry);
    return [{ centre: placed(body_from_shape, centre), radius }];
  });
  if (parts.length === 0) return { centre: [0, 0, 0], radius: 0 };
  const middle = (axis: 0 | 1 | 2) => {
    const low = Math.min(...parts.map((part) => part.centre[axis] - part.radius));
    const high = Math.max(...parts.map((part) => part.centre[axis] + part.radius));
    return (low + high) / 2;
  };
  const centre: Point = [middle(0), middle(1), middle(2)];
  const radius = Math.max(...parts.map((part) => distance(part.centre, centre) + part.radius));
  return { centre, radius };
}

function geometryExtent(geometry: SolidGeometry): BodyExtent {
  const about = (radius: number): BodyExtent => ({ centre: [0, 0, 0], radius });
  switch (geometry.kind) {
    case "box":
      return about(Math.hypot(...geometry.size_m) / 2);
    case "sphere":
      return about(geometry.radius_m);
    case "ellipsoid":
      return about(Math.max(...geometry.radii_m));
    case "cylinder":
      return about(Math.hypot(geometry.radius_m, geometry.length_m / 2));
    case "capsule":
      return about(geometry.radius_m + geometry.length_m / 2);
    case "plane":
      return about(0);
    case "mesh":
      return pointsExtent(geometry.vertices_m);
  }
}

function pointsExtent(numbers: Float32Array): BodyExtent {
  const low: Point = [Infinity, Infinity, Infinity];
  const high: Point = [-Infinity, -Infinity, -Infinity];
  for (let index = 0; index < numbers.length; index++) {
    const axis = (index % 3) as 0 | 1 | 2;
    low[axis] = Math.min(low[axis], numbers[index] as number);
    high[axis] = Math.max(high[axis], numbers[index] as number);
  }
  if (numbers.length === 0) return { centre: [0, 0, 0], radius: 0 };
  return {
    centre: [(low[0] + high[0]) / 2, (low[1] + high[1]) / 2, (low[2] + high[2]) / 2],
    radius: distance(low, high) / 2,
  };
}

function placed(pose: Pose, point: Point): Point {
  return pointInWorld(Float64Array.from([...pose.position_m, ...pose.rotation_wxyz]), point);
}

export function distance(a: Point, b: Point): number {
  return Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
}

/**
 * Which bodies move: neither declared fixed nor at rest in every track. If none moves, all bodies that are not declared
 * fixed count, so that there is something to compare.
 */
export function movingBodies(bodies: SolidBody[], tracks: Track[]): boolean[] {
  const declared = bodies.map((body) => !body.fixed && body.shapes.every((shape) => shape.geometry.kind !== "plane"));
  const moving = declared.map((may, index) => may && tracks.some((track) => !track.stands(index)));
  return moving.some(Boolean) ? moving : declared;
}

export interface Framing {
  centre: Point;
  radius: number;
  /** The lowest point, for a floor if the scene has none. */
  floor: number;
  /** The motion goes so far that its bodies would be dots: the camera follows them. */
  follow: boolean;
  /** The bodies are so far from each other that they would be dots: the camera looks at one of them. */
  apart: boolean;
  /** Radius of all bodies that move, at the start. */
  together: number;
}

const FRAMES_LOOKED_AT = 120;
/** A scene this many times as large as its bodies shows them as dots. */
const DOTS = 40;

/**
 * Frames the motion of the bodies. One engine that diverges must not push the others out of view, so tracks count only
 * as far as they stay near the one with the median extent.
 */
export function framing(bodies: SolidBody[], tracks: Track[]): Framing {
  const extents = bodies.map(bodyExtent);
  const moving = movingBodies(bodies, tracks);
  const boxes = tracks.flatMap((track) => {
    const box = trackBox(track, moving, extents);
    return box === null ? [] : [{ ...box, track }];
  });
  if (boxes.length === 0) return { centre: [0, 0, 0], radius: 1, floor: 0, follow: false, apart: false, together: 1 };
  const bySize = [...boxes].sort((a, b) => boxSize(a) - boxSize(b));
  const middle = bySize[(bySize.length - 1) >> 1] as (typeof boxes)[number];
  const reach = 1.5 * boxSize(middle);
  const all: Box = { low: [...middle.low], high: [...middle.high] };
  for (const box of boxes) {
    for (const axis of [0, 1, 2] as const) {
      all.low[axis] = Math.min(all.low[axis], Math.max(box.low[axis], middle.low[axis] - reach));
      all.high[axis] = Math.max(all.high[axis], Math.min(box.high[axis], middle.high[axis] + reach));
    }
  }
  const centre: Point = [0, 1, 2].map((axis) => ((all.low[axis] ?? 0) + (all.high[axis] ?? 0)) / 2) as Point;
  const radius = Math.max(boxSize(all) / 2, 1e-3);
  const largest = Math.max(...extents.filter((_, index) => moving[index]).map((extent) => extent.radius), 0);
  const dots = largest > 0 && radius > DOTS * largest;
  // At the first moment of the median track: what a camera that follows all of them has to show.
  const together = boxSize(trackBox(middle.track, moving, extents, 1) ?? middle) / 2;
  const apart = dots && together > DOTS * largest;
  return { centre, radius, floor: all.low[2], follow: dots && !apart, apart, together };
}

interface Box {
  low: Point;
  high: Point;
}

function boxSize(box: Box): number {
  return distance(box.low, box.high);
}

function trackBox(track: Track, moving: boolean[], extents: BodyExtent[], frames = track.frames): Box | null {
  const low: Point = [Infinity, Infinity, Infinity];
  const high: Point = [-Infinity, -Infinity, -Infinity];
  const pose = new Float64Array(POSE_NUMBERS);
  const stride = Math.max(1, Math.floor(track.frames / FRAMES_LOOKED_AT));
  for (let frame = 0; frame < frames; frame += stride) {
    for (const [index, { centre, radius }] of extents.entries()) {
      // The camera fits what moves: a wall or a table may be far larger.
      if (!moving[index]) continue;
      if (!track.sample(track.timeOf(frame), index, pose)) continue;
      const point = pointInWorld(pose, centre);
      for (const axis of [0, 1, 2] as const) {
        low[axis] = Math.min(low[axis], point[axis] - radius);
        high[axis] = Math.max(high[axis], point[axis] + radius);
      }
    }
  }
  return Number.isFinite(low[0]) ? { low, high } : null;
}
