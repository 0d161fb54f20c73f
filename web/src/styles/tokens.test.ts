// Checks of the palette: text is readable, and the colours of specs and verdicts can be distinguished by readers with
// colour blindness.

import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

type Rgb = [number, number, number];
type Theme = "light" | "dark";
const THEMES: Theme[] = ["light", "dark"];
const TOKENS = readFileSync(new URL("./tokens.css", import.meta.url), "utf8");

function token(name: string, theme: Theme): Rgb {
  const pair = new RegExp(`--${name}: light-dark\\((#[0-9a-f]{6}), (#[0-9a-f]{6})\\)`).exec(TOKENS);
  if (pair === null) throw new Error(`tokens.css has no --${name}`);
  const hex = pair[theme === "light" ? 1 : 2] ?? "";
  return [1, 3, 5].map((at) => linear(Number.parseInt(hex.slice(at, at + 2), 16) / 255)) as Rgb;
}

/** sRGB to light. */
function linear(value: number): number {
  return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
}

/** Contrast after WCAG 2.2: 4.5 for text. */
function contrast(a: Rgb, b: Rgb): number {
  const luminance = ([r, g, bl]: Rgb) => 0.2126 * r + 0.7152 * g + 0.0722 * bl;
  const [low, high] = [luminance(a), luminance(b)].sort((x, y) => x - y) as [number, number];
  return (high + 0.05) / (low + 0.05);
}

/** How a kind of colour blindness sees it: Machado, Oliveira and Fernandes 2009, complete loss, on linear light. */
const KINDS: Record<string, [Rgb, Rgb, Rgb]> = {
  none: [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ],
  protanopia: [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
  deuteranopia: [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
  tritanopia: [
    [1.255528, -0.076749, -0.178779],
    [-0.078411, 0.930809, 0.147602],
    [0.004733, 0.691367, 0.3039],
  ],
};

function seen(kind: string, [r, g, b]: Rgb): Rgb {
  const rows = KINDS[kind] ?? [];
  return rows.map(([x, y, z]) => Math.max(0, Math.min(1, x * r + y * g + z * b))) as Rgb;
}

/** CIE 1976 distance: 2.3 is just noticeable. */
function distance(a: Rgb, b: Rgb): number {
  const [p, q] = [lab(a), lab(b)];
  return Math.hypot(p[0] - q[0], p[1] - q[1], p[2] - q[2]);
}

function lab([r, g, b]: Rgb): Rgb {
  const f = (t: number) => (t > 216 / 24389 ? Math.cbrt(t) : ((24389 / 27) * t + 16) / 116);
  const x = f((0.4124 * r + 0.3576 * g + 0.1805 * b) / 0.9505);
  const y = f(0.2126 * r + 0.7152 * g + 0.0722 * b);
  const z = f((0.0193 * r + 0.1192 * g + 0.9505 * b) / 1.089);
  return [116 * y - 16, 500 * (x - y), 200 * (y - z)];
}

test("white stays white with every kind of colour blindness", () => {
  for (const kind of Object.keys(KINDS)) expect(distance(seen(kind, [1, 1, 1]), [1, 1, 1])).toBeLessThan(0.1);
});

test.each(THEMES)("text and signs can be read on every ground of the %s theme", (theme) => {
  for (const ground of ["paper", "panel"]) {
    for (const ink of ["ink", "ink-2", "ink-3", "accent", "good", "bad", "unsure", "plain"]) {
      expect(contrast(token(ink, theme), token(ground, theme)), `${ink} on ${ground}`).toBeGreaterThanOrEqual(4.5);
    }
  }
  for (const verdict of ["good", "bad", "unsure", "plain"]) {
    expect(contrast(token("ink", theme), token(`${verdict}-wash`, theme)), verdict).toBeGreaterThanOrEqual(7);
    // Icons are graphics, not text: a contrast of 3 is required.
    expect(contrast(token(verdict, theme), token(`${verdict}-wash`, theme)), verdict).toBeGreaterThanOrEqual(3);
  }
});

test.each(THEMES)("the six colours of specs stay apart in the %s theme, and from the panel", (theme) => {
  for (const kind of Object.keys(KINDS)) {
    for (let a = 0; a < 6; a++) {
      const one = seen(kind, token(`spec-${a}`, theme));
      for (let b = a + 1; b < 6; b++) {
        // Six times the just noticeable difference is distinguished at a glance; dash and marker differ as well.
        expect(distance(one, seen(kind, token(`spec-${b}`, theme))), `${kind}: spec ${a} and ${b}`).toBeGreaterThan(
          14,
        );
      }
      expect(distance(one, seen(kind, token("panel", theme))), `${kind}: spec ${a} on the panel`).toBeGreaterThan(30);
    }
  }
});

test.each(THEMES)("accepted and rejected stay apart in the %s theme", (theme) => {
  for (const kind of Object.keys(KINDS)) {
    expect(distance(seen(kind, token("good", theme)), seen(kind, token("bad", theme))), kind).toBeGreaterThan(25);
  }
});
