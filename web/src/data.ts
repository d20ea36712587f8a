// The page's data, as `grapevine report` writes it, as far as the page reads
// it. Any number may be null, and what older programs did not record may be
// missing.
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

type Optional<Name extends string, T> = Partial<Record<Name, T | null>>;

/** What a curve may be drawn against. Bytes and messages are cumulative and
 * per worker; epochs are fractional; seconds are of training. */
export type Axes = { step: Column } & Optional<
  "epoch" | "bytes" | "messages" | "seconds" | "virtual_seconds",
  Column
>;
export type Steps = Axes & Optional<"loss", Band> &
  Optional<"lr" | "degree", Column>;
export type Evaluations = Axes & Optional<"accuracy" | "loss", Band> &
  Optional<"averaged_accuracy" | "averaged_loss", Column>;
export type Probes = Axes & Optional<"metrics", Record<string, Band | null>> &
  Optional<"consensus_distance" | "gradient_norm" | "update_ratio", Band>;

export interface Density {
  step: Column;
  epoch?: Column | null;
  spread: Column;
  level: Column;
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
  /** All times are those of a virtual clock. */
  virtual?: boolean;
  /** Those above 0; none where the page has no room. */
  waits: Wait[];
  sentences: string[];
}

/** Of an asynchronous run, by worker or of all of them. Seconds are virtual if
 * the workers share a process. Rates are averagings per gradient; staleness is
 * gradients between read and write of an averaging; waits are for a partner. */
type Figure =
  | "gradients"
  | "averagings"
  | "rate"
  | `staleness${"" | "_most"}`
  | `wait_${"seconds" | "most"}`
  | `${"pair" | "held"}_seconds`
  | "lost"
  | "came_back";
export type GossipFigures<T> = Record<Figure, T>;

/** Since the point before, over all workers. */
export type GossipCurves = Axes &
  Optional<"rate" | "staleness" | "wait" | "held", Column>;

export interface Gossip {
  asked_rate?: Num;
  /** False: times are in gradients. */
  has_clock?: boolean;
  all: GossipFigures<Num>;
  workers: GossipFigures<Column>;
  /** At the end; null where it is not known. */
  members?: number[] | null;
  curves?: GossipCurves | null;
  sentences: string[];
}

export type Result = Optional<
  | "steps"
  | "train_loss"
  | `test_${"accuracy" | "perplexity"}`
  | "averaged_model_accuracy"
  | "consensus_distance"
  | "seconds"
  | "virtual_seconds"
  | "messages"
  | "bytes",
  number
>;

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
  bytes_per_worker?: Statistic | null;
  messages_per_worker?: Statistic | null;
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

/** A recorded number: how it reads, and where a run keeps its curve. */
export interface Series {
  name: string;
  title: string;
  /** "s", "bytes"; empty for a plain number. */
  unit: string;
  path: string[];
}

export interface SeriesTable {
  name: string;
  title: string;
  /** Of the axes of its series. */
  path: string[];
  series: Series[];
}

export interface Data {
  format_version: number;
  title: string;
  created: string;
  program: string;
  skipped: { path: string; why: string }[];
  notes: string[];
  metrics: Metric[];
  schema: { tables: SeriesTable[] };
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

const kNoData: Data = {
  format_version: kFormatVersion,
  title: "Grapevine report",
  created: "",
  program: "",
  skipped: [],
  notes: [],
  metrics: [],
  schema: { tables: [] },
  keys: [],
  common: {},
  groups: [],
  runs: [],
  graphs: [],
  analysis: { target: null, rankings: [], correlations: [], findings: [] },
};

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
  return {
    ...kNoData,
    ...raw,
    analysis: { ...kNoData.analysis, ...raw.analysis },
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
