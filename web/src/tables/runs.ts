// Every run, with every difference between their specs.
import type { App } from "../app";
import type { Num, Run } from "../data";
import { h, list } from "../dom";
import {
  bytes, count, finite, kNothing, number, percent, seconds,
} from "../format";
import {
  accuracy_of, averaged_accuracy_of, consensus_of, per_worker, seconds_of,
  train_loss_of,
} from "../outcome";
import { measure, SortableTable, type ColumnSpec } from "./table";

const kSent = "sent per worker, mean over workers";

const kMeasures: ColumnSpec<Run>[] = [
  measure(
    "accuracy",
    "test accuracy, mean over replicas",
    accuracy_of,
    percent,
  ),
  measure(
    "averaged model",
    "test accuracy of the averaged model",
    averaged_accuracy_of,
    percent,
  ),
  measure(
    "perplexity",
    "test perplexity",
    (run) => run.result?.test_perplexity,
    (v) => number(v, 4),
  ),
  measure(
    "train loss",
    "mean over replicas and the last epoch",
    train_loss_of,
    (v) => number(v, 4),
  ),
  measure(
    "consensus dist.",
    "consensus distance after the last mixing",
    consensus_of,
    (v) => number(v, 2),
  ),
  measure(
    "mean degree",
    "neighbours of a worker, mean over steps",
    (run) => run.mean_degree,
    (v) => number(v),
  ),
  measure("bytes / worker", kSent, (run) => per_worker(run, "bytes"), bytes),
  measure(
    "messages / worker",
    kSent,
    (run) => per_worker(run, "messages"),
    count,
  ),
  measure("time", "of training", seconds_of, seconds),
  measure(
    "virtual time",
    "by the cost model",
    (run) => run.result?.virtual_seconds,
    seconds,
  ),
];

function spec_value(run: Run, key: string): number | string | null {
  const text = run.spec[key];
  if (text === undefined || text === "") return null;
  return Number.isNaN(Number(text)) ? text : Number(text);
}

function run_columns(app: App): ColumnSpec<Run>[] {
  const { runs, keys } = app.data;
  return [
    {
      title: "run",
      sort: (run) => run.label,
      cell: (run) => app.named(run.group, run.label, run.path),
    },
    ...keys.map((key): ColumnSpec<Run> => ({
      title: key,
      numeric: runs.every((run) => typeof spec_value(run, key) !== "string"),
      sort: (run) => spec_value(run, key),
      cell: (run) => run.spec[key] ?? kNothing,
    })),
    {
      title: "outcome",
      sort: (run) => run.outcome,
      cell: ({ outcome, error }) =>
        h("span", { class: `badge ${outcome}`, title: error }, outcome),
    },
    // A column that no run fills says nothing.
    ...kMeasures.filter((m) => runs.some((run) => finite(m.sort(run) as Num))),
  ];
}

export function runs_table(app: App): HTMLElement {
  const table = new SortableTable(run_columns(app));
  const empty = app.data.runs.length
    ? "No run passes the filter."
    : "There are no runs in this page.";
  const none = h("p", { class: "empty" }, empty);
  const errors = h("div");
  app.keep_fresh(() => {
    const { runs } = app.selection;
    table.show(runs);
    table.element.hidden = runs.length === 0;
    none.hidden = runs.length > 0;
    const failed = runs.filter((run) => run.error).slice(0, 20);
    const items = failed.map(({ label, error }) => `${label}: ${error}`);
    errors.replaceChildren(list(items, "errors"));
    errors.hidden = failed.length === 0;
  });
  return h("div", { "data-table": "runs" }, table.element, none, errors);
}
