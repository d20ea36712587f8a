// A page of `grapevine plan predict`, for tests: invented, but shaped like a
// real one.
import type { Data } from "../src/data";
import { parse_data } from "../src/data";
import type { Candidate, Plan, Prediction } from "../src/plan";

type Sending = Candidate & { copies: number };

const kGraphs = ["ring", "complete", "one-peer-exponential", "aer"];
const kCopies = [2, 1.75, 1, 0.5];

function candidates(n: number): Sending[] {
  const list: Sending[] = [
    {
      algorithm: "allreduce",
      graph: "complete",
      k: null,
      n,
      label: "allreduce",
      flags: "--agreement allreduce --graph complete",
      copies: 2,
    },
  ];
  for (const algorithm of ["adapt-then-combine", "combine-while-adapt"]) {
    kGraphs.forEach((graph, i) => {
      list.push({
        algorithm,
        graph,
        k: null,
        n,
        label: `${algorithm}, ${graph}`,
        flags: `--agreement ${algorithm} --graph ${graph}`,
        copies: kCopies[i]!,
      });
    });
  }
  return list;
}

const kCompute = 0.19;

/** 25 MB at a rate in bytes a second. */
function iteration(candidate: Sending, rate: number): number {
  const moving = (candidate.copies * 25e6) / rate;
  return candidate.algorithm === "combine-while-adapt"
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
    messages_per_step: 2,
    model_copies_per_step: candidate.copies,
    plan: "groups",
    spectral_gap: 0.5,
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
      slow: null,
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

export function plan_page(sizes?: number[]): Data {
  return parse_data(
    JSON.stringify({
      format_version: 1,
      title: "Plan",
      created: "2026-01-31T12:00:00Z",
      program: "grapevine 0.1.0",
      plan: plan(sizes),
    }),
  );
}
