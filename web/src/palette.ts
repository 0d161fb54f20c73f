// Colours of specs: the six of tokens.css, and as many more as a report needs, each as far as possible from the others. No
// two specs of a report share a colour.

import { fromHex, fromOklch, KINDS, lab, type Rgb, seen, toHex } from "./colour_math.ts";

/** How many colours `styles/tokens.css` has for specs. */
export const SPEC_COLOURS = 6;

export interface Pair {
  light: string;
  dark: string;
}

/** The CSS variable of a spec. */
export function colourOf(index: number): string {
  return `--spec-${index}`;
}

/** Defines the variables of a report with this many specs. */
export function definePalette(count: number): void {
  if (count <= SPEC_COLOURS) return;
  const style = getComputedStyle(document.documentElement);
  const base = Array.from({ length: SPEC_COLOURS }, (_, index) => {
    const [light, dark] = style.getPropertyValue(colourOf(index)).match(/#[0-9a-f]{6}/g) ?? [];
    return { light: light ?? "#000000", dark: dark ?? "#ffffff" };
  });
  for (const [extra, { light, dark }] of moreColours(base, count - SPEC_COLOURS).entries()) {
    document.documentElement.style.setProperty(colourOf(SPEC_COLOURS + extra), `light-dark(${light}, ${dark})`);
  }
}

/** Lightness in the light and in the dark theme, and chroma. */
const TIERS = [
  [0.4, 0.6, 0.09],
  [0.48, 0.68, 0.13],
  [0.56, 0.76, 0.15],
  [0.64, 0.84, 0.12],
  [0.55, 0.72, 0.05],
] as const;
/** Degrees between hues of one tier; a report with more specs than colours gets finer ones. */
const HUE_STEP = 12;

/** Further colours: of all candidates, each time the one furthest from those there are. */
export function moreColours(base: Pair[], count: number): Pair[] {
  const hueStep = Math.min(HUE_STEP, (360 * TIERS.length) / (count + 1));
  const candidates: { pair: Pair; points: Rgb[][] }[] = [];
  for (const [lightOn, darkOn, chroma] of TIERS) {
    for (let hue = 0; hue < 360 - 1e-9; hue += hueStep) {
      const pair = { light: toHex(fromOklch(lightOn, chroma, hue)), dark: toHex(fromOklch(darkOn, chroma, hue)) };
      candidates.push({ pair, points: points(pair) });
    }
  }
  const nearest = candidates.map(({ points: own }) => Math.min(...base.map((pair) => apart(own, points(pair)))));
  const chosen: Pair[] = [];
  while (chosen.length < count) {
    let best = 0;
    for (let at = 1; at < candidates.length; at++) if ((nearest[at] ?? 0) > (nearest[best] ?? 0)) best = at;
    const { pair, points: own } = candidates[best] as (typeof candidates)[number];
    chosen.push(pair);
    for (const [at, other] of candidates.entries())
      nearest[at] = Math.min(nearest[at] ?? 0, at === best ? -1 : apart(own, other.points));
  }
  return chosen;
}

/** Lab coordinates in both themes, as every kind of sight sees them. */
function points({ light, dark }: Pair): Rgb[][] {
  return Object.keys(KINDS).map((kind) => [light, dark].map((hex) => lab(seen(kind, fromHex(hex)))));
}

/** Mean of the distance for normal sight and the smallest for the others, in the worse theme. */
function apart(a: Rgb[][], b: Rgb[][]): number {
  const each = a.map((themes, kind) =>
    Math.min(
      ...themes.map((p, theme) => {
        const q = b[kind]?.[theme] ?? p;
        return Math.hypot(p[0] - q[0], p[1] - q[1], p[2] - q[2]);
      }),
    ),
  );
  return ((each[0] ?? 0) + Math.min(...each.slice(1))) / 2;
}
