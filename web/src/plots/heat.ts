// Tensors by steps of one run.
import type { App } from "../app";
import type { CardSpec } from "../card";
import type { Column, Run } from "../data";
import { Chooser } from "../dom";
import { finite, number, scientific, whole } from "../format";
import { positive_range } from "../log_axis";
import { metric_options } from "./curves";
import { draw_matrix, matrix_height, RunChooser } from "./matrix";

/** Stands for values that have no logarithm: below any scale. */
const kZero = -1e3;

const kAbsent =
  "None of the shown runs has details by tensor in this page; with many runs " +
  "only the first seed of a group has them.";

const holds = (
  rows: Column[] | undefined,
  wanted: (value: number) => boolean,
): boolean =>
  rows?.some((row) => row.some((v) => finite(v) && wanted(v))) ?? false;

/** The shown runs with details. Those that have something to show come first:
 * the replicas of a centralized run are all alike. */
export function detailed_runs(app: App): Run[] {
  const is_alike = ({ detail }: Run): number => {
    const first = Object.values(detail?.heat ?? {})[0];
    return Number(!holds(first, (value) => value > 0));
  };
  return app.selection.runs
    .filter((run) => run.detail)
    .sort((a, b) => is_alike(a) - is_alike(b));
}

const has_heat = (run: Run): boolean =>
  Object.values(run.detail?.heat ?? {}).some((rows) => holds(rows, () => true));

export function heat_card(app: App): CardSpec {
  const chosen_run = new RunChooser();
  const metric = new Chooser("metric");
  const draw = () => {
    const run = chosen_run.among(detailed_runs(app).filter(has_heat));
    const detail = run?.detail;
    metric.offer(
      metric_options(app).filter(({ value }) => detail?.heat[value]),
    );
    if (!detail) {
      const some = app.data.runs.some((one) => one.detail);
      return { empty: some ? kAbsent : "No run has details by tensor." };
    }
    const rows = detail.heat[metric.value] ?? [];
    const [low, high] = positive_range(rows) ?? [1, 1];
    const tensors = detail.tensors.slice(0, rows.length);
    const cells = rows.flatMap((row, y) =>
      row.flatMap((value, x): [number, number, number][] =>
        finite(value)
          ? [[x, y, value > 0 ? Math.log10(value) : kZero]]
          : [],
      ),
    );
    const option = draw_matrix(app, {
      columns: detail.step.map((step) => whole(step)),
      rows: tensors,
      column: "step",
      row: "",
      cells,
      range: { low: Math.log10(low), high: Math.log10(high) },
      ends: [scientific(high, 2), scientific(low, 2)],
      title: (_, y) => tensors[y] ?? "",
      text: (x, y) => {
        const epoch = detail.epoch?.[x];
        const when = finite(epoch) ? `, epoch ${number(epoch, 3)}` : "";
        return {
          label: `step ${whole(detail.step[x])}${when}`,
          value: number(rows[y]?.[x]),
          detail: metric.label,
        };
      },
      border: 0,
    });
    const zeros = cells.some((cell) => cell[2] === kZero);
    return {
      series: tensors,
      option,
      height: matrix_height(rows.length),
      note: zeros ? "Grey cells are 0." : "",
    };
  };
  return {
    plot: "heat",
    title: "Tensors by steps",
    about:
      "One run: a row per tensor in the model's order, a column per probe. " +
      "The colour is logarithmic.",
    renderer: "canvas",
    wide: true,
    controls: [chosen_run, metric],
    draw,
  };
}
