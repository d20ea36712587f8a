// Data as the report makes it, for tests: invented from a short spec, but
// shaped like real runs.
import type {
  Axes, Band, Column, Correlation, Data, Detail, Frame, GossipFigures, Group,
  Phase, Run, Statistic,
} from "../src/data";

interface Spec {
  presets: string[];
  n: number[];
  seeds: number;
  /** Points of a curve. */
  points: number;
  epochs: number;
  /** Runs with details: the first seed of so many groups. */
  details: number;
  tensors: string[];
  virtual_time: boolean;
}

export const kPresets = [
  "c-complete",
  "d-complete",
  "ada",
  "d-exponential",
  "d-torus",
  "d-ring",
];

export const kTensors = ["fc1", "fc2", "fc3"].flatMap((layer) => [
  `${layer}.weight`,
  `${layer}.bias`,
]);

const kDefaults: Spec = {
  presets: kPresets,
  n: [96],
  seeds: 3,
  points: 120,
  epochs: 20,
  details: Infinity,
  tensors: kTensors,
  virtual_time: false,
};

const kMetrics = {
  gini: "Gini coefficient",
  index_of_dispersion: "index of dispersion",
  coefficient_of_variation: "coefficient of variation",
  quartile_coefficient: "quartile coefficient of dispersion",
};
type MetricName = keyof typeof kMetrics;
const kMetricNames = Object.keys(kMetrics) as MetricName[];

/** Written as "name" or "folder/name". */
function table(name: string, path: string[], series: string[]) {
  const one = (text: string) => {
    const parts = text.split("/");
    const title = parts.at(-1)!.replaceAll("_", " ");
    const unit = ["wait", "held"].includes(text) ? "s" : "";
    return { name: parts.at(-1)!, title, unit, path: [...path, ...parts] };
  };
  return { name, title: name, path, series: series.map(one) };
}

const kSchema: Data["schema"] = {
  tables: [
    table("steps", ["steps"], ["loss", "lr", "degree"]),
    table("probes", ["probes"], [
      ...kMetricNames.map((name) => `metrics/${name}`),
      "consensus_distance",
      "gradient_norm",
      "update_ratio",
    ]),
    table("gossip", ["gossip", "curves"], ["rate", "staleness", "wait", "held"]),
  ],
};

const kStepsPerEpoch = 19;
const kModelBytes = 318_040;

const six = (value: number): number => Number(value.toPrecision(6));
/** Between 0 and 1, the same every time. */
const wobble = (i: number): number => Math.abs(Math.sin(12.9898 * i) * 43) % 1;
const count_to = (n: number): number[] => Array.from({ length: n }, (_, i) => i);
const last_of = (column: Column): number => column[column.length - 1]!;

function by_name<T>(make: (name: MetricName, i: number) => T) {
  return Object.fromEntries(
    kMetricNames.map((name, i) => [name, make(name, i)]),
  );
}

/** One run to be made up; steps are shares 0..1 of its length. */
class Invented {
  readonly last: number;

  constructor(
    readonly spec: Spec,
    readonly preset: string,
    readonly n: number,
    readonly seed: number,
  ) {
    this.last = spec.epochs * kStepsPerEpoch - 1;
  }

  is(name: string): boolean {
    return this.preset.includes(name);
  }

  degree(epoch: number): number {
    const { n } = this;
    if (this.is("complete")) return n - 1;
    if (this.is("exponential")) return Math.ceil(Math.log2(n));
    if (this.is("torus")) return 4;
    if (!this.is("ada")) return 2;
    const share = Math.min(1, epoch / Math.max(1, this.spec.epochs - 1));
    return Math.max(2, 2 * Math.floor(((n - 1) * (1 - share)) / 2));
  }

  /** The Gini coefficient. */
  gini(step: number): number {
    if (this.is("c-complete")) return 0;
    const degree = this.degree((this.spec.epochs * step) / this.last);
    const decay = 0.15 + Math.exp((-4 * step) / this.last);
    return six((4e-3 / Math.sqrt(degree + 1)) * decay);
  }

  axes(steps: number[]): Required<Axes> {
    const sent = this.is("complete") ? 2 : Math.min(4, this.degree(0));
    const by = (factor: number): number[] =>
      steps.map((step) => six((step + 1) * factor));
    return {
      step: steps,
      epoch: by(1 / kStepsPerEpoch),
      bytes: by(sent * kModelBytes),
      messages: by(this.degree(0) + 1),
      seconds: by(0.4 + 0.02 * this.seed),
      virtual_seconds: this.spec.virtual_time ? by(0.01 + 0.002 * sent) : null,
    };
  }

  frames(): Frame[] {
    const at = { step: 0, epoch: 0, directed: false, degree: this.degree(0) };
    const { n } = this;
    if (this.is("complete")) return [{ ...at, kind: "complete" }];
    if (this.is("exponential")) {
      const offsets = count_to(at.degree).map((i) => 2 ** i);
      return [{ ...at, directed: true, kind: "offsets", offsets }];
    }
    if (this.is("torus")) {
      const columns = Math.round(Math.sqrt(n));
      const edges = count_to(n).flatMap((i): [number, number][] => [
        [i, (i + 1) % n],
        [i, (i + columns) % n],
      ]);
      return [{ ...at, kind: "edges", edges }];
    }
    return count_to(this.is("ada") ? this.spec.epochs : 1).map((epoch) => {
      const degree = this.degree(epoch);
      const offsets = count_to(degree / 2).map((i) => i + 1);
      const when = { ...at, epoch, step: epoch * kStepsPerEpoch };
      return degree >= n - 2
        ? { ...when, degree: n - 1, kind: "complete" }
        : { ...when, degree, kind: "offsets", offsets };
    });
  }

  detail(): Detail {
    const { tensors } = this.spec;
    const step = this.grid(60);
    const heat = (factor: number, floor = 0): Column[] =>
      tensors.map((_, t) =>
        step.map((s) => six(floor + factor * this.gini(s) * (1 + (t % 3)))),
      );
    const replicas = count_to(Math.min(this.n, 96));
    const odd = Math.min(5, replicas.length - 1);
    const norm = (t: number, replica: number, s: number): number =>
      (4 + t) *
      (1.25 - 0.25 * Math.exp((-3 * s) / this.last)) *
      (1 + 0.04 * wobble(replica) + (replica === odd ? 0.09 : 0));
    return {
      tensors,
      step,
      epoch: this.axes(step).epoch,
      heat: {
        ...by_name((_, i) => heat(1 / (i + 1))),
        gradient_norm: heat(400, 0.2),
        update_ratio: heat(3, 1e-3),
      },
      norms: tensors.slice(0, 12).map((tensor, t) => ({
        tensor,
        step,
        replicas,
        values: replicas.map((r) => step.map((s) => six(norm(t, r, s)))),
      })),
      outliers: [
        { tensor: tensors[0]!, replica: odd, share: 0.62, z: 7.13 },
        { tensor: tensors[1]!, replica: odd, share: 0.41, z: 5.02 },
        { tensor: tensors[1]!, replica: 0, share: 0.12, z: -3.91 },
      ],
    };
  }

  grid(points: number): number[] {
    return count_to(points).map((i) =>
      Math.round((this.last * i) / Math.max(1, points - 1)),
    );
  }

  /** The run but its place among the others. */
  run(): Omit<Run, "id" | "group" | "spec" | "label"> {
    const { n, preset, seed, last, spec } = this;
    const steps = this.grid(spec.points);
    const evaluated = count_to(Math.min(spec.epochs, spec.points)).map(
      (i) => (i + 1) * kStepsPerEpoch - 1,
    );
    const place = kPresets.findIndex((known) => preset.startsWith(known));
    const goal = 0.87 - 0.012 * Math.max(0, place) - 0.004 * Math.log2(n + seed);
    const towards = (from: number, to: number, pace: number) => (s: number) =>
      six(to + (from - to) * Math.exp((-pace * s) / last) + 3e-3 * wobble(s));
    const accuracy = evaluated.map(towards(goal - 0.45, goal, 5));
    const test_loss = accuracy.map((a) => six(2.3 * (1.03 - a)));
    const loss = steps.map(towards(2.1, 1.29 - goal, 6));
    const width = this.is("c-complete") ? 0 : 0.012;
    const axes = this.axes(steps);
    const gini = (factor: number, floor = 0): Band =>
      around(
        steps.map((s) => floor + factor * this.gini(s)),
        (v) => [v / 2, v * 2],
      );
    const degree = axes.epoch!.map((e) => this.degree(Math.floor(e!)));
    return {
      name: `${preset}-n${n}-s${seed}`,
      path: `runs/${preset}-n${n}-s${seed}`,
      outcome: "completed",
      n,
      seed,
      mean_degree: six(degree.reduce((a, b) => a + b, 0) / degree.length),
      result: {
        steps: last + 1,
        train_loss: last_of(loss),
        test_accuracy: last_of(accuracy),
        averaged_model_accuracy: six(last_of(accuracy) + 0.002),
        consensus_distance: six(this.gini(last) ** 2),
        seconds: last_of(axes.seconds!),
        virtual_seconds: axes.virtual_seconds
          ? last_of(axes.virtual_seconds)
          : null,
        messages: six(last_of(axes.messages!) * n),
        bytes: six(last_of(axes.bytes!) * n),
      },
      dispersion: by_name((_, i): Record<Phase, number> => ({
        all: six(this.gini(0.4 * last) / (i + 1)),
        early: six(this.gini(0.1 * last) / (i + 1)),
        middle: six(this.gini(0.5 * last) / (i + 1)),
        late: six(this.gini(0.9 * last) / (i + 1)),
      })),
      steps: {
        ...axes,
        loss: around(loss, (v) => [v - 0.14, v + 0.14]),
        lr: steps.map(() => 0.05),
        degree,
      },
      evaluations: {
        ...this.axes(evaluated),
        accuracy: around(accuracy, (v) => [v - width, v + width]),
        averaged_accuracy: accuracy.map((a) => six(a + 0.002)),
        loss: around(test_loss, (v) => [v - width, v + width]),
        averaged_loss: test_loss.map((l) => six(l - 0.005)),
      },
      probes: {
        ...axes,
        metrics: by_name((_, i) => gini(1 / (i + 1))),
        consensus_distance: gini(10),
        gradient_norm: gini(300, 0.4),
        update_ratio: gini(2, 1e-3),
      },
      spans: {
        data: 1.2 * n,
        forward: 30 * n,
        backward: 50 * n,
        update: 3 * n,
        exchange: six((1 + degree[0]! / 20) * n),
        wait: 0.2 * n,
        evaluate: 9 * n,
      },
    };
  }
}

function around(mean: number[], ends: (v: number) => [number, number]): Band {
  return {
    mean: mean.map(six),
    low: mean.map((v) => six(ends(v)[0])),
    high: mean.map((v) => six(ends(v)[1])),
  };
}

function statistic(values: number[]): Statistic {
  const mean = values.reduce((sum, v) => sum + v, 0) / values.length;
  const squares = values.reduce((sum, v) => sum + (v - mean) ** 2, 0);
  const sd = Math.sqrt(squares / Math.max(1, values.length - 1));
  const count = values.length;
  return { mean: six(mean), sd: count > 1 ? six(sd) : null, count };
}

/** Presets x scales x seeds. */
export function make_data(choices: Partial<Spec> = {}): Data {
  const spec = { ...kDefaults, ...choices };
  const { presets, n: ns, seeds } = spec;
  const keys = [
    ...(presets.length > 1 ? ["preset"] : []),
    ...(ns.length > 1 ? ["n"] : []),
    ...(seeds > 1 ? ["seed"] : []),
  ];
  const runs: Run[] = [];
  const cells = ns.flatMap((n) => presets.map((preset) => ({ n, preset })));
  const label_of = ({ n, preset }: { n: number; preset: string }): string =>
    ns.length > 1 ? `${preset}, n ${n}` : preset;
  const groups = cells.map((cell, id): Group => {
    const { n, preset } = cell;
    const mine = count_to(seeds).map((i): Run => {
      const run = new Invented(spec, preset, n, i + 1);
      const all: Record<string, string> = {
        preset,
        n: String(n),
        seed: String(i + 1),
      };
      return {
        ...run.run(),
        id: runs.length + i,
        group: id,
        label: `${label_of(cell)}, seed ${i + 1}`,
        spec: Object.fromEntries(keys.map((key) => [key, all[key]!])),
        detail: i === 0 && id < spec.details ? run.detail() : null,
      };
    });
    runs.push(...mine);
    const over = (value: (run: Run) => number): Statistic =>
      statistic(mine.map(value));
    return {
      id,
      label: label_of(cell),
      keys: { preset, ...(ns.length > 1 && { n: String(n) }) },
      n,
      decentralized: preset !== "c-complete",
      runs: mine.map((run) => run.id),
      accuracy: over((run) => run.result!.test_accuracy!),
      bytes_per_worker: over((run) => run.result!.bytes! / n),
      messages_per_worker: over((run) => run.result!.messages! / n),
    };
  });
  return {
    format_version: 1,
    title: "fashion-mnist-96",
    created: "2026-01-31T12:00:00Z",
    program: "grapevine 0.1.0",
    skipped: [],
    notes: ["Curves are down-sampled to 200 points, minima and maxima kept."],
    metrics: kMetricNames.map((name) => ({
      name,
      title: kMetrics[name],
      meaning: "0 if all are equal.",
    })),
    schema: kSchema,
    keys,
    common: { model: "mlp", batch: "32", epochs: String(spec.epochs) },
    groups,
    runs,
    graphs: cells.map((cell, group) => ({
      label: label_of(cell),
      group,
      n: cell.n,
      frames: new Invented(spec, cell.preset, cell.n, 1).frames(),
    })),
    analysis: analysis_of(groups, ns, seeds),
  };
}

function correlations_of(ns: number[], seeds: number): Correlation[] {
  const rhos = [-0.91, -0.88, -0.9, -0.35];
  const strata = [...ns.map((n) => ({ n: String(n) })), null];
  const of = (
    name: string,
    title: string,
    rho: number,
    phases: Phase[],
  ): Correlation[] =>
    phases.flatMap((phase) =>
      strata.map((stratum, i) => ({
        with: name,
        title,
        phase,
        stratum,
        rho: six(rho + 0.01 * i),
        low: six(rho - (Math.abs(rho) < 0.5 ? 0.6 : 0.08)),
        high: six(rho + (Math.abs(rho) < 0.5 ? 0.6 : 0.05)),
        runs: 5 * seeds,
        seeds,
      })),
    );
  return [
    ...of("connections", "number of connections", 0.94, ["all"]),
    ...kMetricNames.flatMap((name, i) =>
      of(name, kMetrics[name], rhos[i]!, ["all", "early", "middle", "late"]),
    ),
  ];
}

function analysis_of(
  groups: Group[],
  ns: number[],
  seeds: number,
): Data["analysis"] {
  if (groups.length < 2) {
    return { target: null, rankings: [], correlations: [], findings: [] };
  }
  const of = (mean: number, sd = 0): Statistic => ({ mean, sd, count: seeds });
  return {
    target: {
      accuracy: 0.8,
      rows: groups.map(({ id }) => ({
        group: id,
        reached: id % 7 === 6 ? 0 : seeds,
        runs: seeds,
        epochs: of(6 + 0.4 * id, 0.5),
        seconds: of(51 + id, 2.1),
        messages_per_worker: of(11040 / (id + 1)),
        bytes_per_worker: of(7.1e7 * (1 + 0.3 * id), 1e6),
      })),
    },
    rankings: ns.map((n) => ({
      stratum: ns.length > 1 ? { n: String(n) } : null,
      rows: groups
        .filter((group) => group.n === n)
        .map(({ id, accuracy }, i) => ({
          group: id,
          rank: i + 1,
          accuracy: accuracy!,
          not_worse_than_best: i < 2,
        })),
    })),
    correlations: correlations_of(ns.length > 1 ? ns : [], seeds),
    findings: [
      "At n = 96 accuracy rises with the number of connections (Spearman 0.94).",
      "No decentralized implementation reaches the target with fewer bytes.",
    ],
  };
}

export const six_by_three = (): Data => make_data();

export const one_run = (): Data => make_data({ presets: ["d-ring"], seeds: 1 });

/** 4 scales of 5 implementations. */
export const twenty_groups = (): Data =>
  make_data({
    presets: kPresets.slice(1),
    n: [12, 24, 48, 96],
    tensors: count_to(36).map((i) => `layer${i % 3}.${i}.conv.weight`),
    virtual_time: true,
  });

/** Presets with nothing in common but their names, so that colours repeat. */
export const twenty_names = (): Data =>
  make_data({
    presets: count_to(20).map(
      (i) => `${kPresets[i % 6]}-variant-with-a-long-name-${i + 1}`,
    ),
    seeds: 2,
    details: 3,
  });

export const thousand_runs = (): Data =>
  make_data({
    presets: kPresets.slice(0, 5),
    n: [4, 6, 8, 12, 16, 24, 32, 48, 64, 96],
    seeds: 20,
    points: 40,
    details: 6,
  });

export const no_runs = (): Data => ({
  ...one_run(),
  keys: [],
  common: {},
  groups: [],
  runs: [],
  graphs: [],
  skipped: [{ path: "runs/x", why: "no run.json" }],
});

/** A ring of 12 in which worker 4 is slow: its neighbours wait for it, and
 * all others for their neighbour towards it. */
export function waiting(): Data {
  const data = make_data({ presets: ["d-ring"], seeds: 1, n: [12] });
  const waits = count_to(12)
    .filter((worker) => worker !== 4)
    .map((i): [number, number, number] => {
      const up = (4 - i + 12) % 12 <= 6;
      return [i, (i + (up ? 1 : 11)) % 12, 20 + (i % 3)];
    });
  data.runs[0]!.blame = {
    seconds: 80,
    mean_wait_seconds: 19.4,
    waits: [...waits, [4, 3, 0.5], [7, 8, 1.5]],
    sentences: ["Worker 4 is the straggler: 24 % of the training time."],
  };
  return data;
}

/** Two asynchronous runs of 8 and one that is not; worker 3 is slow, and of
 * the second, between processes, worker 5 was lost and came back. */
export function asynchronous(): Data {
  const data = make_data({
    presets: ["d-ring", "ad-psgd", "a2cid2"],
    seeds: 1,
    n: [8],
    virtual_time: true,
  });
  const all: GossipFigures<number> = {
    gradients: 4525,
    averagings: 4440,
    rate: 0.98,
    staleness: 1.2,
    staleness_most: 4,
    wait_seconds: 0.0023,
    wait_most: 0.027,
    pair_seconds: 0.01,
    held_seconds: 0,
    lost: 0,
    came_back: 0,
  };
  for (const run of data.runs.slice(1)) {
    const { metrics: _, ...axes } = run.probes!;
    const by_worker = (value: number): number[] =>
      count_to(8).map((worker) => (worker === 3 ? value / 3 : value));
    run.gossip = {
      asked_rate: 1,
      has_clock: true,
      all,
      workers: Object.fromEntries(
        Object.entries(all).map(([name, value]) => [name, by_worker(value)]),
      ) as unknown as GossipFigures<Column>,
      members: null,
      curves: {
        ...axes,
        rate: axes.step.map((_, i) => 0.98 - 0.3 / (1 + i)),
        staleness: axes.step.map(() => 1.2),
        wait: axes.step.map((_, i) => 0.0023 + 0.001 / (1 + i)),
        held: axes.step.map(() => 0),
      },
      sentences: [
        "Below 0.75 of the median worker's 612 gradients: worker 3 (0.33).",
      ],
    };
  }
  const live = data.runs[2]!.gossip!;
  live.workers.lost[5] = 1;
  live.workers.came_back[5] = 1;
  live.members = count_to(8);
  live.sentences.push("Lost: worker 5 once (back once).");
  return data;
}

/** Nulls, a diverged, a failed and a running run, an automatic Ada, 1008
 * workers, and hostile texts. */
export function troubled(): Data {
  const data = make_data({
    presets: ["c-complete", "ada-auto", "d-ring", "d-complete"],
    n: [1008],
    seeds: 2,
  });
  for (const { probes, ...run } of data.runs.slice(2, 4)) {
    const { step, epoch, metrics } = probes!;
    const spread = metrics!["coefficient_of_variation"]!.mean;
    const level = step.map((_, i) => (i < 4 ? null : 6e-4));
    data.runs[run.id]!.density = { step, epoch: epoch!, spread, level };
  }
  const [bare, , interrupted, , diverged, running, failed] = data.runs as [
    ...(Run & object)[],
  ];
  Object.assign(bare!, { probes: null, spans: null });
  interrupted!.outcome = "interrupted";
  interrupted!.steps!.seconds = null;
  diverged!.outcome = "diverged";
  diverged!.error = "loss is not finite at step 180 </script><b>bold</b>";
  diverged!.steps!.loss!.mean.fill(null, 56);
  diverged!.evaluations!.accuracy!.mean.fill(null, 9);
  diverged!.result = { ...diverged!.result, test_accuracy: null };
  for (const part of ["steps", "evaluations", "probes"] as const) {
    Object.assign(running!, { [part]: first_half(running![part]) });
  }
  Object.assign(running!, { outcome: "running", result: null });
  Object.assign(failed!, {
    outcome: "failed",
    error: "rank 3 ended by signal 9",
    result: null,
    steps: null,
    evaluations: null,
    probes: null,
    dispersion: null,
    detail: null,
  });
  data.skipped = [
    { path: "runs/half", why: "spec.toml ends in the middle of a line" },
    { path: "runs/foreign", why: "no run.json" },
  ];
  data.title = 'troubled <img src=x onerror="alert(1)"> & co';
  return data;
}

/** The first half of each column. */
function first_half(value: unknown): unknown {
  if (Array.isArray(value)) return value.slice(0, Math.ceil(value.length / 2));
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, first_half(inner)]),
  );
}
