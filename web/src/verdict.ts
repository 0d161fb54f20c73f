// Verdicts in words and as icons, and the distance of a number from its bound.

import { real } from "./data/decode.ts";
import type { Check, Trial, TrialHead, Verdict } from "./data/schema.ts";

export const VERDICT_WORDS: Record<Verdict, string> = {
  accepted: "accepted",
  rejected: "rejected",
  cannot_tell: "cannot tell",
  not_expressible: "not expressible",
  too_slow: "too slow",
  failed: "failed",
};

export const VERDICT_MEANING: Record<Verdict, string> = {
  accepted: "every check held",
  rejected: "a check did not hold",
  cannot_tell: "the numbers do not decide",
  not_expressible: "the engine cannot express the scenario",
  too_slow: "reached its limit of CPU time",
  failed: "did not finish",
};

/** The catalogue expects another verdict. */
export function isSurprise(trial: TrialHead): boolean {
  return trial.expected.length > 0 && !trial.expected.includes(trial.verdict);
}

/** The catalogue has no expectation: neither a failure nor a success. */
export function isOpen(trial: TrialHead): boolean {
  return trial.expected.length === 0;
}

/**
 * `rejected, as expected`; `rejected; expected accepted`; `accepted`. Where other trials have an expectation
 * (`expecting`), one without is marked: `rejected, no expectation`.
 */
export function verdictText(trial: TrialHead, expecting = false): string {
  const word = VERDICT_WORDS[trial.verdict];
  if (isSurprise(trial)) return `${word}; expected ${trial.expected.map((one) => VERDICT_WORDS[one]).join(" or ")}`;
  if (expecting && isOpen(trial)) return `${word}, no expectation`;
  // An expected acceptance is not mentioned.
  return trial.expected.length > 0 && trial.verdict !== "accepted" ? `${word}, as expected` : word;
}

/** `surprise`, `open` (no expectation, where other trials have one), or nothing. */
export function expectationClass(trial: TrialHead, expecting: boolean): string {
  if (isSurprise(trial)) return "surprise";
  return expecting && isOpen(trial) ? "open" : "";
}

/**
 * Powers of ten between a value and its bound: negative on the good side, positive beyond it, `-Infinity` for an error
 * of zero. `null` without a bound; `Infinity` for NaN.
 */
export function decadesBeyond(check: Check): number | null {
  if (check.bound === null) return null;
  const value = real(check.value);
  const bound = real(check.bound.value);
  if (Number.isNaN(value)) return Infinity;
  const [small, large] = check.bound.side === "at_most" ? [value, bound] : [bound, value];
  // A ratio needs two positive numbers; otherwise only the side is known.
  if (small <= 0 || large <= 0) return small <= large ? -Infinity : Infinity;
  return Math.log10(small / large);
}

/** The check nearest to its bound, or furthest beyond it: the one that decides. */
export function decisive(trial: Trial): Check | null {
  let worst: Check | null = null;
  let worstDecades = -Infinity;
  for (const check of trial.checks) {
    const decades = decadesBeyond(check);
    if (decades === null) continue;
    if (worst === null || decades > worstDecades) {
      worst = check;
      worstDecades = decades;
    }
  }
  return worst;
}
