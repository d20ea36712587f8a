// Norms of all replicas of one tensor, and who stands out.
import type { App } from "../app";
import { ChartCard, type ChartShown } from "../chart_card";
import { chart_base, x_axis, y_axis, zoom_parts } from "../chart_parts";
import type { Outlier, Run, TensorNorms } from "../data";
import { chooser, fill, h, type Control } from "../dom";
import type { Option } from "../echarts";
import { finite, number, percent, whole } from "../format";
import { kColours } from "../palette";
import { tooltip_base, tooltip_html, type TooltipRow } from "../tooltip";
import { run_options, spread_first } from "./run_options";

const kMostOutliers = 12;
/** Outliers that get a colour of their own. */
const kMostColoured = 6;

export class NormsCard extends ChartCard {
  private readonly run_: Control<string>;
  private readonly tensor_: Control<string>;
  private readonly list_ = h("div", { class: "outliers" });

  constructor(app: App) {
    super(app, {
      plot: "norms",
      title: "Norms of all replicas of one tensor",
      about:
        "A line a replica. Outliers are those far from the median in many " +
        "probes: robust z = (norm − median) / (1.4826 · MAD), |z| > 3.5.",
      wide: true,
      plain: true,
      renderer: "canvas",
      zoomable: true,
    });
    this.run_ = chooser("run", [], () => this.changed());
    this.tensor_ = chooser("tensor", [], () => this.changed());
    this.add_control(this.run_.element, this.tensor_.element);
    this.body.classList.add("with-list");
    this.body.append(this.list_);
  }

  protected compose(): ChartShown {
    const runs = spread_first(
      this.app.detailed_runs().filter((r) => r.detail?.norms?.length),
    );
    this.run_.options(run_options(runs));
    const run = runs.find((r) => String(r.id) === this.run_.value());
    if (!run) {
      this.tensor_.options([]);
      const empty = this.app.selection.runs.length
        ? "None of the shown runs has its replicas' norms in this page."
        : "No run passes the filter.";
      return { entries: [], series: [], empty };
    }
    const all = run.detail?.norms ?? [];
    this.tensor_.options(
      all.map((norms) => ({ value: norms.tensor, label: norms.tensor })),
    );
    const norms = all.find((n) => n.tensor === this.tensor_.value()) ?? all[0]!;
    const outliers = run.detail?.outliers ?? [];
    this.show_list(outliers, all, norms.tensor);
    const note =
      norms.replicas.length < run.n
        ? `${norms.replicas.length} of ${whole(run.n)} replicas are in this page.`
        : "";
    return {
      entries: [],
      series: norms.replicas.map((replica) => `replica ${replica}`),
      option: this.option(norms, coloured(outliers, norms.tensor), run),
      height: 380,
      note,
    };
  }

  private colour(i: number): string {
    // The first colour is for the crowd's own neighbourhood of blues.
    return kColours[this.app.theme.mode][(i + 1) % 8] ?? this.app.theme.ink;
  }

  private option(norms: TensorNorms, outliers: number[], run: Run): Option {
    const theme = this.app.theme;
    const crowd = norms.replicas.length;
    const series = norms.replicas.map((replica, i) => {
      const place = outliers.indexOf(replica);
      const out = place >= 0;
      return {
        id: `replica ${replica}`,
        name: `replica ${replica}`,
        type: "line",
        data: (norms.values[i] ?? []).map((v, j) => [norms.step[j] ?? null, v]),
        showSymbol: false,
        symbol: "circle",
        color: out ? this.colour(place) : theme.muted,
        lineStyle: {
          width: out ? 2 : 1,
          opacity: out ? 1 : crowd > 200 ? 0.15 : crowd > 40 ? 0.3 : 0.5,
        },
        emphasis: { disabled: true },
        silent: true,
        z: out ? 4 : 2,
      };
    });
    return {
      ...chart_base(theme),
      ...zoom_parts(theme),
      tooltip: {
        ...tooltip_base(theme),
        trigger: "axis",
        axisPointer: {
          type: "line",
          label: { show: false },
          lineStyle: { color: theme.muted, type: "dashed", width: 1 },
        },
        formatter: (points: { axisValue: number }[]) =>
          this.tooltip(norms, outliers, Number(points[0]?.axisValue), run),
      },
      xAxis: x_axis(theme, { name: "steps", format: whole, floating: false }),
      yAxis: y_axis(theme, {
        name: "L2 norm",
        format: (value) => number(value, 5),
      }),
      series,
    };
  }

  private tooltip(
    norms: TensorNorms,
    outliers: number[],
    at: number,
    run: Run,
  ): string {
    let j = 0;
    norms.step.forEach((step, i) => {
      const best = norms.step[j] ?? Infinity;
      if (Math.abs((step ?? Infinity) - at) < Math.abs(best - at)) j = i;
    });
    const here = norms.replicas
      .map((replica, i) => ({ replica, value: norms.values[i]?.[j] ?? null }))
      .filter((r): r is { replica: number; value: number } => finite(r.value))
      .sort((a, b) => a.value - b.value);
    const row = (label: string, r?: { replica: number; value: number }) => ({
      colour: this.app.theme.muted,
      label,
      value: number(r?.value, 5),
      detail: r ? `replica ${r.replica}` : "",
    });
    const rows: TooltipRow[] = [
      row("highest", here[here.length - 1]),
      { ...row("median", here[Math.floor(here.length / 2)]), detail: "" },
      row("lowest", here[0]),
      ...outliers.flatMap((replica, i) => {
        const found = here.find((r) => r.replica === replica);
        if (!found) return [];
        const value = number(found.value, 5);
        return [{ colour: this.colour(i), label: `replica ${replica}`, value }];
      }),
    ];
    const title = `${run.label}, step ${whole(norms.step[j])}`;
    return tooltip_html(title, rows);
  }

  private show_list(
    outliers: Outlier[],
    all: TensorNorms[],
    tensor: string,
  ): void {
    const here = coloured(outliers, tensor);
    const rows = outliers.slice(0, kMostOutliers).map((o) => {
      const place = o.tensor === tensor ? here.indexOf(o.replica) : -1;
      const known = all.some((norms) => norms.tensor === o.tensor);
      const dot = h("i", {
        class: "dot",
        style: place >= 0 ? `background:${this.colour(place)}` : "",
      });
      const name = known
        ? h(
            "button",
            {
              type: "button",
              class: "link",
              title: `show ${o.tensor}`,
              click: () => {
                this.tensor_.set(o.tensor);
                this.changed();
              },
            },
            o.tensor,
          )
        : h("span", { title: "its norms are not in this page" }, o.tensor);
      return h(
        "tr",
        { class: o.tensor === tensor ? "current" : null },
        h("td", {}, dot),
        h("td", { class: "name" }, name),
        h("td", { class: "num" }, String(o.replica)),
        h("td", { class: "num" }, percent(o.share, 0)),
        h("td", { class: "num" }, number(o.z, 2)),
      );
    });
    const more = outliers.length - rows.length;
    fill(
      this.list_,
      h("h4", {}, "Outliers of this run"),
      rows.length
        ? h(
            "table",
            {},
            h(
              "thead",
              {},
              h(
                "tr",
                {},
                h("th"),
                h("th", {}, "tensor"),
                h("th", { class: "num" }, "replica"),
                h(
                  "th",
                  { class: "num", title: "share of the probes" },
                  "share",
                ),
                h("th", { class: "num", title: "largest robust z" }, "z"),
              ),
            ),
            h("tbody", {}, ...rows),
          )
        : h("p", { class: "quiet" }, "None."),
      more > 0 && h("p", { class: "quiet" }, `and ${more} more`),
    );
  }
}

/** Replicas to colour in this tensor's plot, the worst first. */
function coloured(outliers: Outlier[], tensor: string): number[] {
  return outliers
    .filter((o) => o.tensor === tensor)
    .slice(0, kMostColoured)
    .map((o) => o.replica);
}
