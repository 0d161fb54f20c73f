// A study with variations: engine specs over the whole range, maps of verdicts, and where acceptance ends.

import type { MapCell, RangePlace, Scenario, VerdictMap } from "../data/schema.ts";
import { h } from "../dom.ts";
import { span, step } from "../format.ts";
import { verdictIcon } from "../icons.ts";
import { Portions } from "../portions.ts";
import type { Report } from "../report.ts";
import { gauge } from "../table/gauge.ts";
import { specName } from "../table/matrix.ts";
import { VERDICT_WORDS } from "../verdict.ts";

/** The parts, each with its heading; empty without variations. */
export function variationParts(report: Report, scenario: Scenario): HTMLElement[] {
  const { range = [], maps = [], boundaries = [] } = scenario;
  const parts: HTMLElement[] = [];
  if (range.length > 0) parts.push(h("h3", {}, "Over the whole range"), rangeTable(report, scenario, range));
  if (boundaries.length > 0)
    parts.push(
      h("h3", {}, "Where acceptance ends"),
      h(
        "ul",
        { class: "boundaries" },
        boundaries.map((sentence) => h("li", {}, sentence)),
      ),
    );
  if (maps.length > 0) parts.push(h("h3", {}, "Verdict maps"), mapsPart(report, scenario, maps));
  return parts;
}

function rangeTable(report: Report, scenario: Scenario, places: RangePlace[]): HTMLElement {
  const heads: [string, string | null][] = [
    ["place", "num"],
    ["engine", null],
    ["step", "num"],
    ["accepted", "num"],
    ["worst relative to bound", null],
    ["worst at", null],
    ["CPU per simulated s", "num"],
  ];
  const line = (place: RangePlace) => {
    const whole = place.accepted === place.trials;
    return h(
      "tr",
      { class: whole ? "winner" : null },
      h("td", { class: "num rank" }, place.rank),
      h("th", { scope: "row" }, specName(report.base(place.spec))),
      h("td", { class: "num step" }, step(place.step_s)),
      h("td", { class: `num ${whole ? "all-accepted" : ""}`.trim() }, `${place.accepted} of ${place.trials}`),
      h("td", { class: "gauge-cell" }, worst(place.worst_of_bound)),
      h("td", { class: "worst-at" }, place.worst_at),
      h("td", { class: "num cost" }, place.cpu_per_simulated_s === null ? "" : span(place.cpu_per_simulated_s, 3)),
    );
  };
  return h(
    "div",
    { class: "board" },
    h(
      "p",
      { class: "muted board-rule" },
      "By the share of accepted trials, then of those not rejected, then by the largest error. Cost is the median and does not affect the ranking.",
    ),
    h(
      "div",
      { class: "scroll-x", tabindex: 0, role: "region", "aria-label": `Ranking over the range of ${scenario.title}` },
      h(
        "table",
        { class: "leaderboard" },
        h(
          "thead",
          {},
          h(
            "tr",
            {},
            heads.map(([head, name]) => h("th", { scope: "col", class: name }, head)),
          ),
        ),
        h("tbody", {}, places.map(line)),
      ),
    ),
  );
}

function worst(share: number | null): Node | string {
  if (share === null) return "";
  return gauge(share <= 0 ? -Infinity : Math.log10(share));
}

/** Maps that are built at once. */
const PORTION = 6;

function mapsPart(report: Report, scenario: Scenario, maps: VerdictMap[]): HTMLElement {
  const box = h("div", { class: "maps" });
  const portions = new Portions<VerdictMap>(box, PORTION, "maps", (map) => [mapFigure(report, scenario, map)]);
  portions.fill(maps);
  return h("div", {}, box, portions.button);
}

/** The column on which a boundary is drawn and how far across it, from 0 to 1; a value lies in the middle of its column. */
export function placeOf(column: number, columns: number): { cell: number; across: number } {
  const cell = Math.max(0, Math.min(columns - 1, Math.floor(column + 0.5)));
  return { cell, across: Math.max(0, Math.min(1, column + 0.5 - cell)) };
}

export function mapTitle(map: VerdictMap): string {
  const unit = map.columns.unit === "" ? "" : ` [${map.columns.unit}]`;
  const fixed = map.fixed.map(({ name, value }) => `, ${name} ${value}`).join("");
  return `${map.columns.name}${unit} against ${map.rows.name}${fixed}`;
}

function mapFigure(report: Report, scenario: Scenario, map: VerdictMap): HTMLElement {
  const columns = map.columns.labels.length;
  const title = mapTitle(map);
  const ends = map.ends.map((end) => ({ ...end, ...placeOf(end.column, columns) }));
  const row = (label: string, at: number) =>
    h(
      "tr",
      {},
      h("th", { scope: "row" }, label),
      (map.cells[at] ?? []).map((cell, column) => {
        const own = ends.filter((end) => end.row === at && end.cell === column);
        const marks = own.map((end) =>
          h("i", { class: "map-end", style: `--across:${end.across.toFixed(3)}`, title: end.text }),
        );
        return mapCell(report, scenario, cell, marks);
      }),
    );
  return h(
    "figure",
    { class: "map" },
    h("figcaption", {}, title),
    h(
      "div",
      { class: "scroll-x", tabindex: 0, role: "region", "aria-label": `Map of verdicts: ${title}` },
      h(
        "table",
        { class: "verdict-map" },
        h(
          "thead",
          {},
          h(
            "tr",
            {},
            h("td", {}),
            map.columns.labels.map((label) => h("th", { scope: "col", class: "num" }, label)),
          ),
        ),
        h("tbody", {}, map.rows.labels.map(row)),
      ),
    ),
    ends.length > 0 && h("p", { class: "muted" }, "A line across a row marks where acceptance ends."),
  );
}

function mapCell(report: Report, scenario: Scenario, cell: MapCell, marks: HTMLElement[]): HTMLElement {
  if (cell.verdict === null) return h("td", { class: "map-cell" });
  const trial = cell.trial === null ? undefined : scenario.trials[cell.trial];
  const words = VERDICT_WORDS[cell.verdict];
  const several = cell.count > 1;
  const said = several ? `${cell.accepted} of ${cell.count} accepted` : words;
  const sign = [
    verdictIcon(cell.verdict),
    several ? h("span", {}, `${cell.accepted}/${cell.count}`) : null,
    h("span", { class: "visually-hidden" }, ` ${said}`),
  ];
  return h(
    "td",
    { class: `map-cell v-${cell.verdict}`, title: trial === undefined ? said : `${said}: ${trial.reason}` },
    trial === undefined ? sign : h("a", { href: `#${report.trialId(scenario.at, trial.at)}` }, sign),
    marks,
  );
}
