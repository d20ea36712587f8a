// Ada's number of neighbours over time, and for the automatic one the spread
// that it follows.
import type { App } from "../app";
import { axis_of } from "../axis";
import { ChartCard, type ChartShown } from "../chart_card";
import {
  group_entries,
  group_key,
  lines_of,
  part_of,
  type Source,
} from "../curves";
import type { Run } from "../data";
import { finite, number, whole } from "../format";
import { draw_lines, type Line } from "../lines";
import { aggregate } from "../aggregate";

const source: Source = {
  axes: (run) => run.steps,
  values: (run) => run.steps?.degree,
};

/** Whether the run's degree changes. */
export function varies(run: Run): boolean {
  const values = (run.steps?.degree ?? []).filter(finite);
  return values.some((value) => value !== values[0]);
}

export class DegreeCard extends ChartCard {
  constructor(app: App) {
    super(app, {
      plot: "degree",
      title: "Number of neighbours over time",
      about:
        "Ada's k: dense at first, sparser later. Graphs that stay the same " +
        "are listed below.",
      zoomable: true,
    });
  }

  protected compose(): ChartShown {
    const { app } = this;
    const axis = app.choices.axis;
    const entries = group_entries(app, varies);
    const note = this.constant_note();
    if (!entries.length) {
      const empty = app.selection.runs.length
        ? "No shown run changes its graph."
        : "No run passes the filter.";
      return { entries, series: [], empty, note };
    }
    const keys = new Set(entries.map((entry) => entry.key));
    const lines = lines_of(app, source, axis, this.hidden, { steps: true });
    const changing = new Set(
      app.selection.runs.filter(varies).map((r) => r.id),
    );
    const drawn = draw_lines({
      lines: lines.filter(
        (line) =>
          keys.has(line.key) ||
          (line.key.startsWith("r") && changing.has(Number(line.key.slice(1)))),
      ),
      theme: app.theme,
      x: axis_of(axis),
      y: { name: "neighbours of a worker", format: (v) => number(v, 4) },
    });
    return { entries, series: drawn.series, option: drawn.option, note };
  }

  private constant_note(): string {
    const constant: string[] = [];
    for (const { group, runs } of this.app.selection.groups) {
      if (runs.some(varies)) continue;
      const degree = runs
        .flatMap((run) => run.steps?.degree ?? [])
        .find(finite);
      if (degree !== undefined)
        constant.push(`${group.label} ${whole(degree)}`);
    }
    if (!constant.length) return "";
    const names = constant.slice(0, 12);
    if (constant.length > 12) names.push(`${constant.length - 12} more`);
    return `Constant: ${names.join(", ")}.`;
  }
}

const has_density = (run: Run): boolean =>
  Boolean(run.density && run.density.step.length);

export class DensityCard extends ChartCard {
  constructor(app: App) {
    super(app, {
      plot: "density",
      title: "Automatic Ada: spread against its level",
      about:
        "The graph gets sparser while the spread (solid) of the replicas' " +
        "norms stays below the level (dashed).",
      zoomable: true,
    });
  }

  static wanted(app: App): boolean {
    return app.data.runs.some(has_density);
  }

  protected compose(): ChartShown {
    const { app } = this;
    const entries = group_entries(app, has_density);
    if (!entries.length) {
      const empty = app.selection.runs.length
        ? "No shown run chooses its density by itself."
        : "No run passes the filter.";
      return { entries, series: [], empty };
    }
    const axis = app.choices.axis === "step" ? "step" : "epoch";
    const of = (name: "spread" | "level"): Source => ({
      axes: (run) => run.density,
      values: (run) => run.density?.[name],
    });
    const lines: Line[] = [
      ...lines_of(app, of("spread"), axis, this.hidden),
      ...this.levels(of("level"), axis),
    ];
    const drawn = draw_lines({
      lines,
      theme: app.theme,
      x: axis_of(axis),
      y: {
        name: "coefficient of variation",
        log: true,
        format: (value) => number(value),
      },
    });
    return {
      entries,
      series: drawn.series,
      option: drawn.option,
      note: drawn.note,
    };
  }

  /** One dashed line a group, also where every run has its own curve. */
  private levels(level: Source, axis: "step" | "epoch"): Line[] {
    const { app } = this;
    return app.selection.groups.flatMap(({ group, runs }): Line[] => {
      if (this.hidden.has(group_key(group.id))) return [];
      const parts = runs.flatMap((run) => part_of(run, level, axis) ?? []);
      if (!parts.length) return [];
      return [
        {
          key: `${group_key(group.id)} level`,
          label: `${group.label} level`,
          colour: app.colour(group.id),
          symbol: 0,
          curve: aggregate(parts),
          runs: parts.length,
          dashed: true,
        },
      ];
    });
  }
}
