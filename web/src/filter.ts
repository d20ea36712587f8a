// Which runs are shown.
import type { Data, Group, Run } from "./data";

export interface Filter {
  /** Words that all must occur; KEY=VALUE asks for a spec key's value. */
  text: string;
  /** By key the values asked for; a key without values asks for nothing. */
  values: Map<string, Set<string>>;
}

export const no_filter = (): Filter => ({ text: "", values: new Map() });

export function is_active(filter: Filter): boolean {
  return (
    filter.text.trim() !== "" ||
    [...filter.values.values()].some((values) => values.size > 0)
  );
}

export function matches(run: Run, filter: Filter): boolean {
  for (const [key, values] of filter.values) {
    if (values.size && !values.has(run.spec[key] ?? "")) return false;
  }
  const words = filter.text.toLowerCase().split(/\s+/).filter(Boolean);
  return words.every((word) => has_word(run, word));
}

function has_word(run: Run, word: string): boolean {
  const equals = word.indexOf("=");
  if (equals > 0) {
    const value = run.spec[word.slice(0, equals)];
    return (
      value !== undefined && value.toLowerCase() === word.slice(equals + 1)
    );
  }
  return [run.label, run.name, run.outcome, ...Object.values(run.spec)].some(
    (text) => text.toLowerCase().includes(word),
  );
}

/** Adds the value to those asked for, or takes it away again. */
export function toggle(filter: Filter, key: string, value: string): Filter {
  const values = new Map(filter.values);
  const chosen = new Set(values.get(key));
  if (!chosen.delete(value)) chosen.add(value);
  values.set(key, chosen);
  return { ...filter, values };
}

/** The values of a key over all runs: numbers by size, others by first use. */
export function values_of(runs: Run[], key: string): string[] {
  const values = [...new Set(runs.map((run) => run.spec[key] ?? ""))];
  const numeric = values.every((v) => v !== "" && !Number.isNaN(Number(v)));
  return numeric ? values.sort((a, b) => Number(a) - Number(b)) : values;
}

export interface ShownGroup {
  group: Group;
  runs: Run[];
}

export interface Selection {
  runs: Run[];
  /** Those with a shown run, with their shown runs. */
  groups: ShownGroup[];
}

export function select(data: Data, filter: Filter): Selection {
  const runs = data.runs.filter((run) => matches(run, filter));
  const by_group = new Map<number, Run[]>();
  for (const run of runs) {
    const list = by_group.get(run.group);
    if (list) list.push(run);
    else by_group.set(run.group, [run]);
  }
  const groups = data.groups
    .filter((group) => by_group.has(group.id))
    .map((group) => ({ group, runs: by_group.get(group.id)! }));
  return { runs, groups };
}
