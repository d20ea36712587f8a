import { describe, expect, it } from "vitest";
import type { Frame } from "../../src/data";
import {
  can_draw, edge_count, edges_of, neighbours,
} from "../../src/graph_frame";

const frame = (o: Partial<Frame>): Frame => ({
  step: 0,
  epoch: 0,
  degree: 2,
  directed: false,
  kind: "offsets",
  ...o,
});

const count = (o: Partial<Frame>, n: number) => edge_count(frame(o), n);
const complete = frame({ kind: "complete" });

describe("a frame's edges", () => {
  it("of a ring", () => {
    const ring = frame({ offsets: [1] });
    const edges = [0, 1, 2, 3].map((i) => [i, (i + 1) % 4]);
    expect(edges_of(ring, 4).edges).toEqual(edges);
    expect(neighbours(ring, 4, 0)).toEqual([1, 3]);
  });

  it("count the way across once", () => {
    const across = frame({ offsets: [2] });
    const edges = [
      [0, 2],
      [1, 3],
    ];
    expect(edges_of(across, 4)).toEqual({ edges, total: 2 });
    expect(neighbours(across, 4, 3)).toEqual([1]);
  });

  it("count an offset and its opposite once, a worker itself never", () => {
    expect(count({ offsets: [1, 3, -1, 5] }, 4)).toBe(4);
    expect(count({ offsets: [0, 4] }, 4)).toBe(0);
  });

  it.each([1, 2, 3, 4, 7, 96])("of a complete graph of %i", (n) => {
    const all = (n * (n - 1)) / 2;
    const keys = edges_of(complete, n).edges.map((pair) =>
      [...pair].sort((a, b) => a - b).join(),
    );
    expect([edge_count(complete, n), new Set(keys).size]).toEqual([all, all]);
    expect(neighbours(complete, n, 0)).toHaveLength(n - 1);
  });

  it("of a directed graph go one way", () => {
    const exponential = frame({ offsets: [1, 2, 4], directed: true });
    expect(edge_count(exponential, 8)).toBe(24);
    expect(neighbours(exponential, 8, 7)).toEqual([0, 1, 3]);
  });

  const path = (n: number): [number, number][] =>
    Array.from({ length: n }, (_, i) => [i, i + 1]);

  it("as listed", () => {
    const listed = frame({ kind: "edges", edges: path(2) });
    expect(edges_of(listed, 3)).toEqual({ edges: path(2), total: 2 });
    expect(neighbours(listed, 3, 1)).toEqual([0, 2]);
    expect(neighbours({ ...listed, directed: true }, 3, 1)).toEqual([2]);
  });

  it("are limited evenly, and the total says so", () => {
    const { edges, total } = edges_of(complete, 1008, 24000);
    expect(total).toBe(507_528);
    expect(edges.length).toBeLessThanOrEqual(25_000);
    expect(edges.length).toBeGreaterThan(20_000);
    expect(edges[0]).toEqual([0, 1]);
    const few = edges_of(frame({ kind: "edges", edges: path(100) }), 200, 10);
    expect([few.edges.length, few.total]).toEqual([10, 100]);
  });

  it("cannot be drawn if they are not listed", () => {
    const bare = frame({ kind: "edges" });
    expect([bare, frame({}), complete].map(can_draw)).toEqual([
      false,
      false,
      true,
    ]);
    expect(edges_of(bare, 9).edges).toEqual([]);
  });
});
