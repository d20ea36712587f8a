// Whom each worker of a run waited for, and who is to blame.
import type { App } from "../app";
import { ChartCard, type ChartShown } from "../chart_card";
import { chart_base } from "../chart_parts";
import type { Blame, Run } from "../data";
import { chooser, type Control } from "../dom";
import type { Option } from "../echarts";
import { finite, percent, seconds } from "../format";
import { kViridis } from "../palette";
import { tooltip_base, tooltip_html } from "../tooltip";
import { heat_height, label_interval } from "./heat";
import { run_options } from "./run_options";

export function has_waits(run: Run): boolean {
  return !!run.blame?.waits?.length;
}

/** Where the colour ends: the longest wait. */
export function longest_wait(blame: Blame): number {
  return Math.max(0, ...blame.waits.map(([, , waited]) => waited));
}

/** What a share of a wait is a share of. */
function whole(blame: Blame): string {
  return blame.virtual ? "the virtual time" : "the training time";
}

/** What is said below the matrix. */
export function verdict(blame: Blame): string {
  if (blame.sentences.length) return blame.sentences.join(" ");
  const share = finite(blame.seconds)
    ? (blame.mean_wait_seconds ?? 0) / blame.seconds
    : null;
  return (
    `The mean worker waited ${seconds(blame.mean_wait_seconds)}` +
    (finite(share) ? `, ${percent(share, 1)} of ${whole(blame)}` : "") +
    "; too little, or by too few workers, to blame anybody for it."
  );
}

export class WaitsCard extends ChartCard {
  private readonly run_: Control<string>;

  static wanted(app: App): boolean {
    return app.data.runs.some(has_waits);
  }

  constructor(app: App) {
    super(app, {
      plot: "waits",
      title: "Who waited for whom",
      about:
        "One run: how long each worker (row) could not go on because what a " +
        "peer (column) sends was missing. A dark or empty row among bright ones " +
        "is a worker that the others wait for; two bright cells that mirror each " +
        "other are a slow link.",
      renderer: "svg",
      wide: true,
      plain: true,
    });
    this.run_ = chooser("run", [], () => this.changed());
    this.add_control(this.run_.element);
  }

  protected compose(): ChartShown {
    const runs = this.app.selection.runs.filter(has_waits);
    this.run_.options(run_options(runs));
    const run = runs.find((r) => String(r.id) === this.run_.value());
    if (!run?.blame) {
      const empty = this.app.selection.runs.length
        ? "None of the shown runs has its waits in this page."
        : "No run passes the filter.";
      return { entries: [], series: [], empty };
    }
    return {
      entries: [],
      series: Array.from({ length: run.n }, (_, i) => `worker ${i}`),
      option: this.option(run, run.blame),
      height: heat_height(run.n),
      note: verdict(run.blame),
    };
  }

  private option(run: Run, blame: Blame): Option {
    const theme = this.app.theme;
    const label = { color: theme.muted, fontSize: 11, hideOverlap: true };
    const axis = {
      type: "category",
      data: Array.from({ length: run.n }, (_, i) => String(i)),
      nameLocation: "middle",
      nameTextStyle: { color: theme.muted, fontSize: 12 },
      axisLine: { lineStyle: { color: theme.line } },
      axisTick: { show: false },
      splitLine: { show: false },
    };
    const base = chart_base(theme);
    return {
      ...base,
      // Beside it, the scale of the colours.
      grid: { ...(base["grid"] as Option), right: 90 },
      tooltip: {
        ...tooltip_base(theme),
        formatter: (p: { value: [number, number, number]; color: string }) => {
          const [peer, worker, waited] = p.value;
          return tooltip_html(`worker ${worker}`, [
            {
              colour: p.color,
              label: `for worker ${peer}`,
              value: seconds(waited),
              detail: finite(blame.seconds)
                ? `${percent(waited / blame.seconds, 1)} of ${whole(blame)}`
                : "",
            },
          ]);
        },
      },
      xAxis: {
        ...axis,
        name: "waited for worker",
        nameGap: 10,
        axisLabel: label,
      },
      yAxis: {
        ...axis,
        inverse: true,
        name: "worker",
        nameGap: 14,
        axisLabel: { ...label, interval: label_interval(run.n) },
      },
      visualMap: {
        type: "continuous",
        min: 0,
        max: longest_wait(blame) || 1,
        dimension: 2,
        inRange: { color: kViridis },
        orient: "vertical",
        right: 0,
        top: "middle",
        itemHeight: 110,
        itemWidth: 12,
        textStyle: { color: theme.muted, fontSize: 11 },
        text: [seconds(longest_wait(blame)), "0"],
      },
      series: [
        {
          id: "waits",
          type: "heatmap",
          data: blame.waits.map(([worker, peer, waited]) => [
            peer,
            worker,
            waited,
          ]),
          itemStyle: { borderColor: theme.card, borderWidth: 1 },
          emphasis: { itemStyle: { borderColor: theme.ink } },
        },
      ],
    };
  }
}
