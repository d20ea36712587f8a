// Final accuracy against what was sent for it, a point a group.
import { spread, type Spread } from "../aggregate";
import type { App } from "../app";
import { ChartCard, type ChartShown } from "../chart_card";
import { chart_base, percent_tick, x_axis, y_axis } from "../chart_parts";
import { group_entries, group_key } from "../curves";
import type { Num, Run } from "../data";
import { segments, type Control } from "../dom";
import type { Option } from "../echarts";
import { bytes, byte_unit, count, finite, percent } from "../format";
import { log_scale_of } from "../log_axis";
import { accuracy_of, has_ended, per_worker } from "../outcome";
import { tooltip_base, tooltip_html } from "../tooltip";

interface CostOptions {
  plot: string;
  title: string;
  about: string;
  cost: "bytes" | "messages";
}

/** A point a group at its end, with bars of one standard deviation. */
class CostCard extends ChartCard {
  private readonly cost_: "bytes" | "messages";
  private readonly scale_: Control<"linear" | "log">;

  constructor(app: App, options: CostOptions) {
    super(app, options);
    this.cost_ = options.cost;
    this.scale_ = segments<"linear" | "log">(
      "scale",
      [
        { value: "linear", label: "linear" },
        { value: "log", label: "log" },
      ],
      options.cost === "messages" ? "log" : "linear",
      () => this.changed(),
    );
    this.add_control(this.scale_.element);
  }

  protected compose(): ChartShown {
    const { app } = this;
    // At the end of training: what a run has so far is another point.
    const has = (run: Run): boolean =>
      has_ended(run) &&
      finite(accuracy_of(run)) &&
      finite(per_worker(run, this.cost_));
    const entries = group_entries(app, has, "none");
    if (!entries.length) {
      const empty = app.selection.runs.length
        ? `No shown run has both an accuracy and its ${this.cost_}.`
        : "No run passes the filter.";
      return { entries, series: [], empty };
    }
    const log = this.scale_.value() === "log";
    const points = this.points(has).filter((p) => !log || p.x.mean > 0);
    const largest = Math.max(...points.map((p) => p.x.mean), 0);
    const unit =
      this.cost_ === "bytes" ? byte_unit(largest) : { factor: 1, name: "" };
    const format = this.cost_ === "bytes" ? bytes : count;
    const theme = app.theme;
    const option: Option = {
      ...chart_base(theme),
      tooltip: {
        ...tooltip_base(theme),
        formatter: (p: { color: string; data: { point: Point } }) =>
          p.data.point ? point_tooltip(p.color, p.data.point, format) : "",
      },
      xAxis: x_axis(theme, {
        name:
          this.cost_ === "bytes"
            ? `sent per worker (${unit.name})`
            : "messages sent per worker",
        log: log
          ? log_scale_of([points.map((p) => p.x.mean / unit.factor)])
          : undefined,
        floating: false,
        ...(this.cost_ === "messages" ? { format: count } : {}),
      }),
      yAxis: y_axis(theme, { name: "test accuracy (%)", format: percent_tick }),
      series: points.flatMap((p) => [
        this.mark(p, unit.factor),
        ...error_bars(p, unit.factor, app.colour(p.group)),
      ]),
    };
    return { entries, series: points.map((p) => p.label), option };
  }

  private points(has: (run: Run) => boolean): Point[] {
    return this.app.selection.groups.flatMap(({ group, runs }): Point[] => {
      if (this.hidden.has(group_key(group.id))) return [];
      const usable = runs.filter(has);
      const x = spread(usable.map((run) => per_worker(run, this.cost_)));
      const y = spread(usable.map(accuracy_of));
      return x && y ? [{ group: group.id, label: group.label, x, y }] : [];
    });
  }

  private mark(p: Point, factor: number): Option {
    return {
      id: group_key(p.group),
      name: p.label,
      type: "scatter",
      symbol: this.app.symbol(p.group),
      symbolSize: 12,
      color: this.app.colour(p.group),
      itemStyle: {
        opacity: 1,
        borderColor: this.app.theme.card,
        borderWidth: 1,
      },
      emphasis: { focus: "series", scale: 1.3 },
      z: 4,
      data: [{ value: [p.x.mean / factor, p.y.mean], point: p }],
    };
  }
}

interface Point {
  group: number;
  label: string;
  x: Spread;
  y: Spread;
}

function point_tooltip(
  colour: string,
  p: Point,
  format: (value: Num) => string,
): string {
  const sd = (value: Num, f: (v: Num) => string): string =>
    finite(value) ? `± ${f(value)}` : "";
  const seeds = p.y.count === 1 ? "1 run" : `${p.y.count} runs`;
  return tooltip_html(`${p.label}, ${seeds}`, [
    {
      colour,
      label: "accuracy",
      value: percent(p.y.mean),
      detail: sd(p.y.sd, percent),
    },
    {
      colour,
      label: "per worker",
      value: format(p.x.mean),
      detail: sd(p.x.sd, format),
    },
  ]);
}

/** Lines of one standard deviation to each side. */
function error_bars(p: Point, factor: number, colour: string): Option[] {
  const [x, y] = [p.x.mean / factor, p.y.mean];
  const bar = (name: string, from: number[], to: number[]): Option => ({
    id: `${name} ${p.group}`,
    type: "line",
    data: [from, to],
    symbol: "none",
    silent: true,
    tooltip: { show: false },
    lineStyle: { color: colour, width: 1.5 },
    emphasis: { disabled: true },
    z: 3,
  });
  const bars: Option[] = [];
  if (finite(p.y.sd)) bars.push(bar("y", [x, y - p.y.sd], [x, y + p.y.sd]));
  const sd = finite(p.x.sd) ? p.x.sd / factor : 0;
  if (sd > 1e-3 * x && x - sd > 0) {
    bars.push(bar("x", [x - sd, y], [x + sd, y]));
  }
  return bars;
}

export function bytes_card(app: App): CostCard {
  return new CostCard(app, {
    plot: "bytes",
    title: "Final accuracy against bytes",
    about:
      "What each group reached for what a worker sent in all; bars are one " +
      "standard deviation over seeds, where that is more than the mark.",
    cost: "bytes",
  });
}

export function messages_card(app: App): CostCard {
  return new CostCard(app, {
    plot: "messages",
    title: "Final accuracy against messages",
    about:
      "A message is one logical transfer, however it is cut; bars are one " +
      "standard deviation over seeds, where that is more than the mark.",
    cost: "messages",
  });
}
