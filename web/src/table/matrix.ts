// Scenarios down, engine specs across, in each cell the steps from large to small.

import type { Scenario, Trial } from "../data/schema.ts";
import { h } from "../dom.ts";
import { step } from "../format.ts";
import { findingIcon, verdictIcon } from "../icons.ts";
import type { Report, Spec } from "../report.ts";
import { isSurprise, verdictText } from "../verdict.ts";

export interface TableView {
  element: HTMLElement;
  /** Shows these trials and no others. */
  update(shown: Set<Trial>, all: boolean): void;
}

export function matrixTable(report: Report): TableView {
  const specs = report.specs.filter((spec) =>
    report.data.scenarios.some((scenario) => scenario.trials.some((trial) => trial.spec === spec.text)),
  );
  const chips: { chip: HTMLElement; trial: Trial }[] = [];
  const bodyRows = report.data.scenarios.map((scenario) => {
    const cells = specs.map((spec) => {
      const trials = scenario.trials.filter((trial) => trial.spec === spec.text);
      trials.sort((a, b) => (b.step_s ?? -1) - (a.step_s ?? -1));
      const these = trials.map((trial) => {
        const chip = trialChip(report, scenario, trial);
        chips.push({ chip, trial });
        return chip;
      });
      // The name is for the narrow layout, where a cell stands under its scenario and the column heads are gone.
      return h(
        "td",
        { class: these.length === 0 ? "empty" : null },
        h("span", { class: "cell-spec", "aria-hidden": "true" }, specName(spec)),
        h("span", { class: "chips" }, these.length === 0 ? "·" : these),
      );
    });
    return { scenario, row: h("tr", {}, scenarioHead(report, scenario), cells) };
  });
  const none = h("p", { class: "none", hidden: true }, "No trial matches. Clear the filter to see them all.");
  const table = h(
    "table",
    { class: "matrix" },
    h(
      "thead",
      {},
      h(
        "tr",
        {},
        h("th", { scope: "col" }, "scenario"),
        specs.map((spec) => h("th", { scope: "col" }, specName(spec))),
      ),
    ),
    h(
      "tbody",
      {},
      bodyRows.map(({ row }) => row),
    ),
  );
  return {
    element: h(
      "div",
      { class: "scroll-x", tabindex: 0, role: "region", "aria-label": "Verdicts by scenario and engine" },
      table,
      none,
    ),
    update(shown, all) {
      for (const { chip, trial } of chips) chip.hidden = !shown.has(trial);
      let any = false;
      for (const { scenario, row } of bodyRows) {
        const visible = all || scenario.trials.some((trial) => shown.has(trial));
        row.hidden = !visible;
        any ||= visible;
      }
      none.hidden = any;
    },
  };
}

export function specName(spec: Spec): HTMLElement {
  return h(
    "span",
    { class: "spec", title: spec.text },
    h("i", { class: "swatch", style: `background:var(${spec.colourVariable})` }),
    h("b", {}, spec.engine),
    spec.settings !== "" && h("small", {}, ` ${spec.settings}`),
  );
}

function scenarioHead(report: Report, scenario: Scenario): HTMLElement {
  const concern = scenario.audit.find((finding) => finding.severity !== "note");
  return h(
    "th",
    { scope: "row" },
    h("a", { href: `#${report.scenarioId(scenario)}` }, scenario.title),
    concern !== undefined &&
      h(
        "span",
        { class: "concern", title: "The audit has a finding; read it before ranking." },
        findingIcon(concern.severity),
        h("span", { class: "visually-hidden" }, "audit finding"),
      ),
  );
}

export function chipClasses(trial: Trial): string {
  const planned = trial.verdict !== "accepted" && trial.expected.includes(trial.verdict);
  return `chip c-${trial.verdict}${planned ? " planned" : ""}${isSurprise(trial) ? " surprise" : ""}`;
}

function trialChip(report: Report, scenario: Scenario, trial: Trial): HTMLElement {
  const label = `${scenario.title}, ${trial.spec}, step ${step(trial.step_s)}: ${verdictText(trial)}`;
  return h(
    "a",
    {
      class: chipClasses(trial),
      href: `#${report.trialId(scenario, trial)}`,
      "aria-label": label,
      title: `${verdictText(trial)}\n${trial.reason}`,
    },
    verdictIcon(trial.verdict),
    h("span", {}, step(trial.step_s)),
    isSurprise(trial) && h("span", { class: "bang", "aria-hidden": "true" }, "!"),
  );
}
