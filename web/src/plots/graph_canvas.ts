// Drawing of the communication graph: a square of kSize units, workers on a
// circle.
import type { Edge } from "../graph_frame";
import type { Theme } from "../theme";

const kSize = 520;
const kRadius = kSize / 2 - 26;

/** A cleared canvas whose unit is a pixel of a kSize square. */
export function prepare(canvas: HTMLCanvasElement): CanvasRenderingContext2D {
  const ratio = Math.max(2, window.devicePixelRatio || 1);
  canvas.width = kSize * ratio;
  canvas.height = kSize * ratio;
  const context = canvas.getContext("2d")!;
  context.scale(ratio, ratio);
  return context;
}

function place(worker: number, n: number): [number, number] {
  const turn = (2 * Math.PI * worker) / n;
  const middle = kSize / 2;
  return [middle + kRadius * Math.sin(turn), middle - kRadius * Math.cos(turn)];
}

function dot_radius(n: number): number {
  return Math.max(1, Math.min(5, (1.1 * kRadius) / n + 0.6));
}

function dot(
  context: CanvasRenderingContext2D,
  worker: number,
  n: number,
  larger = 0,
): void {
  const [x, y] = place(worker, n);
  context.beginPath();
  context.arc(x, y, dot_radius(n) + larger, 0, 2 * Math.PI);
  context.fill();
}

export function draw_edges(
  context: CanvasRenderingContext2D,
  edges: Edge[],
  n: number,
  theme: Theme,
): void {
  const count = edges.length;
  context.strokeStyle = theme.muted;
  context.globalAlpha = Math.max(
    0.03,
    Math.min(0.75, 40 / Math.sqrt(count * 20)),
  );
  context.lineWidth = count > 4000 ? 0.4 : count > 600 ? 0.7 : 1.2;
  // Piece by piece: within one path, lines that cross get no darker.
  for (let begin = 0; begin < edges.length; begin += n) {
    context.beginPath();
    for (const [a, b] of edges.slice(begin, begin + n)) {
      const [ax, ay] = place(a, n);
      const [bx, by] = place(b, n);
      context.moveTo(ax, ay);
      context.lineTo(bx, by);
    }
    context.stroke();
  }
  context.globalAlpha = 1;
}

export function draw_workers(
  context: CanvasRenderingContext2D,
  n: number,
  theme: Theme,
): void {
  context.fillStyle = theme.ink;
  for (let worker = 0; worker < n; ++worker) dot(context, worker, n);
  context.fillStyle = theme.muted;
  context.font = "11px system-ui, sans-serif";
  context.textAlign = "center";
  context.textBaseline = "middle";
  const every = label_step(n);
  for (let worker = 0; worker < n; worker += every) {
    // The last label must not touch the first.
    if (worker > 0 && n - worker < every * 0.7) break;
    const turn = (2 * Math.PI * worker) / n;
    const radius = kRadius + 16;
    context.fillText(
      String(worker),
      kSize / 2 + radius * Math.sin(turn),
      kSize / 2 - radius * Math.cos(turn),
    );
  }
}

/** Every how many workers there is room for a number. */
export function label_step(n: number): number {
  const steps = [1, 2, 4, 5, 8, 10, 16, 20, 25, 50, 100, 200, 500, 1000];
  return steps.find((step) => n / step <= 48) ?? 2000;
}

/** The worker in whose direction a point of the square (0..1 each way) lies;
 * -1 well inside of the circle. */
export function worker_at(x: number, y: number, n: number): number {
  const [dx, dy] = [(x - 0.5) * kSize, (y - 0.5) * kSize];
  if (Math.hypot(dx, dy) < kRadius * 0.75) return -1;
  const turn = Math.atan2(dx, -dy) / (2 * Math.PI);
  return (Math.round(turn * n) + n) % n;
}

/** A worker and its edges, to stand out. */
export function draw_star(
  context: CanvasRenderingContext2D,
  worker: number,
  others: number[],
  n: number,
  theme: Theme,
): void {
  const [x, y] = place(worker, n);
  context.strokeStyle = theme.accent;
  context.lineWidth = others.length > 200 ? 0.5 : 1.5;
  context.beginPath();
  for (const other of others) {
    const [ox, oy] = place(other, n);
    context.moveTo(x, y);
    context.lineTo(ox, oy);
  }
  context.stroke();
  context.fillStyle = theme.accent;
  for (const other of others) dot(context, other, n, 0.5);
  dot(context, worker, n, 2.5);
}
