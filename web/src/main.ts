// The page, from its data.
import { App } from "./app";
import { Cards, type Card } from "./card";
import { parse_data, type Data } from "./data";
import { h } from "./dom";
import { filter_bar } from "./filter_bar";
import { header } from "./header";
import * as curves from "./plots/curves";
import { gossip_workers_card } from "./plots/gossip_workers";
import { graph_card } from "./plots/graph";
import { heat_card } from "./plots/heat";
import { norms_card } from "./plots/norms";
import * as plans from "./plots/plan";
import { bytes_card, messages_card, scatter_card } from "./plots/points";
import { spans_card } from "./plots/spans";
import { waits_card } from "./plots/waits";
import type { Plan } from "./plan";
import { correlations, findings, rankings, target } from "./tables/analysis";
import { predictions_table, recommendations } from "./tables/plan";
import { runs_table } from "./tables/runs";
import { stored_mode, system_mode } from "./theme";

/** For tests and for people at the browser's console. */
interface Handle {
  app: App;
  plots: Record<string, Card>;
  /** Draws also what is out of sight. */
  draw_all(): void;
  /** Milliseconds from the page's beginning until it could be used. */
  ready: number;
}

declare global {
  interface Window {
    grapevine?: Handle;
  }
}

function section(
  id: string,
  title: string,
  ...children: HTMLElement[]
): HTMLElement {
  return h("section", { id }, h("h2", {}, title), ...children);
}

function panel(title: string, part: HTMLElement, look = "wide"): HTMLElement {
  const head = title ? h("h3", {}, title) : null;
  return h("article", { class: `card ${look}` }, head, part);
}

const kHint =
  "Drag across a plot to zoom, double-click to see all of it again. A click " +
  "on a legend entry switches its curve, a double click leaves only that one.";

/** The sections of a report. Plots come first: a reader looks at curves before
 * tables. */
function report_sections(app: App, cards: Cards): HTMLElement[] {
  const is_asynchronous = app.data.runs.some(curves.has_gossip);
  const comparisons = h(
    "div",
    { class: "grid" },
    panel("Ranking", rankings(app), ""),
    panel("Way to the target", target(app), ""),
  );
  const asynchrony = section(
    "asynchrony",
    "Asynchronous workers",
    cards.grid(
      is_asynchronous && gossip_workers_card(app),
      is_asynchronous && curves.gossip_card(app),
    ),
  );
  return [
    section(
      "learning",
      "Learning curves",
      h("p", { class: "hint" }, kHint),
      cards.grid(
        curves.accuracy_card(app),
        curves.test_loss_card(app),
        curves.train_loss_card(app),
        curves.any_series_card(app),
      ),
    ),
    section("findings", "Findings", panel("What the runs show", findings(app))),
    section(
      "dispersion",
      "Dispersion",
      cards.grid(curves.dispersion_card(app), curves.consensus_card(app)),
    ),
    section(
      "tensors",
      "Tensors and replicas",
      cards.grid(heat_card(app), norms_card(app)),
    ),
    section(
      "connections",
      "Connections",
      cards.grid(
        curves.degree_card(app),
        curves.density_card(app),
        scatter_card(app),
      ),
    ),
    ...(is_asynchronous ? [asynchrony] : []),
    section("cost", "Cost", cards.grid(bytes_card(app), messages_card(app))),
    section(
      "graph",
      "Graph and time",
      cards.grid(graph_card(app), spans_card(app), waits_card(app)),
    ),
    section("runs", "Runs", panel("", runs_table(app))),
    section(
      "comparisons",
      "Comparisons",
      comparisons,
      panel("What goes with accuracy", correlations(app)),
    ),
  ];
}

/** The page of `grapevine plan`, which is about runs that are still to come. */
function plan_sections(app: App, cards: Cards, plan: Plan): HTMLElement[] {
  return [
    section(
      "recommended",
      "Recommended",
      panel("What to use", recommendations(plan)),
    ),
    section(
      "times",
      "Iteration times",
      cards.grid(
        plans.plan_scale_card(app, plan),
        plans.plan_rate_card(app, plan),
        plans.plan_parts_card(app, plan),
      ),
    ),
    section("predictions", "Predictions", panel("", predictions_table(plan))),
  ];
}

function build(app: App, cards: Cards): HTMLElement[] {
  const { plan, runs } = app.data;
  if (plan && !runs.length) {
    return [header(app), ...plan_sections(app, cards, plan)];
  }
  const sections = report_sections(app, cards);
  return [header(app), filter_bar(app, sections), ...sections];
}

/** Paper gets every plot, light and at the paper's width, and what is folded
 * away. */
function follow_printing(app: App): void {
  const closed = [...document.querySelectorAll("details:not([open])")];
  app.on_change((changed) => {
    if (!changed.has("printing")) return;
    for (const part of closed) {
      part.toggleAttribute("open", app.choices.printing);
    }
  });
  const media = matchMedia("print");
  media.addEventListener("change", () => {
    app.change({ printing: media.matches });
  });
  addEventListener("beforeprint", () => app.change({ printing: true }));
  addEventListener("afterprint", () => app.change({ printing: false }));
}

function start(data: Data): void {
  document.title = data.title;
  const app = new App(data, stored_mode() ?? system_mode());
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
    if (!stored_mode()) app.change({ mode: system_mode() });
  });
  const cards = new Cards(app);
  document.getElementById("page")!.append(...build(app, cards));
  follow_printing(app);
  window.grapevine = {
    app,
    plots: cards.by_plot(),
    draw_all: () => cards.draw_all(),
    ready: performance.now(),
  };
}

/** In place of the page, if there is nothing to show. */
function give_up(message: string): void {
  document.documentElement.dataset["theme"] = system_mode();
  document
    .getElementById("page")!
    .replaceChildren(h("p", { class: "fatal", role: "alert" }, message));
}

function main(): void {
  let data: Data;
  try {
    const holder = document.getElementById("grapevine-data");
    data = parse_data(holder?.textContent ?? "");
  } catch (error) {
    return give_up((error as Error).message);
  }
  try {
    start(data);
  } catch (error) {
    give_up(`This page could not be drawn: ${String(error)}`);
    throw error;
  }
}

main();
