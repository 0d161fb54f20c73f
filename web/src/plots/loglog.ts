// A plot with two logarithmic axes, as SVG: few points, each of them a link that can be reached by keyboard.

import { h, svg, whenNear } from "../dom.ts";
import { count, stated } from "../format.ts";
import type { Marker } from "../report.ts";
import { along, type LogAxis, logAxis, tickLabel } from "./ticks.ts";
import { markerPath } from "./style.ts";

export interface LogLogPoint {
  x: number;
  y: number;
  uncertainty: number | null;
  /** Text for screen readers and the tooltip. */
  label: () => string;
  href: string | null;
}

export interface LogLogSeries {
  name: string;
  note: string;
  colourVariable: string;
  marker: Marker;
  points: LogLogPoint[];
  /** `y = factor · x^order` between two x. */
  fit: { order: number; factor: number; from: number; to: number } | null;
}

export interface LogLogPlot {
  title: string;
  xLabel: string;
  yLabel: string;
  bound: number | null;
  series: LogLogSeries[];
}

const HEIGHT = 300;
const MARGIN = { left: 58, right: 14, top: 12, bottom: 42 };

export function logLogFigure(plot: LogLogPlot): HTMLElement {
  const area = h("div", { class: "plot-area", style: `min-height:${HEIGHT}px` });
  const tip = h("div", { class: "tip", role: "status", hidden: true });
  const hidden = new Set<LogLogSeries>();
  const draw = () => {
    if (area.clientWidth > 0) area.replaceChildren(drawing(plot, hidden, area.clientWidth, tip), tip);
  };
  const legend = plot.series.map((series) => {
    const button = h(
      "button",
      { type: "button", class: "curve-button", "aria-pressed": "true" },
      svg(
        "svg",
        { class: "line-sample", viewBox: "0 0 26 10", width: 26, height: 10, "aria-hidden": "true" },
        svg(
          "g",
          { style: `color:var(${series.colourVariable})`, class: "point" },
          svg("path", { class: `marker m-${series.marker}`, d: markerPath(series.marker, 13, 5, 4) }),
        ),
      ),
      h("span", {}, series.name),
      h("small", {}, series.note),
    );
    button.addEventListener("click", () => {
      if (!hidden.delete(series)) hidden.add(series);
      button.setAttribute("aria-pressed", String(!hidden.has(series)));
      draw();
    });
    return button;
  });
  const missing = plot.series.flatMap((series) => series.points.filter((point) => !drawable(point)));
  const named = missing.slice(0, MISSING_NAMED).map((point) => point.label());
  if (missing.length > named.length) named.push(`${count(missing.length - named.length)} more`);
  const figure = h(
    "figure",
    { class: "plot" },
    h("figcaption", {}, h("b", {}, plot.title)),
    area,
    h("div", { class: "plot-legend", role: "group", "aria-label": "Curves" }, legend),
    h(
      "p",
      { class: "plot-note" },
      missing.length === 0 ? "" : `Cannot be drawn on a logarithmic axis: ${named.join("; ")}.`,
      many(plot) && `${count(pointsOf(plot))} points; the list of the verdict table has their numbers.`,
    ),
  );
  whenNear(figure, () => {
    new ResizeObserver(draw).observe(area);
    draw();
  });
  return figure;
}

/** With more points than this they are marks, not links, and are not joined. */
const MANY_POINTS = 400;
/** Points that cannot be drawn and are named. */
const MISSING_NAMED = 12;

function pointsOf(plot: LogLogPlot): number {
  return plot.series.reduce((sum, series) => sum + series.points.length, 0);
}

function many(plot: LogLogPlot): boolean {
  return pointsOf(plot) > MANY_POINTS;
}

function drawable(point: LogLogPoint): boolean {
  return point.x > 0 && point.y > 0 && Number.isFinite(point.x) && Number.isFinite(point.y);
}

function drawing(plot: LogLogPlot, hidden: Set<LogLogSeries>, width: number, tip: HTMLElement): SVGSVGElement {
  const points = plot.series.flatMap((series) => series.points.filter(drawable));
  const xAxis = logAxis(
    points.map((point) => point.x),
    Math.max(2, Math.floor(width / 70)),
  );
  const yAxis = logAxis([...points.map((point) => point.y), ...(plot.bound === null ? [] : [plot.bound])], 7);
  const [right, bottom] = [width - MARGIN.right, HEIGHT - MARGIN.bottom];
  const x = (value: number) => MARGIN.left + along(xAxis, value) * (right - MARGIN.left);
  const y = (value: number) => bottom - along(yAxis, value) * (bottom - MARGIN.top);
  const boundLine =
    plot.bound === null || !(plot.bound > 0)
      ? null
      : [
          svg("path", { class: "bound-line", d: `M${MARGIN.left} ${y(plot.bound)}H${right}` }),
          svg(
            "text",
            {
              class: "bound-text",
              x: right - 4,
              y: y(plot.bound) + (y(plot.bound) < MARGIN.top + 18 ? 14 : -5),
              "text-anchor": "end",
            },
            `bound ${stated(plot.bound, "")}`,
          ),
        ];
  return svg(
    "svg",
    {
      class: "loglog",
      width,
      height: HEIGHT,
      viewBox: `0 0 ${width} ${HEIGHT}`,
      role: "group",
      "aria-label": plot.title,
    },
    axes(xAxis, yAxis, x, y, right, bottom),
    svg(
      "text",
      { class: "axis-label", x: (MARGIN.left + right) / 2, y: HEIGHT - 4, "text-anchor": "middle" },
      plot.xLabel,
    ),
    svg(
      "text",
      {
        class: "axis-label",
        transform: `translate(13 ${(MARGIN.top + bottom) / 2}) rotate(-90)`,
        "text-anchor": "middle",
      },
      plot.yLabel,
    ),
    boundLine,
    plot.series
      .filter((series) => !hidden.has(series))
      .map((series) => (many(plot) ? cloud(series, x, y) : seriesDrawing(series, x, y, tip))),
  );
}

function axes(
  xAxis: LogAxis,
  yAxis: LogAxis,
  x: (value: number) => number,
  y: (value: number) => number,
  right: number,
  bottom: number,
): SVGElement {
  const across = (values: number[]) => values.map((value) => `M${MARGIN.left} ${y(value)}H${right}`).join("");
  const down = (values: number[]) => values.map((value) => `M${x(value)} ${MARGIN.top}V${bottom}`).join("");
  return svg(
    "g",
    { class: "axes", "aria-hidden": "true" },
    svg("path", { class: "grid-minor", d: across(yAxis.minor) + down(xAxis.minor) }),
    svg("path", { class: "grid-major", d: across(yAxis.major) + down(xAxis.major) }),
    xAxis.major.map((value) =>
      svg("text", { x: x(value), y: bottom + 17, "text-anchor": "middle" }, tickLabel(value)),
    ),
    yAxis.major.map((value) =>
      svg("text", { x: MARGIN.left - 8, y: y(value) + 4, "text-anchor": "end" }, tickLabel(value)),
    ),
  );
}

/** All points of a series as one mark each, in one path. */
function cloud(series: LogLogSeries, x: (value: number) => number, y: (value: number) => number): SVGElement {
  const d = series.points
    .filter(drawable)
    .map((point) => `M${x(point.x).toFixed(1)} ${y(point.y).toFixed(1)}h0`)
    .join("");
  return svg("path", { class: "cloud", style: `color:var(${series.colourVariable})`, d });
}

function seriesDrawing(
  series: LogLogSeries,
  x: (value: number) => number,
  y: (value: number) => number,
  tip: HTMLElement,
): SVGElement {
  const points = series.points.filter(drawable);
  const line = points.map((point, index) => `${index === 0 ? "M" : "L"}${x(point.x)} ${y(point.y)}`).join("");
  const { fit } = series;
  const fitted =
    fit === null ? null : [fit.from, fit.to].map((at) => `${x(at)} ${y(fit.factor * at ** fit.order)}`).join("L");
  return svg(
    "g",
    { style: `color:var(${series.colourVariable})` },
    svg("path", { class: "series-line", d: line }),
    fitted !== null && svg("path", { class: "fit-line", d: `M${fitted}` }),
    points.map((point) => {
      const [px, py] = [x(point.x), y(point.y)];
      const show = () => {
        tip.textContent = point.label();
        tip.hidden = false;
        const nearRight = px > 0.6 * (tip.parentElement?.clientWidth ?? 0);
        tip.style.left = nearRight ? "auto" : `${px + 10}px`;
        tip.style.right = nearRight ? `${(tip.parentElement?.clientWidth ?? 0) - px + 10}px` : "auto";
        tip.style.top = `${Math.max(0, py - 14)}px`;
      };
      const hide = () => (tip.hidden = true);
      const { uncertainty } = point;
      const bar =
        uncertainty !== null && uncertainty > 0
          ? `M${px} ${y(point.y + uncertainty)}V${y(Math.max(point.y - uncertainty, point.y / 10))}`
          : null;
      return svg(
        "a",
        {
          class: "point",
          href: point.href,
          tabindex: 0,
          "aria-label": point.label(),
          onpointerenter: show,
          onpointerleave: hide,
          onfocus: show,
          onblur: hide,
        },
        bar !== null && svg("path", { class: "error-bar", d: bar }),
        svg("circle", { class: "hit", cx: px, cy: py, r: 12 }),
        svg("path", { class: `marker m-${series.marker}`, d: markerPath(series.marker, px, py, 4.5) }),
      );
    }),
  );
}
