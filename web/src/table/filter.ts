// Selection of the trials shown in the table.

import type { Heading, Scenario, Trial, TrialHead, Verdict } from "../data/schema.ts";
import { decadesBeyond, decisive, isOpen, isSurprise } from "../verdict.ts";

export interface Filter {
  /** Words that must all occur in scenario, spec or metric. */
  text: string;
  /** Verdicts to show; empty for all. */
  verdicts: Set<Verdict>;
  onlySurprises: boolean;
  /** Only trials without an expectation. */
  onlyOpen: boolean;
}

/** A trial in the tables, without its numbers. */
export interface Line {
  /** Place of the scenario in the report, and of the trial in the scenario. */
  at: number;
  index: number;
  heading: Heading;
  trial: TrialHead;
}

/** A trial with its numbers. */
export interface Row {
  scenario: Scenario;
  trial: Trial;
}

export function matcher(filter: Filter): (line: Line) => boolean {
  const wanted = filter.text.toLowerCase().split(/\s+/).filter(Boolean);
  // Thousands of trials share few scenarios and specs.
  const known = new Map<Heading, Map<string, boolean>>();
  const textMatches = ({ heading, trial }: Line): boolean => {
    if (wanted.length === 0) return true;
    const bySpec = known.get(heading) ?? new Map<string, boolean>();
    known.set(heading, bySpec);
    const before = bySpec.get(trial.spec);
    if (before !== undefined) return before;
    const text = [heading.name, heading.title, trial.spec, ...heading.metrics].join(" ").toLowerCase();
    const found = wanted.every((word) => text.includes(word));
    bySpec.set(trial.spec, found);
    return found;
  };
  return (line) => {
    const { trial } = line;
    if (filter.onlySurprises && !isSurprise(trial)) return false;
    if (filter.onlyOpen && !isOpen(trial)) return false;
    if (filter.verdicts.size > 0 && !filter.verdicts.has(trial.verdict)) return false;
    return textMatches(line);
  };
}

export const SORT_KEYS = ["scenario", "engine", "step", "verdict", "margin", "cpu", "speed"] as const;
export type SortKey = (typeof SORT_KEYS)[number];

/** The number or text a column is sorted by; `null` is last in both directions. */
export function sortValue(key: SortKey, { scenario, trial }: Row): number | string | null {
  switch (key) {
    case "scenario":
      return scenario.title;
    case "engine":
      return trial.spec;
    case "step":
      return trial.step_s;
    case "verdict":
      return `${isSurprise(trial) ? 0 : 1}${trial.verdict}`;
    case "margin": {
      const check = decisive(trial);
      return check === null ? null : decadesBeyond(check);
    }
    case "cpu":
      return trial.cost?.cpu_s ?? null;
    case "speed":
      return trial.cost?.real_time_factor ?? null;
  }
}

export function sorted(rows: Row[], key: SortKey, descending: boolean): Row[] {
  const valued = rows.map((row) => ({ row, value: sortValue(key, row) }));
  const sign = descending ? -1 : 1;
  // Sorting is stable: equal rows stay in the catalogue's order.
  valued.sort((a, b) => {
    if (a.value === null || b.value === null) return (a.value === null ? 1 : 0) - (b.value === null ? 1 : 0);
    if (typeof a.value === "string" || typeof b.value === "string")
      return sign * String(a.value).localeCompare(String(b.value), "en");
    return a.value === b.value ? 0 : sign * (a.value < b.value ? -1 : 1);
  });
  return valued.map(({ row }) => row);
}
