// The ranking of a scenario: every trial with the number that ranks it and its cost.

import { real } from "../data/decode.ts";
import type { Check, Leaderboard, Scenario, Trial } from "../data/schema.ts";
import { h } from "../dom.ts";
import { count, number, span, step, words } from "../format.ts";
import { verdictIcon } from "../icons.ts";
import { Portions } from "../portions.ts";
import type { Report } from "../report.ts";
import { gauge } from "../table/gauge.ts";
import { specName } from "../table/matrix.ts";
import { decadesBeyond, expectationClass, isSurprise, verdictText } from "../verdict.ts";
import { boundText } from "./checks.ts";

/** One line of the board. */
export interface Line {
  rank: number | null;
  trial: Trial;
  /** The number it is ranked by. */
  check: Check | null;
  /** CPU time of a simulated second [s]. */
  cpuPerSecond: number | null;
  stepsPerSecond: number | null;
  /** Length of its cost bar, from 0 to 1, logarithmic between the cheapest and the most expensive. */
  bar: number;
}

/** The shortest bar, so that the cheapest has one too. */
const LEAST_BAR = 0.06;

export function linesOf(scenario: Scenario, board: Leaderboard): Line[] {
  const lines = board.places.flatMap((place): Line[] => {
    const trial = scenario.trials[place.trial];
    if (trial === undefined) return [];
    const { cost } = trial;
    const ran = cost !== null && cost.real_time_factor > 0 && cost.cpu_s > 0;
    return [
      {
        rank: place.rank,
        trial,
        check: place.check === null ? null : (trial.checks[place.check] ?? null),
        cpuPerSecond: ran ? 1 / cost.real_time_factor : null,
        stepsPerSecond: ran ? cost.steps / cost.cpu_s : null,
        bar: 0,
      },
    ];
  });
  const costs = lines.flatMap((line) => (line.cpuPerSecond === null ? [] : [Math.log10(line.cpuPerSecond)]));
  const [low, high] = costs.reduce(([least, most], cost) => [Math.min(least, cost), Math.max(most, cost)], [
    Infinity,
    -Infinity,
  ] as [number, number]);
  for (const line of lines) {
    if (line.cpuPerSecond === null) continue;
    const share = high > low ? (Math.log10(line.cpuPerSecond) - low) / (high - low) : 0;
    line.bar = LEAST_BAR + (1 - LEAST_BAR) * share;
  }
  return lines;
}

/** Places that are built at once. */
const PORTION = 30;

export function leaderboardTable(report: Report, scenario: Scenario, board: Leaderboard): HTMLElement {
  const lines = linesOf(scenario, board);
  const metric = words(board.metric);
  const bounds = new Set(
    lines.flatMap(({ check }) => (check?.bound == null ? [] : [boundText(check.bound, check.unit)])),
  );
  // Checks of one metric may have different bounds; each line's gauge uses its own.
  const limit = bounds.size === 1 ? ` (${[...bounds].join("")})` : "";
  // Task conditions have no number that ranks.
  const measured = board.metric !== "";
  const rule = measured
    ? `By verdict, then by ${metric}${limit}.`
    : "By verdict: its checks have no number that ranks.";
  const errorHeads: [string, string | null][] = [
    [metric, "num"],
    ["relative to bound", null],
  ];
  const heads: [string, string | null][] = [
    ["", "num"],
    ["engine", null],
    ["step", "num"],
    ["verdict", null],
    ...(measured ? errorHeads : []),
    ["CPU per simulated s", "num"],
  ];
  const body = h("tbody", {});
  const portions = new Portions<Line>(body, PORTION, "places", (line) => [lineRow(report, scenario, line, measured)]);
  portions.fill(lines);
  return h(
    "div",
    { class: "board" },
    h(
      "p",
      { class: "muted board-rule" },
      `${rule} Trials with the same place cannot be distinguished. Cost depends on the machine and does not affect the ranking.`,
    ),
    h(
      "div",
      { class: "scroll-x", tabindex: 0, role: "region", "aria-label": `Leaderboard of ${scenario.title}` },
      h(
        "table",
        { class: "leaderboard" },
        h(
          "thead",
          {},
          h(
            "tr",
            {},
            heads.map(([head, name]) => h("th", { scope: "col", class: name }, head === "" ? place() : head)),
          ),
        ),
        body,
      ),
      portions.button,
    ),
  );
}

function place(): HTMLElement {
  return h("span", { class: "visually-hidden" }, "place");
}

function lineRow(report: Report, scenario: Scenario, line: Line, measured: boolean): HTMLElement {
  const { trial, check } = line;
  const decades = check === null ? null : decadesBeyond(check);
  const first = line.rank === 1 && trial.verdict === "accepted";
  return h(
    "tr",
    {
      class: [`v-row-${trial.verdict}`, first ? "winner" : "", isSurprise(trial) ? "surprise-row" : ""]
        .join(" ")
        .trim(),
    },
    h("td", { class: "num rank" }, line.rank === null ? "–" : line.rank),
    h(
      "th",
      { scope: "row" },
      h("a", { href: `#${report.trialId(scenario.at, trial.at)}` }, specName(report.spec(trial.spec))),
    ),
    h("td", { class: "num step" }, step(trial.step_s)),
    h(
      "td",
      { class: "verdict-cell", title: trial.reason },
      h(
        "span",
        { class: `verdict-text ${expectationClass(trial, report.expecting)}` },
        verdictIcon(trial.verdict),
        h("span", {}, verdictText(trial, report.expecting)),
      ),
    ),
    measured && [
      h(
        "td",
        { class: "num error", title: check === null ? null : words(check.metric) },
        check === null ? "" : `${number(real(check.value))}${check.unit === "" ? "" : ` ${check.unit}`}`,
      ),
      h("td", { class: "gauge-cell" }, decades === null ? "" : gauge(decades)),
    ],
    h(
      "td",
      {
        class: "num cost",
        title: line.stepsPerSecond === null ? null : `${count(Math.round(line.stepsPerSecond))} steps/s`,
      },
      line.cpuPerSecond !== null && [
        h("span", {}, span(line.cpuPerSecond, 3)),
        h("i", { class: "cost-bar", "aria-hidden": "true", style: `--share:${line.bar.toFixed(3)}` }),
      ],
    ),
  );
}
