import { expect, test } from "vitest";
import { Clock } from "./clock.ts";
import { cells } from "./layout.ts";
import { direction, FIRST_VIEW, shifted, turned, zoomed } from "./orbit.ts";

test("the camera keeps its distance while rotating, and never passes the pole", () => {
  const view = turned(FIRST_VIEW, 2, 9);
  expect(Math.hypot(...direction(view))).toBeCloseTo(FIRST_VIEW.distance);
  expect(view.elevation).toBeLessThan(Math.PI / 2);
  expect(Math.hypot(...direction(zoomed(FIRST_VIEW, 0.5)))).toBeCloseTo(FIRST_VIEW.distance / 2);
});

test("translation is perpendicular to the line of sight", () => {
  const { shift } = shifted(FIRST_VIEW, 1, 1);
  const away = direction(FIRST_VIEW);
  expect(shift[0] * away[0] + shift[1] * away[1] + shift[2] * away[2]).toBeCloseTo(0);
});

test("cells fill the canvas without seam or overlap", () => {
  for (const count of [1, 2, 3, 4, 5, 7]) {
    const all = cells(count, 801, 333);
    expect(all.length).toBe(count);
    for (const cell of all) {
      expect(cell.left + cell.width).toBeLessThanOrEqual(801);
      expect(cell.top + cell.height).toBeLessThanOrEqual(333);
    }
    const rows = new Set(all.map((cell) => cell.top)).size;
    const columns = new Set(all.map((cell) => cell.left)).size;
    expect(rows * columns).toBeGreaterThanOrEqual(count);
  }
  expect(cells(2, 800, 300).map((cell) => cell.left)).toEqual([0, 400]);
});

/** A clock whose frames are triggered by the test. */
function stepped(duration: number) {
  let next: ((now: number) => void) | null = null;
  const clock = new Clock(duration, (frame) => (next = frame));
  return {
    clock,
    frame: (now: number) => {
      const run = next;
      next = null;
      run?.(now);
    },
  };
}

test("playing advances with the frames, at its rate, and stops at the end", () => {
  const { clock, frame } = stepped(1);
  clock.rate = 2;
  clock.play();
  frame(1000);
  frame(1050);
  expect(clock.time).toBeCloseTo(0.1);
  for (let now = 1100; now < 2000; now += 50) frame(now);
  expect([clock.time, clock.playing]).toEqual([1, false]);
  clock.play();
  expect(clock.time).toBe(0);
});

test("a gap between frames is not a jump, and seeking stays inside", () => {
  const { clock, frame } = stepped(10);
  clock.play();
  frame(0);
  frame(60_000);
  expect(clock.time).toBeLessThan(0.2);
  clock.seek(99);
  expect(clock.time).toBe(10);
  clock.seek(-1);
  expect(clock.time).toBe(0);
});

test("nothing plays without a duration", () => {
  const { clock } = stepped(0);
  clock.play();
  expect(clock.playing).toBe(false);
});
