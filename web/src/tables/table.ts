// Tables: as they are, or sorted by the column whose title is pressed.
import type { App } from "../app";
import { fill, h, type Child } from "../dom";
import { finite } from "../format";

/** Numbers stand at the right. */
const side = (numeric: boolean): string | null => (numeric ? "num" : null);

function body(
  rows: Child[][],
  numeric: boolean[],
  look?: (row: number) => string | null,
): HTMLElement[] {
  return rows.map((cells, i) => {
    const shown = cells.map((cell, column) =>
      h("td", { class: side(numeric[column]!) }, cell),
    );
    return h("tr", { class: look?.(i) }, ...shown);
  });
}

function frame(head: HTMLElement, rows: HTMLElement): HTMLElement {
  const table = h("table", { class: "data" }, h("thead", {}, head), rows);
  return h("div", { class: "table-scroll", tabindex: 0 }, table);
}

/** Columns of text, then of numbers; `look` gives a row's class. */
export function simple_table(
  texts: string[],
  numbers: string[],
  rows: Child[][],
  look?: (row: number) => string | null,
): HTMLElement {
  const titles = [...texts, ...numbers];
  const numeric = titles.map((_, i) => i >= texts.length);
  const head = titles.map((title, i) =>
    h("th", { class: side(numeric[i]!), scope: "col" }, title),
  );
  return frame(
    h("tr", {}, ...head),
    h("tbody", {}, ...body(rows, numeric, look)),
  );
}

/** Rebuilds a part when the filter or the colours change. */
export function live(
  app: App,
  name: string,
  make: () => Child[],
): HTMLElement {
  const holder = h("div", { "data-part": name });
  app.keep_fresh(() => fill(holder, ...make()));
  return holder;
}

/** A paragraph in place of what is not there. */
export const absent = (text: string): HTMLElement =>
  h("p", { class: "empty" }, text);

/** The name of a group with its mark. */
export function group_name(app: App, id: number): HTMLElement {
  return app.named(id, app.group(id)?.label ?? `group ${id}`);
}

export interface ColumnSpec<Row> {
  title: string;
  /** Longer, at the pointer. */
  about?: string;
  numeric?: boolean;
  /** What the column sorts by; null comes last either way. */
  sort(row: Row): number | string | null;
  cell(row: Row): Child;
}

/** A column of numbers. */
export function measure<Row>(
  title: string,
  about: string,
  value: (row: Row) => number | null | undefined,
  format: (value: number | null) => string,
): ColumnSpec<Row> {
  const sort = (row: Row): number | null => value(row) ?? null;
  const cell = (row: Row): string => format(sort(row));
  return { title, about, numeric: true, sort, cell };
}

const kCollator = new Intl.Collator("en", { numeric: true });

/** -1, 0, 1; numbers by size, texts naturally ("n 12" before "n 96"), nulls
 * last. */
export function compare(
  a: number | string | null,
  b: number | string | null,
  descending: boolean,
): number {
  const missing = (v: number | string | null): boolean =>
    v === null || (typeof v === "number" && !finite(v));
  if (missing(a) || missing(b)) return Number(missing(a)) - Number(missing(b));
  const order =
    typeof a === "number" && typeof b === "number"
      ? a - b
      : kCollator.compare(String(a), String(b));
  return descending ? -order : order;
}

export class SortableTable<Row> {
  readonly element: HTMLElement;
  private readonly heads_: HTMLElement[];
  private readonly rows_ = h("tbody");
  private list_: Row[] = [];
  private by_: ColumnSpec<Row> | null = null;
  private descending_ = false;

  constructor(private readonly columns_: ColumnSpec<Row>[]) {
    this.heads_ = columns_.map((column) => {
      const title = column.about ?? `sort by ${column.title}`;
      const click = (): void => this.sort_by(column);
      const button = { type: "button", title, click };
      const numeric = side(Boolean(column.numeric));
      return h("th", { class: numeric }, h("button", button, column.title));
    });
    this.element = frame(h("tr", {}, ...this.heads_), this.rows_);
  }

  show(list: Row[]): void {
    this.list_ = list;
    this.render();
  }

  /** Numbers begin with the largest, texts with the first. */
  private sort_by(column: ColumnSpec<Row>): void {
    const again = this.by_ === column;
    this.descending_ = again ? !this.descending_ : Boolean(column.numeric);
    this.by_ = column;
    this.render();
  }

  private render(): void {
    const by = this.by_;
    const sorted = [...this.list_];
    if (by) {
      sorted.sort((a, b) => compare(by.sort(a), by.sort(b), this.descending_));
    }
    const cells = sorted.map((row) => this.columns_.map((c) => c.cell(row)));
    const numeric = this.columns_.map((column) => Boolean(column.numeric));
    this.rows_.replaceChildren(...body(cells, numeric));
    const way = this.descending_ ? "descending" : "ascending";
    this.heads_.forEach((head, i) => {
      head.removeAttribute("aria-sort");
      if (this.columns_[i] === by) head.setAttribute("aria-sort", way);
    });
  }
}
