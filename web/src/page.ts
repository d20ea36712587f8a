// Cards in sections: those near the window are drawn, all of them for paper.
import type { App } from "./app";
import type { Card } from "./card";

export class Cards {
  private readonly cards_: Card[] = [];
  private readonly observer_: IntersectionObserver;
  private readonly sizes_: ResizeObserver;

  constructor(app: App) {
    const card_of = new Map<Element, Card>();
    this.observer_ = new IntersectionObserver(
      (entries) => {
        for (const entry of entries) {
          card_of.get(entry.target)?.set_near(entry.isIntersecting);
        }
      },
      { rootMargin: "400px 0px" },
    );
    this.sizes_ = new ResizeObserver((entries) => {
      for (const entry of entries) card_of.get(entry.target)?.fit();
    });
    this.register = (card) => {
      card_of.set(card.element, card);
      this.cards_.push(card);
      this.observer_.observe(card.element);
      this.sizes_.observe(card.element);
      return card.element;
    };
    app.on_change((changed) => {
      if (changed.has("printing")) this.draw_all();
    });
  }

  /** Watches the card from now on; returns its element. */
  readonly register: (card: Card) => HTMLElement;

  /** Draws every card, seen or not, at the size that it has now. */
  draw_all(): void {
    for (const card of this.cards_) {
      card.draw_if_stale();
      card.fit();
    }
  }

  all(): readonly Card[] {
    return this.cards_;
  }
}
