// The list of scenarios at the side on wide screens, with the reader's position in it.

import type { Scenario, Verdict } from "./data/schema.ts";
import { h } from "./dom.ts";
import { verdictIcon } from "./icons.ts";
import type { Report } from "./report.ts";
import { isSurprise } from "./verdict.ts";

export function contents(report: Report): HTMLElement {
  const links = new Map<string, HTMLAnchorElement>();
  const link = (id: string, ...children: (Node | string)[]) => {
    const element = h("a", { href: `#${id}` }, children);
    links.set(id, element);
    return h("li", {}, element);
  };
  const nav = h(
    "nav",
    { class: "contents", "aria-label": "Contents" },
    h("p", { class: "wordmark" }, "Veracity"),
    h(
      "ol",
      {},
      link("verdicts", "Verdicts"),
      report.data.scenarios.map((scenario) => link(report.scenarioId(scenario), sign(scenario), scenario.title)),
      link("engines", "Engines"),
    ),
  );
  requestAnimationFrame(() => follow(links));
  return nav;
}

/** Accepted everywhere, rejected somewhere as planned, or something unexpected. */
function sign(scenario: Scenario): Node {
  const surprise = scenario.trials.find(isSurprise);
  const verdict: Verdict =
    surprise === undefined ? "accepted" : surprise.verdict === "accepted" ? "cannot_tell" : surprise.verdict;
  return h(
    "span",
    { class: "contents-sign", title: surprise === undefined ? "as expected" : "not as expected" },
    verdictIcon(verdict),
  );
}

function follow(links: Map<string, HTMLAnchorElement>): void {
  const visible = new Set<string>();
  const observer = new IntersectionObserver(
    (entries) => {
      for (const entry of entries) {
        if (entry.isIntersecting) visible.add(entry.target.id);
        else visible.delete(entry.target.id);
      }
      let first = true;
      for (const [id, element] of links) {
        const here: boolean = first && visible.has(id);
        if (here) element.setAttribute("aria-current", "true");
        else element.removeAttribute("aria-current");
        first &&= !here;
      }
    },
    { rootMargin: "-10% 0px -70% 0px" },
  );
  for (const id of links.keys()) {
    const target = document.getElementById(id);
    if (target !== null) observer.observe(target);
  }
}
