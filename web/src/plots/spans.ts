// Where the time of a step goes, a bar a group.
import type { App } from "../app";
import { ChartCard, type ChartShown } from "../chart_card";
import { chart_base } from "../chart_parts";
import type { Run } from "../data";
import { segments, type Control } from "../dom";
import type { Option } from "../echarts";
import { finite, percent, seconds, time_unit } from "../format";
import { steps_of } from "../outcome";
import { kColours, kSpanColours } from "../palette";
import { tooltip_base, tooltip_html } from "../tooltip";

const kOrder = [
  "data",
  "forward",
  "backward",
  "update",
  "exchange",
  "wait",
  "evaluate",
];

export interface Bar {
  group: number;
  label: string;
  /** Seconds of one worker in one step, by span; mean over runs. */
  spans: Map<string, number>;
  total: number;
}

/** Seconds a step and worker, of one run; empty if it recorded none. */
export function step_spans(run: Run): Map<string, number> {
  const steps = steps_of(run);
  const spans = new Map<string, number>();
  if (!run.spans || !finite(steps) || steps <= 0 || run.n <= 0) return spans;
  for (const [name, value] of Object.entries(run.spans)) {
    if (finite(value)) spans.set(name, value / (steps * run.n));
  }
  return spans;
}

/** Mean over the runs that recorded spans; null if none did. */
export function mean_spans(runs: Run[]): Map<string, number> | null {
  const recorded = runs.map(step_spans).filter((spans) => spans.size > 0);
  if (!recorded.length) return null;
  const mean = new Map<string, number>();
  for (const spans of recorded) {
    for (const [name, value] of spans) {
      mean.set(name, (mean.get(name) ?? 0) + value / recorded.length);
    }
  }
  return mean;
}

export class SpansCard extends ChartCard {
  private readonly measure_: Control<"share" | "seconds">;

  constructor(app: App) {
    super(app, {
      plot: "spans",
      title: "Where a step's time goes",
      about:
        "Time of one worker in one step by span, mean over workers, steps and " +
        "seeds. Evaluation is spread over all steps.",
      wide: true,
      renderer: "svg",
    });
    this.measure_ = segments<"share" | "seconds">(
      "show",
      [
        { value: "share", label: "share" },
        { value: "seconds", label: "time" },
      ],
      "share",
      () => this.changed(),
    );
    this.add_control(this.measure_.element);
  }

  protected compose(): ChartShown {
    const { app } = this;
    const bars = this.bars();
    if (!bars.length) {
      const empty = app.selection.runs.length
        ? "No shown run has recorded its spans."
        : "No run passes the filter.";
      return { entries: [], series: [], empty };
    }
    const names = span_names(bars);
    const entries = names.map((name) => ({
      key: name,
      label: name,
      colour: this.colour(name),
      symbol: 3,
      line: "none" as const,
    }));
    const shown = names.filter((name) => !this.hidden.has(name));
    const share = this.measure_.value() === "share";
    const most = Math.max(...bars.map((bar) => bar.total));
    const unit = time_unit(most);
    const theme = app.theme;
    const option: Option = {
      ...chart_base(theme),
      tooltip: {
        ...tooltip_base(theme),
        trigger: "axis",
        axisPointer: { type: "shadow", label: { show: false } },
        formatter: (points: { dataIndex: number }[]) =>
          this.tooltip(bars[points[0]?.dataIndex ?? -1], shown),
      },
      xAxis: {
        type: "value",
        name: share
          ? "share of the time (%)"
          : `time of a worker in a step (${unit.name})`,
        nameLocation: "middle",
        nameGap: 10,
        nameTextStyle: { color: theme.muted, fontSize: 12 },
        max: share && !this.hidden.size ? 100 : undefined,
        axisLabel: { color: theme.muted, fontSize: 11.5, hideOverlap: true },
        splitLine: { lineStyle: { color: theme.faint } },
      },
      yAxis: {
        type: "category",
        inverse: true,
        data: bars.map((bar) => bar.label),
        axisLabel: {
          color: theme.ink,
          fontSize: 12,
          width: 200,
          overflow: "truncate",
          interval: bars.length <= 60 ? 0 : "auto",
        },
        axisLine: { lineStyle: { color: theme.line } },
        axisTick: { show: false },
      },
      series: shown.map((name) => ({
        id: name,
        name,
        type: "bar",
        stack: "spans",
        barMaxWidth: 20,
        color: this.colour(name),
        emphasis: { focus: "series" },
        data: bars.map((bar) => {
          const value = bar.spans.get(name) ?? 0;
          return share ? (100 * value) / (bar.total || 1) : value / unit.factor;
        }),
      })),
    };
    return {
      entries,
      series: shown,
      option,
      height: Math.min(900, 70 + 28 * Math.max(2, bars.length)),
    };
  }

  private bars(): Bar[] {
    return this.app.selection.groups.flatMap(({ group, runs }): Bar[] => {
      const spans = mean_spans(runs);
      if (!spans) return [];
      const total = [...spans.values()].reduce((sum, value) => sum + value, 0);
      return [{ group: group.id, label: group.label, spans, total }];
    });
  }

  private colour(name: string): string {
    return kColours[this.app.theme.mode][kSpanColours[name] ?? 6]!;
  }

  private tooltip(bar: Bar | undefined, names: string[]): string {
    if (!bar) return "";
    return tooltip_html(
      `${bar.label}, ${seconds(bar.total)} a step and worker`,
      names.map((name) => ({
        colour: this.colour(name),
        label: name,
        value: seconds(bar.spans.get(name) ?? 0),
        detail: percent((bar.spans.get(name) ?? 0) / (bar.total || 1), 1),
      })),
    );
  }
}

function span_names(bars: Bar[]): string[] {
  const names = new Set(bars.flatMap((bar) => [...bar.spans.keys()]));
  const known = kOrder.filter((name) => names.has(name));
  return [...known, ...[...names].filter((name) => !kOrder.includes(name))];
}
