// The page: head, verdict table, a line per scenario that opens to its own part, the engines.

import "uplot/dist/uPlot.min.css";
import "./styles/index.css";
import { contents } from "./contents.ts";
import { readIndex, readScenario } from "./data/decode.ts";
import { h } from "./dom.ts";
import { definePalette } from "./palette.ts";
import { Report } from "./report.ts";
import { type ScenarioPart, scenarioPart } from "./scenario/section.ts";
import { enginesSection, summary } from "./summary.ts";
import { verdictSection } from "./table/section.ts";
import { startTheme, themeButton } from "./theme.ts";

function page(report: Report, parts: ScenarioPart[]): HTMLElement[] {
  const { index } = report;
  const main = h(
    "main",
    { id: "main", tabindex: -1 },
    summary(report),
    index.headings.length > 0 ? verdictSection(report) : h("p", { class: "none" }, "This report has no scenarios."),
    parts.length > 0 &&
      h(
        "div",
        { class: "scenarios", role: "group", "aria-label": "Scenarios" },
        parts.map((part) => part.element),
      ),
    index.engines.length > 0 && enginesSection(report),
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

/** The text of a scenario's element, which follows this script in the file. */
async function scenarioText(at: number): Promise<string> {
  if (document.readyState === "loading")
    await new Promise((done) => document.addEventListener("DOMContentLoaded", done, { once: true }));
  return document.getElementById(`scenario-data-${at}`)?.textContent ?? "";
}

function start(): void {
  const place = document.getElementById("app");
  const text = document.getElementById("report-index")?.textContent ?? "";
  if (place === null) return;
  startTheme();
  try {
    const index = readIndex(text);
    definePalette(index.specs.length);
    const report = new Report(index, async (at) => readScenario(await scenarioText(at), at));
    const parts = index.headings.map((heading, at) => scenarioPart(report, heading, at));
    place.replaceChildren(...page(report, parts));
    followAddress(report, parts);
    // With a single scenario there is nothing to choose.
    if (parts.length === 1) void parts[0]?.open();
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
}

/** An address may name a scenario or a trial that is not built yet: it is opened, then gone to. */
function followAddress(report: Report, parts: ScenarioPart[]): void {
  const follow = async (id: string) => {
    const place = report.placeOf(id);
    if (place === null) return;
    const part = parts[place.at];
    if (part === undefined) return;
    await part.open();
    if (place.trial !== null) part.reveal(place.trial);
    // Going there again scrolls to it and marks it as the target; that is a navigation too, which comes back here.
    if (document.querySelector(":target")?.id !== id) location.replace(`#${id}`);
  };
  const fromLink = (event: MouseEvent) => {
    const link = event.target instanceof Element ? event.target.closest('a[href^="#"]') : null;
    const id = link?.getAttribute("href")?.slice(1) ?? "";
    const place = report.placeOf(id);
    if (event.defaultPrevented || place === null || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    history.pushState(null, "", `#${id}`);
    void follow(id);
  };
  document.addEventListener("click", fromLink);
  window.addEventListener("popstate", () => void follow(location.hash.slice(1)));
  if (location.hash.length > 1) {
    // The browser looked for it before it existed.
    if (report.placeOf(location.hash.slice(1)) === null) location.replace(location.href);
    else void follow(location.hash.slice(1));
  }
}

start();
