// Fixtures shared by the unit tests.

import type { Trial } from "./data/schema.ts";

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
    ...change,
  };
}
