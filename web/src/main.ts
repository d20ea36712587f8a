// The page, from its data.
import { App } from "./app";
import type { Card } from "./card";
import { parse_data, type Data } from "./data";
import { h } from "./dom";
import { filter_bar, type Jump } from "./filter_bar";
import { header } from "./header";
import { Cards } from "./page";
import { bytes_card, messages_card } from "./plots/cost";
import { AccuracyCard, test_loss_card, train_loss_card } from "./plots/curves";
import { ConsensusCard, DispersionCard } from "./plots/dispersion";
import { DegreeCard, DensityCard } from "./plots/degree";
import { GossipCard } from "./plots/gossip";
import { GossipWorkersCard } from "./plots/gossip_workers";
import { GraphCard } from "./plots/graph";
import { HeatCard } from "./plots/heat";
import { NormsCard } from "./plots/norms";
import { PlanRateCard, PlanScaleCard } from "./plots/plan_lines";
import { PlanPartsCard } from "./plots/plan_parts";
import { ScatterCard } from "./plots/scatter";
import { SpansCard } from "./plots/spans";
import { WaitsCard } from "./plots/waits";
import { sizes_of, type Plan } from "./plan";
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

function panel(title: string, part: HTMLElement): HTMLElement {
  return h("article", { class: "card wide" }, h("h3", {}, title), part);
}

function grid(cards: Cards, ...list: (Card | false)[]): HTMLElement {
  const shown = list.filter((card): card is Card => card !== false);
  return h("div", { class: "grid" }, ...shown.map(cards.register));
}

const kJumps: Jump[] = [
  { id: "findings", label: "Findings" },
  { id: "learning", label: "Learning" },
  { id: "dispersion", label: "Dispersion" },
  { id: "tensors", label: "Tensors" },
  { id: "connections", label: "Connections" },
  { id: "asynchrony", label: "Asynchrony" },
  { id: "cost", label: "Cost" },
  { id: "graph", label: "Graph and time" },
  { id: "runs", label: "Runs" },
  { id: "comparisons", label: "Comparisons" },
];

/** Those whose sections are there. */
function jumps_of(app: App): Jump[] {
  return kJumps.filter(
    (jump) => jump.id !== "asynchrony" || GossipCard.wanted(app),
  );
}

/** The page of `grapevine plan`, which is about runs that are still to come. */
function build_plan(app: App, cards: Cards, plan: Plan): HTMLElement[] {
  return [
    header(app),
    section(
      "recommended",
      "Recommended",
      panel("What to use", recommendations(app, plan)),
    ),
    section(
      "times",
      "Iteration times",
      grid(
        cards,
        sizes_of(plan).length > 1 && new PlanScaleCard(app, plan),
        new PlanRateCard(app, plan),
        new PlanPartsCard(app, plan),
      ),
    ),
    section(
      "predictions",
      "Predictions",
      h("article", { class: "card wide" }, predictions_table(plan)),
    ),
  ];
}

/** Plots first: a reader looks at curves before tables. */
function build(app: App, cards: Cards): HTMLElement[] {
  const { plan, runs } = app.data;
  if (plan && !runs.length) return build_plan(app, cards, plan);
  return [
    header(app),
    section(
      "findings",
      "Findings",
      panel("What the runs show", findings(app)),
    ),
    filter_bar(app, jumps_of(app)),
    section(
      "learning",
      "Learning curves",
      h(
        "p",
        { class: "hint" },
        "Drag across a plot to zoom, double-click to see all of it again. " +
          "A click on a legend entry switches its curve, a double click " +
          "leaves it alone.",
      ),
      grid(
        cards,
        new AccuracyCard(app),
        test_loss_card(app),
        train_loss_card(app),
      ),
    ),
    section(
      "dispersion",
      "Dispersion",
      grid(cards, new DispersionCard(app), new ConsensusCard(app)),
    ),
    section(
      "tensors",
      "Tensors and replicas",
      grid(cards, new HeatCard(app), new NormsCard(app)),
    ),
    section(
      "connections",
      "Connections",
      grid(
        cards,
        new DegreeCard(app),
        DensityCard.wanted(app) && new DensityCard(app),
        new ScatterCard(app),
      ),
    ),
    ...(GossipCard.wanted(app)
      ? [
          section(
            "asynchrony",
            "Asynchronous workers",
            grid(cards, new GossipWorkersCard(app), new GossipCard(app)),
          ),
        ]
      : []),
    section("cost", "Cost", grid(cards, bytes_card(app), messages_card(app))),
    section(
      "graph",
      "Graph and time",
      grid(
        cards,
        new GraphCard(app),
        new SpansCard(app),
        WaitsCard.wanted(app) && new WaitsCard(app),
      ),
    ),
    section(
      "runs",
      "Runs",
      h("article", { class: "card wide" }, runs_table(app)),
    ),
    section(
      "comparisons",
      "Comparisons",
      h(
        "div",
        { class: "grid" },
        h("article", { class: "card" }, h("h3", {}, "Ranking"), rankings(app)),
        h(
          "article",
          { class: "card" },
          h("h3", {}, "Way to the target"),
          target(app),
        ),
      ),
      panel("What goes with accuracy", correlations(app)),
    ),
  ];
}

function follow_theme(app: App): void {
  const apply = (): void => {
    const { mode, printing } = app.choices;
    document.documentElement.dataset["theme"] = printing ? "light" : mode;
    document.documentElement.classList.toggle("printing", printing);
  };
  app.on_change(apply);
  apply();
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
    if (!stored_mode()) app.change({ mode: system_mode() });
  });
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
  // First, so that plots are drawn in the colours and sizes that hold.
  follow_theme(app);
  const cards = new Cards(app);
  const root = document.getElementById("page")!;
  root.append(...build(app, cards));
  follow_printing(app);
  window.grapevine = {
    app,
    plots: Object.fromEntries(cards.all().map((card) => [card.plot, card])),
    draw_all: () => cards.draw_all(),
    ready: performance.now(),
  };
}

/** In place of the page, where there is nothing to show. */
function give_up(message: string): void {
  document.documentElement.dataset["theme"] = system_mode();
  document
    .getElementById("page")!
    .replaceChildren(h("p", { class: "fatal", role: "alert" }, message));
}

function main(): void {
  const holder = document.getElementById("grapevine-data");
  let data: Data;
  try {
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
