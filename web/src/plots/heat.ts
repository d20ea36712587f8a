// Tensors by steps of one run.
import type { App } from "../app";
import { ChartCard, type ChartShown } from "../chart_card";
import { chart_base } from "../chart_parts";
import type { Column, Detail, Run } from "../data";
import { chooser, fill, h, type Control } from "../dom";
import type { Option } from "../echarts";
import { finite, number, scientific, whole } from "../format";
import { kViridis } from "../palette";
import { tooltip_base, tooltip_html } from "../tooltip";
import { metric_options } from "./dispersion";
import { run_options, spread_first } from "./run_options";

export class HeatCard extends ChartCard {
  private readonly run_: Control<string>;
  private readonly metric_: Control<string>;
  private readonly scale_ = h("div", { class: "colour-scale" });

  constructor(app: App) {
    super(app, {
      plot: "heat",
      title: "Tensors by steps",
      about:
        "One run: a row a tensor in the model's order, a column a probe. " +
        "The colour is logarithmic.",
      renderer: "canvas",
      wide: true,
      plain: true,
    });
    this.run_ = chooser("run", [], () => this.changed());
    this.metric_ = chooser("metric", [], () => this.changed());
    this.add_control(this.run_.element, this.metric_.element);
    this.body.classList.add("with-scale");
    this.body.append(this.scale_);
  }

  protected compose(): ChartShown {
    const runs = spread_first(this.app.detailed_runs().filter(has_heat));
    this.run_.options(run_options(runs));
    const run = runs.find((r) => String(r.id) === this.run_.value());
    const none = { entries: [], series: [] };
    if (!run?.detail) {
      this.metric_.options([]);
      return { ...none, empty: why_empty(this.app) };
    }
    this.metric_.options(
      metric_options(this.app).filter((m) => run.detail!.heat[m.value]),
    );
    const rows = run.detail.heat[this.metric_.value()] ?? [];
    const range = positive_range(rows);
    this.show_scale(range, rows);
    const name = metric_options(this.app).find(
      (m) => m.value === this.metric_.value(),
    );
    return {
      ...none,
      series: run.detail.tensors.slice(0, rows.length),
      option: this.option(run.detail, rows, range, name?.label ?? ""),
      height: heat_height(rows.length),
    };
  }

  private option(
    detail: Detail,
    rows: Column[],
    range: Range,
    metric: string,
  ): Option {
    const theme = this.app.theme;
    const cells: [number, number, number][] = [];
    rows.forEach((row, y) =>
      row.forEach((value, x) => {
        if (!finite(value)) return;
        cells.push([x, y, value > 0 ? Math.log10(value) : kZero]);
      }),
    );
    const label = { color: theme.muted, fontSize: 11, hideOverlap: true };
    return {
      ...chart_base(theme),
      tooltip: {
        ...tooltip_base(theme),
        formatter: (p: { value: [number, number, number]; color: string }) => {
          const [x, y] = p.value;
          const epoch = detail.epoch?.[x];
          const when =
            `step ${whole(detail.step[x])}` +
            (finite(epoch) ? `, epoch ${number(epoch, 3)}` : "");
          const value = number(rows[y]?.[x]);
          return tooltip_html(detail.tensors[y] ?? "", [
            { colour: p.color, label: when, value, detail: metric },
          ]);
        },
      },
      xAxis: {
        type: "category",
        data: detail.step.map((step) => whole(step)),
        name: "step",
        nameLocation: "middle",
        nameGap: 10,
        nameTextStyle: { color: theme.muted, fontSize: 12 },
        axisLabel: label,
        axisLine: { lineStyle: { color: theme.line } },
        axisTick: { show: false },
        splitLine: { show: false },
      },
      yAxis: {
        type: "category",
        inverse: true,
        data: detail.tensors.slice(0, rows.length),
        axisLabel: {
          ...label,
          width: 190,
          overflow: "truncate",
          interval: label_interval(rows.length),
        },
        axisLine: { lineStyle: { color: theme.line } },
        axisTick: { show: false },
        splitLine: { show: false },
      },
      visualMap: {
        show: false,
        type: "continuous",
        min: range.low,
        max: range.high > range.low ? range.high : range.low + 1,
        dimension: 2,
        inRange: { color: kViridis },
        unboundedRange: false,
        outOfRange: { color: theme.line },
      },
      series: [
        {
          id: "heat",
          type: "heatmap",
          data: cells,
          progressive: 0,
          itemStyle: { borderWidth: 0 },
          emphasis: {
            itemStyle: { borderColor: theme.ink, borderWidth: 1 },
          },
        },
      ],
    };
  }

  private show_scale(range: Range, rows: Column[]): void {
    const some = rows.some((row) => row.some((v) => finite(v) && v > 0));
    const ticks = scale_ticks(range).map((exponent) => {
      const share = (exponent - range.low) / (range.high - range.low || 1);
      return h(
        "span",
        { style: `bottom:${(100 * share).toFixed(2)}%` },
        scientific(10 ** exponent, 2),
      );
    });
    const zeros = rows.some((row) => row.some((v) => finite(v) && v <= 0));
    fill(
      this.scale_,
      some &&
        h(
          "div",
          {
            class: "gradient",
            style: `background:linear-gradient(to top,${kViridis.join(",")})`,
          },
          ...ticks,
        ),
      zeros && h("div", { class: "zero" }, h("i"), "0"),
    );
  }
}

/** Pixels of the whole chart: rows high enough for their names, up to about
 * 80 of them. */
export function heat_height(rows: number): number {
  const row = rows <= 36 ? 17 : 13;
  return Math.min(1100, Math.max(220, 60 + row * rows));
}

/** How many names to leave out between two, so that they do not touch. */
export function label_interval(rows: number): number {
  return Math.max(0, Math.ceil((12.5 * rows) / (heat_height(rows) - 60)) - 1);
}

/** Stands for values that have no logarithm: below any scale. */
const kZero = -1e3;

interface Range {
  low: number;
  high: number;
}

/** Powers of ten of the smallest and largest value above zero. */
export function positive_range(rows: Column[]): Range {
  let low = Infinity;
  let high = -Infinity;
  for (const row of rows) {
    for (const value of row) {
      if (!finite(value) || value <= 0) continue;
      low = Math.min(low, value);
      high = Math.max(high, value);
    }
  }
  if (high < low) return { low: 0, high: 0 };
  return { low: Math.log10(low), high: Math.log10(high) };
}

/** Exponents to label: both ends and up to four whole ones, none so near to
 * another that they would touch. */
export function scale_ticks({ low, high }: Range): number[] {
  if (high - low < 1e-9) return [low];
  const between: number[] = [];
  const every = Math.max(1, Math.ceil((high - low) / 4));
  for (let e = Math.ceil(low); e <= high; e += every) between.push(e);
  const clear = 0.12 * (high - low);
  const inner = between.filter((e) => e - low > clear && high - e > clear);
  return [low, ...inner, high];
}

function has_heat(run: Run): boolean {
  return Object.values(run.detail?.heat ?? {}).some((rows) =>
    rows.some((row) => row.some(finite)),
  );
}

function why_empty(app: App): string {
  if (!app.selection.runs.length) return "No run passes the filter.";
  return app.data.runs.some((run) => run.detail)
    ? "None of the shown runs has details by tensor in this page; with many " +
        "runs only the first seed of a group has them."
    : "No run has details by tensor in this page.";
}
