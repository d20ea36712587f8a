// Curves of the groups against the shared axis. A card is declared: which
// curves of a run it draws, how their values read, and what can be switched.
import type { App } from "../app";
import { axis_of, type AxisKey } from "../axis";
import type { CardSpec, Shown } from "../card";
import { percent_tick } from "../chart";
import type { Run, SeriesTable } from "../data";
import { checkbox, Chooser, Segments, type Option } from "../dom";
import { finite, listed, number, percent, seconds, whole } from "../format";
import {
  group_entries, lines_of, missing_note, part_of, source, type Source,
} from "../groups";
import { draw_lines, type LinesY } from "../lines";

/** A curve that a card can draw. */
interface CurveChoice extends Option {
  source: Source;
  /** How its values read, if not as plain numbers under its label. */
  y?: (app: App) => LinesY;
}

interface CurveSpec extends Omit<CardSpec, "draw" | "controls"> {
  /** Of more than one the reader chooses. */
  curves: CurveChoice[];
  /** The label of that choice, and what is chosen at first. */
  choice?: string;
  at_first?: string;
  /** Whether the vertical axis is logarithmic; "offered": as switched. */
  log?: boolean | "offered";
  /** A band from low to high, as switched; drawn at first or not. */
  band?: { label: string; at_first: boolean };
  /** A dashed curve beside each, drawn always or, with a label, as switched. */
  beside?: { source: Source; suffix: string; label?: string };
  /** Level until the next point. */
  steps?: boolean;
  /** The axis if the shared one is not recorded. */
  otherwise?: AxisKey;
  /** The runs to draw. */
  wanted?: (run: Run) => boolean;
  note?: (app: App) => string;
  /** What the card says if no run has the curve. */
  absent: string;
}

const kScales: Option<"linear" | "log">[] = [
  { value: "linear", label: "linear" },
  { value: "log", label: "log" },
];

export const scale_control = (at_first: "linear" | "log") =>
  new Segments("scale", kScales, at_first);

export function curve_card(app: App, spec: CurveSpec): CardSpec {
  const { curves, beside } = spec;
  const choice = new Chooser(spec.choice ?? "", curves);
  if (spec.at_first) choice.value = spec.at_first;
  const scale = scale_control("linear");
  const band = checkbox(
    spec.band?.label ?? "band",
    spec.band?.at_first ?? false,
  );
  const has_beside = app.data.runs.some(
    (run) => beside && part_of(run, beside.source, "step"),
  );
  const dashed = checkbox(beside?.label ?? "", !beside?.label);
  const draw = (hidden: ReadonlySet<string>): Shown => {
    const chosen = curves.find((c) => c.value === choice.value) ?? curves[0];
    if (!chosen) return { empty: spec.absent };
    const wanted = spec.wanted ?? ((): boolean => true);
    const recorded = (run: Run, key: AxisKey): boolean =>
      wanted(run) && part_of(run, chosen.source, key) !== null;
    const { runs } = app.selection;
    const asked = app.choices.axis;
    const axis =
      !spec.otherwise || runs.some((run) => recorded(run, asked))
        ? asked
        : spec.otherwise;
    const has = (run: Run): boolean => recorded(run, axis);
    const entries = group_entries(app, has);
    const note = spec.note?.(app) ?? "";
    if (!entries.length) {
      const elsewhere = runs.some((run) => recorded(run, "step"));
      const where = `Not recorded against ${axis_of(axis).label}.`;
      return { empty: elsewhere ? where : spec.absent, note };
    }
    const lines_from = (from: Source, style: object) =>
      lines_of(app, from, axis, hidden, wanted, style);
    const lines = lines_from(chosen.source, {
      band: spec.band && band.value,
      steps: spec.steps,
    });
    if (beside && dashed.value) {
      const style = { dashed: true, suffix: beside.suffix };
      lines.push(...lines_from(beside.source, style));
    }
    const y = chosen.y?.(app) ?? plain(chosen.label);
    const log = spec.log === "offered" ? scale.value === "log" : spec.log;
    const drawn = draw_lines({
      lines,
      theme: app.theme,
      x: axis_of(axis),
      y: { ...y, log: log ?? false },
    });
    const missing = missing_note(app, wanted, has, axis);
    const notes = [drawn.note, note, missing].filter(Boolean);
    return { ...drawn, entries, note: notes.join(" ") };
  };
  const controls = [
    curves.length > 1 && choice,
    spec.log === "offered" && scale,
    spec.band !== undefined && band,
    beside?.label !== undefined && has_beside && dashed,
  ];
  return { ...spec, zoomable: true, controls, draw };
}

const plain = (name: string): LinesY => ({ name, format: (v) => number(v) });

/** A card with one curve. */
const only = (
  part: string,
  name: string,
  y: CurveChoice["y"],
): CurveChoice[] => [
  { value: name, label: name, source: source(part, name), y: y! },
];

const accuracy = (): LinesY => ({
  name: "test accuracy (%)",
  format: (value) => percent(value),
  tick: percent_tick,
});
const loss = (): LinesY => ({
  name: "loss",
  format: (value) => number(value, 4),
});

/** Of the replicas, and on request of the averaged model beside them. */
const evaluation_card = (
  app: App,
  spec: Pick<CurveSpec, "plot" | "title" | "log" | "absent">,
  name: string,
  y: CurveChoice["y"],
): CardSpec =>
  curve_card(app, {
    ...spec,
    about:
      "Mean over replicas and seeds; the band goes from the lowest to the " +
      "highest replica of any seed.",
    curves: only("evaluations", name, y),
    band: { label: "band", at_first: true },
    beside: {
      source: source("evaluations", `averaged_${name}`),
      suffix: " averaged",
      label: "averaged model (dashed)",
    },
  });

export const accuracy_card = (app: App): CardSpec => {
  const absent = "No evaluation of accuracy has been recorded.";
  const spec = { plot: "accuracy", title: "Test accuracy", absent };
  return evaluation_card(app, spec, "accuracy", accuracy);
};

export const test_loss_card = (app: App): CardSpec => {
  const absent = "No evaluation of the loss has been recorded.";
  const spec = { plot: "loss", title: "Test loss", absent };
  return evaluation_card(app, { ...spec, log: "offered" }, "loss", loss);
};

export const train_loss_card = (app: App): CardSpec =>
  curve_card(app, {
    plot: "train-loss",
    title: "Training loss",
    about:
      "Of each worker's own batches; the band goes from the lowest to the " +
      "highest batch of any worker and seed.",
    curves: only("steps", "loss", loss),
    log: "offered",
    band: { label: "band", at_first: true },
    absent: "No step has been recorded.",
  });

/** The series of a table that the run's records have, by name. */
function choices_of(app: App, { path, series }: SeriesTable): CurveChoice[] {
  return series.map(({ name, title, unit, path: whole }) => ({
    value: name,
    label: title,
    source: source(path.join("."), whole.slice(path.length).join(".")),
    y: () => in_unit(app, title, unit),
  }));
}

function in_unit(app: App, title: string, unit: string): LinesY {
  if (unit === "s") return in_time(app, title);
  return plain(unit ? `${title} (${unit})` : title);
}

const table_of = (app: App, name: string): CurveChoice[] =>
  app.data.schema.tables
    .filter((table) => table.name === name)
    .flatMap((table) => choices_of(app, table));

/** What a probe records. */
export const metric_options = (app: App): CurveChoice[] =>
  table_of(app, "probes");

/** Whatever is recorded, also what has no card of its own. */
export const any_series_card = (app: App): CardSpec =>
  curve_card(app, {
    plot: "series",
    title: "Any recorded series",
    about: "Mean over workers or tensors, and over seeds.",
    choice: "series",
    curves: app.data.schema.tables.flatMap((table) =>
      choices_of(app, table).map((one) => ({
        ...one,
        value: `${table.name}.${one.value}`,
        label: `${table.title}: ${one.label}`,
      })),
    ),
    at_first: "steps.lr",
    log: "offered",
    band: { label: "band", at_first: false },
    absent: "No shown run has recorded this.",
  });

export const dispersion_card = (app: App): CardSpec =>
  curve_card(app, {
    plot: "dispersion",
    title: "Dispersion of the replicas over time",
    about:
      "How far the norms of the replicas' parameter tensors lie apart just " +
      "before averaging; mean over tensors and seeds.",
    curves: metric_options(app),
    choice: "metric",
    log: true,
    band: { label: "band: lowest to highest tensor", at_first: false },
    absent: "No probe of this metric has been recorded.",
  });

export const consensus_card = (app: App): CardSpec =>
  curve_card(app, {
    plot: "consensus",
    title: "Consensus distance",
    about:
      "Mean squared distance of the replicas from their average: " +
      "(1/n) Σ ‖xᵢ − x̄‖².",
    curves: metric_options(app).filter(
      ({ value }) => value === "consensus_distance",
    ),
    log: true,
    band: { label: "band", at_first: true },
    absent: "No consensus distance has been recorded.",
  });

/** Whether the run's degree changes. */
export function varies(run: Run): boolean {
  const values = (run.steps?.degree ?? []).filter(finite);
  return values.some((value) => value !== values[0]);
}

function constant_degrees(app: App): string {
  const constant = app.selection.groups
    .filter(({ runs }) => !runs.some(varies))
    .flatMap(({ group, runs }) => {
      const degrees = runs.flatMap((run) => run.steps?.degree ?? []);
      const degree = degrees.find(finite);
      return degree === undefined ? [] : [`${group.label} ${whole(degree)}`];
    });
  return constant.length ? `Constant: ${listed(constant)}.` : "";
}

export const degree_card = (app: App): CardSpec =>
  curve_card(app, {
    plot: "degree",
    title: "Number of neighbours over time",
    about:
      "Ada's k: dense at first, sparser later. Graphs that stay the same are " +
      "listed below.",
    curves: only("steps", "degree", () => ({
      name: "neighbours of a worker",
      format: (value) => number(value, 4),
    })),
    steps: true,
    wanted: varies,
    note: constant_degrees,
    absent: "No shown run changes its graph.",
  });

const has_density = (run: Run): boolean => !!run.density?.step.length;

/** False if no run chooses its density by itself. */
export const density_card = (app: App): CardSpec | false =>
  app.data.runs.some(has_density) &&
  curve_card(app, {
    plot: "density",
    title: "Automatic Ada: spread against its level",
    about:
      "The graph gets sparser while the spread (solid) of the replicas' norms " +
      "stays below the level (dashed).",
    curves: only("density", "spread", () => plain("coefficient of variation")),
    beside: { source: source("density", "level"), suffix: " level" },
    wanted: has_density,
    otherwise: "epoch",
    log: true,
    absent: "No shown run chooses its density by itself.",
  });

export function has_gossip(run: Run): boolean {
  return !!run.gossip?.workers?.gradients?.length;
}

/** Asynchronous runs without a virtual clock count time in gradients. */
function in_time(app: App, name: string): LinesY {
  const clocks = new Set(
    app.selection.runs
      .filter(has_gossip)
      .map((run) => run.gossip?.has_clock !== false),
  );
  if (!clocks.has(false)) return { name: `${name} (s)`, format: seconds };
  const unit = clocks.has(true)
    ? "s, or gradients of runs without a clock"
    : "gradients";
  return plain(`${name} (${unit})`);
}

export const gossip_card = (app: App): CardSpec =>
  curve_card(app, {
    plot: "gossip",
    title: "Averagings over time",
    about:
      "Asynchronous runs, all workers together: averagings that a worker " +
      "takes part in per gradient, how many gradients it computes between " +
      "what it reads and what it writes, how long it looks for a partner, and " +
      "how long its gradients are held back (max-lag).",
    wide: true,
    choice: "measure",
    curves: table_of(app, "gossip"),
    wanted: has_gossip,
    absent: "No shown run is asynchronous.",
  });
