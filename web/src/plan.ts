// What `grapevine plan predict` has written into the page's data.
import type { Num } from "./data";
import { bytes, seconds } from "./format";

/** One way to train n workers. */
export interface Candidate {
  algorithm: string;
  graph: string;
  k?: Num;
  n: number;
  /** "combine-while-adapt, ring" */
  label: string;
  /** What to write behind `grapevine train`. */
  flags: string;
}

/** Seconds of an iteration, all of it and its parts. */
export interface Prediction extends Candidate {
  seconds: Num;
  compute: Num;
  exposed: Num;
  straggler: Num;
  /** All-Reduce's time relative to this one's. */
  gain?: Num;
  messages_per_step?: Num;
  model_copies_per_step?: Num;
  plan?: string;
  spectral_gap?: Num;
  steps_to_agree?: Num;
}

/** Iteration times at other bandwidths; rates in bytes a second. */
export interface Sweep {
  n: number;
  rates: number[];
  rows: (Candidate & { seconds: Num[] })[];
}

export interface Recommendation {
  n: number;
  /** Of the links at hand; null without a limit. */
  rate: Num;
  use: Prediction;
  sentences: string[];
}

export interface Question {
  model?: string | null;
  batch?: Num;
  model_bytes?: Num;
  compute_seconds?: Num;
  link?: string | null;
  slow?: string | null;
}

export interface Plan {
  question: Question;
  rows: Prediction[];
  sweeps: Sweep[];
  recommendations: Recommendation[];
}

export const kAllReduce = "allreduce";

/** The graph with its degree, or All-Reduce: what curves are named by. */
export function graph_label(candidate: Candidate): string {
  if (candidate.algorithm === kAllReduce) return "All-Reduce";
  return candidate.k
    ? `${candidate.graph}, k = ${candidate.k}`
    : candidate.graph;
}

/** The numbers of workers that there are rows for, ascending. */
export function sizes_of(plan: Plan): number[] {
  return [...new Set(plan.rows.map((row) => row.n))].sort((a, b) => a - b);
}

/** The algorithms but All-Reduce, in the order of the rows. */
export function algorithms_of(plan: Plan): string[] {
  return [...new Set(plan.rows.map((row) => row.algorithm))].filter(
    (name) => name !== kAllReduce,
  );
}

/** The algorithm that is recommended first, but All-Reduce; else the last. */
export function first_shown(plan: Plan): string {
  const recommended = plan.recommendations
    .map((it) => it.use.algorithm)
    .find((name) => name !== kAllReduce);
  return recommended ?? algorithms_of(plan).at(-1) ?? "";
}

/** "mlp, batch 32, 25 MB, compute 180 ms, links 1gbit" */
export function asked(plan: Plan): string {
  const { model, batch, model_bytes, compute_seconds, link, slow } =
    plan.question;
  const parts = [
    model,
    batch && `batch ${batch}`,
    model_bytes && bytes(model_bytes),
    compute_seconds && `compute ${seconds(compute_seconds)}`,
    link && `links ${link}`,
    slow && `slow ${slow}`,
  ];
  return parts.filter(Boolean).join(", ");
}
