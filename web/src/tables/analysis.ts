// Findings, correlations, rankings and the way to the target accuracy.
import type { App } from "../app";
import { kPhases, type Correlation, type Phase } from "../data";
import { h, list as list_of, type Child } from "../dom";
import { is_active } from "../filter";
import {
  bytes, count, finite, kNothing, number, percent, percent_statistic, plural,
  seconds, signed, statistic, stratum_label,
} from "../format";
import { absent, group_name, live, simple_table } from "./table";

/** Further findings are folded away. */
const kOpenFindings = 16;
/** So are the strata if there are more than this. */
const kOpenStrata = 6;

function folded(title: string, part: HTMLElement): HTMLElement {
  return h("details", {}, h("summary", {}, title), part);
}

export function findings(app: App): HTMLElement {
  const all = app.data.analysis.findings;
  const [first, rest] = [
    all.slice(0, kOpenFindings),
    all.slice(kOpenFindings),
  ];
  return h(
    "div",
    { "data-part": "findings" },
    all.length
      ? list_of(first, "findings")
      : absent(
          "No finding: no interval excludes chance. That takes several seeds " +
            "and graphs.",
        ),
    rest.length > 0 &&
      folded(`${rest.length} more`, list_of(rest, "findings")),
  );
}

function interval(c: Correlation | undefined): Child {
  if (!c || !finite(c.rho)) return kNothing;
  const known = finite(c.low) && finite(c.high);
  const sure = known && (c.low! > 0 || c.high! < 0);
  const range = known
    ? `${signed(c.low)} to ${signed(c.high)}`
    : "no interval";
  const size = `${plural(c.runs, "run")}, ${plural(c.seeds, "seed")}`;
  return h(
    "span",
    {
      class: sure ? "rho sure" : "rho",
      title: `${size}; 95 % interval ${range}`,
    },
    h("b", {}, signed(c.rho)),
    h("small", {}, range),
  );
}

const stratum_key = (c: Correlation): string => JSON.stringify(c.stratum);

/** The table over all strata, and if these are many, one of each stratum
 * behind a switch. */
export function correlations(app: App): HTMLElement {
  const all = app.data.analysis.correlations;
  const overall = all.filter((c) => c.stratum === null);
  const each = all.filter((c) => c.stratum !== null);
  const strata = new Set(each.map(stratum_key)).size;
  if (strata < kOpenStrata || !overall.length) {
    return correlation_table(app, "correlations", all);
  }
  return h(
    "div",
    {},
    correlation_table(app, "correlations", overall),
    folded(
      `Each of the ${strata} strata`,
      correlation_table(app, "stratum-correlations", each),
    ),
  );
}

/** A row per subject and stratum, a column per phase. */
function correlation_table(
  app: App,
  part: string,
  all: Correlation[],
): HTMLElement {
  const row_key = (c: Correlation): string => `${c.with} ${stratum_key(c)}`;
  const subjects = [...new Set(all.map((c) => c.with))];
  const firsts = [...new Map(all.map((c) => [row_key(c), c])).values()].sort(
    (a, b) => subjects.indexOf(a.with) - subjects.indexOf(b.with),
  );
  const has_strata = firsts.some((row) => row.stratum !== null);
  const phases = kPhases.filter((p) => all.some((c) => c.phase === p));
  const title = (phase: Phase): string =>
    phase === "all" ? "whole run" : `${phase} third`;
  const begins = (i: number): boolean => firsts[i]?.with !== firsts[i - 1]?.with;
  const rows = (): Child[][] =>
    firsts.map((row, i) => [
      begins(i) ? row.title : "",
      ...(has_strata
        ? [row.stratum ? stratum_label(row.stratum) : "overall"]
        : []),
      ...phases.map((phase) =>
        interval(
          all.find((c) => row_key(c) === row_key(row) && c.phase === phase),
        ),
      ),
      String(row.runs),
    ]);
  return live(app, part, () => {
    if (!all.length) {
      return [
        absent(
          "No correlation: that takes decentralized runs with different " +
            "graphs.",
        ),
      ];
    }
    const scope = is_active(app.choices.filter)
      ? "; over all runs, whatever the filter."
      : ".";
    return [
      simple_table(
        ["accuracy with", ...(has_strata ? ["at"] : [])],
        [...phases.map(title), "runs"],
        rows(),
        (i) => (begins(i) ? "first" : null),
      ),
      h(
        "p",
        { class: "note" },
        "Spearman's rank correlation, with its 95 % interval from bootstrap " +
          "over seeds; bold if the interval excludes 0. Decentralized runs " +
          `only${scope}`,
      ),
    ];
  });
}

/** The rows whose group is shown. */
function shown<Row extends { group: number }>(app: App, rows: Row[]): Row[] {
  const groups = new Set(app.selection.groups.map(({ group }) => group.id));
  return rows.filter((row) => groups.has(row.group));
}

export function rankings(app: App): HTMLElement {
  return live(app, "rankings", () => {
    const tables = app.data.analysis.rankings.flatMap((ranking) => {
      const rows = shown(app, ranking.rows);
      if (!rows.length) return [];
      const title = ranking.stratum
        ? stratum_label(ranking.stratum)
        : "All runs";
      const cells = rows.map((row) => [
        group_name(app, row.group),
        String(row.rank),
        percent_statistic(row.accuracy),
      ]);
      const best = (i: number): string | null =>
        rows[i]!.not_worse_than_best ? "best" : null;
      return [
        h(
          "div",
          {},
          h("h4", {}, title),
          simple_table(["implementation"], ["rank", "accuracy"], cells, best),
        ),
      ];
    });
    if (!tables.length) return [absent("No ranking: nothing to compare.")];
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
    const rows = shown(app, goal?.rows ?? []);
    if (!goal || !rows.length) {
      return [absent("No target accuracy for these runs.")];
    }
    const cells = rows.map((row) => [
      group_name(app, row.group),
      `${row.reached} of ${row.runs}`,
      statistic(row.epochs, number),
      statistic(row.seconds, seconds),
      statistic(row.messages_per_worker, count),
      statistic(row.bytes_per_worker, bytes),
    ]);
    return [
      h(
        "p",
        { class: "about" },
        `To reach ${percent(goal.accuracy, 1)} test accuracy, at the first ` +
          "evaluation at or above it.",
      ),
      simple_table(
        ["implementation"],
        [
          "reached by",
          "epochs",
          "time",
          "messages / worker",
          "bytes / worker",
        ],
        cells,
        (i) => (rows[i]!.reached === 0 ? "faded" : null),
      ),
    ];
  });
}
