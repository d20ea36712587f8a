// The lines of the shown groups (or of every shown run).
import { aggregate, type Part } from "./aggregate";
import type { App } from "./app";
import { axis_of, column_of, type AxisKey } from "./axis";
import type { Axes, Band, Column, Run } from "./data";
import { finite } from "./format";
import type { LegendEntry } from "./legend";
import type { Line } from "./lines";

/** Where a run keeps the curve. */
export interface Source {
  axes(run: Run): Axes | null | undefined;
  values(run: Run): Band | Column | null | undefined;
}

function is_band(values: Band | Column): values is Band {
  return !Array.isArray(values);
}

/** The run's curve over the axis; null if it has none. */
export function part_of(run: Run, source: Source, axis: AxisKey): Part | null {
  const axes = source.axes(run);
  const values = source.values(run);
  const x = column_of(axes, axis);
  if (!axes || !values || !x) return null;
  const part: Part = is_band(values)
    ? { step: axes.step, x, ...values }
    : { step: axes.step, x, mean: values };
  return part.mean?.some(finite) ? part : null;
}

export interface LineOptions {
  dashed?: boolean;
  band?: boolean;
  steps?: boolean;
  /** In front of the key, for a second curve of the same group. */
  suffix?: string;
}

/** A line a group, or with `seeds` "runs" a thin line a run. Hidden are the
 * groups whose key is in `hidden`. */
export function lines_of(
  app: App,
  source: Source,
  axis: AxisKey,
  hidden: ReadonlySet<string>,
  o: LineOptions = {},
): Line[] {
  const lines: Line[] = [];
  const each = app.choices.seeds === "runs";
  for (const { group, runs } of app.selection.groups) {
    if (hidden.has(group_key(group.id))) continue;
    const parts = runs.flatMap((run) => {
      const part = part_of(run, source, axis);
      return part ? [{ run, part }] : [];
    });
    const sets = each ? parts.map((p) => [p]) : parts.length ? [parts] : [];
    for (const set of sets) {
      const run = set[0]!.run;
      lines.push({
        key: (each ? `r${run.id}` : group_key(group.id)) + (o.suffix ?? ""),
        label: (each ? run.label : group.label) + (o.suffix ?? ""),
        colour: app.colour(group.id),
        symbol: app.symbol_index(group.id),
        curve: aggregate(set.map((p) => p.part)),
        runs: set.length,
        dashed: o.dashed ?? false,
        thin: each && app.selection.runs.length > app.selection.groups.length,
        band: (o.band ?? false) && !each,
        steps: o.steps ?? false,
      });
    }
  }
  return lines;
}

export const group_key = (id: number): string => `g${id}`;

/** Legend entries of the shown groups for which `has` holds. */
export function group_entries(
  app: App,
  has: (run: Run) => boolean,
  line: LegendEntry["line"] = "solid",
): LegendEntry[] {
  return app.selection.groups
    .filter(({ runs }) => runs.some(has))
    .map(({ group }) => ({
      key: group_key(group.id),
      label: group.label,
      colour: app.colour(group.id),
      symbol: app.symbol_index(group.id),
      line,
    }));
}

/** Says whose curves are missing on this axis; empty if none. */
export function missing_note(app: App, source: Source, axis: AxisKey): string {
  const missing = app.selection.groups.filter(
    ({ runs }) => !runs.some((run) => part_of(run, source, axis)),
  );
  if (!missing.length || missing.length === app.selection.groups.length) {
    return "";
  }
  const names = missing.slice(0, 6).map(({ group }) => group.label);
  if (missing.length > 6) names.push(`${missing.length - 6} more`);
  return `Not recorded against ${axis_of(axis).label}: ${names.join(", ")}.`;
}
