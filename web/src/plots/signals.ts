// Recorded signals, each drawn on demand: the reader chooses one, and its plot follows the replay's time.

import type { Scenario, Signal } from "../data/schema.ts";
import { h } from "../dom.ts";
import { count } from "../format.ts";
import type { Clock } from "../replay/clock.ts";
import type { Report } from "../report.ts";
import { overTimePlot } from "./over_time.ts";
import { byKind, kindOf } from "./signal_kinds.ts";

/** Names left out that are written; the rest is counted. */
const LEFT_OUT_NAMED = 8;

export function signalsPart(report: Report, scenario: Scenario, signals: Signal[], clock: Clock): HTMLElement {
  const place = h("div", { class: "plots" });
  const label = ({ name, unit }: Signal) => (unit === "" ? name : `${name} [${unit}]`);
  const choice = h(
    "select",
    { class: "signal-choice", "aria-label": "Signal to plot" },
    h("option", { value: "" }, `Plot a signal (${count(signals.length)} recorded) …`),
    [...byKind(signals)].map(([kind, group]) =>
      h(
        "optgroup",
        { label: kind },
        group.map((signal) => h("option", { value: signals.indexOf(signal) }, label(signal))),
      ),
    ),
  );
  choice.addEventListener("change", () => {
    const signal = choice.value === "" ? undefined : signals[Number(choice.value)];
    choice.value = "";
    if (signal === undefined) return;
    const remove = h("button", { type: "button", class: "toggle" }, "remove");
    const figure = overTimePlot(
      report,
      scenario,
      {
        title: label(signal),
        // The whole name is the title; beside the axis it would be cut off.
        metric: kindOf(signal.name),
        unit: signal.unit,
        bound: null,
        // Residuals range over many powers of ten.
        log: signal.name.startsWith("solver/"),
        fitted: true,
        curves: signal.curves,
        reference: signal.reference,
        buttons: [remove],
      },
      clock,
    );
    remove.addEventListener("click", () => {
      figure.remove();
      choice.focus();
    });
    place.prepend(figure);
  });
  const left = scenario.signals_left_out ?? [];
  const named = left.slice(0, LEFT_OUT_NAMED).join(", ");
  const more = left.length > LEFT_OUT_NAMED ? ` and ${count(left.length - LEFT_OUT_NAMED)} more` : "";
  return h(
    "div",
    { class: "signals" },
    choice,
    left.length > 0 && h("p", { class: "plot-note" }, `Not in this page, to keep it small: ${named}${more}.`),
    place,
  );
}
