// One scenario: the question, findings about it, the results, the plots, the motion.

import type { Scenario } from "../data/schema.ts";
import { h } from "../dom.ts";
import { findingIcon } from "../icons.ts";
import { convergencePlot, speedPlot } from "../plots/scatter.ts";
import { timePlot } from "../plots/over_time.ts";
import { Clock } from "../replay/clock.ts";
import { replayFigure } from "../replay/figure.ts";
import type { Report } from "../report.ts";
import { boundsList, checksTable } from "./checks.ts";
import { leaderboardTable } from "./leaderboard.ts";

export function scenarioSection(report: Report, scenario: Scenario, index: number): HTMLElement {
  const id = report.scenarioId(scenario);
  // Plots and replay share one time: the replay's moment is a line in the plots, and a click there goes to it.
  const clock = new Clock(durationOf(scenario));
  const plots = [
    ...scenario.errors.map((plot) => timePlot(report, scenario, plot, clock)),
    ...scenario.speed.map((plot) => speedPlot(report, scenario, plot)),
    ...scenario.convergence.map((plot) => convergencePlot(report, scenario, plot)),
  ];
  return h(
    "section",
    { id, class: "scenario", "aria-labelledby": `${id}-title`, tabindex: -1 },
    h(
      "header",
      { class: "scenario-head" },
      h("span", { class: "section-number", "aria-hidden": "true" }, index + 1),
      h("h2", { id: `${id}-title` }, scenario.title),
      h("code", {}, scenario.name),
    ),
    h("p", { class: "about" }, scenario.about),
    answer(scenario),
    audit(scenario),
    asked(scenario),
    scenario.leaderboard !== null &&
      scenario.leaderboard.places.length > 1 && [
        h("h3", {}, "Leaderboard"),
        leaderboardTable(report, scenario, scenario.leaderboard),
      ],
    h("h3", {}, "Checks"),
    scenario.trials.length === 0 ? h("p", { class: "muted" }, "No engine was run.") : checksTable(report, scenario),
    plots.length > 0 && [h("h3", {}, "Plots"), h("div", { class: "plots" }, plots)],
    scenario.replay !== null && [h("h3", {}, "Replay"), replayFigure(report, scenario, scenario.replay, clock)],
    scenario.source !== null &&
      h(
        "details",
        { class: "source" },
        h("summary", {}, h("code", {}, scenario.source.file)),
        h("pre", {}, h("code", {}, scenario.source.text)),
      ),
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
        h("p", {}, h("b", {}, reference.kind), ": ", reference.about),
        reference.own_error !== null && h("p", { class: "muted" }, "Error of the reference: ", reference.own_error),
      ),
    bounds !== null && h("div", { class: "asked-part" }, h("h3", {}, "Bounds and their reasons"), bounds),
  );
}
