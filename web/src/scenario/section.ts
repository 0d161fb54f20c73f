// One scenario: a line with its verdicts, which opens to the question, findings about it, the results, the plots and the
// motion. What it opens to is read and built then.

import type { Heading, Scenario, Trial } from "../data/schema.ts";
import { h, unreadable } from "../dom.ts";
import { step } from "../format.ts";
import { findingIcon } from "../icons.ts";
import { convergencePlot, speedPlot } from "../plots/scatter.ts";
import { timePlot } from "../plots/over_time.ts";
import { signalsPart } from "../plots/signals.ts";
import { Clock } from "../replay/clock.ts";
import { replayFigure } from "../replay/figure.ts";
import { type Report, standingOf } from "../report.ts";
import { standingSign, verdictCounts } from "../verdict_sign.ts";
import { boundsList, ChecksTable } from "./checks.ts";
import { leaderboardTable } from "./leaderboard.ts";
import { variationParts } from "./variations.ts";

export interface ScenarioPart {
  element: HTMLElement;
  /** Reads and builds it; resolves when it is there. */
  open(): Promise<void>;
  /** Builds the numbers of a trial of an open scenario. */
  reveal(trial: number): void;
}

export function scenarioPart(report: Report, heading: Heading, at: number): ScenarioPart {
  const id = report.scenarioId(at);
  const body = h("div", { class: "scenario-body" });
  const details = h(
    "details",
    {},
    h(
      "summary",
      { class: "scenario-head" },
      h("span", { class: "section-number", "aria-hidden": "true" }, at + 1),
      standingSign(standingOf(heading)),
      h("h2", { id: `${id}-title` }, heading.title),
      heading.finding !== null &&
        h(
          "span",
          { class: "concern", title: "The inspection of the experiment has a finding; read it before ranking." },
          findingIcon(heading.finding),
          h("span", { class: "visually-hidden" }, "has a finding "),
        ),
      verdictCounts(heading.trials),
      heading.answer !== null && h("span", { class: "scenario-lead" }, heading.answer),
    ),
    body,
  );
  let checks: ChecksTable | null = null;
  let building: Promise<void> | null = null;
  const build = async () => {
    body.replaceChildren(h("p", { class: "muted", role: "status" }, "Reading…"));
    try {
      const scenario = await report.scenario(at);
      checks = scenario.trials.length === 0 ? null : new ChecksTable(report, scenario);
      body.replaceChildren(...scenarioBody(report, scenario, checks));
    } catch (error) {
      body.replaceChildren(unreadable("scenario", error));
    }
  };
  details.addEventListener("toggle", () => {
    if (details.open) building ??= build();
  });
  return {
    element: h("section", { id, class: "scenario", "aria-labelledby": `${id}-title`, tabindex: -1 }, details),
    async open() {
      details.open = true;
      await (building ??= build());
    },
    reveal(trial) {
      checks?.reveal(trial);
    },
  };
}

function scenarioBody(report: Report, scenario: Scenario, checks: ChecksTable | null): HTMLElement[] {
  // Plots and replay share one time: the replay's moment is a line in the plots, and a click there goes to it.
  const clock = new Clock(durationOf(scenario));
  const plots = [
    ...scenario.errors.map((plot) => timePlot(report, scenario, plot, clock)),
    ...scenario.speed.map((plot) => speedPlot(report, scenario, plot)),
    ...scenario.convergence.map((plot) => convergencePlot(report, scenario, plot)),
  ];
  const parts: (HTMLElement | null)[] = [
    h("p", { class: "about" }, h("code", {}, scenario.name), " ", scenario.about),
    answer(scenario),
    audit(scenario),
    asked(scenario),
  ];
  if (scenario.leaderboard !== null && scenario.leaderboard.places.length > 1)
    parts.push(h("h3", {}, "Leaderboard"), leaderboardTable(report, scenario, scenario.leaderboard));
  parts.push(...variationParts(report, scenario));
  if (scenario.replay !== null)
    parts.push(h("h3", {}, "Replay"), replayFigure(report, scenario, scenario.replay, clock));
  const signals = scenario.signals ?? [];
  if (signals.length > 0) parts.push(h("h3", {}, "Signals"), signalsPart(report, scenario, signals, clock));
  if (plots.length > 0) parts.push(h("h3", {}, "Plots"), h("div", { class: "plots" }, plots));
  parts.push(h("h3", {}, "Checks"), checks?.element ?? h("p", { class: "muted" }, "No engine was run."));
  parts.push(origin(scenario), source(scenario));
  return parts.filter((part) => part !== null);
}

/** With more trials than this their digests are only in report.json. */
const DIGESTS = 500;

/** Full specs and digests: needed to repeat a trial, not to read its result. */
function origin(scenario: Scenario): HTMLElement | null {
  const known = scenario.trials.filter((trial) => trial.digest !== null).slice(0, DIGESTS);
  if (known.length === 0) return null;
  const details = h("details", { class: "source" }, h("summary", {}, "Engine specs and digests of the records"));
  // Hundreds of rows that few readers open.
  onceOpened(details, () => details.append(digestTable(scenario, known)));
  return details;
}

/** Calls `build` when a folded part is first opened, or before printing. */
function onceOpened(details: HTMLDetailsElement, build: () => void): void {
  let built = false;
  const show = () => {
    if (!built) build();
    built = true;
  };
  details.addEventListener("toggle", show, { once: true });
  addEventListener("beforeprint", show, { once: true });
}

function digestTable(scenario: Scenario, known: Trial[]): HTMLElement {
  return h(
    "div",
    { class: "scroll-x", tabindex: 0, role: "region", "aria-label": `Digests of ${scenario.title}` },
    h(
      "table",
      { class: "digests" },
      h(
        "thead",
        {},
        h(
          "tr",
          {},
          ["engine spec", "step", "digest of the record's deterministic part"].map((head) =>
            h("th", { scope: "col" }, head),
          ),
        ),
      ),
      h(
        "tbody",
        {},
        known.map((trial) =>
          h(
            "tr",
            {},
            h("th", { scope: "row" }, h("code", {}, trial.spec)),
            h("td", { class: "num" }, step(trial.step_s)),
            h("td", {}, h("code", { class: "digest" }, trial.digest)),
          ),
        ),
      ),
    ),
  );
}

function source(scenario: Scenario): HTMLElement | null {
  if (scenario.source === null) return null;
  return h(
    "details",
    { class: "source" },
    h("summary", {}, h("code", {}, scenario.source.file)),
    h("pre", {}, h("code", {}, scenario.source.text)),
  );
}

/** Which engine to use and why the others fail, before the evidence. */
function answer(scenario: Scenario): HTMLElement | null {
  const [first, ...rest] = scenario.answer ?? [];
  if (first === undefined) return null;
  return h(
    "div",
    { class: "answer" },
    h("p", {}, h("strong", {}, "Answer: "), first),
    rest.length > 0 &&
      h(
        "ul",
        {},
        rest.map((line) => h("li", {}, line)),
      ),
  );
}

function durationOf(scenario: Scenario): number {
  return scenario.replay?.duration_s ?? 0;
}

function audit(scenario: Scenario): HTMLElement | null {
  if (scenario.audit.length === 0) return null;
  const items = scenario.audit.map((finding) =>
    h(
      "li",
      { class: `finding f-${finding.severity}` },
      findingIcon(finding.severity),
      h(
        "div",
        {},
        h("p", {}, h("b", {}, `${finding.severity} `), h("code", {}, finding.code), " ", finding.text),
        finding.place !== null && h("p", { class: "place" }, h("code", {}, finding.place)),
      ),
    ),
  );
  return h(
    "div",
    { class: "audit" },
    h("h3", {}, "Inspection of the experiment"),
    h("p", { class: "muted" }, "Read this first: these findings concern the experiment, not the engines."),
    h("ul", {}, items),
  );
}

/** The reference and the bounds. */
function asked(scenario: Scenario): HTMLElement | null {
  const bounds = boundsList(scenario);
  const { reference } = scenario;
  if (bounds === null && reference === null) return null;
  return h(
    "div",
    { class: "asked" },
    reference !== null &&
      h(
        "div",
        { class: "asked-part" },
        h("h3", {}, "Reference"),
        // Some sources begin with their kind.
        reference.about.startsWith(`${reference.kind}:`)
          ? h("p", {}, h("b", {}, reference.kind), reference.about.slice(reference.kind.length))
          : h("p", {}, h("b", {}, reference.kind), ": ", reference.about),
        reference.own_error !== null && h("p", { class: "muted" }, "Error of the reference: ", reference.own_error),
      ),
    bounds !== null && h("div", { class: "asked-part" }, h("h3", {}, "Bounds and their reasons"), bounds),
  );
}
