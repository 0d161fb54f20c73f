// The head of the page: the overall result, and the origin of the numbers.

import { VERDICTS } from "./data/schema.ts";
import { h } from "./dom.ts";
import { count, plural, sentence } from "./format.ts";
import { findingIcon, plainIcon, verdictIcon } from "./icons.ts";
import type { Report } from "./report.ts";
import { isOpen, isSurprise, VERDICT_MEANING, VERDICT_WORDS } from "./verdict.ts";

export function summary(report: Report): HTMLElement {
  const { index: data } = report;
  const good = data.outcome.as_expected;
  const headline = data.outcome.headline || (good ? "as expected" : "not as expected");
  return h(
    "header",
    { class: "summary" },
    h("p", { class: "eyebrow" }, "Veracity report"),
    h("h1", {}, data.title),
    h(
      "div",
      { class: `outcome ${good ? "outcome-good" : "outcome-bad"}` },
      verdictIcon(good ? "accepted" : "rejected"),
      h("p", {}, h("strong", {}, `${sentence(headline)}.`), " ", data.outcome.summary),
    ),
    tally(report),
    readFirst(report),
    provenance(report),
  );
}

/** Number of trials with each verdict. */
function tally(report: Report): HTMLElement {
  const trials = report.index.headings.flatMap((heading) => heading.trials);
  const items = VERDICTS.flatMap((verdict) => {
    const these = trials.filter((trial) => trial.verdict === verdict);
    if (these.length === 0) return [];
    const surprises = these.filter(isSurprise).length;
    const open = report.expecting ? these.filter(isOpen).length : 0;
    const planned =
      verdict === "accepted" ? 0 : these.filter((trial) => trial.expected.length > 0).length - surprises;
    const notes = [
      planned > 0 ? `${count(planned)} as expected` : "",
      surprises > 0 ? `${count(surprises)} unexpected` : "",
      open > 0 ? `${count(open)} without expectation` : "",
    ];
    return h(
      "li",
      { title: VERDICT_MEANING[verdict] },
      verdictIcon(verdict),
      h("b", {}, count(these.length)),
      h("span", {}, VERDICT_WORDS[verdict]),
      h("small", {}, notes.filter(Boolean).join(", ")),
    );
  });
  return h("ul", { class: "tally", "aria-label": "Number of trials by verdict" }, items);
}

/** With more than this many the list would push the table out of view. */
const CONCERNS_NAMED = 5;

/** Findings are to be read before any ranking, so their summary is above the table. */
function readFirst(report: Report): HTMLElement | null {
  const concerned = [...report.index.headings.entries()].filter(([, heading]) => heading.finding !== null);
  if (concerned.length === 0) return null;
  return h(
    "div",
    { class: "read-first" },
    plainIcon("warning"),
    h(
      "p",
      {},
      h("strong", {}, "Read before ranking. "),
      `The inspection of the experiment has findings in ${plural(concerned.length, "scenario")}: `,
      concerned
        .slice(0, CONCERNS_NAMED)
        .flatMap(([at, heading], index) => [
          index > 0 ? ", " : "",
          h("a", { href: `#${report.scenarioId(at)}` }, heading.title),
        ]),
      concerned.length > CONCERNS_NAMED
        ? ` and ${concerned.length - CONCERNS_NAMED} more, marked in the table.`
        : ".",
    ),
  );
}

function provenance(report: Report): HTMLElement {
  const { provenance: made } = report.index;
  const facts: [string, string][] = [
    ["made", made.when],
    ["version", made.version],
    ["commit", made.commit ?? ""],
    ["command", made.command ?? ""],
    ...made.machine.map((fact): [string, string] => [fact.name, fact.value]),
  ];
  const shown = facts.filter(([, value]) => value !== "");
  return h(
    "dl",
    { class: "provenance" },
    shown.map(([name, value]) => h("div", {}, h("dt", {}, name), h("dd", {}, value))),
  );
}

/** Description, capabilities and missing features of each engine; how to install those that are absent. */
export function enginesSection(report: Report): HTMLElement {
  const cards = report.index.engines.map((engine) =>
    h(
      "article",
      { class: `engine ${engine.present ? "" : "engine-absent"}` },
      h("h3", {}, engine.name, " ", h("small", {}, engine.present ? engine.version : "not installed")),
      h("p", {}, engine.about),
      engine.specs.length > 0 &&
        h(
          "details",
          { class: "specs" },
          h("summary", {}, plural(engine.specs.length, "spec")),
          h(
            "ul",
            {},
            engine.specs.map((spec) => h("li", {}, h("code", {}, spec))),
          ),
        ),
      engine.capabilities.length > 0 &&
        h(
          "dl",
          { class: "facts" },
          engine.capabilities.map((fact) => h("div", {}, h("dt", {}, fact.name), h("dd", {}, fact.value))),
        ),
      engine.missing.length > 0 &&
        h(
          "details",
          { class: "missing" },
          h("summary", {}, `${plural(engine.missing.length, "missing feature")} in these scenarios`),
          h(
            "ul",
            {},
            engine.missing.map((one) =>
              h("li", {}, findingIcon("note"), h("span", {}, h("b", {}, `No ${one.feature}. `), one.hint)),
            ),
          ),
        ),
      engine.how_to_get !== null &&
        h("p", { class: "how-to-get" }, "To install it: ", h("code", {}, engine.how_to_get)),
    ),
  );
  return h(
    "section",
    { id: "engines", "aria-labelledby": "engines-title" },
    h("h2", { id: "engines-title" }, "Engines"),
    h("div", { class: "engine-cards" }, cards),
  );
}
