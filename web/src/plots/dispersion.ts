// How far the replicas lie apart, over time.
import type { App } from "../app";
import type { Source } from "../curves";
import { checkbox, chooser, type Control } from "../dom";
import { number } from "../format";
import { CurveCard, type Subject } from "./curve_card";

const probes = (values: Source["values"]): Source => ({
  axes: (run) => run.probes,
  values,
});

export class DispersionCard extends CurveCard {
  private readonly metric_: Control<string>;
  private band_ = false;

  constructor(app: App) {
    super(app, {
      plot: "dispersion",
      title: "Dispersion of the replicas over time",
      about:
        "How far the norms of the replicas' parameter tensors lie apart just " +
        "before averaging; mean over tensors and seeds.",
    });
    this.metric_ = chooser("metric", metric_options(app), () => this.changed());
    this.add_control(
      this.metric_.element,
      checkbox("band: lowest to highest tensor", false, (checked) => {
        this.band_ = checked;
        this.changed();
      }),
    );
  }

  protected subject(): Subject {
    const name = this.metric_.value();
    const metric = metric_options(this.app).find((m) => m.value === name);
    return {
      source: probes((run) => probe_band(run, name)),
      y: {
        name: metric?.label ?? "dispersion",
        log: true,
        format: (value) => number(value),
      },
      band: this.band_,
      absent: "No probe of this metric has been recorded.",
    };
  }
}

type RunOf = Parameters<Source["axes"]>[0];

function probe_band(run: RunOf, name: string): ReturnType<Source["values"]> {
  const p = run.probes;
  if (name === "consensus_distance") return p?.consensus_distance;
  if (name === "gradient_norm") return p?.gradient_norm;
  if (name === "update_ratio") return p?.update_ratio;
  return p?.metrics?.[name];
}

export function metric_options(app: App): { value: string; label: string }[] {
  return [
    ...app.data.metrics.map((m) => ({ value: m.name, label: m.title })),
    { value: "consensus_distance", label: "consensus distance" },
    { value: "gradient_norm", label: "gradient norm" },
    { value: "update_ratio", label: "update-to-weight ratio" },
  ];
}

export class ConsensusCard extends CurveCard {
  private band_ = true;

  constructor(app: App) {
    super(app, {
      plot: "consensus",
      title: "Consensus distance",
      about:
        "Mean squared distance of the replicas from their average: " +
        "(1/n) Σ ‖xᵢ − x̄‖².",
    });
    this.add_control(
      checkbox("band", true, (checked) => {
        this.band_ = checked;
        this.changed();
      }),
    );
  }

  protected subject(): Subject {
    return {
      source: probes((run) => run.probes?.consensus_distance),
      y: {
        name: "consensus distance",
        log: true,
        format: (value) => number(value),
      },
      band: this.band_,
      absent: "No consensus distance has been recorded.",
    };
  }
}
