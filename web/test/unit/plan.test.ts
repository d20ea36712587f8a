import { describe, expect, it } from "vitest";
import { bit_rate } from "../../src/format";
import {
  algorithms_of,
  asked,
  first_shown,
  graph_label,
  sizes_of,
} from "../../src/plan";
import { plan } from "../plan_fixture";

describe("plan", () => {
  it("names curves by graph, All-Reduce by itself", () => {
    const { rows } = plan();
    expect(graph_label(rows[0]!)).toBe("All-Reduce");
    expect(graph_label(rows[1]!)).toBe("ring");
    expect(graph_label({ ...rows[1]!, graph: "lattice", k: 8 })).toBe(
      "lattice, k = 8",
    );
  });

  it("knows its sizes and algorithms", () => {
    expect(sizes_of(plan([64, 4]))).toEqual([4, 64]);
    expect(algorithms_of(plan())).toEqual([
      "adapt-then-combine",
      "combine-while-adapt",
    ]);
  });

  it("shows what is recommended first", () => {
    const data = plan();
    expect(first_shown(data)).toBe("combine-while-adapt"); // All-Reduce is
    const use = data.rows.find((row) => row.algorithm === "adapt-then-combine")!;
    data.recommendations[1]!.use = use;
    expect(first_shown(data)).toBe("adapt-then-combine");
  });

  it("says what was asked", () => {
    expect(asked(plan())).toBe(
      "mlp, batch 32, 25 MB, compute 180 ms, links 1gbit,2ms",
    );
  });

  it("writes rates in bits", () => {
    expect(bit_rate(1.25e8)).toBe("1 Gbit/s");
    expect(bit_rate(2.5e5)).toBe("2 Mbit/s");
    expect(bit_rate(null)).toBe("–");
  });
});
