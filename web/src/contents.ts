// The list of scenarios at the side on wide screens, with the reader's position in it.

import { h } from "./dom.ts";
import { type Report, standingOf } from "./report.ts";
import { standingSign } from "./verdict_sign.ts";

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
      report.index.headings.map((heading, at) =>
        link(report.scenarioId(at), standingSign(standingOf(heading)), h("span", {}, heading.title)),
      ),
      report.index.engines.length > 0 && link("engines", "Engines"),
    ),
  );
  requestAnimationFrame(() => follow(links));
  return nav;
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
