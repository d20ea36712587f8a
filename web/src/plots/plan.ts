// Iteration times that were predicted: against workers, against bandwidth, and
// what they are made of.
import type { App } from "../app";
import type { CardSpec } from "../card";
import { Chooser } from "../dom";
import { bit_rate, finite, number, seconds } from "../format";
import { curve_through, draw_lines, type Line, type LinesX } from "../lines";
import { log_scale_of } from "../log_axis";
import { colour_at, kColourCount } from "../palette";
import {
  algorithms_of, first_shown, graph_label, kAllReduce, sizes_of, type Candidate,
  type Plan,
} from "../plan";
import type { Num } from "../data";
import { draw_bars } from "./bars";

const kNothing = "Nothing was predicted.";

/** One time, at x. */
interface Point {
  candidate: Candidate;
  x: number;
  seconds: Num;
}

interface TimesSpec extends Pick<CardSpec, "plot" | "title" | "about"> {
  /** A choice besides the algorithm's. */
  control?: Chooser;
  points(): Point[];
  axis(): LinesX;
}

/** A curve per graph, for one algorithm at a time with All-Reduce beside it. */
function times_card(app: App, plan: Plan, spec: TimesSpec): CardSpec {
  const graphs = [...new Set(plan.rows.map(graph_label))];
  const algorithms = algorithms_of(plan);
  const algorithm = new Chooser(
    "algorithm",
    algorithms.map((name) => ({ value: name, label: name })),
  );
  algorithm.value = first_shown(plan);

  const line_of = (label: string, points: Point[]): Line => {
    const central = points[0]!.candidate.algorithm === kAllReduce;
    const place = graphs.indexOf(label);
    return {
      key: label,
      label,
      colour: central ? app.theme.ink : colour_at(app.theme.mode, place),
      symbol: central ? 0 : Math.floor(place / kColourCount),
      curve: curve_through(
        points.map((point) => point.x),
        points.map((point) => point.seconds),
      ),
      runs: 1,
      width: central ? 3 : 2,
      marked: points.length < 20,
    };
  };
  const draw: CardSpec["draw"] = (hidden) => {
    const asked = [kAllReduce, algorithm.value];
    const points = spec
      .points()
      .filter(({ candidate }) => asked.includes(candidate.algorithm))
      .filter((point) => finite(point.seconds) && point.seconds > 0)
      .sort((a, b) => a.x - b.x);
    if (!points.length) return { empty: kNothing };
    const lines = graphs.flatMap((label) => {
      const mine = points.filter((p) => graph_label(p.candidate) === label);
      return mine.length ? [line_of(label, mine)] : [];
    });
    const entries = lines.map(({ key, label, colour, symbol }) => ({
      key,
      label,
      colour,
      symbol,
      line: "solid" as const,
    }));
    const drawn = draw_lines({
      lines: lines.filter((line) => !hidden.has(line.key)),
      theme: app.theme,
      x: spec.axis(),
      y: { name: "iteration time", log: true, format: seconds, tick: seconds },
    });
    return { ...drawn, entries };
  };
  const controls = [algorithms.length > 1 && algorithm, spec.control];
  return { ...spec, controls, draw };
}

function size_chooser(sizes: number[]): Chooser {
  const control = new Chooser(
    "workers",
    sizes.map((n) => ({ value: String(n), label: String(n) })),
  );
  control.value = String(sizes.at(-1) ?? "");
  control.element.hidden = sizes.length < 2;
  return control;
}

/** False if only one number of workers was asked for. */
export function plan_scale_card(app: App, plan: Plan): CardSpec | false {
  const ticks = sizes_of(plan);
  const [min, max] = [ticks[0] ?? 1, ticks.at(-1) ?? 1];
  if (ticks.length < 2) return false;
  return times_card(app, plan, {
    plot: "plan-workers",
    title: "Iteration time against workers",
    about:
      "Predicted by the runtime model, with the links and the compute times " +
      "that were asked for. A graph that a number of workers does not allow " +
      "has no point there.",
    points: () =>
      plan.rows.map((row) => ({ candidate: row, x: row.n, seconds: row.seconds })),
    axis: () => ({
      scale: () => ({ factor: 1, name: "workers" }),
      log: max >= 8 * min ? { min, max, ticks } : undefined,
      tick: (value) => number(value),
      format: (value) => `${number(value)} workers`,
    }),
  });
}

/** For one number of workers. */
export function plan_rate_card(app: App, plan: Plan): CardSpec {
  const size = size_chooser(plan.sweeps.map((sweep) => sweep.n));
  const sweep = () => plan.sweeps.find(({ n }) => String(n) === size.value);
  // In bits per second, whose powers of ten people know.
  const text = (bits: number): string => bit_rate(bits / 8);
  return times_card(app, plan, {
    plot: "plan-bandwidth",
    title: "Iteration time against bandwidth",
    about:
      "The same cluster with faster and slower links, at the same latency. " +
      "The dashed line marks the links as they are now.",
    control: size,
    points: () =>
      (sweep()?.rows ?? []).flatMap((row) =>
        sweep()!.rates.map((rate, i) => ({
          candidate: row,
          x: 8 * rate,
          seconds: row.seconds[i] ?? null,
        })),
      ),
    axis: () => {
      const now = plan.recommendations.find(
        ({ n }) => String(n) === size.value,
      )?.rate;
      return {
        scale: () => ({ factor: 1, name: "rate of a link" }),
        log: log_scale_of([(sweep()?.rates ?? []).map((rate) => 8 * rate)]),
        tick: text,
        format: text,
        mark: finite(now)
          ? { at: 8 * now, label: `now ${bit_rate(now)}` }
          : undefined,
      };
    },
  });
}

const kParts = [
  ["compute", "compute and update"],
  ["exposed", "exposed communication"],
  ["straggler", "stragglers"],
] as const;

export function plan_parts_card(app: App, plan: Plan): CardSpec {
  const size = size_chooser(sizes_of(plan));
  const draw: CardSpec["draw"] = (hidden) => {
    const rows = plan.rows
      .filter((row) => String(row.n) === size.value && finite(row.seconds))
      .sort((a, b) => a.seconds! - b.seconds!);
    if (!rows.length) return { empty: kNothing };
    const gain = (i: number): string => {
      const value = rows[i]!.gain;
      return finite(value) ? `, ${number(value, 3)} x All-Reduce's pace` : "";
    };
    return draw_bars(app, hidden, {
      categories: rows.map((row) => row.label),
      bars: kParts.map(([key, label], colour) => ({
        key,
        label,
        colour,
        values: rows.map((row) => Math.max(0, row[key] ?? 0)),
      })),
      stacked: true,
      category: "",
      axis: { name: "iteration time", format: seconds },
      title: (i) => `${rows[i]!.label}: ${seconds(rows[i]!.seconds)}${gain(i)}`,
      format: seconds,
    });
  };
  return {
    plot: "plan-parts",
    title: "Where an iteration goes",
    about:
      "The fastest first. Exposed is the time in which no worker can compute " +
      "because bytes are missing; stragglers is what differences between " +
      "workers and steps cost on top of it.",
    wide: true,
    controls: [size],
    draw,
  };
}
