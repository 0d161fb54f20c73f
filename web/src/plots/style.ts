// Appearance of a trial in a plot: its spec gives the colour, its step the dash.

import type { Scenario, Trial } from "../data/schema.ts";
import { svg } from "../dom.ts";
import type { Marker, Report } from "../report.ts";

/** From the smallest step, solid, to the largest, dotted. */
const DASHES: number[][] = [[], [9, 4], [5, 3], [2, 3], [1, 4]];

export function dashOf(scenario: Scenario, trial: Trial): number[] {
  const steps = scenario.trials.filter((other) => other.spec === trial.spec).map((other) => other.step_s ?? 0);
  const finer = new Set(steps.filter((step) => step < (trial.step_s ?? 0))).size;
  return DASHES[Math.min(finer, DASHES.length - 1)] ?? [];
}

export function lineSample(report: Report, scenario: Scenario, trial: Trial | null): SVGSVGElement {
  const dash = trial === null ? "" : dashOf(scenario, trial).join(" ");
  const variable = trial === null ? "--ink" : report.spec(trial.spec).colourVariable;
  return svg(
    "svg",
    { class: "line-sample", viewBox: "0 0 26 8", width: 26, height: 8, "aria-hidden": "true" },
    svg("path", {
      d: "M1 4h24",
      style: `stroke:var(${variable})`,
      "stroke-dasharray": dash === "" ? null : dash,
    }),
  );
}

/** The outline of a marker about a point. */
export function markerPath(marker: Marker, x: number, y: number, r: number): string {
  switch (marker) {
    case "circle":
    case "ring":
      return `M${x - r} ${y}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0`;
    case "square":
      return `M${x - 0.9 * r} ${y - 0.9 * r}h${1.8 * r}v${1.8 * r}h${-1.8 * r}z`;
    case "triangle":
      return `M${x} ${y - 1.15 * r}l${1.1 * r} ${1.95 * r}h${-2.2 * r}z`;
    case "diamond":
      return `M${x} ${y - 1.3 * r}l${1.2 * r} ${1.3 * r}l${-1.2 * r} ${1.3 * r}l${-1.2 * r} ${-1.3 * r}z`;
    case "cross":
      return `M${x - r} ${y - r}l${2 * r} ${2 * r}M${x + r} ${y - r}l${-2 * r} ${2 * r}`;
  }
}
