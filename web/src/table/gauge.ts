// A number relative to its bound, as a needle on a logarithmic scale: left of the middle is good.

import { svg } from "../dom.ts";

/** Powers of ten to either side of the bound. An arrow marks values off the scale. */
const REACH = 4;
const WIDTH = 96;
const HEIGHT = 18;
const INSET = 6;

/** Position of the needle, from 0 to 1, and whether it is off the scale. */
export function needle(decades: number): { at: number; off: "left" | "right" | null } {
  if (Number.isNaN(decades)) return { at: 1, off: "right" };
  const off = decades < -REACH ? "left" : decades > REACH ? "right" : null;
  const clamped = Math.max(-REACH, Math.min(REACH, decades));
  return { at: (clamped + REACH) / (2 * REACH), off };
}

export function gaugeText(decades: number): string {
  if (decades === -Infinity) return "no measurable error";
  if (decades === Infinity) return "beyond the bound without limit";
  const factor = 10 ** Math.abs(decades);
  const shown =
    factor < 10
      ? factor.toPrecision(2)
      : factor < 1e4
        ? Math.round(factor).toString()
        : factor.toExponential(0).replace("+", "");
  return decades <= 0 ? `${shown} times inside the bound` : `${shown} times beyond the bound`;
}

export function gauge(decades: number): SVGSVGElement {
  const { at, off } = needle(decades);
  const x = INSET + at * (WIDTH - 2 * INSET);
  const middle = WIDTH / 2;
  const level = HEIGHT / 2;
  const good = decades <= 0;
  const ticks = [];
  for (let decade = -REACH; decade <= REACH; decade++) {
    const tick = INSET + ((decade + REACH) / (2 * REACH)) * (WIDTH - 2 * INSET);
    ticks.push(`M${tick} ${level - 1.5}v3`);
  }
  const head =
    off === "left" ? `M${x + 4} ${level - 4}l-5 4 5 4z` : off === "right" ? `M${x - 4} ${level - 4}l5 4 -5 4z` : null;
  return svg(
    "svg",
    {
      class: `gauge ${good ? "gauge-good" : "gauge-bad"}`,
      viewBox: `0 0 ${WIDTH} ${HEIGHT}`,
      width: WIDTH,
      height: HEIGHT,
      role: "img",
      "aria-label": gaugeText(decades),
    },
    svg("title", {}, gaugeText(decades)),
    svg("path", { class: "gauge-ticks", d: ticks.join("") }),
    svg("path", { class: "gauge-bar", d: `M${middle} ${level}H${x}` }),
    svg("path", { class: "gauge-bound", d: `M${middle} 2v${HEIGHT - 4}` }),
    head === null
      ? svg("circle", { class: "gauge-needle", cx: x, cy: level, r: 3.4 })
      : svg("path", { class: "gauge-needle", d: head }),
  );
}
