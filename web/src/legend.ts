// A plot's legend: elements beside the plot, so that it never covers a curve,
// scrolls when it is long and can be reached by keyboard. A click switches a
// curve, a double click leaves only that one.
import { h, s } from "./dom";
import { kMarks } from "./palette";

/** How a curve or a group is drawn where it is named. */
export interface Swatch {
  colour: string;
  /** Index of the mark on the line; 0 is none. */
  symbol: number;
  line: "solid" | "none";
}

export interface LegendEntry extends Swatch {
  key: string;
  label: string;
}

export function swatch({ colour, symbol, line }: Swatch): SVGElement {
  const picture = s("svg", {
    class: "swatch",
    viewBox: "-10 -5 20 10",
    width: 20,
    height: 10,
    "aria-hidden": "true",
  });
  const solid = line === "solid";
  if (solid) {
    const d = "M-10 0 H10";
    picture.append(s("path", { d, stroke: colour, "stroke-width": 2.2 }));
  }
  if (symbol > 0 || !solid) {
    const transform = "scale(0.75)";
    picture.append(s("path", { d: kMarks[symbol], fill: colour, transform }));
  }
  return picture;
}

/** A long label is cut in its middle: labels often differ at their ends. */
function label_parts(label: string): HTMLElement[] {
  const cut = label.length > 20 ? label.length - 9 : label.length;
  return [
    h("span", { class: "label-head" }, label.slice(0, cut)),
    h("span", { class: "label-tail" }, label.slice(cut)),
  ];
}

export class Legend {
  readonly element = h("div", {
    class: "legend",
    role: "group",
    "aria-label": "Curves",
  });
  private drawn_ = "";

  /** Adds to and takes from `hidden` what the reader switches. */
  constructor(
    private readonly hidden_: Set<string>,
    private readonly changed_: () => void,
    private readonly hovered_: (key: string | null) => void,
  ) {}

  show(entries: LegendEntry[]): void {
    // Rebuilding under the pointer would lose the second half of a double
    // click.
    const drawn = JSON.stringify(entries);
    if (drawn !== this.drawn_) {
      this.drawn_ = drawn;
      const keys = entries.map((entry) => entry.key);
      this.element.replaceChildren(...entries.map((e) => this.button(e, keys)));
    }
    entries.forEach(({ key }, i) => {
      const pressed = String(!this.hidden_.has(key));
      this.element.children[i]!.setAttribute("aria-pressed", pressed);
    });
    this.element.hidden = entries.length === 0;
  }

  private button(entry: LegendEntry, keys: string[]): HTMLElement {
    const { key, label } = entry;
    return h(
      "button",
      {
        type: "button",
        title: `${label}: click to switch, double-click for it alone`,
        click: () => this.toggle(key),
        dblclick: () => this.isolate(key, keys),
        mouseenter: () => this.hovered_(key),
        mouseleave: () => this.hovered_(null),
      },
      swatch(entry),
      ...label_parts(label),
    );
  }

  private toggle(key: string): void {
    if (!this.hidden_.delete(key)) this.hidden_.add(key);
    this.changed_();
  }

  private isolate(key: string, keys: string[]): void {
    const others = keys.filter((k) => k !== key);
    const alone =
      !this.hidden_.has(key) && others.every((k) => this.hidden_.has(k));
    this.hidden_.clear();
    if (!alone) for (const other of others) this.hidden_.add(other);
    this.changed_();
  }
}
