// Checks of the palette: text is readable, and the colours of specs and verdicts can be distinguished by readers with
// colour blindness.

import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { distance, fromHex, KINDS, type Rgb, seen } from "../colour_math.ts";
import { moreColours, type Pair } from "../palette.ts";

type Theme = "light" | "dark";
const THEMES: Theme[] = ["light", "dark"];
const TOKENS = readFileSync(new URL("./tokens.css", import.meta.url), "utf8");

function pair(name: string): Pair {
  const [, light, dark] = new RegExp(`--${name}: light-dark\\((#[0-9a-f]{6}), (#[0-9a-f]{6})\\)`).exec(TOKENS) ?? [];
  if (light === undefined || dark === undefined) throw new Error(`tokens.css has no --${name}`);
  return { light, dark };
}

function token(name: string, theme: Theme): Rgb {
  return fromHex(pair(name)[theme]);
}

/** Contrast after WCAG 2.2: 4.5 for text. */
function contrast(a: Rgb, b: Rgb): number {
  const luminance = ([r, g, bl]: Rgb) => 0.2126 * r + 0.7152 * g + 0.0722 * bl;
  const [low, high] = [luminance(a), luminance(b)].sort((x, y) => x - y) as [number, number];
  return (high + 0.05) / (low + 0.05);
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

test.each(THEMES)("the colours of a report with many specs are all different in the %s theme", (theme) => {
  const base = [0, 1, 2, 3, 4, 5].map((index) => pair(`spec-${index}`));
  for (const count of [12, 30, 80]) {
    const all = [...base, ...moreColours(base, count - base.length)].map((one) => fromHex(one[theme]));
    expect(all.length).toBe(count);
    const panel = token("panel", theme);
    for (const [a, one] of all.entries()) {
      expect(distance(one, panel), `${count}: spec ${a} on the panel`).toBeGreaterThan(25);
      for (let b = a + 1; b < count; b++) {
        // Several times what is just noticeable (2.3), as long as a plot can be read at all.
        const least = count <= 12 ? 12 : count <= 30 ? 8 : 2.5;
        expect(distance(one, all[b] as Rgb), `${count}: spec ${a} and ${b}`).toBeGreaterThan(least);
      }
    }
  }
});
