// A plot's legend: elements beside the plot, so that it never covers a curve
// and scrolls when it is long. A click switches a curve, a double click leaves
// only that one.
import { h, s } from "./dom";

export interface LegendEntry {
  key: string;
  label: string;
  colour: string;
  /** Index of the mark on the line; 0 is none. */
  symbol: number;
  line: "solid" | "dashed" | "dotted" | "none";
  title?: string;
}

const kMarks = [
  "M10 5 m-3 0 a3 3 0 1 0 6 0 a3 3 0 1 0 -6 0",
  "M10 1.5 L14 8.5 L6 8.5 Z",
  "M10 0.8 L14.2 5 L10 9.2 L5.8 5 Z",
  "M6.7 1.7 h6.6 v6.6 h-6.6 Z",
  "M8.7 1 h2.6 v2.7 h2.7 v2.6 h-2.7 v2.7 h-2.6 v-2.7 h-2.7 v-2.6 h2.7 Z",
  "M6.5 2.8 L7.8 1.5 L10 3.7 L12.2 1.5 L13.5 2.8 L11.3 5 L13.5 7.2 L12.2 8.5 L10 6.3 L7.8 8.5 L6.5 7.2 L8.7 5 Z",
];

export function swatch(entry: Omit<LegendEntry, "key" | "label">): SVGElement {
  const picture = s("svg", {
    class: "swatch",
    viewBox: "0 0 20 10",
    width: 20,
    height: 10,
    "aria-hidden": "true",
  });
  if (entry.line !== "none") {
    const dash = { solid: "", dashed: "4 3", dotted: "1.5 2.5" }[entry.line];
    picture.append(
      s("line", {
        x1: 0,
        x2: 20,
        y1: 5,
        y2: 5,
        stroke: entry.colour,
        "stroke-width": 2.2,
        "stroke-dasharray": dash || null,
      }),
    );
  }
  if (entry.symbol > 0 || entry.line === "none") {
    const larger = "translate(10 5) scale(1.25) translate(-10 -5)";
    picture.append(
      s("path", {
        d: kMarks[entry.symbol],
        fill: entry.colour,
        transform: entry.line === "none" ? larger : null,
      }),
    );
  }
  return picture;
}

/** A long label is cut in its middle: labels often differ at their ends. */
function label_parts(label: string): HTMLElement[] {
  const tail = label.length > 20 ? 9 : 0;
  const cut = label.length - tail;
  return [
    h("span", { class: "label-head" }, label.slice(0, cut)),
    ...(tail ? [h("span", { class: "label-tail" }, label.slice(cut))] : []),
  ];
}

export interface LegendEvents {
  toggled(key: string): void;
  /** The keys that are to be hidden. */
  isolated(hidden: Set<string>): void;
  hovered(key: string | null): void;
}

export class Legend {
  readonly element = h("div", { class: "legend", role: "group" });
  private keys_: string[] = [];
  private hidden_: ReadonlySet<string> = new Set();
  private drawn_ = "";

  constructor(private readonly events_: LegendEvents) {
    this.element.setAttribute("aria-label", "Curves");
  }

  show(entries: LegendEntry[], hidden: ReadonlySet<string>): void {
    this.keys_ = entries.map((entry) => entry.key);
    this.hidden_ = hidden;
    // Rebuilding under the pointer would lose the second half of a double
    // click.
    const drawn = JSON.stringify(entries);
    if (drawn !== this.drawn_) {
      this.drawn_ = drawn;
      this.element.replaceChildren(...entries.map((e) => this.button(e)));
    }
    for (const child of this.element.children) {
      const shown = !hidden.has((child as HTMLElement).dataset["key"] ?? "");
      child.setAttribute("aria-pressed", String(shown));
    }
    this.element.classList.toggle("dense", entries.length > 14);
    this.element.hidden = entries.length === 0;
  }

  private button(entry: LegendEntry): HTMLElement {
    return h(
      "button",
      {
        type: "button",
        "data-key": entry.key,
        title:
          entry.title ??
          `${entry.label}: click to switch, double-click for it alone`,
        click: () => this.events_.toggled(entry.key),
        dblclick: () => this.isolate(entry.key),
        mouseenter: () => this.events_.hovered(entry.key),
        mouseleave: () => this.events_.hovered(null),
      },
      swatch(entry),
      ...label_parts(entry.label),
    );
  }

  private isolate(key: string): void {
    const others = this.keys_.filter((k) => k !== key);
    const alone =
      !this.hidden_.has(key) && others.every((k) => this.hidden_.has(k));
    this.events_.isolated(new Set(alone ? [] : others));
  }
}
