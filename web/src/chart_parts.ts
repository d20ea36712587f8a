// Pieces of ECharts options that all plots share, so that they look alike.
import type { Option } from "./echarts";
import { number, power_label } from "./format";
import type { LogScale } from "./log_axis";
import { kFont, type Theme } from "./theme";

export function chart_base(theme: Theme): Option {
  return {
    animation: false,
    backgroundColor: "transparent",
    textStyle: { fontFamily: kFont, color: theme.muted },
    // Room for the axis names, which stand outside of the labels.
    grid: {
      left: 2,
      right: 14,
      top: 12,
      bottom: 0,
      outerBoundsMode: "same",
      outerBoundsContain: "all",
    },
  };
}

export interface AxisOptions {
  name: string;
  log?: LogScale | undefined;
  /** Of a label. */
  format?: (value: number) => string;
  /** May begin above zero. */
  floating?: boolean;
  min?: number | "dataMin";
  max?: number | "dataMax";
}

/** A label of a fraction, in per cent without the sign. */
export const percent_tick = (value: number): string =>
  String(Number((100 * value).toPrecision(6)));

const plain_label = (value: number): string => number(value, 6);

function axis(theme: Theme, o: AxisOptions): Option {
  return {
    type: o.log ? "log" : "value",
    name: o.name,
    nameLocation: "middle",
    nameTextStyle: { color: theme.muted, fontSize: 12 },
    scale: o.floating ?? true,
    min: o.log?.min ?? o.min,
    max: o.log?.max ?? o.max,
    axisLine: { show: true, lineStyle: { color: theme.line } },
    axisTick: {
      show: true,
      lineStyle: { color: theme.line },
      customValues: o.log?.ticks,
    },
    axisLabel: {
      color: theme.muted,
      fontSize: 11.5,
      hideOverlap: true,
      customValues: o.log?.ticks,
      formatter: o.format ?? (o.log ? power_label : plain_label),
    },
    splitLine: { show: true, lineStyle: { color: theme.faint } },
  };
}

export function x_axis(theme: Theme, o: AxisOptions): Option {
  return { ...axis(theme, o), nameGap: 12, nameMoveOverlap: true };
}

export function y_axis(theme: Theme, o: AxisOptions): Option {
  return { ...axis(theme, o), nameGap: 10, nameMoveOverlap: true };
}

/** Dragging zooms, through ECharts' tool, which is out of sight. */
export function zoom_parts(theme: Theme): Option {
  return {
    toolbox: {
      show: true,
      itemSize: 0,
      left: -100,
      feature: {
        dataZoom: {
          // Only along x: the other axis then fits what is left.
          yAxisIndex: false,
          filterMode: "filter",
          brushStyle: { color: theme.accent, opacity: 0.15 },
        },
      },
    },
  };
}
