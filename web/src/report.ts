// The index with everything that is computed once: the specs, their colours, the address of each part; and the scenarios,
// each read when it is first needed.

import { colourOf } from "./palette.ts";
import type { Heading, Index, Scenario, Standing } from "./data/schema.ts";

/** Marker shapes, one per spec in addition to its colour. */
export const MARKERS = ["circle", "square", "triangle", "diamond", "cross", "ring"] as const;
export type Marker = (typeof MARKERS)[number];

export interface Spec {
  text: string;
  /** `rapier` of `rapier@0.32:iters=4`. */
  engine: string;
  /** `@0.32 iters=4`: the rest. */
  settings: string;
  /** CSS variable with its colour; no two specs share one. */
  colourVariable: string;
  marker: Marker;
}

export class Report {
  readonly specs: Spec[];
  /** Some trial has an expectation; trials without one are then marked. */
  readonly expecting: boolean;
  private readonly bySpec: Map<string, Spec>;
  private readonly slugs: string[];
  private readonly read = new Map<number, Promise<Scenario>>();

  constructor(
    readonly index: Index,
    private readonly readScenario: (at: number) => Promise<Scenario>,
  ) {
    this.specs = specsOf(index.specs);
    this.expecting = index.headings.some((heading) => heading.trials.some((trial) => trial.expected.length > 0));
    this.bySpec = new Map(this.specs.map((spec) => [spec.text, spec]));
    this.slugs = slugsOf(index.headings.map((heading) => heading.name));
  }

  spec(text: string): Spec {
    const found = this.bySpec.get(text);
    if (found === undefined) throw new Error(`no trial has the spec ${text}`);
    return found;
  }

  /** An engine spec without the numbers that a study varies; it has the colour of its first trial. */
  base(text: string): Spec {
    const base = withoutVariation(text);
    const known = this.bySpec.get(base) ?? this.specs.find((spec) => withoutVariation(spec.text) === base);
    return { ...(known ?? this.spec(text)), text: base, ...splitSpec(base) };
  }

  /** A scenario's own data, read once. */
  scenario(at: number): Promise<Scenario> {
    const known = this.read.get(at);
    if (known !== undefined) return known;
    const reading = this.readScenario(at);
    this.read.set(at, reading);
    return reading;
  }

  scenarioId(at: number): string {
    return `scenario-${this.slugs[at]}`;
  }

  trialId(at: number, trial: number): string {
    return `${this.scenarioId(at)}-trial-${trial + 1}`;
  }

  /** The scenario, and perhaps the trial, that an address names. */
  placeOf(id: string): { at: number; trial: number | null } | null {
    const [, scenario, trial] = /^scenario-(.*?)(?:-trial-(\d+))?$/.exec(id) ?? [];
    if (scenario === undefined) return null;
    // A scenario's own name may end like the address of a trial.
    const whole = this.slugs.indexOf(id.slice("scenario-".length));
    if (whole >= 0) return { at: whole, trial: null };
    const at = this.slugs.indexOf(scenario);
    return at < 0 || trial === undefined ? null : { at, trial: Number(trial) - 1 };
  }
}

/** What a scenario contributes to the outcome at the top: one trial that failed makes it fail. */
export function standingOf(heading: Heading): Standing {
  const all = new Set(heading.trials.map((trial) => trial.standing));
  return (["error", "failed", "passed"] as const).find((standing) => all.has(standing)) ?? "skipped";
}

export function specsOf(texts: string[]): Spec[] {
  return texts.map((text, index) => ({
    text,
    ...splitSpec(text),
    colourVariable: colourOf(index),
    // With each round of six the markers advance by one, so that neighbours differ in shape as well.
    marker: MARKERS[(index + Math.floor(index / MARKERS.length)) % MARKERS.length] ?? "circle",
  }));
}

export function splitSpec(text: string): { engine: string; settings: string } {
  const base = withoutVariation(text);
  const variation = text.slice(base.length);
  const end = base.search(/[:@]/);
  if (end < 0) return { engine: base, settings: variation.trim() };
  return {
    engine: base.slice(0, end),
    settings: base.slice(end).replace(/^:/, "").replace(":", " ").replaceAll(",", " ") + variation,
  };
}

/** `native` of `native with friction 0.2`: where a study varies numbers, a trial is named with its own. */
export function withoutVariation(text: string): string {
  const at = text.indexOf(" with ");
  return at < 0 ? text : text.slice(0, at);
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
