// Signs for the standing of a scenario and for the verdicts of its trials, the same in the list at the side, in the
// scenario's line and in the outcome at the top.

import { type Standing, type TrialHead, type Verdict, VERDICTS } from "./data/schema.ts";
import { h } from "./dom.ts";
import { count } from "./format.ts";
import { verdictIcon } from "./icons.ts";
import { VERDICT_WORDS } from "./verdict.ts";

/** The outcome at the top is good if no scenario has `rejected` or `failed` here. */
const SIGNS: Record<Standing, { icon: Verdict; words: string }> = {
  passed: { icon: "accepted", words: "as expected" },
  failed: { icon: "rejected", words: "not as expected" },
  error: { icon: "failed", words: "has a trial without a verdict" },
  skipped: { icon: "not_expressible", words: "does not count: nothing was checked" },
};

export function standingSign(standing: Standing): HTMLElement {
  const { icon, words } = SIGNS[standing];
  return h(
    "span",
    { class: "standing", title: words },
    verdictIcon(icon),
    h("span", { class: "visually-hidden" }, `${words}: `),
  );
}

/** How many trials have each verdict. */
export function verdictCounts(trials: TrialHead[]): HTMLElement {
  const items = VERDICTS.flatMap((verdict) => {
    const these = trials.filter((trial) => trial.verdict === verdict).length;
    if (these === 0) return [];
    return h(
      "span",
      { class: "verdict-count", title: `${count(these)} ${VERDICT_WORDS[verdict]}` },
      verdictIcon(verdict),
      count(these),
      h("span", { class: "visually-hidden" }, ` ${VERDICT_WORDS[verdict]} `),
    );
  });
  return h("span", { class: "verdict-counts" }, items);
}
