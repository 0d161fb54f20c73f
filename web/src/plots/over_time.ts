// A metric over time, a curve per trial: crosshair, zoom, curves on and off, and the replay's moment.

import uPlot from "uplot";
import { real, times, values } from "../data/decode.ts";
import type { Bound, ErrorOverTime, Packed, Scenario, Trial } from "../data/schema.ts";
import { h, unreadable, whenNear } from "../dom.ts";
import { number, plural, stated, step, words } from "../format.ts";
import type { Clock } from "../replay/clock.ts";
import type { Report } from "../report.ts";
import { specName } from "../table/matrix.ts";
import { colour, onThemeChange } from "../theme.ts";
import { aligned, decadeRange, nearestSample, type TimedValues, undrawable } from "./align.ts";
import { dashOf, lineSample } from "./style.ts";

const HEIGHT = 300;

/** What a plot over time shows: a metric with its bound, or a recorded signal with the reference. */
export interface OverTime {
  title: string;
  metric: string;
  unit: string;
  bound: Bound | null;
  log: boolean;
  /** The value axis fits the curves; otherwise it contains zero. */
  fitted: boolean;
  curves: { trial: number; time_s: Packed; value: Packed }[];
  reference: { time_s: Packed; value: Packed } | null;
  /** Buttons at the top right. */
  buttons: HTMLElement[];
}

interface Curve {
  /** `null` for the reference. */
  trial: Trial | null;
  values: TimedValues;
  shown: boolean;
  button: HTMLButtonElement;
  readout: HTMLElement;
}

/** A metric over time. */
export function timePlot(report: Report, scenario: Scenario, plot: ErrorOverTime, clock: Clock): HTMLElement {
  const title = `${words(plot.metric)} over time`;
  return overTimePlot(report, scenario, { ...plot, title, fitted: false, reference: null, buttons: [] }, clock);
}

export function overTimePlot(report: Report, scenario: Scenario, plot: OverTime, clock: Clock): HTMLElement {
  const area = h("div", { class: "plot-area", style: `min-height:${HEIGHT}px` });
  const legend = h("div", { class: "plot-legend", role: "group", "aria-label": "Curves" });
  const note = h("p", { class: "plot-note" });
  const logButton = h("button", { type: "button", class: "toggle", "aria-pressed": String(plot.log) }, "log");
  const wholeButton = h("button", { type: "button", class: "toggle", hidden: true }, "full range");
  const { title } = plot;
  const figure = h(
    "figure",
    { class: "plot plot-wide" },
    h(
      "figcaption",
      {},
      h("b", {}, title),
      h("span", { class: "plot-buttons" }, wholeButton, logButton, plot.buttons),
    ),
    area,
    legend,
    note,
  );
  whenNear(figure, () => {
    curvesOf(report, scenario, plot).then(
      (curves) =>
        new TimePlot(report, scenario, plot, curves, clock, { area, legend, note, logButton, wholeButton, title }),
      (error: unknown) => area.replaceChildren(unreadable("curves", error)),
    );
  });
  return figure;
}

interface Parts {
  area: HTMLElement;
  legend: HTMLElement;
  note: HTMLElement;
  logButton: HTMLButtonElement;
  wholeButton: HTMLButtonElement;
  title: string;
}

/** The curves with their numbers decoded. */
function curvesOf(report: Report, scenario: Scenario, plot: OverTime): Promise<Curve[]> {
  const reference = plot.reference === null ? [] : [{ ...plot.reference, trial: null }];
  const made = [...reference, ...plot.curves].map(async (curve): Promise<Curve> => {
    const trial = curve.trial === null ? null : (scenario.trials[curve.trial] as Trial);
    const readout = h("span", { class: "readout" });
    const button = h(
      "button",
      { type: "button", class: "curve-button", "aria-pressed": "true" },
      lineSample(report, scenario, trial),
      h("span", {}, trial === null ? "reference" : step(trial.step_s)),
      readout,
    );
    const [time, value] = await Promise.all([times(curve.time_s), values(curve.value)]);
    return { trial, values: { time, value }, shown: true, button, readout };
  });
  return Promise.all(made);
}

class TimePlot {
  private log: boolean;
  private drawn: uPlot | null = null;
  private readonly moment = h("div", { class: "moment", "aria-hidden": "true" });

  constructor(
    private readonly report: Report,
    private readonly scenario: Scenario,
    private readonly plot: OverTime,
    private readonly curves: Curve[],
    private readonly clock: Clock,
    private readonly parts: Parts,
  ) {
    this.log = plot.log;
    for (const curve of curves) this.listenTo(curve);
    parts.legend.append(...legendRows(report, curves));
    parts.logButton.addEventListener("click", () => {
      this.log = !this.log;
      parts.logButton.setAttribute("aria-pressed", String(this.log));
      this.draw();
    });
    parts.wholeButton.addEventListener("click", () => this.draw());
    this.draw();
    onThemeChange(() => this.draw());
    clock.onChange(() => this.placeMoment());
    new ResizeObserver(() => this.resize()).observe(parts.area);
  }

  private listenTo(curve: Curve): void {
    curve.button.addEventListener("click", () => {
      curve.shown = !curve.shown;
      curve.button.setAttribute("aria-pressed", String(curve.shown));
      this.drawn?.setSeries(this.curves.indexOf(curve) + 1, { show: curve.shown });
    });
  }

  private draw(): void {
    this.drawn?.destroy();
    this.parts.wholeButton.hidden = true;
    const data = aligned(
      this.curves.map((curve) => curve.values),
      this.log,
    );
    this.drawn = new uPlot(this.options(), data, this.parts.area);
    this.drawn.over.append(this.moment);
    this.placeMoment();
    this.reportMissing();
    this.showValues(null);
  }

  private options(): uPlot.Options {
    const [ink, faint, grid] = [colour("--ink-2"), colour("--rule-strong"), colour("--rule")];
    const font = `12px ${getComputedStyle(document.body).fontFamily}`;
    const axis = {
      stroke: ink,
      font,
      labelFont: font,
      grid: { stroke: grid, width: 1 },
      ticks: { stroke: faint, width: 1, size: 5 },
    };
    const unit = this.plot.unit === "" ? "" : ` [${this.plot.unit}]`;
    return {
      width: Math.max(this.parts.area.clientWidth, 200),
      height: HEIGHT,
      legend: { show: false },
      padding: [12, 12, 0, 0],
      cursor: { y: true, points: { size: 6 }, drag: { x: true, y: false }, focus: { prox: 24 } },
      focus: { alpha: 0.35 },
      scales: {
        x: { time: false },
        y: this.log
          ? { distr: 3, range: () => this.logRange() }
          : { range: (_plot, low, high) => this.linearRange(low, high) },
      },
      axes: [
        { ...axis, label: "time [s]", labelSize: 20, size: 34 },
        {
          ...axis,
          label: `${words(this.plot.metric)}${unit}`,
          labelSize: 22,
          size: 62,
          ...(this.log ? { splits: (plot: uPlot) => decades(plot.scales["y"] as uPlot.Scale) } : {}),
          // uPlot would hide most labels of a logarithmic axis; these are few enough.
          filter: (_plot, splits) => splits,
          values: (_plot, splits) => splits.map((value) => axisNumber(value, this.log)),
        },
      ],
      series: [
        {},
        ...this.curves.map((curve) => ({
          label: curve.trial?.spec ?? "reference",
          show: curve.shown,
          stroke: colour(curve.trial === null ? "--ink" : this.report.spec(curve.trial.spec).colourVariable),
          width: curve.trial === null ? 3 : 1.75,
          dash: curve.trial === null ? [] : dashOf(this.scenario, curve.trial),
          points: { show: false },
        })),
      ],
      hooks: {
        draw: [(plot) => this.drawBound(plot)],
        setCursor: [(plot) => this.showValues(plot.cursor.idx ?? null)],
        setScale: [
          (plot, key) => {
            if (key === "x") this.zoomed(plot);
          },
        ],
        setSize: [() => this.placeMoment()],
        ready: [(plot) => this.listen(plot)],
      },
    };
  }

  /** A click without a drag goes to that moment of the replay. */
  private listen(plot: uPlot): void {
    let downAt = 0;
    plot.over.addEventListener("pointerdown", (event) => (downAt = event.clientX));
    plot.over.addEventListener("click", (event) => {
      if (Math.abs(event.clientX - downAt) > 3 || this.clock.duration <= 0) return;
      this.clock.seek(plot.posToVal(event.offsetX, "x"));
    });
  }

  private zoomed(plot: uPlot): void {
    const times = plot.data[0];
    const { min, max } = plot.scales["x"] as uPlot.Scale;
    const whole = times.length === 0 || (min === times[0] && max === times[times.length - 1]);
    this.parts.wholeButton.hidden = whole;
    this.placeMoment();
  }

  private bound(): number | null {
    return this.plot.bound === null ? null : real(this.plot.bound.value);
  }

  private logRange(): [number, number] {
    const bound = this.bound();
    const all = this.curves.flatMap((curve) => decadeRange(curve.values.value));
    return decadeRange(bound === null ? all : [...all, bound]);
  }

  private linearRange(low: number, high: number): [number, number] {
    if (this.plot.fitted) {
      const margin = high > low ? 0.05 * (high - low) : Math.max(1e-9, 0.1 * Math.abs(high));
      return [low - margin, high + margin];
    }
    const bound = this.bound();
    const [bottom, top] = [Math.min(low, 0), Math.max(high, bound !== null && bound < 4 * high ? bound : high)];
    return [bottom, top > bottom ? bottom + 1.06 * (top - bottom) : bottom + 1];
  }

  private drawBound(plot: uPlot): void {
    const bound = this.bound();
    if (bound === null || (this.log && bound <= 0)) return;
    const y = Math.round(plot.valToPos(bound, "y", true)) + 0.5;
    const { left, top, width, height } = plot.bbox;
    if (y < top || y > top + height) return;
    const { ctx } = plot;
    ctx.save();
    ctx.strokeStyle = colour("--ink");
    ctx.lineWidth = devicePixelRatio;
    ctx.setLineDash([6 * devicePixelRatio, 4 * devicePixelRatio]);
    ctx.beginPath();
    ctx.moveTo(left, y);
    ctx.lineTo(left + width, y);
    ctx.stroke();
    ctx.font = `${11 * devicePixelRatio}px ${getComputedStyle(document.body).fontFamily}`;
    ctx.textAlign = "right";
    const below = y - top < 20 * devicePixelRatio;
    const text = `bound ${stated(bound, "")}`;
    const [x, baseline] = [left + width - 4 * devicePixelRatio, y + (below ? 14 : -5) * devicePixelRatio];
    // A background, so that curves do not cross the text.
    ctx.fillStyle = colour("--panel");
    ctx.globalAlpha = 0.85;
    ctx.fillRect(
      x - ctx.measureText(text).width - 3 * devicePixelRatio,
      baseline - 10 * devicePixelRatio,
      ctx.measureText(text).width + 6 * devicePixelRatio,
      13 * devicePixelRatio,
    );
    ctx.globalAlpha = 1;
    ctx.fillStyle = colour("--ink");
    ctx.fillText(text, x, baseline);
    ctx.restore();
  }

  private showValues(index: number | null): void {
    const time = index === null ? undefined : this.drawn?.data[0][index];
    for (const curve of this.curves) {
      // Each curve has its own times; most of the common ones are not among them.
      const value = time === undefined ? null : nearestSample(curve.values, time);
      curve.readout.textContent = value === null ? "" : number(value);
    }
    this.parts.legend.dataset["time"] = time === undefined ? "" : `t = ${number(time, 4)} s`;
  }

  private placeMoment(): void {
    const plot = this.drawn;
    if (plot === null) return;
    const x = plot.valToPos(this.clock.time, "x");
    this.moment.hidden = this.clock.duration <= 0 || !this.clock.touched || !(x >= 0 && x <= plot.over.clientWidth);
    this.moment.style.transform = `translateX(${x}px)`;
  }

  private resize(): void {
    const width = this.parts.area.clientWidth;
    if (this.drawn !== null && width > 0 && width !== this.drawn.width) this.drawn.setSize({ width, height: HEIGHT });
  }

  /** Reports samples that are not drawn. */
  private reportMissing(): void {
    const lines = this.curves.flatMap((curve) => {
      const { notFinite, notPositive } = undrawable(curve.values, this.log);
      const name = curve.trial === null ? "reference" : `${curve.trial.spec} at ${step(curve.trial.step_s)}`;
      const parts = [];
      if (notFinite > 0) parts.push(`${name}: ${plural(notFinite, "sample")} not finite`);
      // Every error starts at exactly zero; only further samples are reported.
      if (notPositive > 1)
        parts.push(`${name}: ${notPositive} samples are zero or negative and cannot be drawn on a logarithmic axis`);
      return parts;
    });
    this.parts.note.textContent = lines.length === 0 ? "" : `Not drawn: ${lines.join("; ")}.`;
  }
}

/** One row per spec, with a switch per step. */
function legendRows(report: Report, curves: Curve[]): HTMLElement[] {
  const specs = [...new Set(curves.map((curve) => curve.trial?.spec ?? null))];
  return specs.map((spec) =>
    h(
      "div",
      { class: "legend-row" },
      spec === null ? h("b", {}, "reference") : specName(report.spec(spec)),
      h(
        "span",
        { class: "legend-steps" },
        curves.filter((curve) => (curve.trial?.spec ?? null) === spec).map((curve) => curve.button),
      ),
    ),
  );
}

/** Powers of ten, about eight of them: lines at every digit of every power would be a grey band. */
function decades({ min, max }: uPlot.Scale): number[] {
  const [from, to] = [Math.ceil(Math.log10(min ?? 1) - 1e-9), Math.floor(Math.log10(max ?? 1) + 1e-9)];
  const stride = Math.max(1, Math.ceil((to - from) / 8));
  const splits = [];
  for (let exponent = from; exponent <= to; exponent += stride) splits.push(10 ** exponent);
  return splits;
}

function axisNumber(value: number, log: boolean): string {
  if (!log) return number(value, 2);
  const exponent = Math.round(Math.log10(value));
  return exponent === 0 ? "1" : `1e${exponent}`;
}
