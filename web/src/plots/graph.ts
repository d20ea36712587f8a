// Who talks to whom, on a circle, frame by frame.
import type { App } from "../app";
import { Card, type Shown } from "../card";
import type { Frame, Graph } from "../data";
import { chooser, fill, h, type Control } from "../dom";
import { finite, number, whole } from "../format";
import { can_draw, edges_of, neighbours } from "../graph_frame";
import {
  draw_edges,
  draw_star,
  draw_workers,
  prepare,
  worker_at,
} from "./graph_canvas";

/** More lines than this cannot be told apart and take long to draw. */
const kMostEdges = 24000;

export class GraphCard extends Card {
  private readonly graph_: Control<string>;
  private readonly slider_: HTMLInputElement;
  private readonly when_ = h("output", { class: "frame-label" });
  private readonly base_ = h("canvas", { class: "graph-base" });
  private readonly over_ = h("canvas", { class: "graph-over" });
  private readonly facts_ = h("div", { class: "graph-facts" });
  private readonly hover_facts_ = h("div", { class: "graph-facts" });
  private readonly slider_row_: HTMLElement;
  private hovered_ = -1;
  private chosen_ = false;
  private current_: Frame | null = null;
  private n_ = 0;

  constructor(app: App) {
    super(app, {
      plot: "graph",
      title: "Communication graph",
      about:
        "Workers on a circle, in rank order from the top. Point at a worker " +
        "to see whom it exchanges with.",
      wide: true,
      plain: true,
    });
    this.graph_ = chooser("graph", [], () => {
      this.chosen_ = true;
      this.slider_.value = "0";
      this.changed();
    });
    this.slider_ = h("input", {
      type: "range",
      min: 0,
      step: 1,
      value: 0,
      "aria-label": "frame",
      input: () => this.changed(),
    });
    this.slider_row_ = h(
      "label",
      { class: "control slider" },
      h("span", {}, "time"),
      this.slider_,
      this.when_,
    );
    this.add_control(this.graph_.element, this.slider_row_);
    const stage = h(
      "div",
      {
        class: "graph-stage",
        mousemove: (event: MouseEvent) => this.point_at(event),
        mouseleave: () => this.hover(-1),
      },
      this.base_,
      this.over_,
    );
    this.body.classList.add("graph-body");
    this.body.append(
      stage,
      h("div", { class: "graph-side" }, this.facts_, this.hover_facts_),
    );
  }

  protected draw(): Shown {
    const shown = new Set(this.app.selection.groups.map((g) => g.group.id));
    const graphs = this.app.data.graphs.filter(
      (graph) => shown.has(graph.group) && graph.frames.length > 0,
    );
    const all = this.app.data.graphs;
    this.graph_.options(
      graphs.map((g) => ({ value: String(all.indexOf(g)), label: g.label })),
    );
    if (!this.chosen_) {
      // At first one that changes, if any does.
      const changing = graphs.find((g) => g.frames.length > 1);
      if (changing) this.graph_.set(String(all.indexOf(changing)));
    }
    const graph = graphs.find(
      (g) => String(all.indexOf(g)) === this.graph_.value(),
    );
    if (!graph) {
      this.slider_row_.hidden = true;
      const empty = this.app.selection.runs.length
        ? "No shown run has a communication graph in this page."
        : "No run passes the filter.";
      return { entries: [], series: [], empty };
    }
    const frame = this.choose_frame(graph);
    this.current_ = frame;
    this.n_ = graph.n;
    this.hovered_ = -1;
    this.clear_over();
    const note = this.paint(graph, frame);
    return { entries: [], series: [frame_name(graph, frame)], note };
  }

  private choose_frame(graph: Graph): Frame {
    const last = graph.frames.length - 1;
    this.slider_row_.hidden = last === 0;
    this.slider_.max = String(last);
    const i = Math.min(last, Number(this.slider_.value));
    const frame = graph.frames[i]!;
    this.when_.textContent =
      `step ${whole(frame.step)}, epoch ${number(frame.epoch, 3)}, ` +
      `degree ${number(frame.degree)}`;
    return frame;
  }

  /** Returns what the reader must know of the drawing. */
  private paint(graph: Graph, frame: Frame): string {
    const theme = this.app.theme;
    const context = prepare(this.base_);
    const { edges, total } = edges_of(frame, graph.n, kMostEdges);
    draw_edges(context, edges, graph.n, theme);
    draw_workers(context, graph.n, theme);
    fill(
      this.facts_,
      fact("workers", whole(graph.n)),
      fact("degree", number(frame.degree)),
      can_draw(frame) &&
        fact(frame.directed ? "arrows" : "edges", whole(total)),
      fact("kind", kind_name(frame)),
      graph.frames.length > 1 &&
        fact(
          "frame",
          `${graph.frames.indexOf(frame) + 1} of ${graph.frames.length}`,
        ),
    );
    this.show_hover();
    if (!can_draw(frame)) {
      return "This graph has too many edges to be listed in the page.";
    }
    if (edges.length < total) {
      return (
        `Drawn are ${whole(edges.length)} of ${whole(total)} edges, evenly ` +
        "chosen; pointing at a worker shows all of its edges."
      );
    }
    return "";
  }

  private point_at(event: MouseEvent): void {
    if (!this.n_) return;
    const box = this.base_.getBoundingClientRect();
    const x = (event.clientX - box.left) / box.width;
    const y = (event.clientY - box.top) / box.height;
    this.hover(worker_at(x, y, this.n_));
  }

  private hover(worker: number): void {
    if (worker === this.hovered_) return;
    this.hovered_ = worker;
    this.clear_over();
    if (worker >= 0 && this.current_) {
      const others = neighbours(this.current_, this.n_, worker);
      draw_star(prepare(this.over_), worker, others, this.n_, this.app.theme);
    }
    this.show_hover();
  }

  private show_hover(): void {
    if (this.hovered_ < 0 || !this.current_) {
      this.hover_facts_.replaceChildren();
      return;
    }
    const others = neighbours(this.current_, this.n_, this.hovered_);
    const listed = others.slice(0, 24).join(", ");
    const more = others.length > 24 ? ` and ${others.length - 24} more` : "";
    this.hover_facts_.replaceChildren(
      fact("worker", String(this.hovered_)),
      fact(
        this.current_.directed ? "sends to" : "neighbours",
        others.length ? `${listed}${more}` : "nobody",
      ),
    );
  }

  private clear_over(): void {
    prepare(this.over_);
  }
}

function fact(name: string, value: string): HTMLElement {
  return h("div", {}, h("span", {}, name), h("b", {}, value));
}

function kind_name(frame: Frame): string {
  const direction = frame.directed ? ", directed" : "";
  if (frame.kind === "offsets") {
    const offsets = frame.offsets ?? [];
    const listed = offsets.slice(0, 8).join(", ");
    const more = offsets.length > 8 ? ", …" : "";
    const sign = frame.directed ? "+" : "±";
    return `i ${sign} {${listed}${more}}${direction}`;
  }
  return (frame.kind === "edges" ? "listed edges" : frame.kind) + direction;
}

function frame_name(graph: Graph, frame: Frame): string {
  const degree = finite(frame.degree) ? frame.degree : "?";
  return `${graph.label} step ${frame.step} degree ${degree}`;
}
