// Findings, correlations, rankings and the way to the target accuracy.
import type { App } from "../app";
import { kPhases, type Correlation, type Stratum } from "../data";
import { fill, h, type Child } from "../dom";
import { is_active } from "../filter";
import {
  bytes,
  count,
  finite,
  kNothing,
  number,
  percent,
  percent_statistic,
  plural,
  seconds,
  statistic,
  stratum_label,
} from "../format";
import { swatch } from "../legend";
import { signed } from "../plots/scatter";

function head(...titles: [string, boolean][]): HTMLElement {
  return h(
    "thead",
    {},
    h(
      "tr",
      {},
      ...titles.map(([title, numeric]) =>
        h("th", { class: numeric ? "num" : null, scope: "col" }, title),
      ),
    ),
  );
}

function cell(content: Child, numeric = true): HTMLElement {
  return h("td", { class: numeric ? "num" : null }, content);
}

function group_name(app: App, id: number): HTMLElement {
  return h(
    "span",
    { class: "run-name" },
    swatch({
      colour: app.colour(id),
      symbol: app.symbol_index(id),
      line: "solid",
    }),
    app.group(id)?.label ?? `group ${id}`,
  );
}

/** Further findings are folded away. */
const kOpenFindings = 16;
/** So are the strata where there are more than this. */
const kOpenStrata = 6;

export function findings(app: App): HTMLElement {
  const list = app.data.analysis.findings;
  if (!list.length) {
    return h(
      "p",
      { class: "empty", "data-part": "findings" },
      "No finding: none has an interval that excludes chance. That takes " +
        "several seeds and graphs.",
    );
  }
  const items = (sentences: string[]): HTMLElement =>
    h(
      "ul",
      { class: "findings" },
      ...sentences.map((sentence) => h("li", {}, sentence)),
    );
  const rest = list.slice(kOpenFindings);
  return h(
    "div",
    { "data-part": "findings" },
    items(list.slice(0, kOpenFindings)),
    rest.length > 0 &&
      h("details", {}, h("summary", {}, `${rest.length} more`), items(rest)),
  );
}

/** Rebuilds `make` into a holder when the filter or the colours change. */
function live(app: App, part: string, make: () => Child[]): HTMLElement {
  const holder = h("div", { "data-part": part });
  const show = (): void => {
    fill(holder, ...make());
  };
  app.keep_fresh(show);
  return holder;
}

function interval(c: Correlation | undefined): Child {
  if (!c || !finite(c.rho)) return kNothing;
  const sure = finite(c.low) && finite(c.high) && (c.low > 0 || c.high < 0);
  const range =
    finite(c.low) && finite(c.high)
      ? `${signed(c.low)} to ${signed(c.high)}`
      : "no interval";
  return h(
    "span",
    {
      class: sure ? "rho sure" : "rho",
      title:
        `${plural(c.runs, "run")}, ${plural(c.seeds, "seed")}; ` +
        `95 % interval ${range}`,
    },
    h("b", {}, signed(c.rho)),
    h("small", {}, range),
  );
}

const same = (a: Stratum, b: Stratum): boolean =>
  JSON.stringify(a) === JSON.stringify(b);

function stratum_count(list: Correlation[]): number {
  return new Set(list.map((c) => JSON.stringify(c.stratum))).size;
}

/** The table of those over all strata, and where these are many, one of each
 * stratum behind a switch. */
export function correlations(app: App): HTMLElement {
  const list = app.data.analysis.correlations;
  const overall = list.filter((c) => c.stratum === null);
  if (stratum_count(list) <= kOpenStrata || !overall.length) {
    return correlation_table(app, "correlations", list);
  }
  const each = list.filter((c) => c.stratum !== null);
  return h(
    "div",
    {},
    correlation_table(app, "correlations", overall),
    h(
      "details",
      {},
      h("summary", {}, `Each of the ${stratum_count(each)} strata`),
      correlation_table(app, "stratum-correlations", each),
    ),
  );
}

/** A row a subject and stratum, a column a phase. */
function correlation_table(
  app: App,
  part: string,
  list: Correlation[],
): HTMLElement {
  return live(app, part, () => {
    if (!list.length) {
      return [
        h(
          "p",
          { class: "empty" },
          "No correlation: that takes decentralized runs with different graphs.",
        ),
      ];
    }
    const phases = kPhases.filter((p) => list.some((c) => c.phase === p));
    const rows: Correlation[] = [];
    for (const c of list) {
      if (!rows.some((r) => r.with === c.with && same(r.stratum, c.stratum))) {
        rows.push(c);
      }
    }
    rows.sort(
      (a, b) =>
        list.findIndex((c) => c.with === a.with) -
        list.findIndex((c) => c.with === b.with),
    );
    const strata = rows.some((r) => r.stratum !== null);
    let previous = "";
    const body = rows.map((row) => {
      const first = row.with !== previous;
      previous = row.with;
      const of_phase = (phase: string): Correlation | undefined =>
        list.find(
          (c) =>
            c.with === row.with &&
            c.phase === phase &&
            same(c.stratum, row.stratum),
        );
      return h(
        "tr",
        { class: first ? "first" : null },
        cell(first ? row.title : "", false),
        strata &&
          cell(row.stratum ? stratum_label(row.stratum) : "overall", false),
        ...phases.map((phase) => cell(interval(of_phase(phase)))),
        cell(String(row.runs)),
      );
    });
    const phase_title = (phase: string): string =>
      phase === "all" ? "whole run" : `${phase} third`;
    const titles: [string, boolean][] = [
      ["accuracy with", false],
      ...(strata ? [["at", false] as [string, boolean]] : []),
      ...phases.map((p): [string, boolean] => [phase_title(p), true]),
      ["runs", true],
    ];
    return [
      h(
        "div",
        { class: "table-scroll correlations-table" },
        h("table", { class: "data" }, head(...titles), h("tbody", {}, ...body)),
      ),
      h(
        "p",
        { class: "note" },
        "Spearman's rank correlation, with its 95 % interval from bootstrap " +
          "over seeds; bold where the interval excludes 0. Decentralized runs " +
          "only" +
          (is_active(app.choices.filter)
            ? "; over all runs, whatever the filter."
            : "."),
      ),
    ];
  });
}

function shown_groups(app: App): Set<number> {
  return new Set(app.selection.groups.map(({ group }) => group.id));
}

export function rankings(app: App): HTMLElement {
  return live(app, "rankings", () => {
    const shown = shown_groups(app);
    const tables = app.data.analysis.rankings.flatMap((ranking) => {
      const rows = ranking.rows.filter((row) => shown.has(row.group));
      if (!rows.length) return [];
      return [
        h(
          "div",
          { class: "ranking" },
          h(
            "h4",
            {},
            ranking.stratum ? stratum_label(ranking.stratum) : "All runs",
          ),
          h(
            "table",
            { class: "data" },
            head(["", true], ["implementation", false], ["accuracy", true]),
            h(
              "tbody",
              {},
              ...rows.map((row) =>
                h(
                  "tr",
                  { class: row.not_worse_than_best ? "best" : null },
                  cell(String(row.rank)),
                  cell(group_name(app, row.group), false),
                  cell(percent_statistic(row.accuracy)),
                ),
              ),
            ),
          ),
        ),
      ];
    });
    if (!tables.length) {
      return [h("p", { class: "empty" }, "No ranking: nothing to compare.")];
    }
    return [
      h("div", { class: "rankings" }, ...tables),
      h(
        "p",
        { class: "note" },
        "Mean ± standard deviation over seeds. Shaded: the best, and those " +
          "whose difference from it may be chance (95 % t interval, paired by " +
          "seed).",
      ),
    ];
  });
}

export function target(app: App): HTMLElement {
  return live(app, "target", () => {
    const goal = app.data.analysis.target;
    const shown = shown_groups(app);
    const rows = goal?.rows.filter((row) => shown.has(row.group)) ?? [];
    if (!goal || !rows.length) {
      return [h("p", { class: "empty" }, "No target accuracy for these runs.")];
    }
    return [
      h(
        "p",
        { class: "about" },
        `To reach ${percent(goal.accuracy, 1)} test accuracy, at the first ` +
          "evaluation at or above it.",
      ),
      h(
        "div",
        { class: "table-scroll" },
        h(
          "table",
          { class: "data" },
          head(
            ["implementation", false],
            ["reached by", true],
            ["epochs", true],
            ["time", true],
            ["messages / worker", true],
            ["bytes / worker", true],
          ),
          h(
            "tbody",
            {},
            ...rows.map((row) =>
              h(
                "tr",
                { class: row.reached === 0 ? "faded" : null },
                cell(group_name(app, row.group), false),
                cell(`${row.reached} of ${row.runs}`),
                cell(statistic(row.epochs, (v) => number(v))),
                cell(statistic(row.seconds, seconds)),
                cell(statistic(row.messages_per_worker, count)),
                cell(statistic(row.bytes_per_worker, bytes)),
              ),
            ),
          ),
        ),
      ),
    ];
  });
}
