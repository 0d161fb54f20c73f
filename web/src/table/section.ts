// The verdict table: a matrix of scenarios and engines, or a list that sorts; one filter for both.

import { type TrialHead, VERDICTS, type Verdict } from "../data/schema.ts";
import { h } from "../dom.ts";
import { count, plural } from "../format.ts";
import { verdictIcon } from "../icons.ts";
import type { Report } from "../report.ts";
import { isOpen, isSurprise, VERDICT_MEANING, VERDICT_WORDS } from "../verdict.ts";
import { type Filter, type Line, matcher } from "./filter.ts";
import { listTable } from "./list.ts";
import { matrixTable } from "./matrix.ts";

type View = "matrix" | "list";

export function verdictSection(report: Report): HTMLElement {
  const rows: Line[] = report.index.headings.flatMap((heading, at) =>
    heading.trials.map((trial, index) => ({ at, index, heading, trial })),
  );
  const filter: Filter = { text: "", verdicts: new Set(), onlySurprises: false, onlyOpen: false };
  let view: View = "matrix";

  const place = h("div", { class: "table-place" });
  const shownCount = h("p", { class: "shown-count", role: "status" });
  const matrix = matrixTable(report);
  const list = listTable(report);

  const show = () => {
    const shown = new Set<TrialHead>(rows.filter(matcher(filter)).map((row) => row.trial));
    const all = shown.size === rows.length;
    shownCount.textContent = all
      ? `${plural(rows.length, "trial")}`
      : `${count(shown.size)} of ${plural(rows.length, "trial")}`;
    const { element, update } = view === "matrix" ? matrix : list;
    update(shown, all);
    if (place.firstChild !== element) place.replaceChildren(element);
  };

  const section = h(
    "section",
    { id: "verdicts", "aria-labelledby": "verdicts-title" },
    h("h2", { id: "verdicts-title" }, "Verdicts"),
    h(
      "div",
      { class: "toolbar" },
      search(filter, show),
      verdictButtons(report, rows, filter, show),
      viewButtons((next) => {
        view = next;
        show();
      }),
      shownCount,
    ),
    place,
    legend(report, rows),
  );
  show();
  return section;
}

function search(filter: Filter, show: () => void): HTMLElement {
  return h("input", {
    type: "search",
    class: "search",
    placeholder: "Filter: scenario, engine, metric",
    "aria-label": "Filter by scenario, engine or metric",
    oninput: (event: Event) => {
      filter.text = (event.target as HTMLInputElement).value;
      show();
    },
  });
}

/** One switch per verdict that occurs, and one for unexpected verdicts. */
function verdictButtons(report: Report, rows: Line[], filter: Filter, show: () => void): HTMLElement {
  const toggle = (label: (Node | string)[], title: string, flip: () => boolean) => {
    const button = h("button", { type: "button", class: "toggle", "aria-pressed": "false", title }, label);
    button.addEventListener("click", () => {
      button.setAttribute("aria-pressed", String(flip()));
      show();
    });
    return button;
  };
  const occurring = VERDICTS.filter((verdict) => rows.some((row) => row.trial.verdict === verdict));
  const buttons = occurring.map((verdict: Verdict) =>
    toggle([verdictIcon(verdict), VERDICT_WORDS[verdict]], `Show only: ${VERDICT_WORDS[verdict]}`, () => {
      if (!filter.verdicts.delete(verdict)) filter.verdicts.add(verdict);
      return filter.verdicts.has(verdict);
    }),
  );
  if (rows.some((row) => isSurprise(row.trial))) {
    buttons.push(
      toggle(
        ["unexpected only"],
        "Show only verdicts the catalogue does not expect",
        () => (filter.onlySurprises = !filter.onlySurprises),
      ),
    );
  }
  if (report.expecting && rows.some((row) => isOpen(row.trial))) {
    buttons.push(
      toggle(
        ["no expectation only"],
        "Show only verdicts without an expectation in the catalogue",
        () => (filter.onlyOpen = !filter.onlyOpen),
      ),
    );
  }
  return h("div", { class: "toggles", role: "group", "aria-label": "Show only these verdicts" }, buttons);
}

function viewButtons(choose: (view: View) => void): HTMLElement {
  const buttons = (["matrix", "list"] as const).map((view) => {
    const button = h(
      "button",
      { type: "button", "aria-pressed": String(view === "matrix") },
      view === "matrix" ? "Matrix" : "List",
    );
    button.addEventListener("click", () => {
      for (const other of buttons) other.setAttribute("aria-pressed", String(other === button));
      choose(view);
    });
    return button;
  });
  return h("div", { class: "segmented", role: "group", "aria-label": "Layout of the table" }, buttons);
}

function legend(report: Report, rows: Line[]): HTMLElement {
  const occurring = VERDICTS.filter((verdict) => rows.some((row) => row.trial.verdict === verdict));
  const items = occurring.map((verdict) =>
    h(
      "li",
      {},
      verdictIcon(verdict),
      h("span", {}, h("b", {}, VERDICT_WORDS[verdict]), `: ${VERDICT_MEANING[verdict]}`),
    ),
  );
  if (rows.some((row) => row.trial.verdict !== "accepted" && row.trial.expected.includes(row.trial.verdict))) {
    items.push(
      h(
        "li",
        {},
        h("span", { class: "sample planned" }),
        h("span", {}, h("b", {}, "pale"), ": as the catalogue expects"),
      ),
    );
  }
  if (rows.some((row) => isSurprise(row.trial))) {
    items.push(
      h(
        "li",
        {},
        h("span", { class: "sample surprise" }, "!"),
        h("span", {}, h("b", {}, "framed"), ": the catalogue expects another verdict"),
      ),
    );
  }
  if (report.expecting && rows.some((row) => isOpen(row.trial))) {
    items.push(
      h(
        "li",
        {},
        h("span", { class: "sample open" }),
        h("span", {}, h("b", {}, "dashed"), ": no expectation; neither a failure nor a success"),
      ),
    );
  }
  return h("ul", { class: "legend", "aria-label": "Symbols in the table" }, items);
}
