// The page: head, verdict table, a section per scenario, the engines.

import "uplot/dist/uPlot.min.css";
import "./styles/index.css";
import { readReport } from "./data/decode.ts";
import { h } from "./dom.ts";
import { Report } from "./report.ts";
import { scenarioSection } from "./scenario/section.ts";
import { enginesSection, summary } from "./summary.ts";
import { verdictSection } from "./table/section.ts";
import { startTheme, themeButton } from "./theme.ts";
import { contents } from "./contents.ts";

function page(report: Report): HTMLElement[] {
  const { data } = report;
  const main = h(
    "main",
    { id: "main", tabindex: -1 },
    summary(report),
    data.scenarios.length > 0 ? verdictSection(report) : h("p", { class: "none" }, "This report has no scenarios."),
    data.scenarios.map((scenario, index) => scenarioSection(report, scenario, index)),
    data.engines.length > 0 && enginesSection(report),
    h(
      "footer",
      { class: "page-foot" },
      h("p", {}, "This file is self-contained: it loads nothing, and can be archived, mailed and opened offline."),
    ),
  );
  return [
    h("a", { class: "skip", href: "#verdicts" }, "Skip to the verdicts"),
    h("div", { class: "frame" }, contents(report), main),
    h("div", { class: "corner" }, themeButton()),
  ];
}

function start(): void {
  const place = document.getElementById("app");
  const text = document.getElementById("report-data")?.textContent ?? "";
  if (place === null) return;
  startTheme();
  try {
    place.replaceChildren(...page(new Report(readReport(text))));
  } catch (error) {
    place.replaceChildren(
      h(
        "main",
        {},
        h("h1", {}, "This report cannot be shown"),
        h("p", {}, error instanceof Error ? error.message : String(error)),
      ),
    );
    throw error;
  }
  // The address may name a part that did not exist when the browser looked for it. Going there again scrolls to it and
  // marks it as the target.
  if (location.hash.length > 1) location.replace(location.href);
}

start();
