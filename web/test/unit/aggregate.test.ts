import { describe, expect, it } from "vitest";
import { aggregate, type Part } from "../../src/aggregate";

const part = (
  step: number[],
  mean: (number | null)[],
  o: Partial<Part> = {},
): Part => ({
  step,
  x: step,
  mean,
  ...o,
});

describe("aggregate", () => {
  it("takes the mean of equal grids, and the band over all", () => {
    const curve = aggregate([
      part([0, 1], [1, 2], { low: [0.5, 1], high: [2, 3] }),
      part([0, 1], [3, 6], { low: [2.5, 5], high: [4, 9] }),
    ]);
    expect(curve.mean).toEqual([2, 4]);
    expect(curve.low).toEqual([0.5, 1]);
    expect(curve.high).toEqual([4, 9]);
    expect(curve.count).toEqual([2, 2]);
  });

  it("goes as far as the longest; behind its end a part counts no more", () => {
    const curve = aggregate([
      part([0, 10, 20], [2, 2, 2]),
      part([0, 10, 20, 30], [4, 4, 4, 8]),
    ]);
    expect(curve.step).toEqual([0, 10, 20, 30]);
    expect(curve.mean).toEqual([3, 3, 3, 8]);
    expect(curve.count).toEqual([2, 2, 2, 1]);
  });

  it("leaves nulls out of the mean, and where all are null leaves a gap", () => {
    const curve = aggregate([
      part([0, 1, 2], [1, null, null]),
      part([0, 1, 2], [3, 5, null]),
    ]);
    expect(curve.mean).toEqual([2, 5, null]);
    expect(curve.low).toEqual([1, 5, null]);
    expect(curve.high).toEqual([3, 5, null]);
    expect(curve.count).toEqual([2, 1, 0]);
  });

  it("takes NaN and infinity for null", () => {
    const curve = aggregate([
      part([0, 1], [NaN, Infinity]),
      part([0, 1], [1, 2]),
    ]);
    expect(curve.mean).toEqual([1, 2]);
  });

  it("averages x over the seeds: their seconds differ", () => {
    const curve = aggregate([
      part([0, 1], [1, 1], { x: [10, 20] }),
      part([0, 1], [1, 1], { x: [20, 40] }),
    ]);
    expect(curve.x).toEqual([15, 30]);
  });

  it("averages a finer grid into cells and keeps its extremes", () => {
    const fine = part(
      [0, 1, 2, 3, 4, 5, 6, 7, 8],
      [9, 1, 1, 1, 1, 1, 1, 1, 5],
      {
        low: [9, 1, 1, -7, 1, 1, 1, 1, 5],
      },
    );
    const coarse = part([0, 4, 8, 12], [0, 0, 0, 0]);
    const curve = aggregate([fine, coarse]);
    expect(curve.step).toEqual([0, 4, 8, 12]);
    // Cells of the fine one: {0,1,2}, {3,4,5,6}, {7,8}, {}.
    expect(curve.mean[0]).toBeCloseTo((11 / 3 + 0) / 2);
    expect(curve.mean[1]).toBeCloseTo(0.5);
    expect(curve.mean[2]).toBeCloseTo(1.5);
    expect(curve.low[1]).toBe(-7);
    expect(curve.high[0]).toBe(9);
    expect(curve.count).toEqual([2, 2, 2, 1]);
  });

  it("interpolates a coarser grid, but not beyond its end", () => {
    const coarse = part([0, 4], [0, 8]);
    const fine = part([0, 1, 2, 3, 4, 5], [0, 0, 0, 0, 0, 0]);
    const curve = aggregate([coarse, fine]);
    expect(curve.mean).toEqual([0, 1, 2, 3, 4, 0]);
    expect(curve.count).toEqual([2, 2, 2, 2, 2, 1]);
  });

  it("does not depend on the order of the seeds", () => {
    const parts = [
      part([0, 1, 2], [1, null, 4], { low: [0, null, 3], high: [2, null, 5] }),
      part([0, 1, 2, 3], [2, 3, 4, 5]),
      part([0, 2], [7, 9]),
    ];
    expect(aggregate([...parts].reverse())).toEqual(aggregate(parts));
  });

  it("of one run is that run", () => {
    const curve = aggregate([
      part([0, 5], [1, 2], { low: [0, 1], high: [3, 4] }),
    ]);
    expect([curve.mean, curve.low, curve.high]).toEqual([
      [1, 2],
      [0, 1],
      [3, 4],
    ]);
  });

  it("of nothing is empty", () => {
    expect(aggregate([]).mean).toEqual([]);
    expect(aggregate([part([], [])]).mean).toEqual([]);
  });
});
