// What the unit tests share.

import type { Trial } from "./data/schema.ts";

/** An accepted trial, changed. */
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
