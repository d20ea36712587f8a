// Accuracy against what goes with it: dispersion, a point per run; bytes and
// messages, a point per group.
import type { App } from "../app";
import type { CardSpec } from "../card";
import {
  chart_base, percent_tick, tooltip, tooltip_html, value_axis, type AxisOptions,
  type TooltipRow,
} from "../chart";
import { kPhases, type Correlation, type Num, type Run } from "../data";
import { Chooser, Segments } from "../dom";
import type { Option } from "../echarts";
import {
  byte_unit, bytes, count, finite, listed, number, percent, percent_statistic,
  plural, signed, statistic, stratum_label,
} from "../format";
import { group_entries, group_key } from "../groups";
import { log_scale_of } from "../log_axis";
import { accuracy_of, has_ended, per_worker } from "../outcome";
import { kSymbols } from "../palette";
import { scale_control } from "./curves";

/** A mark with its box, and bars of one standard deviation if there is one. */
interface Point {
  group: number;
  x: number;
  y: number;
  sd?: { x: Num; y: Num };
  title: string;
  rows: Omit<TooltipRow, "colour">[];
}

function draw_points(
  app: App,
  points: Point[],
  size: number,
  x: AxisOptions,
): Option {
  const { theme } = app;
  const groups = [...new Set(points.map((point) => point.group))];
  const marks = groups.map((id): Option => {
    const { colour, symbol } = app.look(id);
    return {
      id: group_key(id),
      type: "scatter",
      symbol: kSymbols[symbol],
      symbolSize: size,
      color: colour,
      itemStyle: { opacity: 0.9, borderColor: theme.card, borderWidth: 1 },
      emphasis: { focus: "series", scale: 1.3 },
      z: 4,
      data: points
        .filter((point) => point.group === id)
        .map((point) => ({ value: [point.x, point.y], point })),
    };
  });
  const formatter = (p: { color: string; data: { point?: Point } }): string => {
    const { point } = p.data;
    if (!point) return "";
    const rows = point.rows.map((row) => ({ ...row, colour: p.color }));
    return tooltip_html(point.title, rows);
  };
  return {
    ...chart_base(theme),
    tooltip: tooltip(theme, { formatter }),
    xAxis: value_axis(theme, x),
    yAxis: value_axis(theme, {
      name: "test accuracy (%)",
      format: percent_tick,
    }),
    series: [...marks, ...points.flatMap((p) => error_bars(app, p))],
  };
}

function error_bars(app: App, { group, x, y, sd }: Point): Option[] {
  const bar = (name: string, from: number[], to: number[]): Option => ({
    id: `${name} ${group}`,
    type: "line",
    data: [from, to],
    symbol: "none",
    silent: true,
    tooltip: { show: false },
    lineStyle: { color: app.colour(group), width: 1.5 },
    emphasis: { disabled: true },
    z: 3,
  });
  const bars: Option[] = [];
  const [dx, dy] = [sd?.x ?? 0, sd?.y ?? 0];
  if (dy > 0) bars.push(bar("y", [x, y - dy], [x, y + dy]));
  // Shorter ones are under the mark.
  if (dx > 1e-3 * x && dx < x) bars.push(bar("x", [x - dx, y], [x + dx, y]));
  return bars;
}

/** Final accuracy against what was sent for it. */
function cost_card(
  app: App,
  cost: "bytes" | "messages",
  title: string,
  about: string,
): CardSpec {
  const in_bytes = cost === "bytes";
  const scale = scale_control(in_bytes ? "linear" : "log");
  // At the end of training: what a run has so far is another point.
  const has = (run: Run): boolean =>
    has_ended(run) && finite(accuracy_of(run)) && finite(per_worker(run, cost));
  const format = in_bytes ? bytes : count;
  const draw: CardSpec["draw"] = (hidden) => {
    const entries = group_entries(app, has, "none");
    if (!entries.length) {
      return { empty: `No shown run has both an accuracy and its ${cost}.` };
    }
    const log = scale.value === "log";
    const found = app.selection.groups.flatMap(({ group, runs }) => {
      const sent = group[in_bytes ? "bytes_per_worker" : "messages_per_worker"];
      const { accuracy } = group;
      const [x, y] = [sent?.mean, accuracy?.mean];
      if (hidden.has(group_key(group.id)) || !runs.some(has)) return [];
      if (!finite(x) || !finite(y) || (log && x <= 0)) return [];
      return [{ group, x, y, sent: sent!, accuracy: accuracy! }];
    });
    const largest = found.reduce((most, { x }) => Math.max(most, x), 0);
    const unit = in_bytes ? byte_unit(largest) : { factor: 1, name: "" };
    const points = found.map(({ group, x, y, sent, accuracy }): Point => ({
      group: group.id,
      x: x / unit.factor,
      y,
      sd: { x: (sent.sd ?? 0) / unit.factor, y: accuracy.sd },
      title: `${group.label}, ${plural(accuracy.count, "run")}`,
      rows: [
        { label: "accuracy", value: percent_statistic(accuracy) },
        { label: "per worker", value: statistic(sent, format) },
      ],
    }));
    const option = draw_points(app, points, 12, {
      name: in_bytes
        ? `sent per worker (${unit.name})`
        : "messages sent per worker",
      log: log ? log_scale_of([points.map((point) => point.x)]) : undefined,
      from_zero: true,
      ...(in_bytes ? {} : { format: count }),
    });
    return { entries, series: found.map((it) => it.group.label), option };
  };
  return { plot: cost, title, about, controls: [scale], draw };
}

const kBars =
  "bars are one standard deviation over seeds, if that is more than the mark.";

export const bytes_card = (app: App): CardSpec =>
  cost_card(
    app,
    "bytes",
    "Final accuracy against bytes",
    `What each group reached for what a worker sent in all; ${kBars}`,
  );

export const messages_card = (app: App): CardSpec =>
  cost_card(
    app,
    "messages",
    "Final accuracy against messages",
    `A message is one logical transfer, however it is cut; ${kBars}`,
  );

const kConnections = "connections";

/** Final accuracy against how far the replicas lay apart. */
export function scatter_card(app: App): CardSpec {
  const metric = new Chooser("against", [
    ...app.data.metrics.map((m) => ({ value: m.name, label: m.title })),
    { value: kConnections, label: "number of connections" },
  ]);
  const phase = new Segments(
    "phase",
    kPhases.map((value) => ({ value, label: value })),
    "all",
  );
  const x_of = (run: Run): Num =>
    metric.value === kConnections
      ? (run.mean_degree ?? null)
      : (run.dispersion?.[metric.value]?.[phase.value] ?? null);
  const has = (run: Run): boolean =>
    finite(x_of(run)) && finite(accuracy_of(run));

  const draw: CardSpec["draw"] = (hidden) => {
    const of_connections = metric.value === kConnections;
    phase.element.hidden = of_connections;
    const entries = group_entries(app, has, "none");
    if (!entries.length) {
      return { empty: "No shown run has both an accuracy and this metric." };
    }
    const { runs, groups } = app.selection;
    const title = metric.label + phase_suffix(of_connections, phase.value);
    const points = runs
      .filter((run) => has(run) && x_of(run)! > 0)
      .filter((run) => !hidden.has(group_key(run.group)))
      .map((run): Point => ({
        group: run.group,
        x: x_of(run)!,
        y: accuracy_of(run)!,
        title: run.label,
        rows: [
          { label: "accuracy", value: percent(accuracy_of(run)) },
          { label: title, value: number(x_of(run)) },
        ],
      }));
    const zeros = groups.filter((group) =>
      group.runs.some((run) => has(run) && x_of(run)! <= 0),
    );
    const names = listed(zeros.map(({ group }) => group.label));
    const lost = `At 0, which a logarithmic axis cannot show: ${names}.`;
    const rho = correlation_text(
      app.data.analysis.correlations.filter(
        (c) =>
          c.with === metric.value &&
          (of_connections || c.phase === phase.value),
      ),
    );
    const shown = entries.filter((entry) => !hidden.has(entry.key));
    return {
      entries,
      series: shown.map((entry) => entry.label),
      option: draw_points(app, points, runs.length > 200 ? 7 : 11, {
        name: title,
        log: log_scale_of([runs.filter(has).map(x_of)]),
      }),
      note: [rho, zeros.length ? lost : ""].filter(Boolean).join(" "),
    };
  };
  return {
    plot: "scatter",
    title: "Accuracy against dispersion",
    about:
      "A point per run. Rank correlations (Spearman) are of the decentralized " +
      "runs, with 95 % intervals from bootstrap over seeds.",
    controls: [metric, phase],
    draw,
  };
}

const phase_suffix = (of_connections: boolean, phase: string): string =>
  of_connections || phase === "all" ? "" : `, ${phase} third`;

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
      const size = `${plural(c.runs, "run")}, ${plural(c.seeds, "seed")}`;
      return `${where} ${signed(c.rho)} (${interval}${size})`;
    });
  return parts.length ? `Spearman ρ: ${parts.join("; ")}.` : "";
}
