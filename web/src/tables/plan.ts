// Predictions as a table, and what is recommended in words.
import type { App } from "../app";
import type { Num } from "../data";
import { h } from "../dom";
import { finite, number, seconds } from "../format";
import type { Plan, Prediction } from "../plan";
import { SortableTable, type ColumnSpec } from "./sortable";

function text(
  key: string,
  title: string,
  value: (row: Prediction) => string,
): ColumnSpec<Prediction> {
  return { key, title, sort: value, cell: value };
}

function measure(
  key: string,
  title: string,
  about: string,
  value: (row: Prediction) => Num | undefined,
  format: (value: Num) => string,
): ColumnSpec<Prediction> {
  return {
    key,
    title,
    about,
    numeric: true,
    sort: (row) => value(row) ?? null,
    cell: (row) => format(value(row) ?? null),
  };
}

const kColumns: ColumnSpec<Prediction>[] = [
  measure("n", "workers", "how many", (row) => row.n, number),
  text("algorithm", "algorithm", (row) => row.algorithm),
  text("graph", "graph", (row) =>
    row.k ? `${row.graph}, k = ${row.k}` : row.graph,
  ),
  measure("seconds", "iteration", "all of it", (row) => row.seconds, seconds),
  measure(
    "compute",
    "compute",
    "forward, backward and update, mean over workers",
    (row) => row.compute,
    seconds,
  ),
  measure(
    "exposed",
    "exposed",
    "waits for bytes, if all computed alike",
    (row) => row.exposed,
    seconds,
  ),
  measure(
    "straggler",
    "stragglers",
    "what differences between workers and steps cost",
    (row) => row.straggler,
    seconds,
  ),
  measure(
    "gain",
    "gain",
    "All-Reduce's time divided by this one's",
    (row) => row.gain,
    (value) => (finite(value) ? `${value.toFixed(2)} x` : "–"),
  ),
  measure(
    "copies",
    "copies",
    "of the model, sent by a worker in a step",
    (row) => row.model_copies_per_step,
    (value) => number(value, 3),
  ),
  measure(
    "agree",
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

export function recommendations(_app: App, plan: Plan): HTMLElement {
  if (!plan.recommendations.length) {
    return h("p", { class: "empty" }, "Nothing was asked.");
  }
  return h(
    "div",
    { "data-part": "recommendations" },
    ...plan.recommendations.flatMap(({ n, sentences }) => [
      h("h4", {}, `${n} workers`),
      h(
        "ul",
        { class: "findings" },
        ...sentences.map((sentence) => h("li", {}, sentence)),
      ),
    ]),
  );
}
