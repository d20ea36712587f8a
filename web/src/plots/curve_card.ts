// Curves of the groups against the shared axis.
import type { App } from "../app";
import { axis_of } from "../axis";
import { ChartCard, type ChartShown } from "../chart_card";
import {
  group_entries,
  lines_of,
  missing_note,
  part_of,
  type Source,
} from "../curves";
import { draw_lines, type Line } from "../lines";

export interface Subject {
  source: Source;
  y: {
    name: string;
    log?: boolean;
    format: (value: number) => string;
    tick?: (value: number) => string;
  };
  /** Of the averaged model, dashed. */
  averaged?: Source | undefined;
  band: boolean;
  /** What the card says where no run has the curve. */
  absent: string;
}

/** Common to the cards below: what to draw is up to them. */
export abstract class CurveCard extends ChartCard {
  constructor(
    app: App,
    options: { plot: string; title: string; about: string; wide?: boolean },
  ) {
    super(app, { ...options, zoomable: true });
  }

  protected abstract subject(): Subject;

  protected compose(): ChartShown {
    const { app } = this;
    const subject = this.subject();
    const axis = app.choices.axis;
    const has = (run: Parameters<Source["axes"]>[0]): boolean =>
      part_of(run, subject.source, axis) !== null;
    const entries = group_entries(app, has);
    if (!entries.length) {
      return { entries, series: [], empty: this.why_empty(subject) };
    }
    const lines: Line[] = lines_of(app, subject.source, axis, this.hidden, {
      band: subject.band,
    });
    if (subject.averaged) {
      lines.push(
        ...lines_of(app, subject.averaged, axis, this.hidden, {
          dashed: true,
          suffix: " averaged",
        }),
      );
    }
    const drawn = draw_lines({
      lines,
      theme: app.theme,
      x: axis_of(axis),
      y: subject.y,
    });
    const notes = [drawn.note, missing_note(app, subject.source, axis)];
    return {
      entries,
      series: drawn.series,
      option: drawn.option,
      note: notes.filter(Boolean).join(" "),
    };
  }

  private why_empty(subject: Subject): string {
    const { runs } = this.app.selection;
    if (!runs.length) return "No run passes the filter.";
    const elsewhere = runs.some((run) => part_of(run, subject.source, "step"));
    return elsewhere
      ? `Not recorded against ${axis_of(this.app.choices.axis).label}.`
      : subject.absent;
  }
}
