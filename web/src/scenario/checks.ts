// Every number that was compared with a bound, grouped by engine, with the reason of the verdict.

import { real } from "../data/decode.ts";
import type { Bound, Check, Scenario, Trial } from "../data/schema.ts";
import { h } from "../dom.ts";
import { count, factor, number, span, stated, step, words } from "../format.ts";
import { verdictIcon } from "../icons.ts";
import { Portions } from "../portions.ts";
import type { Report } from "../report.ts";
import { gauge } from "../table/gauge.ts";
import { specName } from "../table/matrix.ts";
import { decadesBeyond, expectationClass, isSurprise, verdictText } from "../verdict.ts";

export function boundText(bound: Bound, unit: string): string {
  return `${bound.side === "at_most" ? "≤" : "≥"} ${stated(real(bound.value), unit)}`;
}

/** Bounds that are listed with their reasons. */
const MOST_BOUNDS = 40;

/** The bounds with their reasons, each once: trials of one scenario mostly share them. */
export function boundsList(scenario: Scenario): HTMLElement | null {
  const seen = new Map<string, HTMLElement>();
  for (const check of scenario.trials.flatMap((trial) => trial.checks)) {
    // Trials of a study have a bound each where it is varied; a reader needs the first few.
    if (check.bound === null || seen.size >= MOST_BOUNDS) continue;
    const key = JSON.stringify([check.metric, check.unit, check.bound]);
    if (seen.has(key)) continue;
    seen.set(
      key,
      h(
        "div",
        {},
        h("dt", {}, words(check.metric), " ", h("b", { class: "figures" }, boundText(check.bound, check.unit))),
        h("dd", {}, check.bound.reason),
      ),
    );
  }
  return seen.size === 0 ? null : h("dl", { class: "bounds" }, [...seen.values()]);
}

/** Trials that are built at once. */
const PORTION = 40;

/** Every number of every trial, grouped by spec, from large steps to small. */
export class ChecksTable {
  readonly element: HTMLElement;
  private readonly table: HTMLTableElement;
  private readonly portions: Portions<Trial>;
  /** Where each trial is in the table's order. */
  private readonly order: Map<number, number>;

  constructor(
    private readonly report: Report,
    private readonly scenario: Scenario,
  ) {
    const ranks = new Map(report.specs.map((spec, index) => [spec.text, index]));
    const trials = [...scenario.trials].sort(
      (a, b) => (ranks.get(a.spec) ?? 0) - (ranks.get(b.spec) ?? 0) || (b.step_s ?? -1) - (a.step_s ?? -1),
    );
    this.order = new Map(trials.map((trial, place) => [trial.at, place]));
    const heads = ["step", "verdict", "metric", "value", "bound", "margin", "CPU", "× real time"];
    const head = h(
      "thead",
      {},
      h(
        "tr",
        {},
        heads.map((name, index) =>
          h("th", { scope: "col", class: [0, 3, 4, 6, 7].includes(index) ? "num" : null }, name),
        ),
      ),
    );
    this.table = h("table", { class: "checks" });
    this.portions = new Portions<Trial>(this.table, PORTION, "trials", (trial, index, all) => [
      ...(index === 0 ? [head] : []),
      ...(trial.spec === all[index - 1]?.spec ? [] : [this.group(trial)]),
      trialBody(report, scenario, trial),
    ]);
    this.portions.fill(trials);
    this.element = h(
      "div",
      { class: "scroll-x", tabindex: 0, role: "region", "aria-label": `Checks of ${scenario.title}` },
      this.table,
      this.portions.button,
    );
  }

  /** Builds a trial's numbers. One that is far down is put at the top, so that those between need not be built. */
  reveal(at: number): void {
    const place = this.order.get(at);
    const trial = this.scenario.trials[at];
    const id = this.report.trialId(this.scenario.at, at);
    if (place === undefined || trial === undefined || document.getElementById(id) !== null) return;
    if (place < 5 * PORTION) this.portions.show(place + 1);
    else this.table.tHead?.after(this.group(trial), trialBody(this.report, this.scenario, trial));
  }

  private group(trial: Trial): HTMLElement {
    const name = specName(this.report.spec(trial.spec));
    return h("tbody", { class: "group" }, h("tr", {}, h("th", { colspan: 8, scope: "rowgroup" }, name)));
  }
}

function trialBody(report: Report, scenario: Scenario, trial: Trial): HTMLElement {
  // A trial without a check still has a verdict and a reason.
  const checks: (Check | null)[] = trial.checks.length === 0 ? [null] : trial.checks;
  const rows = checks.map((check, index) => {
    const first = index === 0;
    return h(
      "tr",
      { class: first ? "first" : null },
      first && h("th", { scope: "row", rowspan: checks.length, class: "num step" }, step(trial.step_s)),
      first &&
        h(
          "td",
          { rowspan: checks.length, class: "verdict-cell" },
          h(
            "span",
            { class: `verdict-text ${expectationClass(trial, report.expecting)}` },
            verdictIcon(trial.verdict),
            h("span", {}, verdictText(trial, report.expecting)),
          ),
        ),
      check === null ? h("td", { colspan: 4, class: "muted" }, "no number") : checkCells(check),
      first && costCells(trial, checks.length),
    );
  });
  const why = [trial.reason, expectation(trial)];
  return h(
    "tbody",
    { id: report.trialId(scenario.at, trial.at), class: "trial", tabindex: -1 },
    rows,
    h("tr", { class: "why" }, h("td", {}), h("td", { colspan: 7 }, why.filter(Boolean).join(" "))),
  );
}

/** Why the catalogue expected this or another verdict; nothing for an expected acceptance. */
function expectation(trial: Trial): string {
  if (trial.expected.length === 0 || trial.expected_reason === null) return "";
  if (isSurprise(trial)) return `Expected otherwise: ${trial.expected_reason}`;
  return trial.verdict === "accepted" ? "" : `Expected: ${trial.expected_reason}`;
}

function checkCells(check: Check): HTMLElement[] {
  const decades = decadesBeyond(check);
  const doubt = check.uncertainty === null ? 0 : real(check.uncertainty);
  // A number without an error, such as a distance from the record's own first row, has no ±.
  const uncertainty = doubt === 0 ? "" : ` ± ${number(doubt, 2)}`;
  const mark = { held: "", broken: "broken", undecided: "undecided", shown: "" }[check.outcome];
  return [
    h(
      "td",
      { class: "metric", title: check.reason },
      words(check.metric),
      mark !== "" && h("small", { class: `mark-${mark}` }, ` ${mark}`),
    ),
    h(
      "td",
      { class: "num" },
      `${number(real(check.value))}${uncertainty}${check.unit === "" ? "" : ` ${check.unit}`}`,
    ),
    h("td", { class: "num muted" }, check.bound === null ? "" : boundText(check.bound, check.unit)),
    h("td", { class: "gauge-cell" }, decades === null ? "" : gauge(decades)),
  ];
}

function costCells(trial: Trial, rowspan: number): HTMLElement[] {
  const { cost } = trial;
  return [
    h(
      "td",
      { class: "num cost", rowspan, title: cost === null ? null : `${count(cost.steps)} steps` },
      cost === null ? "" : span(cost.cpu_s, 3),
    ),
    h("td", { class: "num cost", rowspan }, cost === null ? "" : factor(cost.real_time_factor)),
  ];
}
