// Who talks to whom, on a circle, frame by frame.
import type { App } from "../app";
import type { CardSpec } from "../card";
import type { Frame, Graph } from "../data";
import { Chooser, fill, h, type Control } from "../dom";
import { finite, listed, number, whole } from "../format";
import { can_draw, edges_of, neighbours } from "../graph_frame";
import {
  draw_edges, draw_star, draw_workers, prepare, worker_at,
} from "./graph_canvas";

/** More lines than this cannot be told apart and take long to draw. */
const kMostEdges = 24000;

/** Through the frames of a graph. */
class Slider implements Control<number> {
  readonly element: HTMLElement;
  changed = (): void => {};
  private readonly input_ = h("input", {
    type: "range",
    min: 0,
    value: 0,
    "aria-label": "frame",
    input: () => this.changed(),
  });
  private readonly label_ = h("output", { class: "frame-label" });

  constructor() {
    const name = h("span", {}, "time");
    const look = { class: "control slider" };
    this.element = h("label", look, name, this.input_, this.label_);
  }

  get value(): number {
    return Number(this.input_.value);
  }

  set value(value: number) {
    this.input_.value = String(value);
  }

  /** The frame that the slider is at. */
  among(frames: Frame[]): Frame {
    const last = frames.length - 1;
    this.element.hidden = last <= 0;
    this.input_.max = String(last);
    const frame = frames[Math.min(last, this.value)]!;
    this.label_.textContent =
      `step ${whole(frame.step)}, epoch ${number(frame.epoch, 3)}, ` +
      `degree ${number(frame.degree)}`;
    return frame;
  }
}

export function graph_card(app: App): CardSpec {
  const graph_choice = new Chooser("graph");
  const slider = new Slider();
  const base = h("canvas", { class: "graph-base" });
  const over = h("canvas");
  const facts = h("div", { class: "graph-facts" });
  const hover_facts = h("div", { class: "graph-facts" });
  let drawn: { frame: Frame; n: number } | null = null;
  let hovered = -1;

  const hover = (worker: number): void => {
    hovered = worker;
    const context = prepare(over);
    if (worker < 0 || !drawn) return hover_facts.replaceChildren();
    const { frame, n } = drawn;
    const others = neighbours(frame, n, worker);
    draw_star(context, worker, others, n, app.theme);
    hover_facts.replaceChildren(
      fact("worker", String(worker)),
      fact(
        frame.directed ? "sends to" : "neighbours",
        others.length ? listed(others, 24) : "none",
      ),
    );
  };
  const point_at = (event: MouseEvent): void => {
    const box = base.getBoundingClientRect();
    const x = (event.clientX - box.left) / box.width;
    const y = (event.clientY - box.top) / box.height;
    const worker = drawn ? worker_at(x, y, drawn.n) : -1;
    if (worker !== hovered) hover(worker);
  };
  const stage = h(
    "div",
    {
      class: "graph-stage",
      mousemove: point_at,
      mouseleave: () => hover(-1),
    },
    base,
    over,
  );
  const side = h("div", { class: "graph-side" }, facts, hover_facts);

  let shown_graph: Graph | undefined;
  const draw: CardSpec["draw"] = () => {
    const shown = app.selection.groups.map(({ group }) => group.id);
    const all = app.data.graphs;
    const graphs = all.filter(
      (graph) => shown.includes(graph.group) && graph.frames.length > 0,
    );
    const value_of = (one: Graph): string => String(all.indexOf(one));
    graph_choice.offer(
      graphs.map((one) => ({ value: value_of(one), label: one.label })),
    );
    // At first one that changes, if any does.
    const changing = graphs.find((one) => one.frames.length > 1);
    if (!shown_graph && changing) graph_choice.value = value_of(changing);
    const graph = graphs.find((one) => value_of(one) === graph_choice.value);
    slider.element.hidden = !graph;
    if (!graph) {
      return { empty: "No shown run has a communication graph in this page." };
    }
    if (shown_graph && graph !== shown_graph) slider.value = 0;
    shown_graph = graph;
    const frame = slider.among(graph.frames);
    drawn = { frame, n: graph.n };
    hover(-1);
    const degree = finite(frame.degree) ? frame.degree : "?";
    return {
      series: [`${graph.label} step ${frame.step} degree ${degree}`],
      note: paint(graph, frame),
    };
  };

  /** Returns what the reader must know of the drawing. */
  const paint = ({ n, frames }: Graph, frame: Frame): string => {
    const context = prepare(base);
    const { edges, total } = edges_of(frame, n, kMostEdges);
    draw_edges(context, edges, n, app.theme);
    draw_workers(context, n, app.theme);
    const place = `${frames.indexOf(frame) + 1} of ${frames.length}`;
    fill(
      facts,
      fact("workers", whole(n)),
      fact("degree", number(frame.degree)),
      can_draw(frame) &&
        fact(frame.directed ? "arrows" : "edges", whole(total)),
      fact("kind", kind_name(frame)),
      frames.length > 1 && fact("frame", place),
    );
    if (!can_draw(frame)) {
      return "This graph has too many edges to be listed in the page.";
    }
    if (edges.length === total) return "";
    return (
      `Drawn are ${whole(edges.length)} of ${whole(total)} edges, evenly ` +
      "chosen; pointing at a worker shows all of its edges."
    );
  };

  return {
    plot: "graph",
    title: "Communication graph",
    about:
      "Workers on a circle, in rank order from the top. Point at a worker to " +
      "see with whom it exchanges.",
    wide: true,
    controls: [graph_choice, slider],
    aside: h("div", { class: "graph-body" }, stage, side),
    draw,
  };
}

function fact(name: string, value: string): HTMLElement {
  return h("div", {}, h("span", {}, name), h("b", {}, value));
}

function kind_name(frame: Frame): string {
  const direction = frame.directed ? ", directed" : "";
  if (frame.kind === "offsets") {
    const offsets = frame.offsets ?? [];
    const more = offsets.length > 8 ? ", …" : "";
    const sign = frame.directed ? "+" : "±";
    return `i ${sign} {${offsets.slice(0, 8).join(", ")}${more}}${direction}`;
  }
  return (frame.kind === "edges" ? "listed edges" : frame.kind) + direction;
}
