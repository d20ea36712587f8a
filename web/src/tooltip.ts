// The box at the pointer.
import { escape_html } from "./dom";
import type { Theme } from "./theme";

export interface TooltipRow {
  colour: string;
  label: string;
  value: string;
  /** Smaller, behind the value. */
  detail?: string;
  dashed?: boolean;
}

const kMostRows = 14;

/** Rows beyond the first few are counted, not shown. */
export function tooltip_html(title: string, rows: TooltipRow[]): string {
  const body = rows.slice(0, kMostRows).map(row_html).join("");
  const more = rows.length - kMostRows;
  const rest =
    more > 0
      ? `<tr><td></td><td colspan="3" class="tip-more">and ${more} more</td></tr>`
      : "";
  const table = body ? `<table>${body}${rest}</table>` : "";
  return `<div class="tip-title">${escape_html(title)}</div>${table}`;
}

function row_html(row: TooltipRow): string {
  const mark = row.dashed ? "tip-mark tip-dashed" : "tip-mark";
  return (
    `<tr><td><span class="${mark}" style="--c:${row.colour}"></span></td>` +
    `<td class="tip-label">${escape_html(row.label)}</td>` +
    `<td class="tip-value">${escape_html(row.value)}</td>` +
    `<td class="tip-detail">${escape_html(row.detail ?? "")}</td></tr>`
  );
}

/** Where the box goes, from the chart's corner: beside the pointer, never
 * over it, and inside of the window. */
export function beside(
  pointer: number[],
  box: number[],
  chart: { left: number; top: number },
  window_size: { width: number; height: number },
): [number, number] {
  const gap = 18;
  const [x, y] = [chart.left + pointer[0]!, chart.top + pointer[1]!];
  const [width, height] = [box[0]!, box[1]!];
  const right = x + gap + width <= window_size.width;
  const left = right ? x + gap : Math.max(0, x - gap - width);
  const highest = Math.max(0, window_size.height - height - 4);
  const top = Math.min(Math.max(4, y - height / 2), highest);
  return [left - chart.left, top - chart.top];
}

/** Common to all plots' tooltips. */
export function tooltip_base(theme: Theme): Record<string, unknown> {
  return {
    appendTo: () => document.body,
    className: "tip",
    transitionDuration: 0,
    backgroundColor: theme.card,
    borderColor: theme.line,
    borderWidth: 1,
    padding: [8, 10],
    textStyle: { color: theme.ink, fontSize: 12 },
    extraCssText: "box-shadow: 0 4px 16px rgba(0,0,0,.18); border-radius: 6px;",
  };
}
