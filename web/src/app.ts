// What all parts of the page share: the data, what the reader chose, and who
// wants to know of changes.
import { axes_with_data, type AxisKey } from "./axis";
import type { Data, Group, Run } from "./data";
import { no_filter, select, type Filter, type Selection } from "./filter";
import { kColours, kSymbols, looks, type Look } from "./palette";
import { kThemes, type Mode, type Theme } from "./theme";

export type SeedsMode = "mean" | "runs";

export interface Choices {
  filter: Filter;
  seeds: SeedsMode;
  axis: AxisKey;
  mode: Mode;
  printing: boolean;
}

export class App {
  readonly data: Data;
  private choices_: Choices;
  private selection_: Selection;
  private readonly looks_: Map<number, Look>;
  private readonly groups_: Map<number, Group>;
  private readonly listeners_: ((changed: Set<keyof Choices>) => void)[] = [];

  constructor(data: Data, mode: Mode) {
    this.data = data;
    this.choices_ = {
      filter: no_filter(),
      seeds: "mean",
      axis: axes_with_data(data.runs)[0]?.key ?? "epoch",
      mode,
      printing: false,
    };
    this.selection_ = select(data, this.choices_.filter);
    this.looks_ = looks(data.groups);
    this.groups_ = new Map(data.groups.map((group) => [group.id, group]));
  }

  get choices(): Readonly<Choices> {
    return this.choices_;
  }

  get selection(): Selection {
    return this.selection_;
  }

  get theme(): Theme {
    return kThemes[this.choices_.printing ? "light" : this.choices_.mode];
  }

  group(id: number): Group | undefined {
    return this.groups_.get(id);
  }

  colour(group: number): string {
    const look = this.looks_.get(group);
    return kColours[this.theme.mode][look?.colour ?? 0] ?? this.theme.muted;
  }

  /** 0 is for curves without marks. */
  symbol_index(group: number): number {
    return this.looks_.get(group)?.symbol ?? 0;
  }

  symbol(group: number): string {
    return kSymbols[this.symbol_index(group)] ?? "circle";
  }

  /** Shown runs that have details, the first of each group first. */
  detailed_runs(): Run[] {
    return this.selection_.runs.filter((run) => run.detail);
  }

  change(changes: Partial<Choices>): void {
    const changed = new Set<keyof Choices>();
    for (const key of Object.keys(changes) as (keyof Choices)[]) {
      if (changes[key] !== this.choices_[key]) changed.add(key);
    }
    if (!changed.size) return;
    this.choices_ = { ...this.choices_, ...changes };
    if (changed.has("filter")) {
      this.selection_ = select(this.data, this.choices_.filter);
    }
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
