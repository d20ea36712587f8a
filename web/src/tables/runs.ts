// Every run, with every difference between their specs.
import type { App } from "../app";
import type { Num, Run } from "../data";
import { h } from "../dom";
import { bytes, count, finite, number, percent, seconds } from "../format";
import { swatch } from "../legend";
import {
  accuracy_of,
  averaged_accuracy_of,
  consensus_of,
  perplexity_of,
  per_worker,
  seconds_of,
  train_loss_of,
} from "../outcome";
import { SortableTable, type ColumnSpec } from "./sortable";

function badge(run: Run): HTMLElement {
  return h(
    "span",
    { class: `badge ${run.outcome}`, title: run.error ?? null },
    run.outcome,
  );
}

function measure(
  key: string,
  title: string,
  about: string,
  value: (run: Run) => Num,
  format: (value: Num) => string,
): ColumnSpec<Run> {
  return {
    key,
    title,
    about,
    numeric: true,
    sort: value,
    cell: (run) => format(value(run)),
  };
}

function spec_value(run: Run, key: string): number | string | null {
  const text = run.spec[key];
  if (text === undefined || text === "") return null;
  return Number.isNaN(Number(text)) ? text : Number(text);
}

export function run_columns(app: App): ColumnSpec<Run>[] {
  const { runs, keys } = app.data;
  const measures = [
    measure(
      "accuracy",
      "accuracy",
      "test accuracy, mean over replicas",
      accuracy_of,
      percent,
    ),
    measure(
      "averaged",
      "averaged model",
      "test accuracy of the averaged model",
      averaged_accuracy_of,
      percent,
    ),
    measure("perplexity", "perplexity", "test perplexity", perplexity_of, (v) =>
      number(v, 4),
    ),
    measure(
      "train_loss",
      "train loss",
      "mean over replicas and the last epoch",
      train_loss_of,
      (v) => number(v, 4),
    ),
    measure(
      "consensus",
      "consensus dist.",
      "consensus distance after the last mixing",
      consensus_of,
      (v) => number(v, 2),
    ),
    measure(
      "degree",
      "mean degree",
      "neighbours of a worker, mean over steps",
      (run) => run.mean_degree ?? null,
      (v) => number(v),
    ),
    measure(
      "bytes",
      "bytes / worker",
      "sent by a worker, mean over workers",
      (run) => per_worker(run, "bytes"),
      bytes,
    ),
    measure(
      "messages",
      "messages / worker",
      "sent by a worker, mean over workers",
      (run) => per_worker(run, "messages"),
      count,
    ),
    measure("seconds", "time", "of training", seconds_of, seconds),
    measure(
      "virtual_seconds",
      "virtual time",
      "by the cost model",
      (run) => run.result?.virtual_seconds ?? null,
      seconds,
    ),
  ];
  return [
    {
      key: "run",
      title: "run",
      sort: (run) => run.label,
      cell: (run) =>
        h(
          "span",
          { class: "run-name", title: run.path },
          swatch({
            colour: app.colour(run.group),
            symbol: app.symbol_index(run.group),
            line: "solid",
          }),
          run.label,
        ),
    },
    ...keys.map((key): ColumnSpec<Run> => ({
      key: `spec-${key}`,
      title: key,
      numeric: runs.every((run) => typeof spec_value(run, key) !== "string"),
      sort: (run) => spec_value(run, key),
      cell: (run) => run.spec[key] ?? "–",
    })),
    {
      key: "outcome",
      title: "outcome",
      sort: (run) => run.outcome,
      cell: badge,
    },
    // A column that no run fills says nothing.
    ...measures.filter((m) => runs.some((run) => finite(m.sort(run) as Num))),
  ];
}

export function runs_table(app: App): HTMLElement {
  const table = new SortableTable(run_columns(app));
  const holder = h("div", { "data-table": "runs" }, table.element);
  const none = h("p", { class: "empty" }, "No run passes the filter.");
  holder.append(none);
  const errors = h("ul", { class: "errors" });
  holder.append(errors);
  const show = (): void => {
    const { runs } = app.selection;
    table.show(runs);
    table.element.hidden = runs.length === 0;
    none.hidden = runs.length > 0;
    none.textContent = app.data.runs.length
      ? "No run passes the filter."
      : "There are no runs in this page.";
    const failed = runs.filter((run) => run.error);
    errors.hidden = failed.length === 0;
    errors.replaceChildren(
      ...failed
        .slice(0, 20)
        .map((run) => h("li", {}, h("b", {}, run.label), `: ${run.error}`)),
    );
  };
  app.keep_fresh(show);
  return holder;
}
