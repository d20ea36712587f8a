// Predictions as a table, and what is recommended in words.
import { h, list } from "../dom";
import { finite, kNothing, number, seconds } from "../format";
import type { Plan, Prediction } from "../plan";
import { absent, measure, SortableTable, type ColumnSpec } from "./table";

const text = (
  title: string,
  value: (row: Prediction) => string,
): ColumnSpec<Prediction> => ({ title, sort: value, cell: value });

const kColumns: ColumnSpec<Prediction>[] = [
  measure("workers", "how many", (row) => row.n, number),
  text("algorithm", (row) => row.algorithm),
  text("graph", (row) => (row.k ? `${row.graph}, k = ${row.k}` : row.graph)),
  measure("iteration", "all of it", (row) => row.seconds, seconds),
  measure(
    "compute",
    "forward, backward and update, mean over workers",
    (row) => row.compute,
    seconds,
  ),
  measure(
    "exposed",
    "waiting for bytes, if all computed alike",
    (row) => row.exposed,
    seconds,
  ),
  measure(
    "stragglers",
    "what differences between workers and steps cost",
    (row) => row.straggler,
    seconds,
  ),
  measure(
    "gain",
    "All-Reduce's time divided by this one's",
    (row) => row.gain,
    (value) => (finite(value) ? `${value.toFixed(2)} x` : kNothing),
  ),
  measure(
    "copies",
    "of the model, sent per worker and step",
    (row) => row.model_copies_per_step,
    (value) => number(value, 3),
  ),
  measure(
    "steps to agree",
    "until averaging has made disagreement ten times smaller",
    (row) => row.steps_to_agree,
    (value) => (value === 0 ? "always" : number(value, 3)),
  ),
];

export function predictions_table(plan: Plan): HTMLElement {
  const table = new SortableTable(kColumns);
  table.show(
    [...plan.rows].sort(
      (a, b) => a.n - b.n || (a.seconds ?? 0) - (b.seconds ?? 0),
    ),
  );
  return h("div", { "data-table": "plan" }, table.element);
}

export function recommendations(plan: Plan): HTMLElement {
  if (!plan.recommendations.length) return absent("Nothing was asked.");
  return h(
    "div",
    { "data-part": "recommendations" },
    ...plan.recommendations.flatMap(({ n, sentences }) => [
      h("h4", {}, `${n} workers`),
      list(sentences, "findings"),
    ]),
  );
}
