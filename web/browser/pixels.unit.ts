// The functions of the browser tests distinguish an empty canvas from a drawn one, and a moved body from a still one.

import { expect, test } from "vitest";
import { differing, inkOf, type Picture } from "./pixels.ts";

/** A white picture of 20 by 10 pixels with a black square of 3 by 3 at a place, or without one. */
function picture(square: { x: number; y: number } | null): Picture {
  const data = new Uint8Array(20 * 10 * 4).fill(255);
  for (let i = 0; square !== null && i < 9; i++) {
    const at = 4 * (20 * (square.y + Math.floor(i / 3)) + square.x + (i % 3));
    data.fill(0, at, at + 3);
  }
  return { width: 20, height: 10, data };
}

test("an empty canvas has no ink, transparent or not", () => {
  expect(inkOf(picture(null))).toBe(0);
  expect(inkOf({ width: 2, height: 2, data: new Uint8Array(16) })).toBe(0);
  expect(inkOf(picture({ x: 1, y: 1 }))).toBeCloseTo(9 / 200);
});

test("a still body gives no difference, a moved one differs at its old and new place", () => {
  const before = picture({ x: 1, y: 1 });
  expect(differing(before, picture({ x: 1, y: 1 }))).toBe(0);
  expect(differing(before, picture({ x: 10, y: 5 }))).toBeCloseTo(18 / 200);
  expect(differing(before, { ...before, width: 10, height: 20 })).toBe(1);
});
