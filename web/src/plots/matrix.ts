// Cells in colour, rows by columns; and the choice of the one run they are of.
import type { App } from "../app";
import { category_axis, chart_base, tooltip, tooltip_html } from "../chart";
import type { Run } from "../data";
import { Chooser } from "../dom";
import type { Option } from "../echarts";
import { kViridis } from "../palette";

/** The choice of a run among those that are shown and have something. */
export class RunChooser extends Chooser {
  constructor() {
    super("run");
  }

  /** Offers these, and returns the chosen one. */
  among(runs: Run[]): Run | undefined {
    this.offer(
      runs.map(({ id, label, outcome }) => ({
        value: String(id),
        label: outcome === "completed" ? label : `${label} (${outcome})`,
      })),
    );
    return runs.find((run) => String(run.id) === this.value);
  }
}

export interface MatrixOptions {
  columns: string[];
  rows: string[];
  column: string;
  row: string;
  /** Column, row, and what gives the colour; beyond the range it is grey. */
  cells: [number, number, number][];
  range: { low: number; high: number };
  /** The ends of the colours, the highest first. */
  ends: [string, string];
  /** Of the box at the pointer. */
  title: (x: number, y: number) => string;
  text: (
    x: number,
    y: number,
  ) => { label: string; value: string; detail: string };
  border: number;
}

export function draw_matrix(app: App, o: MatrixOptions): Option {
  const { theme } = app;
  const { low, high } = o.range;
  const formatter = (p: { value: number[]; color: string }): string => {
    const [x, y] = [p.value[0]!, p.value[1]!];
    return tooltip_html(o.title(x, y), [{ colour: p.color, ...o.text(x, y) }]);
  };
  return {
    ...chart_base(theme, 90),
    tooltip: tooltip(theme, { formatter }),
    xAxis: category_axis(theme, o.column, o.columns),
    yAxis: {
      ...category_axis(theme, o.row, o.rows, {
        fontSize: 11,
        width: 190,
        overflow: "truncate",
        interval: label_interval(o.rows.length),
      }),
      inverse: true,
    },
    visualMap: {
      type: "continuous",
      min: low,
      max: high > low ? high : low + 1,
      dimension: 2,
      inRange: { color: kViridis },
      outOfRange: { color: theme.axis },
      unboundedRange: false,
      right: 0,
      top: "middle",
      itemHeight: 110,
      itemWidth: 12,
      textStyle: { color: theme.muted, fontSize: 11 },
      text: o.ends,
    },
    series: [
      {
        id: "cells",
        type: "heatmap",
        data: o.cells,
        progressive: 0,
        itemStyle: { borderColor: theme.card, borderWidth: o.border },
        emphasis: { itemStyle: { borderColor: theme.ink, borderWidth: 1 } },
      },
    ],
  };
}

/** Pixels of the whole chart: rows high enough for their names, up to about
 * 80 of them. */
export function matrix_height(rows: number): number {
  const row = rows <= 36 ? 17 : 13;
  return Math.min(1100, Math.max(220, 60 + row * rows));
}

/** How many names to leave out between two, so that they do not touch. */
export function label_interval(rows: number): number {
  return Math.max(0, Math.ceil((12.5 * rows) / (matrix_height(rows) - 60)) - 1);
}
