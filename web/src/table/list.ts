// One trial per line, with the number that decided; a click on a column's head sorts by it.

import { real } from "../data/decode.ts";
import type { TrialHead } from "../data/schema.ts";
import { h, unreadable } from "../dom.ts";
import { factor, number, quantity, span, step, words } from "../format.ts";
import { verdictIcon } from "../icons.ts";
import { Portions } from "../portions.ts";
import type { Report } from "../report.ts";
import { decadesBeyond, decisive, expectationClass, isSurprise, verdictText } from "../verdict.ts";
import { type Row, type SortKey, sorted } from "./filter.ts";
import { gauge } from "./gauge.ts";
import { specName, type TableView } from "./matrix.ts";

interface Column {
  key: SortKey;
  head: string;
  className: string;
}

const COLUMNS: Column[] = [
  { key: "scenario", head: "scenario", className: "" },
  { key: "engine", head: "engine", className: "" },
  { key: "step", head: "step", className: "num" },
  { key: "verdict", head: "verdict", className: "" },
  { key: "margin", head: "deciding number", className: "" },
  { key: "cpu", head: "CPU", className: "num" },
  { key: "speed", head: "× real time", className: "num" },
];

/** Rows of the list that are built at once. */
const PORTION = 150;

export function listTable(report: Report): TableView {
  const body = h("tbody", {});
  const none = h("p", { class: "none", hidden: true }, "No trial matches. Clear the filter to see them all.");
  const waiting = h("p", { class: "muted", role: "status" }, "Reading the numbers of every scenario…");
  const portions = new Portions<Row>(body, PORTION, "trials", (row) => [listRow(report, row)]);
  let order: { key: SortKey; descending: boolean } | null = null;
  let shown = new Set<TrialHead>();
  let rows: Row[] | null = null;

  const fill = () => {
    if (rows === null) return;
    const selected = rows.filter(({ scenario, trial }) => {
      const head = report.index.headings[scenario.at]?.trials[trial.at];
      return head !== undefined && shown.has(head);
    });
    portions.fill(order === null ? selected : sorted(selected, order.key, order.descending));
    none.hidden = selected.length > 0;
  };
  /** The numbers are in the scenarios' own data, which are read when the list is first shown. */
  const read = async () => {
    const scenarios = await Promise.all(report.index.headings.map((_, at) => report.scenario(at)));
    rows = scenarios.flatMap((scenario) => scenario.trials.map((trial) => ({ scenario, trial })));
    waiting.hidden = true;
    fill();
  };
  let reading: Promise<void> | null = null;
  const heads = COLUMNS.map((column) => {
    const head = h("th", { scope: "col", class: column.className, "aria-sort": "none" });
    const button = h("button", { type: "button", class: "sort" }, column.head);
    button.addEventListener("click", () => {
      order = { key: column.key, descending: order?.key === column.key && !order.descending };
      for (const other of heads) other.setAttribute("aria-sort", "none");
      head.setAttribute("aria-sort", order.descending ? "descending" : "ascending");
      fill();
    });
    head.append(button);
    return head;
  });
  const table = h("table", { class: "list" }, h("thead", {}, h("tr", {}, heads)), body);
  return {
    element: h(
      "div",
      { class: "scroll-x", tabindex: 0, role: "region", "aria-label": "Trials" },
      table,
      waiting,
      portions.button,
      none,
    ),
    update(next) {
      shown = next;
      reading ??= read().catch((error: unknown) => waiting.replaceChildren(unreadable("list", error)));
      fill();
    },
  };
}

function listRow(report: Report, { scenario, trial }: Row): HTMLElement {
  const check = decisive(trial);
  const decades = check === null ? null : decadesBeyond(check);
  return h(
    "tr",
    { class: isSurprise(trial) ? "surprise-row" : null },
    h("th", { scope: "row" }, h("a", { href: `#${report.trialId(scenario.at, trial.at)}` }, scenario.title)),
    h("td", {}, specName(report.spec(trial.spec))),
    h("td", { class: "num" }, step(trial.step_s)),
    h(
      "td",
      {},
      h(
        "span",
        { class: `verdict-text ${expectationClass(trial, report.expecting)}` },
        verdictIcon(trial.verdict),
        h("span", {}, verdictText(trial, report.expecting)),
      ),
    ),
    h(
      "td",
      {},
      check === null || decades === null
        ? h("span", { class: "muted" }, trial.reason)
        : h(
            "span",
            { class: "deciding" },
            gauge(decades),
            h(
              "span",
              { class: "figures" },
              quantity(real(check.value), check.unit),
              h("small", {}, ` ${words(check.metric)}`),
            ),
          ),
    ),
    h("td", { class: "num" }, trial.cost === null ? "" : span(trial.cost.cpu_s, 3)),
    h(
      "td",
      { class: "num" },
      trial.cost === null
        ? ""
        : trial.cost.real_time_factor > 0
          ? factor(trial.cost.real_time_factor)
          : number(trial.cost.real_time_factor),
    ),
  );
}
