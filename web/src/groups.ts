// Curves and legend entries of the shown groups (or of every shown run).
import { aggregate, type Part } from "./aggregate";
import type { App } from "./app";
import { axis_of, column_of, type AxisKey } from "./axis";
import type { Axes, Band, Column, Run } from "./data";
import { finite, listed } from "./format";
import type { LegendEntry, Swatch } from "./legend";
import type { Line } from "./lines";

/** Where a run keeps a curve: the part that holds its axes, and its name in
 * there; "probes" and "metrics.gini". */
export interface Source {
  part: string;
  name: string;
}

export const source = (part: string, name: string): Source => ({ part, name });

function inside(object: unknown, path: string): unknown {
  return path
    .split(".")
    .reduce<unknown>((at, key) => (at as Record<string, unknown>)?.[key], object);
}

/** The run's curve over the axis; null if it has none. */
export function part_of(run: Run, from: Source, axis: AxisKey): Part | null {
  const axes = inside(run, from.part) as Axes | null | undefined;
  const values = inside(axes, from.name) as Band | Column | null | undefined;
  const x = column_of(axes, axis);
  if (!axes || !values || !x) return null;
  const band = Array.isArray(values) ? { mean: values } : values;
  return band.mean?.some(finite) ? { step: axes.step, x, ...band } : null;
}

export interface LineOptions {
  dashed?: boolean;
  band?: boolean;
  steps?: boolean;
  /** After the name, for a second curve of the same group. */
  suffix?: string;
}

/** A line per group, or if every run is asked for a thin line per run. Leaves
 * out the groups whose key is in `hidden`, and the runs that `wanted` does
 * not take. */
export function lines_of(
  app: App,
  from: Source,
  axis: AxisKey,
  hidden: ReadonlySet<string>,
  wanted: (run: Run) => boolean,
  { suffix = "", ...style }: LineOptions,
): Line[] {
  const { groups, runs: all } = app.selection;
  const each = app.choices.seeds === "runs";
  return groups.flatMap(({ group, runs }): Line[] => {
    if (hidden.has(group_key(group.id))) return [];
    const found = runs.filter(wanted).flatMap((run) => {
      const part = part_of(run, from, axis);
      return part ? [{ run, part }] : [];
    });
    const sets = each ? found.map((one) => [one]) : found.length ? [found] : [];
    return sets.map((set) => ({
      ...app.look(group.id),
      ...style,
      key: (each ? `r${set[0]!.run.id}` : group_key(group.id)) + suffix,
      label: (each ? set[0]!.run.label : group.label) + suffix,
      curve: aggregate(set.map(({ part }) => part)),
      runs: set.length,
      thin: each && all.length > groups.length,
      band: Boolean(style.band) && !each,
    }));
  });
}

export const group_key = (id: number): string => `g${id}`;

/** Legend entries of the shown groups with a run for which `has` holds. */
export function group_entries(
  app: App,
  has: (run: Run) => boolean,
  line: Swatch["line"] = "solid",
): LegendEntry[] {
  return app.selection.groups
    .filter(({ runs }) => runs.some(has))
    .map(({ group: { id, label } }) => ({
      key: group_key(id),
      label,
      ...app.look(id, line),
    }));
}

/** Names the groups whose curves are missing on this axis; empty if none. */
export function missing_note(
  app: App,
  wanted: (run: Run) => boolean,
  has: (run: Run) => boolean,
  axis: AxisKey,
): string {
  const asked = app.selection.groups.filter(({ runs }) => runs.some(wanted));
  const missing = asked.filter(({ runs }) => !runs.some(has));
  if (!missing.length || missing.length === asked.length) return "";
  const names = listed(missing.map(({ group }) => group.label), 6);
  return `Not recorded against ${axis_of(axis).label}: ${names}.`;
}
