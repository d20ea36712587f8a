// The page's data, as `grapevine report` writes it. Any number may be null,
// and what older programs did not record may be missing.
import type { Plan } from "./plan";

export type Num = number | null;
export type Column = Num[];

/** Mean, lowest and highest, each a column. */
export interface Band {
  mean: Column;
  low: Column;
  high: Column;
}

/** Over seeds; the standard deviation is null for one seed. */
export interface Statistic {
  mean: Num;
  sd: Num;
  count: number;
}

/** What a curve may be drawn against. Bytes and messages are cumulative and
 * per worker; epochs are fractional; seconds are of training. */
export interface Axes {
  step: Column;
  epoch?: Column | null;
  bytes?: Column | null;
  messages?: Column | null;
  seconds?: Column | null;
  virtual_seconds?: Column | null;
}

export interface Steps extends Axes {
  loss?: Band | null;
  lr?: Column | null;
  degree?: Column | null;
}

export interface Evaluations extends Axes {
  accuracy?: Band | null;
  averaged_accuracy?: Column | null;
  loss?: Band | null;
  averaged_loss?: Column | null;
}

export interface Probes extends Axes {
  metrics?: Record<string, Band | null> | null;
  consensus_distance?: Band | null;
  gradient_norm?: Band | null;
  update_ratio?: Band | null;
}

export interface Density {
  step: Column;
  epoch?: Column | null;
  spread: Column;
  level: Column;
  k?: Column | null;
}

export interface TensorNorms {
  tensor: string;
  step: Column;
  replicas: number[];
  values: Column[];
}

export interface Outlier {
  tensor: string;
  replica: number;
  share: Num;
  z: Num;
}

export interface Detail {
  tensors: string[];
  step: Column;
  epoch?: Column | null;
  heat: Record<string, Column[]>;
  norms?: TensorNorms[] | null;
  outliers?: Outlier[] | null;
}

/** A worker's wait for a peer, in seconds. */
export type Wait = [worker: number, peer: number, waited: number];

/** Who is to blame for a run's waits; nobody is named where they are short. */
export interface Blame {
  /** Of training. */
  seconds?: Num;
  mean_wait_seconds?: Num;
  /** All times are those of a virtual clock; then what it knows besides. */
  virtual?: boolean;
  exposed_seconds?: Num;
  straggler_seconds?: Num;
  compute_seconds?: Column | null;
  /** Those above 0; none where the page has no room. */
  waits: Wait[];
  straggler?: { worker: number; cost_seconds: Num; cost_share: Num } | null;
  slowest_link?: {
    a: number;
    b: number;
    cost_seconds: Num;
    cost_share: Num;
  } | null;
  sentences: string[];
}

/** Of a worker of an asynchronous run, or of all of them. Seconds are virtual
 * where the workers share a process. */
export interface GossipFigures<T> {
  gradients: T;
  averagings: T;
  /** Averagings for each gradient. */
  rate: T;
  /** Gradients between read and write of an averaging: mean, most. */
  staleness: T;
  staleness_most: T;
  /** For a partner: mean, longest. */
  wait_seconds: T;
  wait_most: T;
  /** With a partner, mean. */
  pair_seconds: T;
  held_seconds: T;
  lost: T;
  came_back: T;
}

/** Since the point before, over all workers. */
export interface GossipCurves extends Axes {
  rate?: Column | null;
  staleness?: Column | null;
  wait?: Column | null;
  held?: Column | null;
}

export interface Gossip {
  asked_rate?: Num;
  /** False: times are in gradients. */
  has_clock?: boolean;
  all: GossipFigures<Num>;
  workers: GossipFigures<Column>;
  /** At the end; null where it is not known. */
  members?: number[] | null;
  changes?: {
    seconds: Num;
    worker: number;
    seen_by: number;
    is_there: boolean;
    why: string;
  }[];
  /** Far above the median link; the slowest first. */
  slow_links?: {
    a: number;
    b: number;
    averagings: Num;
    /** Of one averaging, mean. */
    pair_seconds: Num;
    /** To the median link's. */
    ratio: Num;
  }[];
  curves?: GossipCurves | null;
  sentences: string[];
}

export interface Result {
  epochs?: Num;
  steps?: Num;
  train_loss?: Num;
  test_accuracy?: Num;
  test_loss?: Num;
  test_perplexity?: Num;
  averaged_model_accuracy?: Num;
  consensus_distance?: Num;
  samples_per_second?: Num;
  seconds?: Num;
  virtual_seconds?: Num;
  messages?: Num;
  bytes?: Num;
}

export type Phase = "all" | "early" | "middle" | "late";
export const kPhases: Phase[] = ["all", "early", "middle", "late"];

export interface Run {
  id: number;
  name: string;
  path: string;
  label: string;
  group: number;
  outcome: string;
  error?: string | null;
  spec: Record<string, string>;
  n: number;
  seed?: Num;
  mean_degree?: Num;
  result?: Result | null;
  dispersion?: Record<string, Partial<Record<Phase, Num>> | null> | null;
  steps?: Steps | null;
  evaluations?: Evaluations | null;
  probes?: Probes | null;
  spans?: Record<string, Num> | null;
  blame?: Blame | null;
  gossip?: Gossip | null;
  density?: Density | null;
  detail?: Detail | null;
}

export interface Group {
  id: number;
  label: string;
  keys: Record<string, string>;
  n: number;
  decentralized: boolean;
  runs: number[];
  accuracy?: Statistic | null;
  averaged_accuracy?: Statistic | null;
  perplexity?: Statistic | null;
  bytes_per_worker?: Statistic | null;
  messages_per_worker?: Statistic | null;
  seconds?: Statistic | null;
  consensus_distance?: Statistic | null;
  mean_degree?: Statistic | null;
  first_gini?: Statistic | null;
}

export interface Frame {
  step: number;
  epoch: number;
  degree: Num;
  directed: boolean;
  kind: "complete" | "offsets" | "edges" | string;
  offsets?: number[];
  edges?: [number, number][];
}

export interface Graph {
  label: string;
  group: number;
  n: number;
  frames: Frame[];
}

export type Stratum = Record<string, string> | null;

export interface TargetRow {
  group: number;
  reached: number;
  runs: number;
  epochs?: Statistic | null;
  seconds?: Statistic | null;
  messages_per_worker?: Statistic | null;
  bytes_per_worker?: Statistic | null;
}

export interface RankingRow {
  group: number;
  rank: number;
  accuracy?: Statistic | null;
  not_worse_than_best: boolean;
}

export interface Correlation {
  with: string;
  title: string;
  phase: Phase;
  stratum: Stratum;
  rho: Num;
  low: Num;
  high: Num;
  runs: number;
  seeds: number;
}

export interface Analysis {
  target: { accuracy: Num; rows: TargetRow[] } | null;
  rankings: { stratum: Stratum; rows: RankingRow[] }[];
  correlations: Correlation[];
  findings: string[];
}

export interface Metric {
  name: string;
  title: string;
  meaning: string;
}

export interface Data {
  format_version: number;
  title: string;
  created: string;
  program: string;
  skipped: { path: string; why: string }[];
  notes: string[];
  metrics: Metric[];
  keys: string[];
  common: Record<string, string>;
  groups: Group[];
  runs: Run[];
  graphs: Graph[];
  analysis: Analysis;
  /** Of `grapevine plan`, whose page has no runs. */
  plan?: Plan | null;
}

/** The version of the data that this page reads. */
export const kFormatVersion = 1;

/** Parses the data and fills in what is missing. Throws an Error with a
 * sentence for people if it is not ours to read. */
export function parse_data(text: string): Data {
  const raw = parse_json(text);
  if (raw.format_version !== kFormatVersion) {
    throw new Error(
      `This page reads data of version ${kFormatVersion}, ` +
        `and its data is of version ${raw.format_version ?? "unknown"}.`,
    );
  }
  const analysis: Partial<Analysis> = raw.analysis ?? {};
  return {
    format_version: kFormatVersion,
    title: raw.title ?? "Grapevine report",
    created: raw.created ?? "",
    program: raw.program ?? "",
    skipped: raw.skipped ?? [],
    notes: raw.notes ?? [],
    metrics: raw.metrics ?? [],
    keys: raw.keys ?? [],
    common: raw.common ?? {},
    groups: raw.groups ?? [],
    runs: raw.runs ?? [],
    graphs: raw.graphs ?? [],
    analysis: {
      target: analysis.target ?? null,
      rankings: analysis.rankings ?? [],
      correlations: analysis.correlations ?? [],
      findings: analysis.findings ?? [],
    },
    plan: raw.plan ?? null,
  };
}

function parse_json(text: string): Partial<Data> {
  let raw: unknown;
  try {
    raw = JSON.parse(text);
  } catch {
    throw new Error(
      "This page has no data in it. `grapevine report RUN…` makes one that has.",
    );
  }
  if (raw === null || typeof raw !== "object") {
    throw new Error("This page's data is not a JSON object.");
  }
  return raw as Partial<Data>;
}
