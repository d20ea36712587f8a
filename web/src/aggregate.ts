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

type Values = (Num | undefined)[];

function mean_of(values: Values): Num {
  const usable = values.filter(finite);
  return usable.length
    ? usable.reduce((sum, value) => sum + value, 0) / usable.length
    : null;
}

function extreme(values: Values, pick: (...all: number[]) => number): Num {
  const usable = values.filter(finite);
  return usable.length ? pick(...usable) : null;
}

/** Mean over the parts at every point of the grid of the part that went
 * furthest. A part that ended earlier counts until its last step. Parts of
 * another grid (a run that is still going has finer buckets) are averaged into
 * the cells of this one, or interpolated if they are coarser; their minima and
 * maxima survive that. */
export function aggregate(parts: Part[]): Curve {
  const usable = parts.filter((part) => part.step.length > 0);
  if (!usable.length) return kEmptyCurve;
  const grid = usable.reduce(longer).step;
  const aligned = usable.map((part) =>
    same_grid(part.step, grid) ? part : resample(part, grid),
  );
  const at = (i: number, pick: (part: Part) => Column): Values =>
    // A part's band counts only where its mean does.
    aligned.map((part) => (finite(part.mean[i]) ? pick(part)[i] : null));
  const low = (part: Part): Column => part.low ?? part.mean;
  const high = (part: Part): Column => part.high ?? part.mean;
  return {
    step: grid,
    x: grid.map((_, i) => mean_of(aligned.map((part) => part.x[i]))),
    mean: grid.map((_, i) => mean_of(at(i, (part) => part.mean))),
    low: grid.map((_, i) => extreme(at(i, low), Math.min)),
    high: grid.map((_, i) => extreme(at(i, high), Math.max)),
    count: grid.map((_, i) => at(i, (part) => part.mean).filter(finite).length),
  };
}

function longer(best: Part, part: Part): Part {
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

/** The part on another grid: the mean of its points in each cell (a cell goes
 * half-way to the neighbouring grid points), or between points the straight
 * line. */
function resample(part: Part, grid: Column): Part {
  const { step, x, mean } = part;
  const low = part.low ?? mean;
  const high = part.high ?? mean;
  let end = 0;
  const cells = grid.map((here, i) => {
    const next = grid[i + 1];
    const border = finite(next) ? (here! + next) / 2 : Infinity;
    const begin = end;
    while (end < step.length && (step[end] ?? 0) <= border) ++end;
    return { begin, end, here: here! };
  });
  const column = (source: Column, pick: (values: Values) => Num): Column =>
    cells.map(({ begin, end, here }) =>
      end > begin
        ? pick(source.slice(begin, end))
        : between(step, source, begin, here),
    );
  return {
    step: grid,
    x: column(x, mean_of),
    mean: column(mean, mean_of),
    low: column(low, (values) => extreme(values, Math.min)),
    high: column(high, (values) => extreme(values, Math.max)),
  };
}

/** On the line through points i-1 and i; null if either has no value. */
function between(step: Column, column: Column, i: number, here: number): Num {
  const [x0, x1] = [step[i - 1], step[i]];
  const [y0, y1] = [column[i - 1], column[i]];
  if (!finite(x0) || !finite(x1) || !finite(y0) || !finite(y1)) return null;
  return y0 + ((y1 - y0) * (here - x0)) / (x1 - x0);
}
