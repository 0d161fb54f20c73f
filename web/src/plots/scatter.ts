// Speed against accuracy, and error against step size: the content of the two log-log plots.

import { real } from "../data/decode.ts";
import type { Convergence, ConvergenceLine, Real, Scenario, SpeedAgainstAccuracy, Trial } from "../data/schema.ts";
import { number, quantity, step, words } from "../format.ts";
import type { Report } from "../report.ts";
import { verdictText } from "../verdict.ts";
import { logLogFigure, type LogLogSeries } from "./loglog.ts";

function withUnit(metric: string, unit: string): string {
  return unit === "" ? words(metric) : `${words(metric)} [${unit}]`;
}

export function speedPlot(report: Report, scenario: Scenario, plot: SpeedAgainstAccuracy): HTMLElement {
  const bySpec = new Map<
    string,
    { trial: Trial; cpu_per_simulated: number; error: Real; uncertainty: Real | null }[]
  >();
  for (const point of plot.points) {
    const trial = scenario.trials[point.trial] as Trial;
    const list = bySpec.get(trial.spec);
    if (list === undefined) bySpec.set(trial.spec, [{ ...point, trial }]);
    else list.push({ ...point, trial });
  }
  const series: LogLogSeries[] = report.specs.flatMap((spec) => {
    const these = bySpec.get(spec.text);
    if (these === undefined) return [];
    // Joined from the largest step to the smallest, in order of cost.
    these.sort((a, b) => (b.trial.step_s ?? 0) - (a.trial.step_s ?? 0));
    return {
      name: spec.text,
      note: "",
      colourVariable: spec.colourVariable,
      marker: spec.marker,
      fit: null,
      points: these.map(({ trial, cpu_per_simulated, error, uncertainty }) => ({
        x: cpu_per_simulated,
        y: real(error),
        uncertainty: uncertainty === null ? null : real(uncertainty),
        label: () =>
          `${spec.text}, step ${step(trial.step_s)}: ${quantity(real(error), plot.unit)}, ${number(cpu_per_simulated)} s of CPU per simulated second; ${verdictText(trial)}`,
        href: `#${report.trialId(scenario.at, trial.at)}`,
      })),
    };
  });
  return logLogFigure({
    title: `speed against ${words(plot.metric)}`,
    xLabel: "CPU time per simulated second",
    yLabel: withUnit(plot.metric, plot.unit),
    bound: plot.bound === null ? null : real(plot.bound.value),
    series,
  });
}

export function convergencePlot(report: Report, scenario: Scenario, plot: Convergence): HTMLElement {
  const series = plot.lines.map((line): LogLogSeries => {
    const spec = report.spec(line.spec);
    const points = [...line.points].sort((a, b) => a.step_s - b.step_s);
    const { fit } = line;
    return {
      name: line.spec,
      note: fitText(line),
      colourVariable: spec.colourVariable,
      marker: spec.marker,
      fit: fit === null ? null : { order: fit.order, factor: fit.factor, from: fit.from_step_s, to: fit.to_step_s },
      points: points.map((point) => {
        const trial = point.trial === null ? undefined : scenario.trials[point.trial];
        return {
          x: point.step_s,
          y: real(point.error),
          uncertainty: null,
          label: () => `${line.spec}, step ${step(point.step_s)}: ${quantity(real(point.error), plot.unit)}`,
          href: trial === undefined ? null : `#${report.trialId(scenario.at, trial.at)}`,
        };
      }),
    };
  });
  return logLogFigure({
    title: `convergence of ${words(plot.metric)}`,
    xLabel: "step [s]",
    yLabel: withUnit(plot.metric, plot.unit),
    bound: plot.bound === null ? null : real(plot.bound.value),
    series,
  });
}

export function fitText({ fit }: ConvergenceLine): string {
  if (fit === null) return "no order fitted";
  const uncertainty = fit.uncertainty === null ? "" : ` ± ${number(fit.uncertainty, 1)}`;
  const expected = fit.expected === null ? "" : ` (theory ${number(fit.expected, 1)})`;
  return `order ${fit.order.toFixed(2)}${uncertainty}${expected}`;
}
