// A frame of the communication graph as edges.
import type { Frame } from "./data";

export type Edge = [number, number];

const modulo = (i: number, n: number): number => ((i % n) + n) % n;

/** Distances around the circle that join two workers, each once: of an
 * undirected graph those up to n / 2, of a directed one all. */
export function distances(frame: Frame, n: number): number[] {
  const given =
    frame.kind === "complete"
      ? Array.from({ length: Math.max(0, n - 1) }, (_, i) => i + 1)
      : (frame.offsets ?? []);
  const found = new Set<number>();
  for (const offset of given) {
    const forward = modulo(offset, n);
    if (forward === 0) continue;
    found.add(frame.directed ? forward : Math.min(forward, n - forward));
  }
  return [...found].sort((a, b) => a - b);
}

/** How many edges the frame has; an undirected one counts once. */
export function edge_count(frame: Frame, n: number): number {
  if (frame.kind === "edges") return frame.edges?.length ?? 0;
  return distances(frame, n).reduce((sum, d) => sum + edges_at(d, frame, n), 0);
}

function edges_at(distance: number, frame: Frame, n: number): number {
  return !frame.directed && distance * 2 === n ? n / 2 : n;
}

export interface Drawn {
  edges: Edge[];
  total: number;
}

/** The frame's edges, at most about `limit`: of more, whole distances (or, of
 * listed edges, every m-th) are left out evenly, the nearest kept. */
export function edges_of(frame: Frame, n: number, limit = Infinity): Drawn {
  const total = edge_count(frame, n);
  const every = Math.max(1, Math.ceil(total / limit));
  if (frame.kind === "edges") {
    const all = frame.edges ?? [];
    return { edges: all.filter((_, i) => i % every === 0), total };
  }
  const edges: Edge[] = [];
  distances(frame, n).forEach((distance, i) => {
    if (i % every !== 0) return;
    const count = edges_at(distance, frame, n);
    for (let a = 0; a < count; ++a) edges.push([a, (a + distance) % n]);
  });
  return { edges, total };
}

/** Whom the worker sends to, sorted; all of them, whatever is drawn. */
export function neighbours(frame: Frame, n: number, worker: number): number[] {
  const found = new Set<number>();
  if (frame.kind === "edges") {
    for (const [a, b] of frame.edges ?? []) {
      if (a === worker) found.add(b);
      else if (b === worker && !frame.directed) found.add(a);
    }
  } else {
    for (const distance of distances(frame, n)) {
      found.add((worker + distance) % n);
      if (!frame.directed) found.add(modulo(worker - distance, n));
    }
  }
  found.delete(worker);
  return [...found].sort((a, b) => a - b);
}

/** False where the frame names a shape without listing it (edges that were
 * left out of the data because they are too many). */
export function can_draw(frame: Frame): boolean {
  if (frame.kind === "complete") return true;
  if (frame.kind === "offsets") return frame.offsets !== undefined;
  return frame.kind === "edges" && frame.edges !== undefined;
}
