// Curves with bands as an ECharts option.
import type { Curve } from "./aggregate";
import type { AxisChoice } from "./axis";
import { chart_base, x_axis, y_axis, zoom_parts } from "./chart_parts";
import type { Column, Num } from "./data";
import type { Option } from "./echarts";
import { finite } from "./format";
import {
  log_scale_of,
  positive,
  smallest_positive,
  zero_note,
} from "./log_axis";
import { kSymbols } from "./palette";
import type { Theme } from "./theme";
import { tooltip_base, tooltip_html, type TooltipRow } from "./tooltip";

export interface Line {
  /** Also the legend's key. */
  key: string;
  label: string;
  colour: string;
  symbol: number;
  curve: Curve;
  /** How many runs it is the mean of. */
  runs: number;
  dashed?: boolean;
  thin?: boolean;
  band?: boolean;
  /** Level until the next point. */
  steps?: boolean;
}

export interface LinesOptions {
  lines: Line[];
  theme: Theme;
  x: AxisChoice;
  y: {
    name: string;
    log?: boolean;
    /** Of a value, with its unit. */
    format: (value: number) => string;
    /** Of a label. */
    tick?: (value: number) => string;
  };
}

export interface LinesDrawn {
  option: Option;
  /** Lines that have a point on these axes. */
  series: string[];
  note: string;
}

export function draw_lines(o: LinesOptions): LinesDrawn {
  const lost: { label: string; points: number; dropped: number }[] = [];
  const floor = o.y.log ? smallest_positive(o.lines.map((l) => l.curve)) : 0;
  const drawable = o.lines.map((line) => {
    if (!o.y.log) return line;
    const { curve, points, dropped } = positive(line.curve, floor);
    lost.push({ label: line.label, points, dropped });
    return { ...line, curve };
  });
  const shown = drawable.filter((line) => has_points(line.curve));
  const largest = Math.max(0, ...shown.map((line) => largest_of(line.curve.x)));
  const scale = o.x.scale(largest);
  const banded = shown.filter((line) => line.band);
  // Many bands over each other would hide the curves.
  const opacity = Math.max(0.004, Math.min(0.16, 0.4 / banded.length));
  const option: Option = {
    ...chart_base(o.theme),
    ...zoom_parts(o.theme),
    tooltip: {
      ...tooltip_base(o.theme),
      trigger: "axis",
      axisPointer: {
        type: "line",
        snap: false,
        label: { show: false },
        lineStyle: { color: o.theme.muted, type: "dashed", width: 1 },
      },
      formatter: (points: unknown) => {
        const at = axis_value(points) * scale.factor;
        return tooltip_html(o.x.format(at), rows_at(shown, at, o.y.format));
      },
    },
    xAxis: x_axis(o.theme, {
      name: scale.name,
      format: o.x.tick,
      floating: false,
    }),
    yAxis: y_axis(o.theme, {
      name: o.y.name,
      log: o.y.log ? log_scale_of(shown.flatMap(columns_of)) : undefined,
      ...(o.y.tick ? { format: o.y.tick } : {}),
    }),
    series: [
      ...banded.map((l) => band(l, scale.factor, opacity)),
      ...shown.map((l) => curve_series(l, scale.factor, shown.length)),
    ],
  };
  return {
    option,
    series: shown.map((line) => line.label),
    note: o.y.log ? zero_note(lost) : "",
  };
}

export function has_points(curve: Curve): boolean {
  return curve.mean.some((value, i) => finite(value) && finite(curve.x[i]));
}

/** What the axis must have room for. */
function columns_of(line: Line): Column[] {
  const { mean, low, high } = line.curve;
  return line.band ? [mean, low, high] : [mean];
}

function largest_of(column: Num[]): number {
  let largest = 0;
  for (const value of column) {
    if (finite(value) && value > largest) largest = value;
  }
  return largest;
}

function axis_value(points: unknown): number {
  const list = points as { axisValue?: number | string }[];
  return Number(list[0]?.axisValue ?? NaN);
}

/** About so many marks a curve: enough to tell it, not a string of beads. */
const kMarks = 9;

function curve_series(line: Line, factor: number, of: number): Option {
  const { curve } = line;
  const data: (Num | null)[][] = curve.mean.map((y, i) => {
    const x = curve.x[i];
    return [finite(x) ? x / factor : null, y];
  });
  const points = curve.mean.filter(finite).length;
  const marked = points < 3 || (line.symbol > 0 && !line.thin);
  const every = Math.max(1, Math.floor(data.length / kMarks));
  // Curves' marks at different points, so that they do not cover each other.
  const phase = (line.symbol * 2) % every;
  const name = kSymbols[line.symbol] ?? "circle";
  const width = line.thin ? 1 : of > 12 ? 1.5 : 2;
  return {
    id: line.key,
    name: line.label,
    type: "line",
    data,
    color: line.colour,
    step: line.steps ? "end" : false,
    connectNulls: false,
    symbol: !marked
      ? "circle"
      : points < 3
        ? name
        : (_: unknown, p: { dataIndex: number }) =>
            p.dataIndex % every === phase ? name : "none",
    showSymbol: marked,
    showAllSymbol: marked,
    symbolSize: points < 3 ? 8 : marked ? 7 : 5,
    lineStyle: {
      width,
      type: line.dashed ? [5, 4] : "solid",
      opacity: line.thin ? (of > 100 ? 0.35 : 0.75) : 1,
    },
    itemStyle: { color: line.colour },
    // Not bolder: the pointer is near a point of every curve.
    emphasis: { focus: "series", lineStyle: { width, opacity: 1 } },
    blur: { lineStyle: { opacity: 0.2 }, itemStyle: { opacity: 0.2 } },
    z: line.dashed ? 3 : 4,
  };
}

/** A polygon from low to high for each stretch without gaps. */
function band(line: Line, factor: number, opacity: number): Option {
  const rows: [number, number, number][] = [];
  const stretches: [number, number, number][][] = [[]];
  line.curve.mean.forEach((_, i) => {
    const x = line.curve.x[i];
    const [low, high] = [line.curve.low[i], line.curve.high[i]];
    if (finite(x) && finite(low) && finite(high)) {
      const row: [number, number, number] = [x / factor, low, high];
      rows.push(row);
      stretches[stretches.length - 1]!.push(row);
    } else if (stretches[stretches.length - 1]!.length) {
      stretches.push([]);
    }
  });
  return {
    id: `band ${line.key}`,
    type: "custom",
    data: rows,
    encode: { x: 0, y: [1, 2] },
    silent: true,
    tooltip: { show: false },
    clip: true,
    z: 1,
    renderItem: (
      params: { dataIndexInside: number },
      api: { coord(point: number[]): number[] },
    ) => {
      // Zooming filters rows, so the first one need not be number 0.
      if (params.dataIndexInside !== 0) return null;
      return {
        type: "group",
        children: stretches
          .filter((stretch) => stretch.length > 1)
          .map((stretch) =>
            polygon(stretch, { fill: line.colour, opacity }, api),
          ),
      };
    },
  };
}

function polygon(
  stretch: [number, number, number][],
  style: Option,
  api: { coord(point: number[]): number[] },
): Option {
  const upper = stretch.map(([x, , high]) => api.coord([x, high]));
  const lower = stretch.map(([x, low]) => api.coord([x, low])).reverse();
  return {
    type: "polygon",
    shape: { points: [...upper, ...lower] },
    style,
    silent: true,
  };
}

/** Each line's point nearest to `at`, the highest first. Lines that end well
 * before it are left out. */
function rows_at(
  lines: Line[],
  at: number,
  format: (value: number) => string,
): TooltipRow[] {
  const found: { value: number; row: TooltipRow }[] = [];
  for (const line of lines) {
    const i = nearest(line.curve, at);
    const mean = i < 0 ? null : line.curve.mean[i];
    if (!finite(mean)) continue;
    found.push({ value: mean, row: row_of(line, i, mean, format) });
  }
  return found.sort((a, b) => b.value - a.value).map((entry) => entry.row);
}

function row_of(
  line: Line,
  i: number,
  mean: number,
  format: (value: number) => string,
): TooltipRow {
  const [low, high] = [line.curve.low[i], line.curve.high[i]];
  const count = line.curve.count[i] ?? 0;
  const details: string[] = [];
  if (finite(low) && finite(high) && high > low) {
    details.push(`${format(low)} to ${format(high)}`);
  }
  if (count < line.runs) details.push(`${count} of ${line.runs} runs`);
  return {
    colour: line.colour,
    label: line.label,
    value: format(mean),
    detail: details.join(", "),
    dashed: line.dashed ?? false,
  };
}

function nearest(curve: Curve, at: number): number {
  let best = -1;
  let distance = Infinity;
  let first = Infinity;
  let last = -Infinity;
  let points = 0;
  curve.x.forEach((x, i) => {
    if (!finite(x) || !finite(curve.mean[i])) return;
    ++points;
    first = Math.min(first, x);
    last = Math.max(last, x);
    if (Math.abs(x - at) < distance) {
      distance = Math.abs(x - at);
      best = i;
    }
  });
  const pace = points > 1 ? (last - first) / (points - 1) : Infinity;
  return distance <= Math.max(pace, 1e-12) ? best : -1;
}
