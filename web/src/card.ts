// The frame of a plot: title, sentence, controls, chart, legend, note. It is
// drawn when it comes near the window, and again when something changes.
import type { App } from "./app";
import { fill, h, type Control } from "./dom";
import { make_chart, type Chart, type Option } from "./echarts";
import { Legend, type LegendEntry } from "./legend";

/** What a plot shows now. */
export interface Shown {
  /** The legend, hidden curves included. */
  entries?: LegendEntry[];
  /** Names of what is drawn, for tests. */
  series?: string[];
  /** The chart; missing where the card draws by itself. */
  option?: Option;
  /** Pixels. */
  height?: number;
  note?: string;
  /** Instead of the plot, if there is nothing to draw. */
  empty?: string;
}

export interface CardSpec {
  /** Stable name, the value of data-plot. */
  plot: string;
  title: string;
  /** What it shows and how to read it. */
  about: string;
  wide?: boolean;
  controls?: (Control<unknown> | false | undefined)[];
  /** SVG prints sharp, a canvas copes with thousands of elements. */
  renderer?: "svg" | "canvas";
  /** Dragging across the chart zooms. */
  zoomable?: boolean;
  /** Beside the chart. */
  aside?: HTMLElement;
  /** Called only while the card is near the window, or to print. */
  draw(hidden: ReadonlySet<string>): Shown;
}

/** With more runs curves go on a canvas. */
const kSvgRuns = 60;

export class Card {
  readonly element: HTMLElement;
  /** Names of what is drawn, and how often it was drawn; for tests. */
  series: string[] = [];
  drawn = 0;
  private readonly hidden_ = new Set<string>();
  private readonly chart_holder_ = h("div", { class: "chart" });
  private readonly frame_: HTMLElement;
  private readonly note_ = h("p", { class: "note" });
  private readonly empty_ = h("p", { class: "empty" });
  private readonly legend_: Legend;
  private chart_: Chart | null = null;
  private near_ = false;
  private stale_ = true;
  private scheduled_ = false;

  constructor(
    private readonly app_: App,
    readonly spec: CardSpec,
  ) {
    this.legend_ = new Legend(
      this.hidden_,
      () => this.changed(),
      (key) => this.highlight(key),
    );
    this.frame_ = h(
      "div",
      { class: "plot-frame" },
      this.chart_holder_,
      this.legend_.element,
      spec.aside,
    );
    const controls = (spec.controls ?? []).filter((it) => !!it);
    for (const control of controls) control.changed = () => this.changed();
    this.element = h(
      "article",
      {
        class: spec.wide ? "card wide" : "card",
        "data-plot": spec.plot,
        "aria-label": spec.title,
      },
      h("h3", {}, spec.title),
      h("p", { class: "about" }, spec.about),
      h("div", { class: "controls" }, ...controls.map((it) => it.element)),
      this.frame_,
      this.empty_,
      this.note_,
    );
    app_.on_change(() => this.changed());
  }

  /** To be drawn again when next seen. */
  changed(): void {
    this.stale_ = true;
    if (!this.near_ || this.scheduled_) return;
    this.scheduled_ = true;
    requestAnimationFrame(() => {
      this.scheduled_ = false;
      this.draw_if_stale();
    });
  }

  set_near(near: boolean): void {
    this.near_ = near;
    if (near) this.draw_if_stale();
  }

  draw_if_stale(): void {
    if (!this.stale_) return;
    this.stale_ = false;
    this.frame_.hidden = false; // A chart measures its place when it opens.
    const shown = this.spec.draw(this.hidden_);
    const { runs } = this.app_.selection;
    const empty =
      shown.empty && !runs.length && !this.app_.data.plan
        ? "No run passes the filter."
        : (shown.empty ?? "");
    this.empty_.textContent = empty;
    this.empty_.hidden = !empty;
    this.frame_.hidden = Boolean(empty);
    this.note_.textContent = shown.note ?? "";
    this.note_.hidden = !shown.note;
    this.legend_.show(shown.entries ?? []);
    this.series = shown.series ?? [];
    ++this.drawn;
    if (shown.option && !empty) this.draw_chart(shown.option, shown.height);
    this.fit();
  }

  private draw_chart(option: Option, height?: number): void {
    // Three plots on a sheet of paper.
    const usual = this.app_.choices.printing ? 255 : 340;
    this.chart_holder_.style.height = `${height ?? usual}px`;
    if (!this.chart_) this.chart_ = this.open();
    this.chart_.setOption(option, { notMerge: true });
    if (!this.spec.zoomable) return;
    // Dragging selects a part, without a press on ECharts' tool first.
    this.chart_.dispatchAction({
      type: "takeGlobalCursor",
      key: "dataZoomSelect",
      dataZoomSelectActive: true,
    });
  }

  private open(): Chart {
    const many = this.app_.data.runs.length > kSvgRuns;
    const renderer = this.spec.renderer ?? (many ? "canvas" : "svg");
    const chart = make_chart(this.chart_holder_, renderer);
    if (this.spec.zoomable) {
      chart.getZr().on("dblclick", () => {
        chart.dispatchAction({ type: "dataZoom", start: 0, end: 100 });
      });
    }
    return chart;
  }

  /** Fits the chart to its place. */
  fit(): void {
    const { clientWidth: width, clientHeight: height } = this.chart_holder_;
    const chart = this.chart_;
    if (!chart || !width || !height) return;
    if (chart.getWidth() !== width || chart.getHeight() !== height) {
      chart.resize({ width, height });
    }
  }

  private highlight(key: string | null): void {
    this.chart_?.dispatchAction({ type: "downplay" });
    if (key === null || this.hidden_.has(key)) return;
    this.chart_?.dispatchAction({ type: "highlight", seriesId: key });
  }
}

/** All cards of the page: those near the window are drawn, all of them to
 * print. */
export class Cards {
  private readonly cards_ = new Map<Element, Card>();
  private readonly near_ = new IntersectionObserver(
    (entries) => {
      for (const { target, isIntersecting } of entries) {
        this.cards_.get(target)?.set_near(isIntersecting);
      }
    },
    { rootMargin: "400px 0px" },
  );
  private readonly sizes_ = new ResizeObserver((entries) => {
    for (const { target } of entries) this.cards_.get(target)?.fit();
  });

  constructor(private readonly app_: App) {
    app_.on_change((changed) => {
      if (changed.has("printing")) this.draw_all();
    });
  }

  /** The cards side by side; their drawing is watched from now on. */
  grid(...specs: (CardSpec | false)[]): HTMLElement {
    const grid = h("div", { class: "grid" });
    const cards = specs
      .filter((spec) => spec !== false)
      .map((spec) => new Card(this.app_, spec));
    for (const card of cards) {
      this.cards_.set(card.element, card);
      this.near_.observe(card.element);
      this.sizes_.observe(card.element);
    }
    fill(grid, ...cards.map((card) => card.element));
    return grid;
  }

  /** Draws every card, seen or not, at the size that it has now. */
  draw_all(): void {
    for (const card of this.cards_.values()) {
      card.draw_if_stale();
      card.fit();
    }
  }

  by_plot(): Record<string, Card> {
    return Object.fromEntries(
      [...this.cards_.values()].map((card) => [card.spec.plot, card]),
    );
  }
}
