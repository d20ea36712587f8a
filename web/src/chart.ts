// Pieces of ECharts options that all plots share, so that they look alike.
import { escape_html } from "./dom";
import type { Option } from "./echarts";
import { number, power_label } from "./format";
import type { LogScale } from "./log_axis";
import { kFont, type Theme } from "./theme";

/** `right` leaves room beside the plot. */
export function chart_base(theme: Theme, right = 14): Option {
  return {
    animation: false,
    backgroundColor: "transparent",
    textStyle: { fontFamily: kFont, color: theme.muted },
    // Room for the axis names, which stand outside of the labels.
    grid: {
      left: 2,
      right,
      top: 12,
      bottom: 0,
      outerBoundsMode: "same",
      outerBoundsContain: "all",
    },
  };
}

function axis_look(theme: Theme, name: string): Option {
  return {
    name,
    nameLocation: "middle",
    nameGap: 11,
    nameMoveOverlap: true,
    nameTextStyle: { color: theme.muted, fontSize: 12 },
    axisLine: { show: true, lineStyle: { color: theme.axis } },
  };
}

export interface AxisOptions {
  name: string;
  log?: LogScale | undefined;
  /** Of a label. */
  format?: (value: number) => string;
  /** Begins at zero. */
  from_zero?: boolean;
  max?: number | undefined;
}

/** A label of a fraction, in per cent without the sign. */
export const percent_tick = (value: number): string =>
  String(Number((100 * value).toPrecision(6)));

export function value_axis(theme: Theme, o: AxisOptions): Option {
  const plain = (value: number): string => number(value, 6);
  return {
    ...axis_look(theme, o.name),
    type: o.log ? "log" : "value",
    scale: !o.from_zero,
    min: o.log?.min,
    max: o.log?.max ?? o.max,
    axisTick: {
      show: true,
      lineStyle: { color: theme.axis },
      customValues: o.log?.ticks,
    },
    axisLabel: {
      color: theme.muted,
      fontSize: 11.5,
      hideOverlap: true,
      customValues: o.log?.ticks,
      formatter: o.format ?? (o.log ? power_label : plain),
    },
    splitLine: { show: true, lineStyle: { color: theme.faint } },
  };
}

/** `label` overrides how labels look. */
export function category_axis(
  theme: Theme,
  name: string,
  data: string[],
  label: Option = {},
): Option {
  return {
    ...axis_look(theme, name),
    type: "category",
    data,
    axisLabel: {
      color: theme.muted,
      fontSize: 11.5,
      hideOverlap: true,
      ...label,
    },
    axisTick: { show: false },
    splitLine: { show: false },
  };
}

/** Dragging zooms, through ECharts' tool, which is out of sight. */
export function zoom_parts(theme: Theme): Option {
  const dataZoom = {
    // Only along x: the other axis then fits what is left.
    yAxisIndex: false,
    filterMode: "filter",
    brushStyle: { color: theme.accent, opacity: 0.15 },
  };
  return {
    toolbox: { show: true, itemSize: 0, left: -100, feature: { dataZoom } },
  };
}

export interface TooltipRow {
  colour: string;
  label: string;
  value: string;
  /** Smaller, after the value. */
  detail?: string;
  dashed?: boolean;
}

const kMostRows = 14;

/** Rows beyond the first few are counted, not shown. */
export function tooltip_html(title: string, rows: TooltipRow[]): string {
  const body = rows.slice(0, kMostRows).map(row_html).join("");
  const more = rows.length - kMostRows;
  const rest =
    more > 0 ? `<tr><td></td><td colspan="3">and ${more} more</td></tr>` : "";
  return `<b>${escape_html(title)}</b><table>${body}${rest}</table>`;
}

function row_html(row: TooltipRow): string {
  const cells = [row.label, row.value, row.detail ?? ""]
    .map((text) => `<td>${escape_html(text)}</td>`)
    .join("");
  const style = row.dashed ? "dotted" : "solid";
  const mark = `<i style="border-top:3px ${style} ${row.colour}"></i>`;
  return `<tr><td>${mark}</td>${cells}</tr>`;
}

/** The box at the pointer. `more` holds its formatter. */
export function tooltip(theme: Theme, more: Option): Option {
  return {
    className: "tip",
    confine: true,
    transitionDuration: 0,
    backgroundColor: theme.card,
    borderColor: theme.axis,
    padding: [8, 10],
    textStyle: { color: theme.ink, fontSize: 12 },
    ...more,
  };
}

/** The box for all that is at a place of the axis. */
export function axis_tooltip(
  theme: Theme,
  type: "line" | "shadow",
  text: (value: number, index: number) => string,
): Option {
  return tooltip(theme, {
    trigger: "axis",
    axisPointer: {
      type,
      label: { show: false },
      lineStyle: { color: theme.muted, type: "dashed", width: 1 },
    },
    formatter: (points: { axisValue?: number; dataIndex?: number }[]) =>
      text(Number(points[0]?.axisValue ?? NaN), points[0]?.dataIndex ?? -1),
  });
}
