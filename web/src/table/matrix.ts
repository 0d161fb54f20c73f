// Scenarios down, engine specs across, in each cell the steps from large to small. Few specs have wide columns; many
// have narrow ones under their engine's name, with only an icon where the step is the scenario's usual one.

import type { Scenario, Trial } from "../data/schema.ts";
import { h } from "../dom.ts";
import { step } from "../format.ts";
import { findingIcon, verdictIcon } from "../icons.ts";
import type { Report, Spec } from "../report.ts";
import { expectationClass, isSurprise, verdictText } from "../verdict.ts";

export interface TableView {
  element: HTMLElement;
  /** Shows only these trials. */
  update(shown: Set<Trial>, all: boolean): void;
}

export function matrixTable(report: Report): TableView {
  const specs = report.specs.filter((spec) =>
    report.data.scenarios.some((scenario) => scenario.trials.some((trial) => trial.spec === spec.text)),
  );
  const compact = specs.length > WIDE_SPECS;
  const chips: { chip: HTMLElement; trial: Trial }[] = [];
  const bodyRows = report.data.scenarios.map((scenario) => {
    const usual = compact ? usualStep(scenario) : undefined;
    const cells = specs.map((spec, column) => {
      const trials = scenario.trials.filter((trial) => trial.spec === spec.text);
      trials.sort((a, b) => (b.step_s ?? -1) - (a.step_s ?? -1));
      const these = trials.map((trial) => {
        const chip = trialChip(report, scenario, trial, usual);
        chips.push({ chip, trial });
        return chip;
      });
      // The name is for the narrow layout, where a cell is below its scenario and there are no column heads.
      return h(
        "td",
        {
          class: [these.length === 0 ? "empty" : "", beginsFamily(specs, column) ? "family" : ""].join(" ").trim(),
          "data-family": beginsFamily(specs, column) ? spec.engine : null,
        },
        h("span", { class: "cell-spec", "aria-hidden": "true" }, specName(spec)),
        h("span", { class: "chips" }, these.length === 0 ? "·" : these),
      );
    });
    return { scenario, row: h("tr", {}, scenarioHead(report, scenario, usual), cells) };
  });
  const none = h("p", { class: "none", hidden: true }, "No trial matches. Clear the filter to see them all.");
  const table = h(
    "table",
    { class: compact ? "matrix compact" : "matrix" },
    compact
      ? familyHeads(specs)
      : h(
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

/** With more specs than this each has a narrow column. */
const WIDE_SPECS = 6;

/** The step of most trials of a scenario; the first on a tie. */
export function usualStep(scenario: Scenario): number | null | undefined {
  const counts = new Map<number | null, number>();
  for (const { step_s } of scenario.trials) counts.set(step_s, (counts.get(step_s) ?? 0) + 1);
  return [...counts].reduce<[number | null | undefined, number]>(
    (best, one) => (one[1] > best[1] ? one : best),
    [undefined, 0],
  )[0];
}

function beginsFamily(specs: Spec[], column: number): boolean {
  return specs[column]?.engine !== specs[column - 1]?.engine;
}

/** Engines across, below each its settings, rotated so that a column is as wide as an icon. */
function familyHeads(specs: Spec[]): HTMLElement {
  const families: { engine: string; count: number }[] = [];
  for (const { engine } of specs) {
    const last = families[families.length - 1];
    if (last?.engine === engine) last.count++;
    else families.push({ engine, count: 1 });
  }
  return h(
    "thead",
    {},
    h(
      "tr",
      { class: "families" },
      h("th", { scope: "col", rowspan: 2 }, "scenario"),
      families.map(({ engine, count }) => h("th", { scope: "colgroup", colspan: count, class: "family" }, engine)),
    ),
    h(
      "tr",
      { class: "settings" },
      specs.map((spec, column) =>
        h(
          "th",
          { scope: "col", title: spec.text, class: beginsFamily(specs, column) ? "family" : null },
          h(
            "span",
            { class: "upright" },
            h("i", { class: "swatch", style: `background:var(${spec.colourVariable})` }),
            spec.settings === "" ? "default" : spec.settings,
          ),
        ),
      ),
    ),
  );
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

function scenarioHead(report: Report, scenario: Scenario, usual: number | null | undefined): HTMLElement {
  const concern = scenario.audit.find((finding) => finding.severity !== "note");
  return h(
    "th",
    { scope: "row" },
    h("a", { href: `#${report.scenarioId(scenario)}` }, scenario.title),
    concern !== undefined &&
      h(
        "span",
        { class: "concern", title: "The inspection of the experiment has a finding; read it before ranking." },
        findingIcon(concern.severity),
        h("span", { class: "visually-hidden" }, "has a finding"),
      ),
    usual !== undefined && h("small", { class: "usual-step" }, step(usual)),
  );
}

export function chipClasses(trial: Trial, expecting: boolean): string {
  const planned = trial.verdict !== "accepted" && trial.expected.includes(trial.verdict);
  return `chip c-${trial.verdict}${planned ? " planned" : ""} ${expectationClass(trial, expecting)}`.trim();
}

/** Where `usual` is the trial's step, only the icon is shown; the row's head has the step. */
function trialChip(report: Report, scenario: Scenario, trial: Trial, usual: number | null | undefined): HTMLElement {
  const text = verdictText(trial, report.expecting);
  const label = `${scenario.title}, ${trial.spec}, step ${step(trial.step_s)}: ${text}`;
  return h(
    "a",
    {
      class: `${chipClasses(trial, report.expecting)}${trial.step_s === usual ? " sign" : ""}`,
      href: `#${report.trialId(scenario, trial)}`,
      "aria-label": label,
      title: `${trial.spec}, ${step(trial.step_s)}: ${text}\n${trial.reason}`,
    },
    verdictIcon(trial.verdict),
    trial.step_s !== usual && h("span", {}, step(trial.step_s)),
    isSurprise(trial) && h("span", { class: "bang", "aria-hidden": "true" }, "!"),
  );
}
