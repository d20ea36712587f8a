// One curve from the curves of several seeds.
import type { Column, Num } from "./data";
import { finite } from "./format";

/** One run's curve. Columns are of equal length; low and high default to the
 * mean. */
export interface Part {
  step: Column;
  x: Column;
  mean: Column;
  low?: Column | null;
  high?: Column | null;
}

/** low and high are over all that the parts' lows and highs were over; count
 * is how many parts have a value there. */
export interface Curve {
  step: Column;
  x: Column;
  mean: Column;
  low: Column;
  high: Column;
  count: number[];
}

export const kEmptyCurve: Curve = {
  step: [],
  x: [],
  mean: [],
  low: [],
  high: [],
  count: [],
};

/** Mean over the parts at every point of the grid of the part that went
 * furthest. Parts end where they end: behind its last step a part counts no
 * more. Parts of another grid (a run that is still going has finer buckets)
 * are averaged into the cells of this one, or interpolated where they are
 * coarser; their minima and maxima survive that. */
export function aggregate(parts: Part[]): Curve {
  const usable = parts.filter((part) => part.step.length > 0);
  const furthest = usable.reduce<Part | null>(longer, null);
  if (!furthest) return kEmptyCurve;
  const grid = furthest.step;
  const aligned = usable.map((part) =>
    same_grid(part.step, grid) ? part : resample(part, grid),
  );
  return average(aligned, grid);
}

function longer(best: Part | null, part: Part): Part {
  if (!best) return part;
  const difference = last_step(part) - last_step(best);
  if (difference !== 0) return difference > 0 ? part : best;
  return part.step.length > best.step.length ? part : best;
}

function last_step(part: Part): number {
  return part.step[part.step.length - 1] ?? -1;
}

function same_grid(step: Column, grid: Column): boolean {
  return (
    step.length <= grid.length && step.every((value, i) => value === grid[i])
  );
}

function average(parts: Part[], grid: Column): Curve {
  const curve: Curve = { ...empty_curve(grid) };
  for (let i = 0; i < grid.length; ++i) {
    let sum = 0;
    let sum_x = 0;
    let count = 0;
    let count_x = 0;
    let low = Infinity;
    let high = -Infinity;
    for (const part of parts) {
      const mean = part.mean[i];
      const x = part.x[i];
      if (finite(x)) {
        sum_x += x;
        ++count_x;
      }
      if (!finite(mean)) continue;
      sum += mean;
      ++count;
      low = Math.min(low, or_else(part.low?.[i], mean));
      high = Math.max(high, or_else(part.high?.[i], mean));
    }
    curve.x[i] = count_x ? sum_x / count_x : null;
    curve.count[i] = count;
    if (!count) continue;
    curve.mean[i] = sum / count;
    curve.low[i] = low;
    curve.high[i] = high;
  }
  return curve;
}

function or_else(value: Num | undefined, otherwise: number): number {
  return finite(value) ? value : otherwise;
}

function empty_curve(grid: Column): Curve {
  const nulls = (): Column => new Array<Num>(grid.length).fill(null);
  return {
    step: grid,
    x: nulls(),
    mean: nulls(),
    low: nulls(),
    high: nulls(),
    count: new Array<number>(grid.length).fill(0),
  };
}

/** The part on another grid: the mean of its points in each cell (a cell goes
 * half-way to the neighbouring grid points), or between points the straight
 * line. */
function resample(part: Part, grid: Column): Part {
  const out = empty_curve(grid);
  let at = 0;
  for (let i = 0; i < grid.length; ++i) {
    const here = grid[i]!;
    const next = grid[i + 1];
    const end = finite(next) ? (here + next) / 2 : Infinity;
    const begin = at;
    while (at < part.step.length && (part.step[at] ?? 0) <= end) ++at;
    if (at > begin) {
      out.x[i] = mean_of(part.x, begin, at);
      out.mean[i] = mean_of(part.mean, begin, at);
      out.low[i] = extreme(part.low ?? part.mean, begin, at, Math.min);
      out.high[i] = extreme(part.high ?? part.mean, begin, at, Math.max);
    } else if (begin > 0 && begin < part.step.length) {
      out.x[i] = between(part.step, part.x, begin, here);
      out.mean[i] = between(part.step, part.mean, begin, here);
      out.low[i] = between(part.step, part.low ?? part.mean, begin, here);
      out.high[i] = between(part.step, part.high ?? part.mean, begin, here);
    }
  }
  return out;
}

function mean_of(column: Column, begin: number, end: number): Num {
  let sum = 0;
  let count = 0;
  for (let i = begin; i < end; ++i) {
    const value = column[i];
    if (!finite(value)) continue;
    sum += value;
    ++count;
  }
  return count ? sum / count : null;
}

function extreme(
  column: Column,
  begin: number,
  end: number,
  pick: (a: number, b: number) => number,
): Num {
  let found: Num = null;
  for (let i = begin; i < end; ++i) {
    const value = column[i];
    if (finite(value)) found = found === null ? value : pick(found, value);
  }
  return found;
}

/** On the line through points i-1 and i; null if either has no value. */
function between(step: Column, column: Column, i: number, here: number): Num {
  const [x0, x1] = [step[i - 1], step[i]];
  const [y0, y1] = [column[i - 1], column[i]];
  if (!finite(x0) || !finite(x1) || !finite(y0) || !finite(y1)) return null;
  return y0 + ((y1 - y0) * (here - x0)) / (x1 - x0);
}

export interface Spread {
  mean: number;
  sd: Num;
  low: number;
  high: number;
  count: number;
}

/** Mean, sample standard deviation (null for one value), lowest, highest of
 * the finite values; null if there is none. */
export function spread(values: (Num | undefined)[]): Spread | null {
  const usable = values.filter(finite);
  if (!usable.length) return null;
  const mean = usable.reduce((sum, value) => sum + value, 0) / usable.length;
  const squares = usable.reduce((sum, v) => sum + (v - mean) ** 2, 0);
  return {
    mean,
    sd: usable.length > 1 ? Math.sqrt(squares / (usable.length - 1)) : null,
    low: Math.min(...usable),
    high: Math.max(...usable),
    count: usable.length,
  };
}
