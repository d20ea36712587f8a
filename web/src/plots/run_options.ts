import type { Run } from "../data";
import { finite } from "../format";

/** For a control that chooses a run. */
export function run_options(runs: Run[]): { value: string; label: string }[] {
  return runs.map((run) => ({
    value: String(run.id),
    label:
      run.outcome === "completed" ? run.label : `${run.label} (${run.outcome})`,
  }));
}

/** Those that have something to show first: the replicas of a centralized run
 * are all alike. */
export function spread_first(runs: Run[]): Run[] {
  return [
    ...runs.filter(has_spread),
    ...runs.filter((run) => !has_spread(run)),
  ];
}

function has_spread(run: Run): boolean {
  const first = Object.values(run.detail?.heat ?? {})[0];
  return first?.some((row) => row.some((v) => finite(v) && v > 0)) ?? false;
}
