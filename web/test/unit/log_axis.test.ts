import { describe, expect, it } from "vitest";
import { aggregate } from "../../src/aggregate";
import { axis_of } from "../../src/axis";
import { draw_lines, type Line } from "../../src/lines";
import {
  log_scale,
  log_scale_of,
  positive,
  smallest_positive,
  zero_note,
} from "../../src/log_axis";
import {
  heat_height,
  label_interval,
  positive_range,
  scale_ticks,
} from "../../src/plots/heat";
import { kThemes } from "../../src/theme";

const curve = (mean: (number | null)[], low = mean) => {
  const step = mean.map((_, i) => i);
  return aggregate([{ step, x: step, mean, low }]);
};

describe("zeros on a logarithmic axis", () => {
  it("become gaps and are counted; nulls are not", () => {
    const {
      curve: safe,
      points,
      dropped,
    } = positive(curve([1, 0, -1, null, 0.5]), 0.1);
    expect(safe.mean).toEqual([1, null, null, null, 0.5]);
    expect(safe.high).toEqual([1, null, null, null, 0.5]);
    expect([points, dropped]).toEqual([4, 2]);
  });

  it("in a band end it at the floor", () => {
    expect(positive(curve([1, 2], [0, 0.5]), 0.1).curve.low).toEqual([
      0.1, 0.5,
    ]);
    expect(positive(curve([0.05], [0]), 0.1).curve.low).toEqual([0.05]);
  });

  it("do not count as the smallest value", () => {
    expect(smallest_positive([curve([0, 3, null, 0.2])])).toBe(0.2);
    expect(smallest_positive([curve([0, 0])])).toBe(1);
    expect(smallest_positive([])).toBe(1);
  });

  it("are said", () => {
    expect(zero_note([{ label: "a", points: 3, dropped: 0 }])).toBe("");
    expect(zero_note([{ label: "a", points: 0, dropped: 0 }])).toBe("");
    expect(
      zero_note([
        { label: "a", points: 3, dropped: 3 },
        { label: "b", points: 2, dropped: 2 },
        { label: "c", points: 5, dropped: 1 },
      ]),
    ).toBe(
      "a and b are 0 throughout, which a logarithmic axis cannot show. " +
        "Points that are 0 are left out: c 1 of 5.",
    );
  });

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
      theme: kThemes.light,
      x: axis_of("step"),
      y: { name: "y", log: true, format: String },
    });
    expect(drawn.series).toEqual(["ones"]);
    expect(drawn.note).toContain("zeros is 0 throughout");
  });
});

describe("a logarithmic scale", () => {
  it("goes in 1, 2, 5 over a short range", () => {
    expect(log_scale(0.021, 0.058)).toEqual({
      min: 0.02,
      max: 0.1,
      ticks: [0.02, 0.05, 0.1],
    });
    expect(log_scale(3, 40).ticks).toEqual([2, 5, 10, 20, 50]);
  });
  it("goes in tens over several decades", () =>
    expect(log_scale(2e-5, 0.03).ticks).toEqual([1e-5, 1e-4, 1e-3, 0.01, 0.1]));
  it("has few labels over many decades, and holds all values", () => {
    const { min, max, ticks } = log_scale(3e-11, 4);
    expect(min).toBeLessThanOrEqual(3e-11);
    expect(max).toBeGreaterThanOrEqual(4);
    expect(ticks.length).toBeLessThanOrEqual(9);
    expect(max / min).toBeLessThan(1e15);
  });
  it("keeps powers as they are", () =>
    expect(log_scale(1e-3, 1)).toEqual({
      min: 1e-3,
      max: 1,
      ticks: [1e-3, 0.01, 0.1, 1],
    }));
  it("has two ends for one value, and for none", () => {
    expect(log_scale(1, 1)).toEqual({ min: 1, max: 2, ticks: [1, 2] });
    expect(log_scale_of([[0, null, -1]])).toEqual(log_scale(0.1, 1));
  });
  it("sees what is above zero", () =>
    expect(log_scale_of([[0, 2, null], [30]])).toEqual(log_scale(2, 30)));
});

describe("the heat map's rows", () => {
  it.each([1, 6, 36, 37, 59, 161, 400])(
    "of %i tensors have room for names",
    (n) => {
      const every = label_interval(n) + 1;
      expect((every * (heat_height(n) - 60)) / n).toBeGreaterThanOrEqual(12.4);
      expect(heat_height(n)).toBeLessThanOrEqual(1100);
    },
  );
});

describe("the heat map's colours", () => {
  it("go from the smallest to the largest above zero", () => {
    expect(
      positive_range([
        [0, 0.01, null],
        [100, -5, 1],
      ]),
    ).toEqual({
      low: -2,
      high: 2,
    });
  });
  it("have a range for nothing and for one value", () => {
    expect(positive_range([[0, null]])).toEqual({ low: 0, high: 0 });
    expect(scale_ticks({ low: 1, high: 1 })).toEqual([1]);
  });
  it("are labelled at both ends and between, not too near", () => {
    expect(scale_ticks({ low: -4.5, high: -1.2 })).toEqual([
      -4.5, -4, -3, -2, -1.2,
    ]);
    expect(scale_ticks({ low: -4.05, high: -1 })).toEqual([-4.05, -3, -2, -1]);
    expect(scale_ticks({ low: -10, high: 2 }).length).toBeLessThanOrEqual(6);
  });
});
