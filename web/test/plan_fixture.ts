// A page of `grapevine plan predict`, for tests: invented, but shaped like a
// real one.
import { parse_data, type Data } from "../src/data";
import type { Candidate, Plan, Prediction } from "../src/plan";

type Sending = Candidate & { copies: number };

const kAlgorithms = ["adapt-then-combine", "combine-while-adapt"];
/** Copies of the model sent per step. */
const kGraphs = {
  ring: 2,
  complete: 1.75,
  "one-peer-exponential": 1,
  aer: 0.5,
};

function candidates(n: number): Sending[] {
  const make = (algorithm: string, graph: string, copies: number): Sending => ({
    algorithm,
    graph,
    k: null,
    n,
    label: algorithm === "allreduce" ? algorithm : `${algorithm}, ${graph}`,
    flags: `--agreement ${algorithm} --graph ${graph}`,
    copies,
  });
  const graphs = Object.entries(kGraphs);
  return [
    make("allreduce", "complete", 2),
    ...kAlgorithms.flatMap((algorithm) =>
      graphs.map(([graph, copies]) => make(algorithm, graph, copies)),
    ),
  ];
}

const kCompute = 0.19;

/** Of 25 MB at a rate in bytes per second. */
function iteration({ algorithm, copies }: Sending, rate: number): number {
  const moving = (copies * 25e6) / rate;
  return algorithm === "combine-while-adapt"
    ? Math.max(kCompute, moving)
    : kCompute / 3 + Math.max((kCompute * 2) / 3, moving);
}

function prediction(candidate: Sending): Prediction {
  const seconds = iteration(candidate, 1.25e8);
  return {
    ...candidate,
    seconds,
    compute: kCompute,
    exposed: seconds - kCompute,
    straggler: 0.01,
    gain: iteration(candidates(candidate.n)[0]!, 1.25e8) / seconds,
    model_copies_per_step: candidate.copies,
    steps_to_agree: candidate.algorithm === "allreduce" ? 0 : 7,
  };
}

export function plan(sizes = [4, 8, 64]): Plan {
  const rates = Array.from({ length: 9 }, (_, i) => 1.25e6 * 10 ** (i / 2));
  const rows = sizes.flatMap((n) => candidates(n).map(prediction));
  return {
    question: {
      model: "mlp",
      batch: 32,
      model_bytes: 25e6,
      compute_seconds: 0.18,
      link: "1gbit,2ms",
    },
    rows,
    sweeps: sizes.map((n) => ({
      n,
      rates,
      rows: candidates(n).map((candidate) => ({
        ...candidate,
        seconds: rates.map((rate) => iteration(candidate, rate)),
      })),
    })),
    recommendations: sizes.map((n) => ({
      n,
      rate: 1.25e8,
      use: rows.find((row) => row.n === n)!,
      sentences: [`Use aer with ${n} <workers>.`, "Above 4 Gbit/s it is not."],
    })),
  };
}

export const plan_page = (sizes?: number[]): Data =>
  parse_data(
    JSON.stringify({ format_version: 1, title: "Plan", plan: plan(sizes) }),
  );
