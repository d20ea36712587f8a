// Whom each worker of a run waited for, and who is to blame.
import type { App } from "../app";
import type { CardSpec } from "../card";
import type { Blame, Run } from "../data";
import { finite, percent, seconds } from "../format";
import { draw_matrix, matrix_height, RunChooser } from "./matrix";

export function has_waits(run: Run): boolean {
  return !!run.blame?.waits?.length;
}

/** The longest wait. */
export function longest_wait(blame: Blame): number {
  return Math.max(0, ...blame.waits.map(([, , waited]) => waited));
}

/** "24.3 % of the training time"; empty if that is not known. */
function share_of(blame: Blame, waited: number): string {
  if (!finite(blame.seconds)) return "";
  const whole = blame.virtual ? "virtual time" : "training time";
  return `${percent(waited / blame.seconds, 1)} of the ${whole}`;
}

/** The sentence below the matrix. */
export function verdict(blame: Blame): string {
  if (blame.sentences.length) return blame.sentences.join(" ");
  const share = share_of(blame, blame.mean_wait_seconds ?? 0);
  return (
    `The mean worker waited ${seconds(blame.mean_wait_seconds)}` +
    (share && `, ${share}`) +
    "; too little, or by too few workers, to name a cause."
  );
}

/** False if no run recorded its waits. */
export function waits_card(app: App): CardSpec | false {
  if (!app.data.runs.some(has_waits)) return false;
  const chosen_run = new RunChooser();
  const draw: CardSpec["draw"] = () => {
    const run = chosen_run.among(app.selection.runs.filter(has_waits));
    const blame = run?.blame;
    if (!blame) {
      return { empty: "None of the shown runs has its waits in this page." };
    }
    const workers = Array.from({ length: run.n }, (_, i) => String(i));
    const waits = new Map(
      blame.waits.map(([worker, peer, waited]) => [`${peer} ${worker}`, waited]),
    );
    const longest = longest_wait(blame);
    const option = draw_matrix(app, {
      columns: workers,
      rows: workers,
      column: "waited for worker",
      row: "worker",
      cells: blame.waits.map(([worker, peer, time]) => [peer, worker, time]),
      range: { low: 0, high: longest },
      ends: [seconds(longest), "0"],
      title: (_, worker) => `worker ${worker}`,
      text: (peer, worker) => {
        const waited = waits.get(`${peer} ${worker}`) ?? 0;
        return {
          label: `for worker ${peer}`,
          value: seconds(waited),
          detail: share_of(blame, waited),
        };
      },
      border: 1,
    });
    return {
      series: workers.map((worker) => `worker ${worker}`),
      option,
      height: matrix_height(run.n),
      note: verdict(blame),
    };
  };
  return {
    plot: "waits",
    title: "Who waited for whom",
    about:
      "One run: how long each worker (row) could not go on because what a " +
      "peer (column) sends was missing. A dark or empty row among bright ones " +
      "is a worker that the others wait for; two bright cells that mirror each " +
      "other are a slow link.",
    renderer: "svg",
    wide: true,
    controls: [chosen_run],
    draw,
  };
}
