// Bars over categories, beside each other or stacked.
import type { App } from "../app";
import type { Shown } from "../card";
import {
  axis_tooltip, category_axis, chart_base, tooltip_html, value_axis,
} from "../chart";
import type { Num } from "../data";
import { finite } from "../format";
import { colour_at } from "../palette";

export interface Bars {
  key: string;
  label: string;
  /** Index into the palette. */
  colour: number;
  /** One per category. */
  values: Num[];
  /** What the box at the pointer says, if not the value. */
  text?: (i: number) => { value: string; detail?: string };
}

export interface BarsOptions {
  /** From the left, or if the bars lie and are stacked from the top. */
  categories: string[];
  bars: Bars[];
  stacked: boolean;
  /** What a category is. */
  category: string;
  /** The axis of the values. */
  axis: { name: string; format?: (v: number) => string; max?: number };
  /** Drawn value = value / factor. */
  factor?: number;
  /** Of the box at the pointer. */
  title: (i: number) => string;
  format: (value: Num) => string;
}

export function draw_bars(
  app: App,
  hidden: ReadonlySet<string>,
  o: BarsOptions,
): Shown {
  const { theme } = app;
  const colour = (bar: Bars): string => colour_at(theme.mode, bar.colour);
  const shown = o.bars.filter((bar) => !hidden.has(bar.key));
  const rows = (i: number) =>
    shown.map((bar) => ({
      colour: colour(bar),
      label: bar.label,
      ...(bar.text?.(i) ?? { value: o.format(bar.values[i] ?? null) }),
    }));
  const few = o.categories.length <= 60;
  const names = {
    ...category_axis(theme, o.category, o.categories, {
      ...(o.stacked && { color: theme.ink, width: 260, overflow: "truncate" }),
      interval: o.stacked && few ? 0 : "auto",
    }),
    inverse: o.stacked,
  };
  const values = value_axis(theme, { ...o.axis, from_zero: true });
  return {
    entries: o.bars.map((bar) => ({
      key: bar.key,
      label: bar.label,
      colour: colour(bar),
      symbol: 3,
      line: "none",
    })),
    series: shown.map((bar) => bar.label),
    option: {
      ...chart_base(theme),
      tooltip: axis_tooltip(theme, "shadow", (_, i) =>
        i < 0 ? "" : tooltip_html(o.title(i), rows(i)),
      ),
      xAxis: o.stacked ? values : names,
      yAxis: o.stacked ? names : values,
      series: shown.map((bar) => ({
        id: bar.key,
        name: bar.label,
        type: "bar",
        stack: o.stacked ? "all" : undefined,
        barMaxWidth: o.stacked ? 20 : 28,
        color: colour(bar),
        emphasis: { focus: "series" },
        data: bar.values.map((v) => (finite(v) ? v / (o.factor ?? 1) : null)),
      })),
    },
    ...(o.stacked && {
      height: Math.min(900, 70 + 28 * Math.max(2, o.categories.length)),
    }),
  };
}
