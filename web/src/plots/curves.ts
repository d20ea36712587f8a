// Accuracy and losses.
import type { App } from "../app";
import { percent_tick } from "../chart_parts";
import { part_of, type Source } from "../curves";
import { checkbox, segments, type Control } from "../dom";
import { number, percent } from "../format";
import { CurveCard, type Subject } from "./curve_card";

const evaluations = (values: Source["values"]): Source => ({
  axes: (run) => run.evaluations,
  values,
});

export class AccuracyCard extends CurveCard {
  private averaged_ = false;
  private band_ = true;

  constructor(app: App) {
    super(app, {
      plot: "accuracy",
      title: "Test accuracy",
      about:
        "Mean over replicas and seeds; the band goes from the lowest to the " +
        "highest replica of any seed.",
    });
    const averaged = evaluations((run) => run.evaluations?.averaged_accuracy);
    this.add_control(
      checkbox("band", true, (checked) => {
        this.band_ = checked;
        this.changed();
      }),
    );
    if (app.data.runs.some((run) => part_of(run, averaged, "step"))) {
      this.add_control(
        checkbox("averaged model (dashed)", false, (checked) => {
          this.averaged_ = checked;
          this.changed();
        }),
      );
    }
  }

  protected subject(): Subject {
    return {
      source: evaluations((run) => run.evaluations?.accuracy),
      y: {
        name: "test accuracy (%)",
        format: (value) => percent(value),
        tick: percent_tick,
      },
      averaged: this.averaged_
        ? evaluations((run) => run.evaluations?.averaged_accuracy)
        : undefined,
      band: this.band_,
      absent: "No evaluation of accuracy has been recorded.",
    };
  }
}

type ScaleName = "linear" | "log";

function scale_control(
  initial: ScaleName,
  changed: () => void,
): Control<ScaleName> {
  return segments<ScaleName>(
    "scale",
    [
      { value: "linear", label: "linear" },
      { value: "log", label: "log" },
    ],
    initial,
    changed,
  );
}

class LossCard extends CurveCard {
  private readonly scale_: Control<ScaleName>;
  private averaged_ = false;
  private band_ = true;

  constructor(
    app: App,
    options: { plot: string; title: string; about: string },
    private readonly source_: Source,
    private readonly averaged_source_: Source | null,
    private readonly absent_: string,
  ) {
    super(app, options);
    this.scale_ = scale_control("linear", () => this.changed());
    this.add_control(
      this.scale_.element,
      checkbox("band", true, (checked) => {
        this.band_ = checked;
        this.changed();
      }),
    );
    const averaged = averaged_source_;
    if (
      averaged &&
      app.data.runs.some((run) => part_of(run, averaged, "step"))
    ) {
      this.add_control(
        checkbox("averaged model (dashed)", false, (checked) => {
          this.averaged_ = checked;
          this.changed();
        }),
      );
    }
  }

  protected subject(): Subject {
    return {
      source: this.source_,
      y: {
        name: "loss",
        log: this.scale_.value() === "log",
        format: (value) => number(value, 4),
      },
      averaged:
        this.averaged_ && this.averaged_source_
          ? this.averaged_source_
          : undefined,
      band: this.band_,
      absent: this.absent_,
    };
  }
}

export function test_loss_card(app: App): CurveCard {
  return new LossCard(
    app,
    {
      plot: "loss",
      title: "Test loss",
      about:
        "Mean over replicas and seeds; the band goes from the lowest to the " +
        "highest replica of any seed.",
    },
    evaluations((run) => run.evaluations?.loss),
    evaluations((run) => run.evaluations?.averaged_loss),
    "No evaluation of the loss has been recorded.",
  );
}

export function train_loss_card(app: App): CurveCard {
  return new LossCard(
    app,
    {
      plot: "train-loss",
      title: "Training loss",
      about:
        "Of the workers' own batches; the band goes from the lowest to the " +
        "highest batch of any worker and seed.",
    },
    { axes: (run) => run.steps, values: (run) => run.steps?.loss },
    null,
    "No step has been recorded.",
  );
}
