// Icons as drawings, not characters: they look the same everywhere and differ in shape, so that they can be read
// without colour.

import type { AuditFinding, Verdict } from "./data/schema.ts";
import { svg } from "./dom.ts";

const VERDICT_PATHS: Record<Verdict, string> = {
  accepted: "M3.5 8.5l3 3 6-7",
  rejected: "M4.2 4.2l7.6 7.6M11.8 4.2l-7.6 7.6",
  cannot_tell: "M5.4 6.1a2.6 2.6 0 1 1 3.9 2.2c-.9.5-1.3 1-1.3 1.9M8 12.6v.1",
  not_expressible: "M3.8 8h8.4",
  too_slow: "M4.4 3h7.2M4.4 13h7.2M5.2 3c0 3 5.6 7 5.6 10M10.8 3c0 3-5.6 7-5.6 10",
  failed: "M8 3.2v6M8 12.4v.1",
};

const OTHER_PATHS = {
  warning: "M8 2.6l6 10.6H2zM8 6.6v3M8 11.4v.1",
  note: "M8 7.4v4M8 4.8v.1M8 1.8a6.2 6.2 0 1 1 0 12.4A6.2 6.2 0 0 1 8 1.8z",
  play: "M5 3.2v9.6l7.8-4.8z",
  pause: "M5.2 3.4v9.2M10.8 3.4v9.2",
  sun: "M8 5.2a2.8 2.8 0 1 1 0 5.6 2.8 2.8 0 0 1 0-5.6zM8 1.4v1.4M8 13.2v1.4M1.4 8h1.4M13.2 8h1.4M3.3 3.3l1 1M11.7 11.7l1 1M12.7 3.3l-1 1M4.3 11.7l-1 1",
  moon: "M13 9.8A5.6 5.6 0 0 1 6.2 3a5.6 5.6 0 1 0 6.8 6.8z",
  reset: "M3.4 8a4.6 4.6 0 1 0 1.5-3.4L3.2 6.2M3.2 3v3.2h3.2",
} as const;

function icon(path: string, className: string): SVGSVGElement {
  return svg(
    "svg",
    { class: `icon ${className}`, viewBox: "0 0 16 16", "aria-hidden": "true" },
    svg("path", { d: path }),
  );
}

export function verdictIcon(verdict: Verdict): SVGSVGElement {
  return icon(VERDICT_PATHS[verdict], `verdict-icon v-${verdict}`);
}

export function findingIcon(severity: AuditFinding["severity"]): SVGSVGElement {
  return icon(severity === "note" ? OTHER_PATHS.note : OTHER_PATHS.warning, `finding-icon f-${severity}`);
}

export function plainIcon(name: keyof typeof OTHER_PATHS): SVGSVGElement {
  return icon(OTHER_PATHS[name], `plain-icon i-${name}`);
}
