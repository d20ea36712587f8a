// Axes of curves, logarithmic scales, and what they cannot show.
import { describe, expect, it } from "vitest";
import { aggregate } from "../../src/aggregate";
import { axes_with_data, axis_of, column_of } from "../../src/axis";
import type { Data } from "../../src/data";
import { part_of, source } from "../../src/groups";
import { draw_lines, type Line } from "../../src/lines";
import {
  log_scale, log_scale_of, positive, positive_range, zero_note,
} from "../../src/log_axis";
import { label_interval, matrix_height } from "../../src/plots/matrix";
import type { Theme } from "../../src/theme";
import { no_runs, one_run, six_by_three, twenty_groups } from "../fixture";

const accuracy = source("evaluations", "accuracy");

describe("the axis of curves", () => {
  const keys = (data: Data) => axes_with_data(data.runs).map(({ key }) => key);

  it("offers virtual time only if there is some", () => {
    const usual = ["epoch", "step", "bytes", "messages", "seconds"];
    expect(keys(six_by_three())).toEqual(usual);
    expect(keys(twenty_groups())).toContain("virtual_seconds");
    expect(keys(no_runs())).toEqual([]);
  });

  it("does not offer what is null throughout", () => {
    const data = one_run();
    const { steps, evaluations, probes } = data.runs[0]!;
    for (const part of [steps, evaluations, probes]) part!.seconds!.fill(null);
    expect(keys(data)).not.toContain("seconds");
  });

  it("takes the asked column, wherever a run keeps the curve", () => {
    const run = one_run().runs[0]!;
    expect(part_of(run, accuracy, "bytes")?.x).toBe(run.evaluations!.bytes);
    expect(part_of(run, accuracy, "virtual_seconds")).toBeNull();
    expect(part_of(run, source("probes", "metrics.gini"), "step")?.mean).toBe(
      run.probes!.metrics!["gini"]!.mean,
    );
    expect(part_of(run, source("gossip.curves", "rate"), "step")).toBeNull();
  });

  it("has no curve if every value is null, or none is there", () => {
    const run = one_run().runs[0]!;
    run.evaluations!.accuracy!.mean.fill(null);
    expect(part_of(run, accuracy, "epoch")).toBeNull();
    expect(column_of({ step: [] }, "step")).toBeNull();
    expect(column_of(null, "step")).toBeNull();
  });

  it.each([
    ["bytes", 4.8e8, { factor: 1e6, name: "sent per worker (MB)" }],
    ["seconds", 7200, { factor: 60, name: "training time (min)" }],
    ["seconds", 0, { factor: 1, name: "training time (s)" }],
  ] as const)("names the unit of %s by the largest, %d", (key, most, scale) =>
    expect(axis_of(key).scale(most)).toEqual(scale),
  );
});

const curve = (mean: (number | null)[], low = mean) => {
  const step = mean.map((_, i) => i);
  return aggregate([{ step, x: step, mean, low }]);
};

describe("zeros on a logarithmic axis", () => {
  it("become gaps and are counted; nulls are not", () => {
    const safe = positive(curve([1, 0, -1, null, 0.5]), 0.1);
    expect(safe.curve.mean).toEqual([1, null, null, null, 0.5]);
    expect(safe.curve.high).toEqual([1, null, null, null, 0.5]);
    expect([safe.points, safe.dropped]).toEqual([4, 2]);
  });

  it("in a band end it at the floor", () => {
    const low_of = (mean: number[], low: number[]) =>
      positive(curve(mean, low), 0.1).curve.low;
    expect(low_of([1, 2], [0, 0.5])).toEqual([0.1, 0.5]);
    expect(low_of([0.05], [0])).toEqual([0.05]);
  });

  it("do not count as the smallest value", () => {
    expect(positive_range([[0, 0.01, null], [100, -5, 1]])).toEqual([0.01, 100]);
    expect(positive_range([[0, null], []])).toBeNull();
  });

  const lost = (label: string, points: number, dropped: number) => ({
    label,
    points,
    dropped,
  });
  it.each([
    [[lost("a", 3, 0)], ""],
    [[lost("a", 0, 0)], ""],
    [
      [lost("a", 3, 3), lost("b", 2, 2), lost("c", 5, 1)],
      "a and b are 0 throughout, which a logarithmic axis cannot show. " +
        "Points that are 0 are left out: c 1 of 5.",
    ],
  ])("are said: %j", (curves, text) => expect(zero_note(curves)).toBe(text));

  it("leave a curve of zeros undrawn and named", () => {
    const line = (label: string, mean: number[]): Line => ({
      key: label,
      label,
      colour: "#000",
      symbol: 0,
      curve: curve(mean),
      runs: 1,
    });
    const drawn = draw_lines({
      lines: [line("zeros", [0, 0]), line("ones", [1, 1])],
      theme: {} as Theme,
      x: axis_of("step"),
      y: { name: "y", log: true, format: String },
    });
    expect(drawn.series).toEqual(["ones"]);
    expect(drawn.note).toContain("zeros is 0 throughout");
  });
});

describe("a logarithmic scale", () => {
  it.each([
    ["in 1, 2, 5 over a short range", 0.021, 0.058, [0.02, 0.05, 0.1]],
    ["in 1, 2, 5 over a decade", 3, 40, [2, 5, 10, 20, 50]],
    ["in tens over several", 2e-5, 0.03, [1e-5, 1e-4, 1e-3, 0.01, 0.1]],
    ["from power to power", 1e-3, 1, [1e-3, 0.01, 0.1, 1]],
    ["to two ends for one value", 1, 1, [1, 2]],
  ])("goes %s", (_, low, high, ticks) => {
    const [min, max] = [ticks[0], ticks[ticks.length - 1]];
    expect(log_scale(low, high)).toEqual({ min, max, ticks });
  });
  it("has few labels over many decades, and holds all values", () => {
    const { min, max, ticks } = log_scale(3e-11, 4);
    expect(min).toBeLessThanOrEqual(3e-11);
    expect(max).toBeGreaterThanOrEqual(4);
    expect(ticks.length).toBeLessThanOrEqual(9);
    expect(max / min).toBeLessThan(1e15);
  });
  it("sees what is above zero", () => {
    expect(log_scale_of([[0, 2, null], [30]])).toEqual(log_scale(2, 30));
    expect(log_scale_of([[0, null, -1]])).toEqual(log_scale(0.1, 1));
  });
});

it.each([1, 6, 36, 37, 59, 161, 400])(
  "a matrix of %i rows has room for names",
  (n) => {
    const every = label_interval(n) + 1;
    const pixels = (every * (matrix_height(n) - 60)) / n;
    expect(pixels).toBeGreaterThanOrEqual(12.4);
    expect(matrix_height(n)).toBeLessThanOrEqual(1100);
  },
);
