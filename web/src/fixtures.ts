// Fixtures shared by the unit tests.

import type { Heading, Scenario, Trial } from "./data/schema.ts";

/** An accepted trial, with changes. */
export function trial(change: Partial<Trial>): Trial {
  return {
    spec: "native",
    step_s: 0.001,
    verdict: "accepted",
    reason: "",
    expected: [],
    expected_reason: null,
    checks: [],
    cost: null,
    digest: null,
    standing: "passed",
    at: 0,
    ...change,
  };
}

/** A scenario without results, with changes. */
export function scenario(change: Partial<Scenario>): Scenario {
  return {
    at: 0,
    name: "s",
    title: "S",
    about: "",
    source: null,
    reference: null,
    audit: [],
    trials: [],
    leaderboard: null,
    errors: [],
    speed: [],
    convergence: [],
    signals: [],
    signals_left_out: [],
    replay: null,
    ...change,
  };
}

/** A scenario's line, with changes. */
export function headHeading(change: Partial<Heading>): Heading {
  return { name: "s", title: "S", finding: null, answer: null, metrics: [], trials: [], ...change };
}
