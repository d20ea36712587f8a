// Where a predicted iteration goes: compute, exposed communication, stragglers.
import type { App } from "../app";
import { ChartCard, type ChartShown } from "../chart_card";
import { chart_base, x_axis } from "../chart_parts";
import { chooser, type Control } from "../dom";
import type { Option } from "../echarts";
import { finite, number, seconds } from "../format";
import type { LegendEntry } from "../legend";
import { kColours } from "../palette";
import { sizes_of, type Plan, type Prediction } from "../plan";
import { tooltip_base, tooltip_html } from "../tooltip";

const kParts = [
  { key: "compute", label: "compute and update" },
  { key: "exposed", label: "exposed communication" },
  { key: "straggler", label: "stragglers" },
] as const;

/** Pixels of a bar with its gap. */
const kBar = 22;

export class PlanPartsCard extends ChartCard {
  private readonly size_: Control<string>;

  constructor(
    app: App,
    private readonly plan_: Plan,
  ) {
    super(app, {
      plot: "plan-parts",
      title: "Where an iteration goes",
      about:
        "The fastest first. Exposed is the time in which nobody can compute " +
        "for want of bytes; stragglers is what differences between workers " +
        "and steps cost on top of it.",
      wide: true,
    });
    const sizes = sizes_of(plan_);
    this.size_ = chooser<string>(
      "workers",
      sizes.map((n) => ({ value: String(n), label: String(n) })),
      () => this.changed(),
    );
    const last = sizes[sizes.length - 1];
    if (last) this.size_.set(String(last));
    if (sizes.length > 1) this.add_control(this.size_.element);
  }

  protected compose(): ChartShown {
    const rows = this.plan_.rows
      .filter((row) => String(row.n) === this.size_.value())
      .filter((row) => finite(row.seconds))
      .sort((a, b) => b.seconds! - a.seconds!);
    const { theme } = this.app;
    const colour = (i: number): string =>
      kColours[theme.mode][i] ?? theme.muted;
    const entries: LegendEntry[] = kParts.map(({ key, label }, i) => ({
      key,
      label,
      colour: colour(i),
      symbol: 0,
      line: "none",
    }));
    if (!rows.length) {
      return { entries, series: [], empty: "Nothing was predicted." };
    }
    const shown = kParts.filter(({ key }) => !this.hidden.has(key));
    const option: Option = {
      ...chart_base(theme),
      tooltip: {
        ...tooltip_base(theme),
        trigger: "axis",
        axisPointer: { type: "shadow" },
        formatter: (points: { dataIndex?: number }[]) =>
          parts_tooltip(rows[points[0]?.dataIndex ?? -1], colour),
      },
      xAxis: x_axis(theme, {
        name: "an iteration",
        format: (value) => seconds(value),
        floating: false,
        min: 0,
      }),
      yAxis: {
        type: "category",
        data: rows.map((row) => row.label),
        axisLine: { lineStyle: { color: theme.line } },
        axisTick: { show: false },
        axisLabel: { color: theme.muted, fontSize: 11.5 },
      },
      series: shown.map(({ key, label }) => ({
        id: key,
        name: label,
        type: "bar",
        stack: "iteration",
        color: colour(kParts.findIndex((part) => part.key === key)),
        data: rows.map((row) => Math.max(0, row[key] ?? 0)),
        barCategoryGap: "25%",
        emphasis: { focus: "series" },
      })),
    };
    return {
      entries,
      series: shown.map(({ label }) => label),
      option,
      height: 70 + kBar * rows.length,
    };
  }
}

function parts_tooltip(
  row: Prediction | undefined,
  colour: (i: number) => string,
): string {
  if (!row) return "";
  const gain = finite(row.gain)
    ? `, ${number(row.gain, 3)} x of All-Reduce's pace`
    : "";
  return tooltip_html(
    `${row.label}: ${seconds(row.seconds)}${gain}`,
    kParts.map(({ key, label }, i) => ({
      colour: colour(i),
      label,
      value: seconds(row[key]),
    })),
  );
}
