// The data with everything that is computed once: the specs, their colours, and the address of each part.

import type { ReportData, Scenario, Trial } from "./data/schema.ts";

/** Marker shapes, one per spec in addition to its colour. */
export const MARKERS = ["circle", "square", "triangle", "diamond", "cross", "ring"] as const;
export type Marker = (typeof MARKERS)[number];

/** How many colours `styles/tokens.css` has for specs. */
export const SPEC_COLOURS = 6;

export interface Spec {
  text: string;
  /** `rapier` of `rapier@0.32:iters=4`. */
  engine: string;
  /** `@0.32 iters=4`: the rest. */
  settings: string;
  /** CSS variable with its colour. */
  colourVariable: string;
  marker: Marker;
}

export class Report {
  readonly specs: Spec[];
  /** Some trial has an expectation; trials without one are then marked. */
  readonly expecting: boolean;
  private readonly bySpec: Map<string, Spec>;
  private readonly slugs: string[];

  constructor(readonly data: ReportData) {
    this.specs = specsOf(data);
    this.expecting = data.scenarios.some((scenario) => scenario.trials.some((trial) => trial.expected.length > 0));
    this.bySpec = new Map(this.specs.map((spec) => [spec.text, spec]));
    this.slugs = slugsOf(data.scenarios.map((scenario) => scenario.name));
  }

  spec(text: string): Spec {
    const found = this.bySpec.get(text);
    if (found === undefined) throw new Error(`no trial has the spec ${text}`);
    return found;
  }

  scenarioId(scenario: Scenario): string {
    return `scenario-${this.slugs[this.data.scenarios.indexOf(scenario)]}`;
  }

  trialId(scenario: Scenario, trial: Trial): string {
    return `${this.scenarioId(scenario)}-trial-${scenario.trials.indexOf(trial) + 1}`;
  }
}

/** In the order of the list of engines, then in order of appearance. A spec may appear only in a plot. */
export function specsOf(data: ReportData): Spec[] {
  const used = new Set<string>();
  for (const scenario of data.scenarios) {
    for (const trial of scenario.trials) used.add(trial.spec);
    for (const plot of scenario.convergence) for (const line of plot.lines) used.add(line.spec);
  }
  const listed = data.engines.flatMap((engine) => engine.specs).filter((spec) => used.has(spec));
  return [...new Set([...listed, ...used])].map((text, index) => ({
    text,
    ...splitSpec(text),
    colourVariable: `--spec-${index % SPEC_COLOURS}`,
    // With each round of colours the markers advance by one: colour and marker together repeat after 36 specs.
    marker: MARKERS[(index + Math.floor(index / SPEC_COLOURS)) % MARKERS.length] ?? "circle",
  }));
}

export function splitSpec(text: string): { engine: string; settings: string } {
  const end = text.search(/[:@]/);
  if (end < 0) return { engine: text, settings: "" };
  return {
    engine: text.slice(0, end),
    settings: text.slice(end).replace(/^:/, "").replace(":", " ").replaceAll(",", " "),
  };
}

/** Parts of an address: letters, digits and dashes, all different. */
export function slugsOf(names: string[]): string[] {
  const taken = new Set<string>();
  return names.map((name, index) => {
    const plain = name
      .toLowerCase()
      .replaceAll(/[^a-z0-9]+/g, "-")
      .replaceAll(/^-|-$/g, "");
    let slug = plain === "" ? String(index + 1) : plain;
    while (taken.has(slug)) slug = `${slug}-${index + 1}`;
    taken.add(slug);
    return slug;
  });
}
