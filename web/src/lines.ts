// Curves with bands as an ECharts option.
import { kEmptyCurve, type Curve } from "./aggregate";
import { axis_tooltip, chart_base, tooltip_html, value_axis } from "./chart";
import { zoom_parts, type TooltipRow } from "./chart";
import type { Column } from "./data";
import type { Option } from "./echarts";
import { finite } from "./format";
import * as log from "./log_axis";
import { kSymbols } from "./palette";
import type { Theme } from "./theme";

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
  /** Marks every point. */
  marked?: boolean;
  /** Of the line, if not by the number of lines. */
  width?: number;
  opacity?: number;
}

/** A curve through points, which stands for one run. */
export function curve_through(x: Column, mean: Column): Curve {
  const count = mean.map(() => 1);
  return { ...kEmptyCurve, step: x, x, mean, low: mean, high: mean, count };
}

export interface LinesX {
  /** The unit follows from the largest value drawn: drawn value = recorded
   * value / factor. */
  scale(largest: number): { factor: number; name: string };
  /** A recorded value, with its unit. */
  format(value: number): string;
  /** A label at the axis, of a drawn value. */
  tick(value: number): string;
  /** Logarithmic, if given. */
  log?: log.LogScale | undefined;
  /** A dashed line across, and what it stands for. */
  mark?: { at: number; label: string } | undefined;
}

export interface LinesY {
  name: string;
  log?: boolean;
  /** Of a value, with its unit. */
  format(value: number): string;
  /** Of a label. */
  tick?: ((value: number) => string) | undefined;
}

export interface LinesOptions {
  lines: Line[];
  theme: Theme;
  x: LinesX;
  y: LinesY;
  /** The box at the pointer, if not each line's value there. */
  tooltip?: (at: number) => string;
}

export interface LinesDrawn {
  option: Option;
  /** Lines that have a point on these axes. */
  series: string[];
  note: string;
}

export function draw_lines(o: LinesOptions): LinesDrawn {
  const { theme, x, y } = o;
  const [floor] = log.positive_range(o.lines.flatMap(columns_of)) ?? [1];
  const lost: { label: string; points: number; dropped: number }[] = [];
  const drawable = o.lines.map((line) => {
    if (!y.log) return line;
    const { curve, points, dropped } = log.positive(line.curve, floor);
    lost.push({ label: line.label, points, dropped });
    return { ...line, curve };
  });
  const shown = drawable.filter((line) => has_points(line.curve));
  const xs = shown.flatMap((line) => line.curve.x).filter(finite);
  const scale = x.scale(xs.reduce((a, b) => Math.max(a, b), 0));
  const banded = shown.filter((line) => line.band);
  // Many bands over each other would hide the curves.
  const opacity = Math.max(0.004, Math.min(0.16, 0.4 / banded.length));
  const tooltip =
    o.tooltip ??
    ((at: number) => tooltip_html(x.format(at), rows_at(shown, at, y.format)));
  const series = shown.map((l) => curve_series(l, scale.factor, shown.length));
  if (x.mark && series[0]) series[0]["markLine"] = mark_line(theme, x.mark);
  const option: Option = {
    ...chart_base(theme),
    ...zoom_parts(theme),
    tooltip: axis_tooltip(theme, "line", (at) => tooltip(at * scale.factor)),
    xAxis: value_axis(theme, {
      name: scale.name,
      format: x.tick,
      from_zero: !x.log,
      log: x.log,
    }),
    yAxis: value_axis(theme, {
      name: y.name,
      log: y.log ? log.log_scale_of(shown.flatMap(columns_of)) : undefined,
      ...(y.tick ? { format: y.tick } : {}),
    }),
    series: [...banded.map((l) => band(l, scale.factor, opacity)), ...series],
  };
  return {
    option,
    series: shown.map((line) => line.label),
    note: log.zero_note(lost),
  };
}

function has_points(curve: Curve): boolean {
  return curve.mean.some((value, i) => finite(value) && finite(curve.x[i]));
}

/** What the axis must have room for. */
function columns_of(line: Line): Column[] {
  const { mean, low, high } = line.curve;
  return line.band ? [mean, low, high] : [mean];
}

/** About so many marks a curve: enough to tell it, not a string of beads. */
const kMarks = 9;

function curve_series(line: Line, factor: number, of: number): Option {
  const { curve } = line;
  const points = curve.mean.filter(finite).length;
  const marked =
    line.marked || points < 3 || (line.symbol > 0 && !line.thin);
  const every = Math.max(1, Math.floor(curve.mean.length / kMarks));
  // Curves' marks at different points, so that they do not cover each other.
  const phase = (line.symbol * 2) % every;
  const name = kSymbols[line.symbol] ?? "circle";
  const sparse = (_: unknown, p: { dataIndex: number }): string =>
    p.dataIndex % every === phase ? name : "none";
  const width = line.width ?? (line.thin ? 1 : of > 12 ? 1.5 : 2);
  const opacity = line.opacity ?? (!line.thin ? 1 : of > 100 ? 0.35 : 0.75);
  return {
    id: line.key,
    name: line.label,
    type: "line",
    data: curve.mean.map((y, i) => {
      const x = curve.x[i];
      return [finite(x) ? x / factor : null, y];
    }),
    color: line.colour,
    step: line.steps ? "end" : false,
    symbol: !marked || line.marked || points < 3 ? name : sparse,
    showSymbol: marked,
    showAllSymbol: marked,
    symbolSize: points < 3 ? 8 : marked ? 7 : 5,
    lineStyle: { width, type: line.dashed ? [5, 4] : "solid", opacity },
    // Not bolder: the pointer is near a point of every curve.
    emphasis: { focus: "series", lineStyle: { width, opacity: 1 } },
    blur: { lineStyle: { opacity: 0.2 }, itemStyle: { opacity: 0.2 } },
    z: line.dashed ? 3 : 4,
  };
}

function mark_line(theme: Theme, mark: { at: number; label: string }): Option {
  return {
    silent: true,
    symbol: "none",
    data: [{ xAxis: mark.at }],
    lineStyle: { color: theme.muted, type: "dashed" },
    label: {
      formatter: mark.label,
      color: theme.muted,
      position: "insideEndTop",
    },
  };
}

/** A polygon from low to high for each stretch without gaps. */
function band(line: Line, factor: number, opacity: number): Option {
  const stretches: [number, number, number][][] = [[]];
  line.curve.mean.forEach((_, i) => {
    const x = line.curve.x[i];
    const [low, high] = [line.curve.low[i], line.curve.high[i]];
    if (finite(x) && finite(low) && finite(high)) {
      stretches[stretches.length - 1]!.push([x / factor, low, high]);
    } else {
      stretches.push([]);
    }
  });
  const style = { fill: line.colour, opacity };
  const draw = (api: { coord(point: number[]): number[] }): Option[] =>
    stretches.map((stretch) => {
      const upper = stretch.map(([x, , high]) => api.coord([x, high]));
      const lower = stretch.map(([x, low]) => api.coord([x, low])).reverse();
      const shape = { points: [...upper, ...lower] };
      return { type: "polygon", shape, style, silent: true };
    });
  return {
    id: `band ${line.key}`,
    type: "custom",
    data: stretches.flat(),
    encode: { x: 0, y: [1, 2] },
    silent: true,
    tooltip: { show: false },
    clip: true,
    z: 1,
    // Zooming filters rows, so the first one need not be number 0.
    renderItem: (
      params: { dataIndexInside: number },
      api: { coord(point: number[]): number[] },
    ) =>
      params.dataIndexInside === 0
        ? { type: "group", children: draw(api) }
        : null,
  };
}

/** Each line's point nearest to `at`, the highest first. Lines that end well
 * before it are left out. */
function rows_at(
  lines: Line[],
  at: number,
  format: (value: number) => string,
): TooltipRow[] {
  const found = lines.flatMap((line) => {
    const i = nearest(line.curve, at);
    const mean = line.curve.mean[i];
    return finite(mean) ? [{ line, i, mean }] : [];
  });
  found.sort((a, b) => b.mean - a.mean);
  return found.map(({ line, i, mean }) => {
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
  });
}

/** -1 if the curve has no point near there. */
function nearest(curve: Curve, at: number): number {
  const points = curve.x.flatMap((x, i) =>
    finite(x) && finite(curve.mean[i]) ? [{ x, i }] : [],
  );
  const [first, last] = [points[0], points[points.length - 1]];
  if (!first || !last) return -1;
  const pace = (last.x - first.x) / (points.length - 1) || Infinity;
  const best = points.reduce((a, b) =>
    Math.abs(b.x - at) < Math.abs(a.x - at) ? b : a,
  );
  return Math.abs(best.x - at) <= Math.max(pace, 1e-12) ? best.i : -1;
}
