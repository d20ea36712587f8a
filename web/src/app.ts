// What all parts of the page share: the data, what the reader chose, and who
// wants to know of changes.
import { axes_with_data, type AxisKey } from "./axis";
import type { Data, Group } from "./data";
import { h } from "./dom";
import { no_filter, select, type Filter, type Selection } from "./filter";
import { swatch, type Swatch } from "./legend";
import { colour_at, looks, type Look } from "./palette";
import { theme_now, type Mode, type Theme } from "./theme";

export type SeedsMode = "mean" | "runs";

export interface Choices {
  filter: Filter;
  seeds: SeedsMode;
  axis: AxisKey;
  mode: Mode;
  /** Paper gets light colours. */
  printing: boolean;
}

/** Others read the fields and set them by `change`. */
export class App {
  choices: Readonly<Choices>;
  selection: Selection;
  theme: Theme;
  private readonly looks_: Map<number, Look>;
  private readonly groups_: Map<number, Group>;
  private readonly listeners_: ((changed: Set<keyof Choices>) => void)[] = [];

  constructor(
    readonly data: Data,
    mode: Mode,
  ) {
    this.choices = {
      filter: no_filter(),
      seeds: "mean",
      axis: axes_with_data(data.runs)[0]?.key ?? "epoch",
      mode,
      printing: false,
    };
    this.selection = select(data, this.choices.filter);
    this.looks_ = looks(data.groups);
    this.groups_ = new Map(data.groups.map((group) => [group.id, group]));
    this.theme = this.dress();
  }

  /** Puts the page into the chosen colours. */
  private dress(): Theme {
    const { mode, printing } = this.choices;
    const root = document.documentElement;
    root.dataset["theme"] = printing ? "light" : mode;
    root.classList.toggle("printing", printing);
    return theme_now(printing ? "light" : mode);
  }

  group(id: number): Group | undefined {
    return this.groups_.get(id);
  }

  colour(group: number): string {
    return colour_at(this.theme.mode, this.looks_.get(group)?.colour ?? 0);
  }

  /** How the group is drawn; symbol 0 is for curves without marks. */
  look(group: number, line: Swatch["line"] = "solid"): Swatch {
    const symbol = this.looks_.get(group)?.symbol ?? 0;
    return { colour: this.colour(group), symbol, line };
  }

  /** A name with the group's mark before it. */
  named(group: number, name: string, title?: string): HTMLElement {
    const mark = swatch(this.look(group));
    return h("span", { class: "run-name", title }, mark, name);
  }

  change(changes: Partial<Choices>): void {
    const before = this.choices;
    this.choices = { ...before, ...changes };
    const keys = Object.keys(changes) as (keyof Choices)[];
    const changed = new Set(
      keys.filter((key) => this.choices[key] !== before[key]),
    );
    if (!changed.size) return;
    this.selection = select(this.data, this.choices.filter);
    this.theme = this.dress();
    for (const listener of this.listeners_) listener(changed);
  }

  on_change(listener: (changed: Set<keyof Choices>) => void): void {
    this.listeners_.push(listener);
  }

  /** Shows now, and again when what tables show or their colours change. */
  keep_fresh(show: () => void): void {
    this.on_change((changed) => {
      const kinds: (keyof Choices)[] = ["filter", "mode", "printing"];
      if (kinds.some((kind) => changed.has(kind))) show();
    });
    show();
  }
}
