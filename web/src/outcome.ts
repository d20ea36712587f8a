// What a run came to; of one without a result, what it has recorded so far.
import type { Column, Num, Run } from "./data";
import { finite } from "./format";

export function last_finite(column: Column | null | undefined): Num {
  for (let i = (column?.length ?? 0) - 1; i >= 0; --i) {
    const value = column![i];
    if (finite(value)) return value;
  }
  return null;
}

export function has_ended(run: Run): boolean {
  return run.outcome === "completed" || run.outcome === "diverged";
}

export function accuracy_of(run: Run): Num {
  if (run.result) return run.result.test_accuracy ?? null;
  return last_finite(run.evaluations?.accuracy?.mean);
}

export function averaged_accuracy_of(run: Run): Num {
  if (run.result) return run.result.averaged_model_accuracy ?? null;
  return last_finite(run.evaluations?.averaged_accuracy);
}

export function perplexity_of(run: Run): Num {
  return run.result?.test_perplexity ?? null;
}

export function train_loss_of(run: Run): Num {
  if (run.result) return run.result.train_loss ?? null;
  return last_finite(run.steps?.loss?.mean);
}

export function consensus_of(run: Run): Num {
  if (run.result) return run.result.consensus_distance ?? null;
  return last_finite(run.probes?.consensus_distance?.mean);
}

export function seconds_of(run: Run): Num {
  if (run.result) return run.result.seconds ?? null;
  return last_finite(run.steps?.seconds);
}

/** Results count what all workers sent; this is for one of them. */
export function per_worker(run: Run, what: "bytes" | "messages"): Num {
  const total = run.result?.[what];
  if (finite(total)) return run.n > 0 ? total / run.n : null;
  return last_finite(run.steps?.[what]);
}

/** Steps done by each worker. */
export function steps_of(run: Run): Num {
  if (finite(run.result?.steps)) return run.result!.steps!;
  const last = last_finite(run.steps?.step);
  return last === null ? null : last + 1;
}
