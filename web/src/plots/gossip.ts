// Asynchronous runs: how often the workers averaged and how long it took them,
// over time.
import type { App } from "../app";
import type { Column, Run } from "../data";
import { chooser, type Control } from "../dom";
import { number, seconds } from "../format";
import { CurveCard, type Subject } from "./curve_card";

export function has_gossip(run: Run): boolean {
  return !!run.gossip?.workers?.gradients?.length;
}

type Measure = "rate" | "wait" | "staleness" | "held";

interface MeasureOption {
  value: Measure;
  label: string;
  axis: string;
  is_time?: boolean;
}

const kMeasures: MeasureOption[] = [
  {
    value: "rate",
    label: "averagings a gradient",
    axis: "averagings for each gradient",
  },
  {
    value: "wait",
    label: "wait for a partner",
    axis: "mean wait for a partner",
    is_time: true,
  },
  {
    value: "staleness",
    label: "staleness",
    axis: "staleness (gradients)",
  },
  {
    value: "held",
    label: "held back",
    axis: "held back for each gradient",
    is_time: true,
  },
];

export class GossipCard extends CurveCard {
  private readonly measure_: Control<Measure>;

  static wanted(app: App): boolean {
    return app.data.runs.some(has_gossip);
  }

  constructor(app: App) {
    super(app, {
      plot: "gossip",
      title: "Averagings over time",
      about:
        "Asynchronous runs, all workers together: averagings that a worker " +
        "takes part in for each of its gradients, how long it looks for a " +
        "partner, how many gradients it computes between what it reads and " +
        "what it writes, and how long its gradients are held back (max-lag).",
      wide: true,
    });
    this.measure_ = chooser<Measure>("measure", kMeasures, () =>
      this.changed(),
    );
    this.add_control(this.measure_.element);
  }

  protected subject(): Subject {
    const measure =
      kMeasures.find((m) => m.value === this.measure_.value()) ?? kMeasures[0]!;
    // Runs without a virtual clock count time in gradients.
    const runs = this.app.selection.runs.filter(has_gossip);
    const clockless = runs.filter((run) => run.gossip?.has_clock === false);
    const unit = !clockless.length
      ? "s"
      : clockless.length === runs.length
        ? "gradients"
        : "s, or gradients of runs without a clock";
    return {
      source: {
        axes: (run) => run.gossip?.curves,
        values: (run): Column | null | undefined =>
          run.gossip?.curves?.[measure.value],
      },
      y: {
        name: measure.is_time ? `${measure.axis} (${unit})` : measure.axis,
        format: (value) =>
          measure.is_time && !clockless.length
            ? seconds(value)
            : number(value),
      },
      band: false,
      absent: "No shown run is asynchronous.",
    };
  }
}
