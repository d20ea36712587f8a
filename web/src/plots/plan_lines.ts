// Iteration times that were predicted, against workers and against bandwidth.
import type { App } from "../app";
import { ChartCard, type ChartShown } from "../chart_card";
import { chart_base, x_axis, y_axis } from "../chart_parts";
import type { Num } from "../data";
import { chooser, type Control } from "../dom";
import type { Option } from "../echarts";
import { bit_rate, finite, number, seconds } from "../format";
import type { LegendEntry } from "../legend";
import { log_scale_of, type LogScale } from "../log_axis";
import { kColours, kSymbols } from "../palette";
import {
  algorithms_of,
  first_shown,
  graph_label,
  kAllReduce,
  sizes_of,
  type Candidate,
  type Plan,
  type Sweep,
} from "../plan";
import { tooltip_base, tooltip_html } from "../tooltip";

interface PlanLine {
  candidate: Candidate;
  label: string;
  /** x and seconds. */
  points: [number, number][];
}

interface Axis {
  name: string;
  /** Where not, it is linear. */
  log?: LogScale | undefined;
  tick: (value: number) => string;
  /** For the box at the pointer. */
  format: (value: number) => string;
  /** A dashed line, and what it is. */
  mark?: { at: number; label: string } | undefined;
}

/** Common to the cards below: a curve a graph, for one algorithm at a time and
 * All-Reduce beside it. */
abstract class PlanLinesCard extends ChartCard {
  private readonly algorithm_: Control<string>;
  private readonly graphs_: string[];

  constructor(
    app: App,
    protected readonly plan: Plan,
    options: { plot: string; title: string; about: string },
  ) {
    super(app, options);
    this.graphs_ = [...new Set(plan.rows.map(graph_label))];
    const algorithms = algorithms_of(plan);
    this.algorithm_ = chooser<string>(
      "algorithm",
      algorithms.map((name) => ({ value: name, label: name })),
      () => this.changed(),
    );
    this.algorithm_.set(first_shown(plan));
    if (algorithms.length > 1) this.add_control(this.algorithm_.element);
  }

  protected abstract lines(): PlanLine[];
  protected abstract axis(): Axis;

  protected shows(candidate: Candidate): boolean {
    return (
      candidate.algorithm === kAllReduce ||
      candidate.algorithm === this.algorithm_.value()
    );
  }

  protected compose(): ChartShown {
    const all = this.lines().filter((line) => line.points.length > 0);
    const entries = all.map((line) => this.entry(line.label));
    if (!all.length) {
      return { entries, series: [], empty: "Nothing was predicted." };
    }
    const lines = all.filter((line) => !this.hidden.has(line.label));
    const axis = this.axis();
    const theme = this.app.theme;
    const ys = lines.map((line) => line.points.map((point) => point[1]));
    const option: Option = {
      ...chart_base(theme),
      tooltip: {
        ...tooltip_base(theme),
        trigger: "axis",
        axisPointer: { type: "line", label: { show: false } },
        formatter: (points: { axisValue?: number | string }[]) =>
          this.tooltip(lines, Number(points[0]?.axisValue ?? NaN), axis),
      },
      xAxis: x_axis(theme, {
        name: axis.name,
        log: axis.log,
        format: axis.tick,
        floating: true,
      }),
      yAxis: y_axis(theme, {
        name: "an iteration",
        log: log_scale_of(ys),
        format: (value) => seconds(value),
      }),
      series: lines.map((line) => this.series_option(line, axis)),
    };
    return { entries, series: lines.map((line) => line.label), option };
  }

  private look(label: string): { colour: string; symbol: number } {
    const { theme } = this.app;
    const place = this.graphs_.indexOf(label);
    if (label === graph_label({ algorithm: kAllReduce } as Candidate)) {
      return { colour: theme.ink, symbol: 0 };
    }
    const colours = kColours[theme.mode];
    return {
      colour: colours[place % colours.length] ?? theme.muted,
      symbol: Math.floor(place / colours.length),
    };
  }

  private entry(label: string): LegendEntry {
    return { key: label, label, ...this.look(label), line: "solid" };
  }

  private series_option(line: PlanLine, axis: Axis): Option {
    const { colour, symbol } = this.look(line.label);
    const central = line.candidate.algorithm === kAllReduce;
    const { theme } = this.app;
    return {
      id: line.label,
      name: line.label,
      type: "line",
      data: line.points,
      color: colour,
      symbol: kSymbols[symbol] ?? "circle",
      showSymbol: line.points.length < 20,
      symbolSize: 6,
      lineStyle: { width: central ? 3 : 2, color: colour },
      emphasis: { focus: "series" },
      z: central ? 5 : 4,
      ...(central && axis.mark
        ? {
            markLine: {
              silent: true,
              symbol: "none",
              data: [{ xAxis: axis.mark.at }],
              lineStyle: { color: theme.muted, type: "dashed" },
              label: {
                formatter: axis.mark.label,
                color: theme.muted,
                position: "insideEndTop",
              },
            },
          }
        : {}),
    };
  }

  private tooltip(lines: PlanLine[], at: number, axis: Axis): string {
    const rows = lines.flatMap((line) => {
      const point = nearest(line.points, at);
      return point ? [{ line, value: point[1] }] : [];
    });
    rows.sort((a, b) => a.value - b.value);
    const first = lines[0] ? nearest(lines[0].points, at) : null;
    return tooltip_html(
      axis.format(first ? first[0] : at),
      rows.map(({ line, value }) => ({
        colour: this.look(line.label).colour,
        label: line.label,
        value: seconds(value),
      })),
    );
  }
}

function nearest(
  points: [number, number][],
  at: number,
): [number, number] | null {
  let best: [number, number] | null = null;
  for (const point of points) {
    if (!best || Math.abs(point[0] - at) < Math.abs(best[0] - at)) best = point;
  }
  return best;
}

function drawable(x: number, y: Num): [number, number][] {
  return finite(y) && y > 0 ? [[x, y]] : [];
}

/** Against the number of workers. */
export class PlanScaleCard extends PlanLinesCard {
  constructor(app: App, plan: Plan) {
    super(app, plan, {
      plot: "plan-workers",
      title: "Iteration time against workers",
      about:
        "Predicted by the runtime model, with the links and the compute " +
        "times that were asked for. A graph that a number of workers does " +
        "not allow has no point there.",
    });
  }

  protected lines(): PlanLine[] {
    const lines = new Map<string, PlanLine>();
    for (const row of this.plan.rows) {
      if (!this.shows(row)) continue;
      const label = graph_label(row);
      const line = lines.get(label) ?? { candidate: row, label, points: [] };
      line.points.push(...drawable(row.n, row.seconds));
      lines.set(label, line);
    }
    for (const line of lines.values()) line.points.sort((a, b) => a[0] - b[0]);
    return [...lines.values()];
  }

  protected axis(): Axis {
    const ticks = sizes_of(this.plan);
    const [min, max] = [ticks[0] ?? 1, ticks[ticks.length - 1] ?? 1];
    return {
      name: "workers",
      log: max >= 8 * min ? { min, max, ticks } : undefined,
      tick: (value) => number(value),
      format: (value) => `${number(value)} workers`,
    };
  }
}

/** Against the rate of the links, for one number of workers. */
export class PlanRateCard extends PlanLinesCard {
  private readonly size_: Control<string>;

  constructor(app: App, plan: Plan) {
    super(app, plan, {
      plot: "plan-bandwidth",
      title: "Iteration time against bandwidth",
      about:
        "The same cluster with faster and slower links, at the same latency. " +
        "The dashed line stands where the links are now.",
    });
    this.size_ = chooser<string>(
      "workers",
      plan.sweeps.map((sweep) => ({
        value: String(sweep.n),
        label: String(sweep.n),
      })),
      () => this.changed(),
    );
    const last = plan.sweeps[plan.sweeps.length - 1];
    if (last) this.size_.set(String(last.n));
    if (plan.sweeps.length > 1) this.add_control(this.size_.element);
  }

  private sweep(): Sweep | undefined {
    return this.plan.sweeps.find(({ n }) => String(n) === this.size_.value());
  }

  /** Over bits a second, whose powers of ten people know. */
  protected lines(): PlanLine[] {
    const sweep = this.sweep();
    if (!sweep) return [];
    return sweep.rows
      .filter((row) => this.shows(row))
      .map((row) => ({
        candidate: row,
        label: graph_label(row),
        points: sweep.rates.flatMap((rate, i) =>
          drawable(8 * rate, row.seconds[i] ?? null),
        ),
      }));
  }

  protected axis(): Axis {
    const rate = this.plan.recommendations.find(
      ({ n }) => String(n) === this.size_.value(),
    )?.rate;
    const text = (bits: number): string => bit_rate(bits / 8);
    return {
      name: "rate of a link",
      log: log_scale_of([(this.sweep()?.rates ?? []).map((r) => 8 * r)]),
      tick: text,
      format: text,
      mark: finite(rate)
        ? { at: 8 * rate, label: `now ${bit_rate(rate)}` }
        : undefined,
    };
  }
}
