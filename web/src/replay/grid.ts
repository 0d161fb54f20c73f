// The squares on the floor.

import { BufferAttribute, BufferGeometry, LineBasicMaterial, LineSegments } from "three";

/**
 * Lines are cut into pieces this many squares long: some software renderers drop a line that passes behind the camera.
 */
const PIECE = 2;

/** `squares` by `squares` of a given side, about the origin, in the plane z = 0. */
export function floorGrid(squares: number, side: number, colour: string): LineSegments {
  const half = squares / 2;
  const points: number[] = [];
  for (let line = -half; line <= half; line++) {
    for (let from = -half; from < half; from += PIECE) {
      const to = Math.min(from + PIECE, half);
      points.push(line * side, from * side, 0, line * side, to * side, 0);
      points.push(from * side, line * side, 0, to * side, line * side, 0);
    }
  }
  const geometry = new BufferGeometry();
  geometry.setAttribute("position", new BufferAttribute(Float32Array.from(points), 3));
  return new LineSegments(geometry, new LineBasicMaterial({ color: colour }));
}
