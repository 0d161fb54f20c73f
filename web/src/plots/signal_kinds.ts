// Kinds of recorded signals, by the first part of their names.

import type { Signal } from "../data/schema.ts";

/** What the first part of a signal's name means. */
const KINDS: Record<string, string> = {
  q: "joint positions",
  v: "joint velocities",
  effort: "joint efforts",
  "contact force": "contact forces",
  gap: "gaps",
  energy: "energy",
  solver: "residual of the engine's solver",
  pose: "positions of bodies",
  twist: "velocities of bodies",
  commands: "commands",
  sensors: "sensors",
  engine: "reported by the engine",
};

export function kindOf(name: string): string {
  const [first = "", rest] = name.split("/", 2);
  return KINDS[first] ?? (rest === undefined ? "other" : first);
}

/** Signals by kind, in order of appearance. */
export function byKind(signals: Signal[]): Map<string, Signal[]> {
  const groups = new Map<string, Signal[]>();
  for (const signal of signals) {
    const list = groups.get(kindOf(signal.name));
    if (list === undefined) groups.set(kindOf(signal.name), [signal]);
    else list.push(signal);
  }
  return groups;
}
