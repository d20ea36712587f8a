// Accuracy against dispersion, a point a run.
import type { App } from "../app";
import { ChartCard, type ChartShown } from "../chart_card";
import { chart_base, percent_tick, x_axis, y_axis } from "../chart_parts";
import { group_entries, group_key } from "../curves";
import {
  kPhases,
  type Correlation,
  type Num,
  type Phase,
  type Run,
} from "../data";
import { chooser, segments, type Control } from "../dom";
import type { Option } from "../echarts";
import { finite, number, percent, plural, stratum_label } from "../format";
import { log_scale_of } from "../log_axis";
import { accuracy_of } from "../outcome";
import { tooltip_base, tooltip_html } from "../tooltip";

export class ScatterCard extends ChartCard {
  private readonly metric_: Control<string>;
  private readonly phase_: Control<Phase>;

  constructor(app: App) {
    super(app, {
      plot: "scatter",
      title: "Accuracy against dispersion",
      about:
        "A point a run. Rank correlations (Spearman) are of the decentralized " +
        "runs, with 95 % intervals from bootstrap over seeds.",
    });
    this.metric_ = chooser("against", this.subjects(), () => this.changed());
    this.phase_ = segments<Phase>(
      "phase",
      kPhases.map((phase) => ({ value: phase, label: phase })),
      "all",
      () => this.changed(),
    );
    this.add_control(this.metric_.element, this.phase_.element);
  }

  private subjects(): { value: string; label: string }[] {
    return [
      ...this.app.data.metrics.map((m) => ({ value: m.name, label: m.title })),
      { value: "connections", label: "number of connections" },
    ];
  }

  private x_of(run: Run): Num {
    const name = this.metric_.value();
    if (name === "connections") return run.mean_degree ?? null;
    return run.dispersion?.[name]?.[this.phase_.value()] ?? null;
  }

  protected compose(): ChartShown {
    const { app } = this;
    const name = this.metric_.value();
    this.phase_.element.hidden = name === "connections";
    const has = (run: Run): boolean =>
      finite(this.x_of(run)) && finite(accuracy_of(run));
    const entries = group_entries(app, has, "none");
    const correlations = this.correlations();
    if (!entries.length) {
      const empty = app.selection.runs.length
        ? "No shown run has both an accuracy and this metric."
        : "No run passes the filter.";
      return { entries, series: [], empty };
    }
    const zeros = app.selection.groups.filter(({ runs }) =>
      runs.some((run) => has(run) && this.x_of(run)! <= 0),
    );
    const title =
      this.subjects().find((subject) => subject.value === name)?.label ?? name;
    const phase = this.phase_.value();
    const suffix =
      name === "connections" || phase === "all" ? "" : `, ${phase} third`;
    const series = entries
      .filter((entry) => !this.hidden.has(entry.key))
      .map((entry) => this.points(entry.key, entry.label, has));
    const theme = app.theme;
    const option: Option = {
      ...chart_base(theme),
      tooltip: {
        ...tooltip_base(theme),
        formatter: (p: { color: string; data: { run: Run } }) => {
          const { run } = p.data;
          return tooltip_html(run.label, [
            {
              colour: p.color,
              label: "accuracy",
              value: percent(accuracy_of(run)),
            },
            {
              colour: p.color,
              label: title + suffix,
              value: number(this.x_of(run)),
            },
          ]);
        },
      },
      xAxis: x_axis(theme, {
        name: title + suffix,
        log: log_scale_of([
          app.selection.runs.filter(has).map((r) => this.x_of(r)),
        ]),
      }),
      yAxis: y_axis(theme, { name: "test accuracy (%)", format: percent_tick }),
      series,
    };
    const lost = zeros.length
      ? `At 0, which a logarithmic axis cannot show: ${zeros
          .map(({ group }) => group.label)
          .join(", ")}.`
      : "";
    return {
      entries,
      series: series.map((entry) => String(entry["name"])),
      option,
      note: [correlation_text(correlations), lost].filter(Boolean).join(" "),
    };
  }

  private points(
    key: string,
    label: string,
    has: (run: Run) => boolean,
  ): Option {
    const { app } = this;
    const shown = app.selection.groups.find(
      (g) => group_key(g.group.id) === key,
    )!;
    return {
      id: key,
      name: label,
      type: "scatter",
      symbol: app.symbol(shown.group.id),
      symbolSize: app.selection.runs.length > 200 ? 7 : 11,
      color: app.colour(shown.group.id),
      itemStyle: {
        opacity: 0.85,
        borderColor: app.theme.card,
        borderWidth: 0.8,
      },
      emphasis: { focus: "series", scale: 1.3 },
      data: shown.runs
        .filter((run) => has(run) && this.x_of(run)! > 0)
        .map((run) => ({ value: [this.x_of(run), accuracy_of(run)], run })),
    };
  }

  private correlations(): Correlation[] {
    const name = this.metric_.value();
    const phase = name === "connections" ? null : this.phase_.value();
    return this.app.data.analysis.correlations.filter(
      (c) => c.with === name && (phase === null || c.phase === phase),
    );
  }
}

/** "Spearman ρ: n 96 −0.92 (−0.99 to −0.80; 15 runs, 3 seeds)." */
export function correlation_text(list: Correlation[]): string {
  const parts = list
    .filter((c) => finite(c.rho))
    .map((c) => {
      const interval =
        finite(c.low) && finite(c.high)
          ? `${signed(c.low)} to ${signed(c.high)}; `
          : "";
      const where = c.stratum ? stratum_label(c.stratum) : "overall";
      return `${where} ${signed(c.rho)} (${interval}${plural(c.runs, "run")}, ${plural(c.seeds, "seed")})`;
    });
  return parts.length ? `Spearman ρ: ${parts.join("; ")}.` : "";
}

export function signed(value: Num): string {
  return finite(value) ? value.toFixed(2).replace("-", "−") : "–";
}
