// A table whose columns sort it.
import { h, type Child } from "../dom";
import { finite } from "../format";

export interface ColumnSpec<Row> {
  /** Stable, for tests. */
  key: string;
  title: string;
  /** Longer, at the pointer. */
  about?: string;
  /** Numbers stand at the right. */
  numeric?: boolean;
  /** What the column sorts by; null comes last either way. */
  sort(row: Row): number | string | null;
  cell(row: Row): Child;
}

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

const kCollator = new Intl.Collator("en", { numeric: true });

export class SortableTable<Row> {
  readonly element: HTMLElement;
  private readonly head_ = h("tr");
  private readonly rows_ = h("tbody");
  private list_: Row[] = [];
  private by_: ColumnSpec<Row> | null = null;
  private descending_ = false;

  constructor(private readonly columns_: ColumnSpec<Row>[]) {
    for (const column of columns_) this.head_.append(this.header(column));
    this.element = h(
      "div",
      { class: "table-scroll", tabindex: 0 },
      h("table", { class: "data" }, h("thead", {}, this.head_), this.rows_),
    );
  }

  show(list: Row[]): void {
    this.list_ = list;
    this.render();
  }

  private header(column: ColumnSpec<Row>): HTMLElement {
    return h(
      "th",
      { class: column.numeric ? "num" : null, "data-column": column.key },
      h(
        "button",
        {
          type: "button",
          title: column.about ?? `sort by ${column.title}`,
          click: () => this.sort_by(column),
        },
        column.title,
      ),
    );
  }

  /** Numbers begin with the largest, texts with the first. */
  private sort_by(column: ColumnSpec<Row>): void {
    if (this.by_ === column) {
      this.descending_ = !this.descending_;
    } else {
      this.by_ = column;
      this.descending_ = Boolean(column.numeric);
    }
    this.render();
  }

  private render(): void {
    const by = this.by_;
    const sorted = by
      ? [...this.list_].sort((a, b) =>
          compare(by.sort(a), by.sort(b), this.descending_),
        )
      : this.list_;
    this.rows_.replaceChildren(
      ...sorted.map((row) =>
        h(
          "tr",
          {},
          ...this.columns_.map((column) =>
            h("td", { class: column.numeric ? "num" : null }, column.cell(row)),
          ),
        ),
      ),
    );
    for (const th of this.head_.children) {
      const mine = th.getAttribute("data-column") === by?.key;
      if (mine) {
        const way = this.descending_ ? "descending" : "ascending";
        th.setAttribute("aria-sort", way);
      } else {
        th.removeAttribute("aria-sort");
      }
    }
  }
}
