// Controls of a replay that are folded: contact forces, and how each body is shown.

import { h } from "../dom.ts";
import { count, number } from "../format.ts";
import type { Stage } from "./stage.ts";

/** Steps of the scale's slider for a factor of ten. */
const PER_DECADE = 10;

/** On or off, and how long the arrows are. */
export function forcesPart(stage: Stage, mostPoints: number, redraw: () => void): HTMLElement {
  const first = stage.forceScale;
  const readout = h("output", {});
  const show = () => (readout.textContent = `${number(stage.usualForce / stage.forceScale, 2)} N per scene radius`);
  const box = h("input", {
    type: "checkbox",
    checked: stage.contacts,
    onchange: (event: Event) => {
      stage.contacts = (event.target as HTMLInputElement).checked;
      redraw();
    },
  });
  const scale = h("input", {
    type: "range",
    min: -2 * PER_DECADE,
    max: 2 * PER_DECADE,
    value: 0,
    "aria-label": "Length of the force arrows",
    oninput: (event: Event) => {
      stage.forceScale = first * 10 ** (Number((event.target as HTMLInputElement).value) / PER_DECADE);
      show();
      redraw();
    },
  });
  const side = h(
    "select",
    {
      "aria-label": "Body whose contact force is drawn",
      onchange: (event: Event) => {
        stage.forceOn = (event.target as HTMLSelectElement).value === "second" ? "second" : "first";
        redraw();
      },
    },
    h("option", { value: "first" }, "on the first body"),
    h("option", { value: "second" }, "on the second body"),
  );
  show();
  return h(
    "div",
    { class: "forces" },
    h("label", {}, box, " contact forces"),
    side,
    h("label", { class: "force-scale" }, "length ", scale),
    readout,
    h(
      "small",
      {},
      `Pairs are in the order of the world's bodies. Dots without an arrow touch without force. At most ${count(mostPoints)} points of each moment, the strongest.`,
    ),
  );
}

/** Visibility and opacity of each body. */
export function bodiesPart(stage: Stage, redraw: () => void): HTMLElement | null {
  const names = stage.bodyNames;
  if (names.length === 0) return null;
  const rows = names.map(({ name, body, moves }) => {
    const look = stage.looks[body];
    const shown = h("input", {
      type: "checkbox",
      checked: true,
      onchange: (event: Event) => {
        if (look !== undefined) look.shown = (event.target as HTMLInputElement).checked;
        redraw();
      },
    });
    const opacity = h("input", {
      type: "range",
      min: 0,
      max: 1,
      step: 0.05,
      value: 1,
      "aria-label": `Opacity of ${name}`,
      oninput: (event: Event) => {
        if (look !== undefined) look.opacity = Number((event.target as HTMLInputElement).value);
        redraw();
      },
    });
    return h("li", {}, h("label", {}, shown, " ", name, !moves && h("small", {}, " fixed")), opacity);
  });
  return h(
    "details",
    { class: "bodies" },
    h("summary", {}, `Bodies (${count(names.length)}): hide or fade`),
    h("ul", {}, rows),
  );
}
