// A logarithmic axis has no place for zero. Such points become gaps, and the
// page says whose they are.
import type { Curve } from "./aggregate";
import type { Column } from "./data";
import { finite } from "./format";

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
  let points = 0;
  let dropped = 0;
  const mean: Column = curve.mean.map((value) => {
    if (!finite(value)) return null;
    ++points;
    if (value > 0) return value;
    ++dropped;
    return null;
  });
  const low = curve.low.map((value, i) => {
    if (mean[i] === null || !finite(value)) return null;
    return value > 0 ? value : Math.min(floor, mean[i]!);
  });
  const high = curve.high.map((value, i) => (mean[i] === null ? null : value));
  return { curve: { ...curve, mean, low, high }, points, dropped };
}

/** The smallest value above zero in the curves' means and bands, or 1. */
export function smallest_positive(curves: Curve[]): number {
  let smallest = Infinity;
  for (const curve of curves) {
    for (const column of [curve.mean, curve.low]) {
      for (const value of column) {
        if (finite(value) && value > 0 && value < smallest) smallest = value;
      }
    }
  }
  return Number.isFinite(smallest) ? smallest : 1;
}

export interface LogScale {
  min: number;
  max: number;
  ticks: number[];
}

/** Ends and labels of an axis for these values above zero. Up to a decade and
 * a half it goes in 1, 2, 5; up to seven decades in tens; above in powers. */
export function log_scale(lowest: number, highest: number): LogScale {
  if (!(lowest > 0) || !(highest >= lowest)) return log_scale(0.1, 1);
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
  let lowest = Infinity;
  let highest = 0;
  for (const column of columns) {
    for (const value of column) {
      if (!finite(value) || value <= 0) continue;
      lowest = Math.min(lowest, value);
      highest = Math.max(highest, value);
    }
  }
  return log_scale(lowest, highest);
}

/** What to say of the curves that lost points; empty if none did. */
export function zero_note(
  lost: { label: string; points: number; dropped: number }[],
): string {
  const only = lost.filter((c) => c.points > 0 && c.dropped === c.points);
  const some = lost.filter((c) => c.dropped > 0 && c.dropped < c.points);
  const sentences: string[] = [];
  if (only.length) {
    const verb = only.length === 1 ? "is" : "are";
    sentences.push(
      `${names(only)} ${verb} 0 throughout, which a logarithmic axis ` +
        "cannot show.",
    );
  }
  if (some.length) {
    const counts = some.map((c) => `${c.label} ${c.dropped} of ${c.points}`);
    sentences.push(`Points that are 0 are left out: ${counts.join(", ")}.`);
  }
  return sentences.join(" ");
}

function names(list: { label: string }[]): string {
  const labels = list.map((entry) => entry.label);
  if (labels.length > 8) {
    return `${labels.slice(0, 8).join(", ")} and ${labels.length - 8} more`;
  }
  if (labels.length < 2) return labels.join("");
  return `${labels.slice(0, -1).join(", ")} and ${labels[labels.length - 1]}`;
}
