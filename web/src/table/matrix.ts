// Scenarios down, engine specs across, in each cell the steps from large to small. Few specs have wide columns; many
// have narrow ones under their engine's name, with only an icon where the step is the scenario's usual one.

import type { Heading, TrialHead } from "../data/schema.ts";
import { h } from "../dom.ts";
import { plural, step } from "../format.ts";
import { findingIcon, verdictIcon } from "../icons.ts";
import { type Report, type Spec, withoutVariation } from "../report.ts";
import { expectationClass, isSurprise, verdictText } from "../verdict.ts";
import { verdictCounts } from "../verdict_sign.ts";

export interface TableView {
  element: HTMLElement;
  /** Shows only these trials. */
  update(shown: Set<TrialHead>, all: boolean): void;
}

/** A cell with more trials than this shows how many have each verdict, not each of them. */
const CELL_CHIPS = 6;

interface Cell {
  trials: TrialHead[];
  update(shown: Set<TrialHead>): void;
}

export function matrixTable(report: Report): TableView {
  const { headings } = report.index;
  const used = new Set(headings.flatMap((heading) => heading.trials.map((trial) => trial.spec)));
  // One column for an engine spec, whatever numbers a study varies.
  const bases = new Set(report.specs.flatMap(({ text }) => (used.has(text) ? [withoutVariation(text)] : [])));
  const specs = [...bases].map((text) => report.base(text));
  const compact = specs.length > WIDE_SPECS;
  const bodyRows = headings.map((heading, at) => {
    const usual = compact ? usualStep(heading) : undefined;
    const bySpec = new Map<string, { trial: TrialHead; index: number }[]>();
    for (const [index, trial] of heading.trials.entries()) {
      const base = withoutVariation(trial.spec);
      const list = bySpec.get(base);
      if (list === undefined) bySpec.set(base, [{ trial, index }]);
      else list.push({ trial, index });
    }
    const cells: Cell[] = [];
    const columns = specs.map((spec, column) => {
      const trials = bySpec.get(spec.text) ?? [];
      const content = h("span", { class: "chips" }, trials.length === 0 ? "·" : "");
      if (trials.length > 0) cells.push(cellOf(report, heading, at, trials, usual, content));
      // The name is for the narrow layout, where a cell is below its scenario and there are no column heads.
      return h(
        "td",
        {
          class: [trials.length === 0 ? "empty" : "", beginsFamily(specs, column) ? "family" : ""].join(" ").trim(),
          "data-family": beginsFamily(specs, column) ? spec.engine : null,
        },
        h("span", { class: "cell-spec", "aria-hidden": "true" }, specName(spec)),
        content,
      );
    });
    return { heading, cells, row: h("tr", {}, scenarioHead(report, heading, at, usual), columns) };
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
      let any = false;
      for (const { heading, cells, row } of bodyRows) {
        for (const cell of cells) cell.update(shown);
        const visible = all || heading.trials.some((trial) => shown.has(trial));
        row.hidden = !visible;
        any ||= visible;
      }
      none.hidden = any;
    },
  };
}

/** A chip per trial from large steps to small, or the number of each verdict. */
function cellOf(
  report: Report,
  heading: Heading,
  at: number,
  trials: { trial: TrialHead; index: number }[],
  usual: number | null | undefined,
  content: HTMLElement,
): Cell {
  const all = trials.map(({ trial }) => trial);
  if (trials.length > CELL_CHIPS) {
    return {
      trials: all,
      update(shown) {
        const these = all.filter((trial) => shown.has(trial));
        content.replaceChildren(countsChip(report, heading, at, these));
      },
    };
  }
  const chips = [...trials]
    .sort((a, b) => (b.trial.step_s ?? -1) - (a.trial.step_s ?? -1))
    .map(({ trial, index }) => ({ trial, chip: trialChip(report, heading, at, trial, index, usual) }));
  content.replaceChildren(...chips.map(({ chip }) => chip));
  return {
    trials: all,
    update(shown) {
      for (const { chip, trial } of chips) chip.hidden = !shown.has(trial);
    },
  };
}

function countsChip(report: Report, heading: Heading, at: number, trials: TrialHead[]): HTMLElement {
  const surprises = trials.filter(isSurprise).length;
  return h(
    "a",
    {
      class: `chip counts${surprises > 0 ? " surprise" : ""}`,
      href: `#${report.scenarioId(at)}`,
      title: `${heading.title}, ${trials[0]?.spec ?? ""}: ${plural(trials.length, "trial")}`,
      hidden: trials.length === 0,
    },
    verdictCounts(trials),
    surprises > 0 && h("span", { class: "bang", title: `${surprises} unexpected` }, "!"),
  );
}

/** With more specs than this each has a narrow column. */
const WIDE_SPECS = 6;

/** The step of most trials of a scenario; the first on a tie. */
export function usualStep(heading: Heading): number | null | undefined {
  const counts = new Map<number | null, number>();
  for (const { step_s } of heading.trials) counts.set(step_s, (counts.get(step_s) ?? 0) + 1);
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

function scenarioHead(report: Report, heading: Heading, at: number, usual: number | null | undefined): HTMLElement {
  return h(
    "th",
    { scope: "row" },
    h("a", { href: `#${report.scenarioId(at)}` }, heading.title),
    heading.finding !== null &&
      h(
        "span",
        { class: "concern", title: "The inspection of the experiment has a finding; read it before ranking." },
        findingIcon(heading.finding),
        h("span", { class: "visually-hidden" }, "has a finding"),
      ),
    usual !== undefined && h("small", { class: "usual-step" }, step(usual)),
  );
}

export function chipClasses(trial: TrialHead, expecting: boolean): string {
  const planned = trial.verdict !== "accepted" && trial.expected.includes(trial.verdict);
  return `chip c-${trial.verdict}${planned ? " planned" : ""} ${expectationClass(trial, expecting)}`.trim();
}

/** Where `usual` is the trial's step, only the icon is shown; the row's head has the step. */
function trialChip(
  report: Report,
  heading: Heading,
  at: number,
  trial: TrialHead,
  index: number,
  usual: number | null | undefined,
): HTMLElement {
  const text = verdictText(trial, report.expecting);
  return h(
    "a",
    {
      class: `${chipClasses(trial, report.expecting)}${trial.step_s === usual ? " sign" : ""}`,
      href: `#${report.trialId(at, index)}`,
      "aria-label": `${heading.title}, ${trial.spec}, step ${step(trial.step_s)}: ${text}`,
      title: `${trial.spec}, ${step(trial.step_s)}: ${text}`,
    },
    verdictIcon(trial.verdict),
    trial.step_s !== usual && h("span", {}, step(trial.step_s)),
    isSurprise(trial) && h("span", { class: "bang", "aria-hidden": "true" }, "!"),
  );
}
