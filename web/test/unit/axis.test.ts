import { describe, expect, it } from "vitest";
import { axes_with_data, axis_of, column_of } from "../../src/axis";
import { part_of } from "../../src/curves";
import { no_runs, six_by_three, twenty_groups } from "../fixture";

const accuracy = {
  axes: (run: ReturnType<typeof six_by_three>["runs"][0]) => run.evaluations,
  values: (run: ReturnType<typeof six_by_three>["runs"][0]) =>
    run.evaluations?.accuracy,
};

describe("the axis of curves", () => {
  it("offers virtual time only where there is some", () => {
    const keys = (data: ReturnType<typeof six_by_three>) =>
      axes_with_data(data.runs).map((axis) => axis.key);
    expect(keys(six_by_three())).toEqual([
      "epoch",
      "step",
      "bytes",
      "messages",
      "seconds",
    ]);
    expect(keys(twenty_groups())).toContain("virtual_seconds");
    expect(keys(no_runs())).toEqual([]);
  });

  it("does not offer what is null throughout", () => {
    const data = six_by_three();
    for (const run of data.runs) {
      for (const part of [run.steps, run.evaluations, run.probes]) {
        part!.seconds = part!.step.map(() => null);
      }
    }
    expect(axes_with_data(data.runs).map((a) => a.key)).not.toContain(
      "seconds",
    );
  });

  it("takes the asked column", () => {
    const run = six_by_three().runs[0]!;
    expect(part_of(run, accuracy, "bytes")?.x).toBe(run.evaluations!.bytes);
    expect(part_of(run, accuracy, "virtual_seconds")).toBeNull();
  });

  it("has no curve where every value is null", () => {
    const run = six_by_three().runs[0]!;
    run.evaluations!.accuracy!.mean = run.evaluations!.step.map(() => null);
    expect(part_of(run, accuracy, "epoch")).toBeNull();
  });

  it("takes an empty column for none", () => {
    expect(column_of({ step: [] }, "step")).toBeNull();
    expect(column_of(null, "step")).toBeNull();
  });

  it("names its unit by the largest value", () => {
    expect(axis_of("bytes").scale(4.8e8)).toEqual({
      factor: 1e6,
      name: "sent per worker (MB)",
    });
    expect(axis_of("seconds").scale(7200)).toEqual({
      factor: 60,
      name: "training time (min)",
    });
    expect(axis_of("seconds").scale(0).name).toBe("training time (s)");
  });
});
