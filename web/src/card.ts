// The frame of a plot: title, sentence, controls, body, legend, note. It is
// drawn when it comes near the window, and then again when something changes.
import type { App } from "./app";
import { h } from "./dom";
import { Legend, type LegendEntry } from "./legend";

/** What a plot shows now, for tests and for the page itself. */
export interface Shown {
  /** Legend; hidden curves included. */
  entries: LegendEntry[];
  /** Names of what is drawn. */
  series: string[];
  note?: string;
  /** Instead of the plot, where there is nothing to draw. */
  empty?: string;
}

export interface CardOptions {
  /** Stable name, the value of data-plot. */
  plot: string;
  title: string;
  /** What it shows and how to read it. */
  about: string;
  wide?: boolean;
  /** No legend at the side. */
  plain?: boolean;
}

type Marked = HTMLElement & { __series?: string[]; __drawn?: number };

export abstract class Card {
  readonly element: Marked;
  readonly plot: string;
  protected readonly body = h("div", { class: "plot-body" });
  protected readonly hidden = new Set<string>();
  private readonly controls_ = h("div", { class: "controls" });
  private readonly frame_ = h("div", { class: "plot-frame" });
  private readonly note_ = h("p", { class: "note" });
  private readonly empty_ = h("p", { class: "empty" });
  private readonly legend_: Legend;
  private near_ = false;
  private stale_ = true;
  private scheduled_ = false;
  private drawn_ = 0;

  constructor(
    protected readonly app: App,
    options: CardOptions,
  ) {
    this.plot = options.plot;
    this.legend_ = new Legend({
      toggled: (key) => {
        if (!this.hidden.delete(key)) this.hidden.add(key);
        this.changed();
      },
      isolated: (hidden) => {
        this.hidden.clear();
        for (const key of hidden) this.hidden.add(key);
        this.changed();
      },
      hovered: (key) => this.highlight(key),
    });
    this.frame_.append(this.body);
    if (!options.plain) this.frame_.append(this.legend_.element);
    this.element = h(
      "article",
      {
        class: options.wide ? "card wide" : "card",
        "data-plot": options.plot,
        "aria-label": options.title,
      },
      h("h3", {}, options.title),
      h("p", { class: "about" }, options.about),
      this.controls_,
      this.frame_,
      this.empty_,
      this.note_,
    );
    app.on_change(() => this.changed());
  }

  /** Draws into `body`; called only while the card is near the window. */
  protected abstract draw(): Shown;

  /** A curve to stand out, or none. */
  protected highlight(_key: string | null): void {}

  /** Fits the drawing to the body's size. */
  protected resize(): void {}

  protected add_control(...controls: HTMLElement[]): void {
    this.controls_.append(...controls);
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
    const shown = this.draw();
    const empty = shown.empty ?? "";
    this.empty_.textContent = empty;
    this.empty_.hidden = !empty;
    this.frame_.hidden = Boolean(empty);
    this.note_.textContent = shown.note ?? "";
    this.note_.hidden = !shown.note;
    this.legend_.show(shown.entries, this.hidden);
    this.element.__series = shown.series;
    this.element.__drawn = ++this.drawn_;
    if (!empty) this.resize();
  }

  fit(): void {
    if (this.drawn_) this.resize();
  }

  get series(): string[] {
    return this.element.__series ?? [];
  }

  get drawn(): number {
    return this.drawn_;
  }
}
