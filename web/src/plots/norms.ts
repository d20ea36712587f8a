// Norms of all replicas of one tensor, and who stands out.
import type { App } from "../app";
import type { CardSpec } from "../card";
import { tooltip_html, type TooltipRow } from "../chart";
import type { Outlier, TensorNorms } from "../data";
import { Chooser, fill, h } from "../dom";
import { finite, number, percent, whole } from "../format";
import { curve_through, draw_lines } from "../lines";
import { colour_at } from "../palette";
import { simple_table } from "../tables/table";
import { axis_of } from "../axis";
import { detailed_runs } from "./heat";
import { RunChooser } from "./matrix";

const kMostOutliers = 12;
/** Outliers that get a colour of their own. */
const kMostColoured = 6;

/** The replicas that stand out in this tensor. */
function coloured(outliers: Outlier[], tensor: string): number[] {
  const here = outliers.filter((outlier) => outlier.tensor === tensor);
  return [...new Set(here.map((o) => o.replica))].slice(0, kMostColoured);
}

export function norms_card(app: App): CardSpec {
  const chosen_run = new RunChooser();
  const tensor = new Chooser("tensor");
  const aside = h("div", { class: "outliers" });
  // The first colour is too near to the blues of the crowd.
  const colour = (i: number): string => colour_at(app.theme.mode, i + 1);

  /** The extremes, the middle and the outliers at a step. */
  const tooltip = (
    title: string,
    norms: TensorNorms,
    outliers: number[],
    at: number,
  ): string => {
    const distances = norms.step.map((step) => Math.abs((step ?? 0) - at));
    const j = distances.indexOf(Math.min(...distances));
    const here = norms.replicas
      .flatMap((replica, i) => {
        const value = norms.values[i]?.[j];
        return finite(value) ? [{ replica, value }] : [];
      })
      .sort((a, b) => b.value - a.value);
    const row = (label: string, i: number, detail?: string): TooltipRow => ({
      colour: app.theme.muted,
      label,
      value: number(here[i]?.value, 5),
      detail: detail ?? `replica ${here[i]?.replica ?? ""}`,
    });
    return tooltip_html(`${title}, step ${whole(norms.step[j])}`, [
      row("highest", 0),
      row("median", Math.floor(here.length / 2), ""),
      row("lowest", here.length - 1),
      ...outliers.flatMap((replica, i) => {
        const place = here.findIndex((one) => one.replica === replica);
        const mine = row(`replica ${replica}`, place, "");
        return place < 0 ? [] : [{ ...mine, colour: colour(i) }];
      }),
    ]);
  };

  const show_list = (outliers: Outlier[], all: TensorNorms[]): void => {
    const here = coloured(outliers, tensor.value);
    const go_to = (name: string) => (): void => {
      tensor.value = name;
      tensor.changed();
    };
    const rows = outliers.slice(0, kMostOutliers).map((o) => {
      const place = o.tensor === tensor.value ? here.indexOf(o.replica) : -1;
      const style = place < 0 ? null : `background:${colour(place)}`;
      const button = { type: "button", class: "link", click: go_to(o.tensor) };
      const name = all.some((norms) => norms.tensor === o.tensor)
        ? h("button", button, o.tensor)
        : h("span", { title: "its norms are not in this page" }, o.tensor);
      const cells = [String(o.replica), percent(o.share, 0), number(o.z, 2)];
      return [h("span", { class: "name" }, h("i", { style }), name), ...cells];
    });
    const more = outliers.length - rows.length;
    fill(
      aside,
      h("h4", {}, "Outliers of this run"),
      rows.length > 0
        ? simple_table(["tensor"], ["replica", "probes", "z"], rows)
        : h("p", { class: "note" }, "None."),
      more > 0 && h("p", { class: "note" }, `and ${more} more`),
    );
  };

  const draw = () => {
    const run = chosen_run.among(
      detailed_runs(app).filter((one) => one.detail?.norms?.length),
    );
    const all = run?.detail?.norms ?? [];
    tensor.offer(
      all.map((norms) => ({ value: norms.tensor, label: norms.tensor })),
    );
    const norms = all.find((one) => one.tensor === tensor.value);
    if (!run || !norms) {
      const empty =
        "None of the shown runs has its replicas' norms in this page.";
      return { empty };
    }
    const outliers = run.detail?.outliers ?? [];
    show_list(outliers, all);
    const out = coloured(outliers, norms.tensor);
    const crowd = norms.replicas.length;
    const lines = norms.replicas.map((replica, i) => {
      const place = out.indexOf(replica);
      const values = norms.values[i] ?? [];
      const faint = crowd > 200 ? 0.15 : crowd > 40 ? 0.3 : 0.5;
      return {
        key: `replica ${replica}`,
        label: `replica ${replica}`,
        colour: place < 0 ? app.theme.muted : colour(place),
        symbol: 0,
        curve: curve_through(norms.step.slice(0, values.length), values),
        runs: 1,
        width: place < 0 ? 1 : 2,
        opacity: place < 0 ? faint : 1,
      };
    });
    // Those that stand out are drawn last, over the crowd.
    lines.sort((a, b) => a.width - b.width);
    const drawn = draw_lines({
      lines,
      theme: app.theme,
      x: { ...axis_of("step"), tick: whole },
      y: { name: "L2 norm", format: (v) => number(v, 5) },
      tooltip: (at) => tooltip(run.label, norms, out, at),
    });
    const shown = `${crowd} of ${whole(run.n)} replicas are in this page.`;
    return {
      ...drawn,
      series: norms.replicas.map((replica) => `replica ${replica}`),
      height: 380,
      note: crowd < run.n ? shown : "",
    };
  };
  return {
    plot: "norms",
    title: "Norms of all replicas of one tensor",
    about:
      "A line per replica. Outliers are those far from the median in many " +
      "probes: robust z = (norm − median) / (1.4826 · MAD), |z| > 3.5.",
    wide: true,
    renderer: "canvas",
    zoomable: true,
    controls: [chosen_run, tensor],
    aside,
    draw,
  };
}
