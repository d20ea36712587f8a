// A logarithmic axis has no place for zero. Such points become gaps, and the
// page says whose they are.
import type { Curve } from "./aggregate";
import type { Column } from "./data";
import { finite, listed } from "./format";

export interface Positive {
  curve: Curve;
  /** Points with a value. */
  points: number;
  /** Of them, those at or below zero. */
  dropped: number;
}

/** The curve without the points that cannot be drawn. A band that begins at or
 * below zero begins at `floor` instead, if the mean is above zero. */
export function positive(curve: Curve, floor: number): Positive {
  const is_above = (value: unknown): boolean => (value as number) > 0;
  const mean = curve.mean.map((value) => (is_above(value) ? value : null));
  const low = curve.low.map((value, i) => {
    if (mean[i] === null || !finite(value)) return null;
    return value > 0 ? value : Math.min(floor, mean[i]!);
  });
  const high = curve.high.map((value, i) => (mean[i] === null ? null : value));
  const points = curve.mean.filter(finite).length;
  const dropped = points - mean.filter(finite).length;
  return { curve: { ...curve, mean, low, high }, points, dropped };
}

/** The smallest and the largest value above zero; null if there is none. */
export function positive_range(columns: Column[]): [number, number] | null {
  let [low, high] = [Infinity, 0];
  for (const column of columns) {
    for (const value of column) {
      if (!finite(value) || value <= 0) continue;
      low = Math.min(low, value);
      high = Math.max(high, value);
    }
  }
  return high > 0 ? [low, high] : null;
}

export interface LogScale {
  min: number;
  max: number;
  ticks: number[];
}

/** Ends and labels of an axis for these values above zero. ECharts would end
 * at powers of ten, which leaves most of a plot of losses empty. Up to a
 * decade and a half it goes in 1, 2, 5; up to seven decades in tens; above in
 * powers. */
export function log_scale(lowest: number, highest: number): LogScale {
  const span = Math.log10(highest / lowest);
  const mantissas = span <= 1.5 ? [1, 2, 5] : [1];
  const first = Math.floor(Math.log10(lowest) + 1e-9);
  const last = Math.ceil(Math.log10(highest) - 1e-9);
  const every = Math.max(1, Math.ceil((last - first) / 7));
  const all: number[] = [];
  for (let e = first; e <= last + every; e += every) {
    for (const m of mantissas) all.push(Number(`${m}e${e}`));
  }
  const below = all.filter((tick) => tick <= lowest * (1 + 1e-9)).length - 1;
  const above = all.findIndex((tick) => tick >= highest * (1 - 1e-9));
  const from = Math.max(0, below);
  const ticks = all.slice(from, Math.max(above, from + 1) + 1);
  return { min: ticks[0]!, max: ticks[ticks.length - 1]!, ticks };
}

/** The scale for all finite values above zero in the columns. */
export function log_scale_of(columns: Column[]): LogScale {
  return log_scale(...(positive_range(columns) ?? [0.1, 1]));
}

/** Names the curves that lost points; empty if none did. */
export function zero_note(
  lost: { label: string; points: number; dropped: number }[],
): string {
  const only = lost.filter((c) => c.points > 0 && c.dropped === c.points);
  const some = lost.filter((c) => c.dropped > 0 && c.dropped < c.points);
  const sentences: string[] = [];
  if (only.length) {
    const names = listed(only.map((c) => c.label), 8);
    const verb = only.length === 1 ? "is" : "are";
    sentences.push(
      `${names} ${verb} 0 throughout, which a logarithmic axis cannot show.`,
    );
  }
  if (some.length) {
    const counts = some.map((c) => `${c.label} ${c.dropped} of ${c.points}`);
    sentences.push(`Points that are 0 are left out: ${listed(counts, 8)}.`);
  }
  return sentences.join(" ");
}
