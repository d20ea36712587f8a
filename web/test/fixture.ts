// Data as the report makes it, for tests: invented, but shaped like real runs.
import type {
  Band,
  Column,
  Correlation,
  Data,
  Detail,
  Frame,
  Graph,
  Group,
  Phase,
  Run,
  Statistic,
} from "../src/data";

export interface FixtureOptions {
  presets?: string[];
  n?: number[];
  seeds?: number;
  /** Points of a curve. */
  points?: number;
  epochs?: number;
  /** Runs with details: the first seed of so many groups. */
  details?: number;
  tensors?: string[];
  virtual_time?: boolean;
  auto?: boolean;
}

/** A small generator that repeats: fixtures are the same every time. */
function chance(seed: number): () => number {
  let state = (seed * 2654435761 + 12345) >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

const six = (value: number): number => Number(value.toPrecision(6));

export const kPresets = [
  "c-complete",
  "d-complete",
  "ada",
  "d-exponential",
  "d-torus",
  "d-ring",
];

export const kTensors = [
  "fc1.weight",
  "fc1.bias",
  "fc2.weight",
  "fc2.bias",
  "fc3.weight",
  "fc3.bias",
];

export const kManyTensors = Array.from({ length: 9 }, (_, block) => [
  `layer${Math.floor(block / 3) + 1}.${block % 3}.conv1.weight`,
  `layer${Math.floor(block / 3) + 1}.${block % 3}.bn1.weight`,
  `layer${Math.floor(block / 3) + 1}.${block % 3}.bn1.bias`,
  `layer${Math.floor(block / 3) + 1}.${block % 3}.conv2.weight`,
]).flat();

function degree_of(
  preset: string,
  n: number,
  epoch: number,
  epochs: number,
): number {
  if (preset.includes("complete")) return n - 1;
  if (preset.startsWith("ada")) {
    const share = Math.min(1, epoch / Math.max(1, epochs - 1));
    return Math.max(2, Math.floor(((n - 1) * (1 - share)) / 2) * 2);
  }
  if (preset.includes("exponential")) return Math.ceil(Math.log2(n));
  if (preset.includes("torus")) return 4;
  return 2;
}

function quality(preset: string, n: number): number {
  const i = kPresets.findIndex((known) => preset.startsWith(known));
  return (
    0.87 - 0.004 * Math.max(0, i) * Math.log2(n / 6) - 0.004 * Math.log2(n)
  );
}

const kModelBytes = 318_040;
const kStepsPerEpoch = 19;

interface Choice {
  preset: string;
  n: number;
  seed: number;
  lr?: string;
}

interface Shape {
  points: number;
  epochs: number;
  virtual_time: boolean;
}

function grid(count: number, last: number): number[] {
  return Array.from({ length: count }, (_, i) =>
    Math.round((last * i) / Math.max(1, count - 1)),
  );
}

function axes_at(steps: number[], choice: Choice, shape: Shape) {
  const mean_degree = (step: number): number =>
    degree_of(choice.preset, choice.n, step / kStepsPerEpoch / 2, shape.epochs);
  const copies = (step: number): number =>
    choice.preset.includes("complete")
      ? (2 * (choice.n - 1)) / choice.n
      : Math.min(4, mean_degree(step));
  const pace = 0.4 + 0.02 * choice.seed;
  return {
    step: steps,
    epoch: steps.map((step) => six((step + 1) / kStepsPerEpoch)),
    bytes: steps.map((step) => six((step + 1) * copies(step) * kModelBytes)),
    messages: steps.map((step) => six((step + 1) * (mean_degree(step) + 1))),
    seconds: steps.map((step) => six((step + 1) * pace)),
    virtual_seconds: shape.virtual_time
      ? steps.map((step) => six((step + 1) * (0.01 + 0.002 * copies(step))))
      : null,
  };
}

function band(mean: Column, width: (i: number) => number): Band {
  return {
    mean,
    low: mean.map((v, i) => (v === null ? null : six(v - width(i)))),
    high: mean.map((v, i) => (v === null ? null : six(v + width(i)))),
  };
}

function relative_band(mean: Column, factor: number): Band {
  return {
    mean,
    low: mean.map((v) => (v === null ? null : six(v / factor))),
    high: mean.map((v) => (v === null ? null : six(v * factor))),
  };
}

/** Of the Gini coefficient at a share 0..1 of the run. */
function dispersion_at(choice: Choice, share: number): number {
  if (choice.preset === "c-complete") return 0;
  const degree = degree_of(choice.preset, choice.n, share * 10, 11);
  const base = 4e-3 / Math.sqrt(degree + 1);
  return base * (0.15 + Math.exp(-4 * share)) * Math.sqrt(choice.n / 96);
}

function make_detail(choice: Choice, tensors: string[], last: number): Detail {
  const random = chance(choice.seed * 7 + choice.n);
  const step = grid(60, last);
  const heat_of = (factor: number): Column[] =>
    tensors.map((_, t) =>
      step.map((s) =>
        six(
          factor *
            dispersion_at(choice, s / (last || 1)) *
            (0.3 + 1.4 * Math.abs(Math.sin(t * 1.7 + 0.4))) *
            (0.8 + 0.4 * random()),
        ),
      ),
    );
  const replicas = Array.from({ length: Math.min(choice.n, 96) }, (_, i) => i);
  const odd = replicas[Math.min(5, replicas.length - 1)] ?? 0;
  return {
    tensors,
    step,
    epoch: step.map((s) => six((s + 1) / kStepsPerEpoch)),
    heat: {
      gini: heat_of(1),
      index_of_dispersion: heat_of(0.01),
      coefficient_of_variation: heat_of(1.8),
      quartile_coefficient: heat_of(0.9),
      gradient_norm: heat_of(400).map((row) =>
        row.map((v) => six((v ?? 0) + 0.2)),
      ),
      update_ratio: heat_of(3).map((row) =>
        row.map((v) => six((v ?? 0) + 1e-3)),
      ),
    },
    norms: tensors.slice(0, 12).map((tensor, t) => ({
      tensor,
      step,
      replicas,
      values: replicas.map((replica) => {
        const own = (random() - 0.5) * 0.04 + (replica === odd ? 0.09 : 0);
        return step.map((s) =>
          six(
            (4 + t) *
              (1 + 0.25 * (1 - Math.exp((-3 * s) / (last || 1)))) *
              (1 + own + 0.004 * random()),
          ),
        );
      }),
    })),
    outliers: [
      { tensor: tensors[0]!, replica: odd, share: 0.62, z: 7.13 },
      { tensor: tensors[1]!, replica: odd, share: 0.41, z: 5.02 },
      { tensor: tensors[1]!, replica: 0, share: 0.12, z: -3.91 },
    ],
  };
}

function make_run(
  id: number,
  group: number,
  choice: Choice,
  keys: string[],
  shape: Shape,
  detail: Detail | null,
): Run {
  const random = chance(id + 1);
  const { preset, n, seed } = choice;
  const last = shape.epochs * kStepsPerEpoch - 1;
  const eval_steps = Array.from(
    { length: Math.min(shape.epochs, shape.points) },
    (_, i) => (i + 1) * kStepsPerEpoch - 1,
  );
  const steps = grid(shape.points, last);
  const goal = quality(preset, n) + 0.006 * (random() - 0.5);
  const accuracy = eval_steps.map((s) =>
    six(goal - 0.45 * Math.exp(-5 * (s / last)) + 0.006 * (random() - 0.5)),
  );
  const losses = steps.map((s) =>
    six(
      0.42 + 1.7 * Math.exp(-6 * (s / last)) + 0.03 * random() + (0.87 - goal),
    ),
  );
  const test_losses = accuracy.map((a) => six(2.3 * (1.03 - a)));
  const replicas_differ = preset !== "c-complete";
  const share = (s: number): number => s / last;
  const gini = steps.map((s) =>
    six(dispersion_at(choice, share(s)) * (0.9 + 0.2 * random())),
  );
  const times = (factor: number): Column => gini.map((v) => six(factor * v));
  const degrees = steps.map((s) =>
    degree_of(preset, n, Math.floor((s + 1) / kStepsPerEpoch), shape.epochs),
  );
  const axes = axes_at(steps, choice, shape);
  const of = (factor: number): Record<Phase, number> => ({
    all: six(factor * dispersion_at(choice, 0.4)),
    early: six(factor * dispersion_at(choice, 0.1)),
    middle: six(factor * dispersion_at(choice, 0.5)),
    late: six(factor * dispersion_at(choice, 0.9)),
  });
  const spec: Record<string, string> = {
    preset,
    n: String(n),
    seed: String(seed),
    ...(choice.lr ? { lr: choice.lr } : {}),
  };
  const label_parts = keys
    .filter((key) => key !== "preset" && key !== "seed")
    .map((key) => `${key} ${spec[key]}`);
  const label = [preset, ...label_parts].join(", ");
  return {
    id,
    name: `${preset}-n${n}-s${seed}`,
    path: `runs/${preset}-n${n}-s${seed}`,
    label: `${label}, seed ${seed}`,
    group,
    outcome: "completed",
    error: null,
    spec: Object.fromEntries(keys.map((key) => [key, spec[key] ?? ""])),
    n,
    seed,
    mean_degree: six(degrees.reduce((sum, d) => sum + d, 0) / degrees.length),
    result: {
      epochs: shape.epochs,
      steps: last + 1,
      train_loss: losses[losses.length - 1]!,
      test_accuracy: accuracy[accuracy.length - 1]!,
      averaged_model_accuracy: six(accuracy[accuracy.length - 1]! + 0.002),
      consensus_distance: replicas_differ
        ? six(dispersion_at(choice, 1) ** 2)
        : 0,
      samples_per_second: 25000,
      seconds: axes.seconds[axes.seconds.length - 1]!,
      virtual_seconds: axes.virtual_seconds?.[axes.seconds.length - 1] ?? null,
      messages: six(axes.messages[axes.messages.length - 1]! * n),
      bytes: six(axes.bytes[axes.bytes.length - 1]! * n),
    },
    dispersion: {
      gini: of(1),
      index_of_dispersion: of(0.01),
      coefficient_of_variation: of(1.8),
      quartile_coefficient: of(0.9),
    },
    steps: {
      ...axes,
      loss: band(losses, () => 0.12 + 0.05 * random()),
      lr: steps.map(() => 0.05),
      degree: degrees,
    },
    evaluations: {
      ...axes_at(eval_steps, choice, shape),
      accuracy: band(accuracy, () => (replicas_differ ? 0.012 : 0)),
      averaged_accuracy: accuracy.map((a) => six(a + 0.002)),
      loss: band(test_losses, () => (replicas_differ ? 0.02 : 0)),
      averaged_loss: test_losses.map((l) => six(l - 0.005)),
    },
    probes: {
      ...axes,
      metrics: {
        gini: relative_band(gini, 2.2),
        index_of_dispersion: relative_band(times(0.01), 2.2),
        coefficient_of_variation: relative_band(times(1.8), 2.2),
        quartile_coefficient: relative_band(times(0.9), 2.2),
      },
      consensus_distance: relative_band(
        gini.map((v) => six(v * v * 1e4)),
        1.15,
      ),
      gradient_norm: relative_band(
        times(300).map((v) => six((v ?? 0) + 0.4)),
        1.6,
      ),
      update_ratio: relative_band(
        times(2).map((v) => six((v ?? 0) + 1e-3)),
        1.6,
      ),
    },
    spans: {
      data: 1.2 * n,
      forward: 30 * n,
      backward: 50 * n,
      update: 3 * n,
      exchange: six((1 + degrees[0]! / 20) * n),
      wait: six(0.4 * random() * n),
      evaluate: 9 * n,
    },
    density: null,
    detail,
  };
}

function statistic(values: number[]): Statistic {
  const mean = values.reduce((sum, v) => sum + v, 0) / values.length;
  const squares = values.reduce((sum, v) => sum + (v - mean) ** 2, 0);
  const sd =
    values.length > 1 ? Math.sqrt(squares / (values.length - 1)) : null;
  return {
    mean: six(mean),
    sd: sd === null ? null : six(sd),
    count: values.length,
  };
}

function frames_of(preset: string, n: number, epochs: number): Frame[] {
  const base = { step: 0, epoch: 0, directed: false };
  if (preset.includes("complete")) {
    return [{ ...base, degree: n - 1, kind: "complete" }];
  }
  if (preset.startsWith("ada")) {
    return Array.from({ length: epochs }, (_, epoch): Frame => {
      const degree = degree_of(preset, n, epoch, epochs);
      const at = { step: epoch * kStepsPerEpoch, epoch, directed: false };
      return degree >= n - 2
        ? { ...at, degree: n - 1, kind: "complete" }
        : {
            ...at,
            degree,
            kind: "offsets",
            offsets: Array.from({ length: degree / 2 }, (_, i) => i + 1),
          };
    });
  }
  if (preset.includes("exponential")) {
    const offsets: number[] = [];
    for (let o = 1; o < n; o *= 2) offsets.push(o);
    return [
      {
        ...base,
        directed: true,
        degree: offsets.length,
        kind: "offsets",
        offsets,
      },
    ];
  }
  if (preset.includes("torus")) {
    const columns = Math.max(2, Math.round(Math.sqrt(n)));
    const edges: [number, number][] = [];
    for (let i = 0; i < n; ++i) {
      edges.push([i, (i + 1) % n], [i, (i + columns) % n]);
    }
    return [{ ...base, degree: 4, kind: "edges", edges }];
  }
  return [{ ...base, degree: 2, kind: "offsets", offsets: [1] }];
}

function correlations_of(ns: number[], seeds: number): Correlation[] {
  const subjects = [
    ["connections", "number of connections", 0.94],
    ["gini", "Gini coefficient", -0.91],
    ["index_of_dispersion", "index of dispersion", -0.88],
    ["coefficient_of_variation", "coefficient of variation", -0.9],
    ["quartile_coefficient", "quartile coefficient of dispersion", -0.35],
  ] as const;
  const strata = [...ns.map((n) => ({ n: String(n) })), null];
  return subjects.flatMap(([name, title, rho]) =>
    (name === "connections"
      ? ["all"]
      : ["all", "early", "middle", "late"]
    ).flatMap((phase) =>
      strata.map((stratum, i): Correlation => ({
        with: name,
        title,
        phase: phase as Phase,
        stratum,
        rho: six(rho + 0.01 * i),
        low: six(Math.max(-1, rho - (Math.abs(rho) < 0.5 ? 0.6 : 0.08))),
        high: six(Math.min(1, rho + (Math.abs(rho) < 0.5 ? 0.6 : 0.05))),
        runs: 5 * seeds,
        seeds,
      })),
    ),
  );
}

/** Presets x scales x seeds. */
export function make_data(o: FixtureOptions = {}): Data {
  const presets = o.presets ?? kPresets;
  const ns = o.n ?? [96];
  const seeds = o.seeds ?? 3;
  const shape: Shape = {
    points: o.points ?? 120,
    epochs: o.epochs ?? 20,
    virtual_time: o.virtual_time ?? false,
  };
  const tensors = o.tensors ?? kTensors;
  const details = o.details ?? presets.length * ns.length;
  const keys = [
    ...(presets.length > 1 ? ["preset"] : []),
    ...(ns.length > 1 ? ["n"] : []),
    ...(seeds > 1 ? ["seed"] : []),
  ];
  const groups: Group[] = [];
  const runs: Run[] = [];
  const graphs: Graph[] = [];
  for (const n of ns) {
    for (const preset of presets) {
      const id = groups.length;
      const mine: Run[] = [];
      for (let seed = 1; seed <= seeds; ++seed) {
        const choice = { preset, n, seed };
        const last = shape.epochs * kStepsPerEpoch - 1;
        const detail =
          seed === 1 && id < details
            ? make_detail(choice, tensors, last)
            : null;
        mine.push(
          make_run(runs.length + mine.length, id, choice, keys, shape, detail),
        );
      }
      if (o.auto && preset === "ada-auto") {
        for (const run of mine) add_density(run);
      }
      runs.push(...mine);
      const label = ns.length > 1 ? `${preset}, n ${n}` : preset;
      groups.push({
        id,
        label,
        keys: {
          ...(presets.length > 1 ? { preset } : {}),
          ...(ns.length > 1 ? { n: String(n) } : {}),
        },
        n,
        decentralized: preset !== "c-complete",
        runs: mine.map((run) => run.id),
        accuracy: statistic(mine.map((run) => run.result!.test_accuracy!)),
      });
      graphs.push({
        label,
        group: id,
        n,
        frames: frames_of(preset, n, shape.epochs),
      });
    }
  }
  return {
    format_version: 1,
    title: "fashion-mnist-96",
    created: "2026-01-31T12:00:00Z",
    program: "grapevine 0.1.0",
    skipped: [],
    notes: ["Curves are down-sampled to 200 points, minima and maxima kept."],
    metrics: [
      {
        name: "gini",
        title: "Gini coefficient",
        meaning: "0 where all are equal.",
      },
      {
        name: "index_of_dispersion",
        title: "index of dispersion",
        meaning: "Variance by mean.",
      },
      {
        name: "coefficient_of_variation",
        title: "coefficient of variation",
        meaning: "Standard deviation by mean.",
      },
      {
        name: "quartile_coefficient",
        title: "quartile coefficient of dispersion",
        meaning: "(Q3 - Q1) / (Q3 + Q1).",
      },
    ],
    keys,
    common: {
      model: "mlp",
      data: "fashion-mnist",
      batch: "32",
      lr: "0.02",
      "lr-scaling": "sqrt",
      "lr-scaling-by": "workers",
      momentum: "0.9",
      "weight-decay": "0.0001",
      epochs: String(shape.epochs),
      "probe-every": "1",
      ...(ns.length === 1 ? { n: String(ns[0]) } : {}),
    },
    groups,
    runs,
    graphs,
    analysis: make_analysis(groups, ns, seeds),
  };
}

function add_density(run: Run): void {
  const step = run.probes!.step;
  run.density = {
    step,
    epoch: run.probes!.epoch!,
    spread: run.probes!.metrics!["coefficient_of_variation"]!.mean,
    level: step.map((_, i) => (i < 4 ? null : 6e-4)),
    k: run.steps!.degree!,
  };
}

function make_analysis(groups: Group[], ns: number[], seeds: number) {
  const several = groups.length > 1;
  return {
    target: several
      ? {
          accuracy: 0.8,
          rows: groups.map((group, i) => ({
            group: group.id,
            reached: i % 7 === 6 ? 0 : seeds,
            runs: seeds,
            epochs: { mean: 6 + i * 0.4, sd: 0.5, count: seeds },
            seconds: { mean: 51 + i, sd: 2.1, count: seeds },
            messages_per_worker: { mean: 11040 / (i + 1), sd: 0, count: seeds },
            bytes_per_worker: {
              mean: 7.1e7 * (1 + 0.3 * i),
              sd: 1e6,
              count: seeds,
            },
          })),
        }
      : null,
    rankings: several
      ? ns.map((n) => ({
          stratum: ns.length > 1 ? { n: String(n) } : null,
          rows: groups
            .filter((group) => group.n === n)
            .sort((a, b) => b.accuracy!.mean! - a.accuracy!.mean!)
            .map((group, i) => ({
              group: group.id,
              rank: i + 1,
              accuracy: group.accuracy!,
              not_worse_than_best: i < 2,
            })),
        }))
      : [],
    correlations: several
      ? correlations_of(ns.length > 1 ? ns : [], seeds)
      : [],
    findings:
      several && seeds > 1
        ? [
            "At n = 96 accuracy rises with the number of connections (Spearman 0.94, 95 % interval 0.86 to 0.99, 3 seeds).",
            "At n = 96 accuracy falls with the Gini coefficient of the early third (Spearman −0.91, 95 % interval −0.99 to −0.86, 3 seeds).",
            "The spread of the norms is 4.1 times as large in the early third as in the late one (95 % interval 3.6 to 4.7).",
            "No decentralized implementation reaches the target with fewer bytes per worker than all-reduce.",
          ]
        : [],
  };
}

export const six_by_three = (): Data => make_data();

/** A ring of 12 in which worker 4 is slow: its neighbours wait for it, and
 * all others for their neighbour towards it. */
export function waiting(): Data {
  const data = make_data({ presets: ["d-ring"], seeds: 1, n: [12] });
  const waits = Array.from({ length: 12 }, (_, i): [number, number, number] => {
    const up = (4 - i + 12) % 12 <= 6;
    return [i, (i + (up ? 1 : 11)) % 12, 20 + (i % 3)];
  }).filter(([worker]) => worker !== 4);
  waits.push([4, 3, 0.5], [7, 8, 1.5]);
  data.runs[0]!.blame = {
    seconds: 80,
    mean_wait_seconds: 19.4,
    compute_seconds: Array.from({ length: 12 }, (_, i) => (i === 4 ? 79 : 58)),
    waits,
    straggler: { worker: 4, cost_seconds: 19.2, cost_share: 0.24 },
    slowest_link: null,
    sentences: [
      "Worker 4 is the straggler: waiting for it cost the mean worker 19.2 s, " +
        "24 % of the training time; its compute takes 1.36 times the median.",
    ],
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
  const [, first, second] = data.runs;
  for (const run of [first!, second!]) {
    const by = (value: (i: number) => number): number[] =>
      Array.from({ length: 8 }, (_, i) => value(i));
    const { step, epoch, bytes, messages, seconds, virtual_seconds } =
      run.probes!;
    const figures = {
      gradients: by((i) => (i === 3 ? 200 : 600 + 5 * i)),
      averagings: by((i) => (i === 3 ? 190 : 590 + 5 * i)),
      rate: by((i) => (i === 3 ? 0.95 : 0.98)),
      staleness: by((i) => 1 + 0.05 * i),
      staleness_most: by((i) => 3 + (i % 2)),
      wait_seconds: by((i) => 0.002 + 0.0001 * i),
      wait_most: by((i) => 0.02 + 0.001 * i),
      pair_seconds: by(() => 0.01),
      held_seconds: by(() => 0),
      lost: by(() => 0),
      came_back: by(() => 0),
    };
    run.gossip = {
      asked_rate: 1,
      has_clock: true,
      all: {
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
      },
      workers: figures,
      members: null,
      changes: [],
      curves: {
        step,
        epoch: epoch!,
        bytes: bytes!,
        messages: messages!,
        seconds: seconds!,
        virtual_seconds: virtual_seconds ?? null,
        rate: step.map((_, i) => 0.98 - 0.3 / (1 + i)),
        staleness: step.map(() => 1.2),
        wait: step.map((_, i) => 0.0023 + 0.001 / (1 + i)),
        held: step.map(() => 0),
      },
      sentences: [
        "Below 0.75 of the median worker's 612 gradients: worker 3 (0.33).",
      ],
    };
  }
  const live = second!.gossip!;
  live.workers.lost[5] = 1;
  live.workers.came_back[5] = 1;
  live.members = [0, 1, 2, 3, 4, 5, 6, 7];
  live.sentences.push("Lost: worker 5 once (back once).");
  return data;
}

export const one_run = (): Data => make_data({ presets: ["d-ring"], seeds: 1 });

/** 4 scales of 5 implementations. */
export const twenty_groups = (): Data =>
  make_data({
    presets: kPresets.slice(1),
    n: [12, 24, 48, 96],
    tensors: kManyTensors,
    virtual_time: true,
  });

/** Presets with nothing in common but their names, so that colours repeat. */
export const twenty_names = (): Data =>
  make_data({
    presets: Array.from(
      { length: 20 },
      (_, i) => `${kPresets[i % 6]}-variant-with-a-long-name-${i + 1}`,
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

export function no_runs(): Data {
  const data = make_data({ presets: ["d-ring"], seeds: 1 });
  return {
    ...data,
    keys: [],
    common: {},
    groups: [],
    runs: [],
    graphs: [],
    skipped: [{ path: "runs/x", why: "no run.json" }],
  };
}

/** Nulls, a diverged, a failed and a running run, an automatic Ada, 1008
 * workers, and hostile texts. */
export function troubled(): Data {
  const data = make_data({
    presets: ["c-complete", "ada-auto", "d-ring", "d-complete"],
    n: [1008],
    seeds: 2,
    auto: true,
  });
  const [first, , third, , fifth, sixth] = data.runs;
  const diverged = fifth!;
  diverged.outcome = "diverged";
  diverged.error = "loss is not finite at step 180 </script><b>bold</b>";
  diverged.steps!.loss!.mean = diverged.steps!.loss!.mean.map((v, i) =>
    i > 55 ? null : v,
  );
  diverged.evaluations!.accuracy!.mean =
    diverged.evaluations!.accuracy!.mean.map((v, i) => (i > 8 ? null : v));
  diverged.result = {
    ...diverged.result,
    test_accuracy: null,
    train_loss: null,
    averaged_model_accuracy: null,
  };
  sixth!.outcome = "running";
  sixth!.result = null;
  cut(sixth!, 0.5);
  third!.outcome = "interrupted";
  third!.steps!.seconds = null;
  first!.probes = null;
  first!.spans = null;
  const seventh = data.runs[6]!;
  seventh.outcome = "failed";
  seventh.error = "rank 3 ended by signal 9";
  seventh.result = null;
  seventh.steps = null;
  seventh.evaluations = null;
  seventh.probes = null;
  seventh.dispersion = null;
  seventh.detail = null;
  data.skipped = [
    {
      path: "runs/half-written",
      why: "spec.toml ends in the middle of a line",
    },
    { path: "runs/foreign", why: "no run.json" },
  ];
  data.title = 'troubled <img src=x onerror="alert(1)"> & co';
  return data;
}

/** Ends the run's curves at that share of their length. */
function cut(run: Run, share: number): void {
  const shorten = (value: unknown): unknown => {
    if (Array.isArray(value)) {
      return value.slice(0, Math.ceil(value.length * share));
    }
    if (value !== null && typeof value === "object") {
      return Object.fromEntries(
        Object.entries(value).map(([key, inner]) => [key, shorten(inner)]),
      );
    }
    return value;
  };
  run.steps = shorten(run.steps) as Run["steps"] & object;
  run.evaluations = shorten(run.evaluations) as Run["evaluations"] & object;
  run.probes = shorten(run.probes) as Run["probes"] & object;
}
