// What each worker of an asynchronous run did and waited for: a bar a worker.
import type { App } from "../app";
import { ChartCard, type ChartShown } from "../chart_card";
import { chart_base, y_axis } from "../chart_parts";
import type { Column, Gossip, GossipFigures, Num } from "../data";
import { chooser, type Control } from "../dom";
import type { Option } from "../echarts";
import { finite, number, plural, seconds, time_unit, whole } from "../format";
import { kColours } from "../palette";
import { tooltip_base, tooltip_html } from "../tooltip";
import { has_gossip } from "./gossip";
import { run_options } from "./run_options";

type Figure = keyof GossipFigures<Column>;

interface BarSpec {
  figure: Figure;
  label: string;
  colour: number;
}

interface View {
  value: string;
  label: string;
  axis: string;
  bars: BarSpec[];
  is_time: boolean;
}

const kViews: View[] = [
  {
    value: "work",
    label: "gradients and averagings",
    axis: "of a worker, in all",
    bars: [
      { figure: "gradients", label: "gradients", colour: 0 },
      { figure: "averagings", label: "averagings", colour: 1 },
    ],
    is_time: false,
  },
  {
    value: "wait",
    label: "wait for a partner",
    axis: "wait for a partner",
    bars: [
      { figure: "wait_seconds", label: "mean", colour: 3 },
      { figure: "wait_most", label: "longest", colour: 7 },
    ],
    is_time: true,
  },
  {
    value: "pair",
    label: "time with a partner",
    axis: "time with a partner",
    bars: [{ figure: "pair_seconds", label: "mean", colour: 1 }],
    is_time: true,
  },
  {
    value: "staleness",
    label: "staleness",
    axis: "gradients between read and write",
    bars: [
      { figure: "staleness", label: "mean", colour: 2 },
      { figure: "staleness_most", label: "most", colour: 7 },
    ],
    is_time: false,
  },
  {
    value: "held",
    label: "held back",
    axis: "held back by max-lag, in all",
    bars: [{ figure: "held_seconds", label: "held back", colour: 4 }],
    is_time: true,
  },
];

/** Beyond so many workers neighbouring ones share a bar. */
const kMostBars = 128;

export interface BarGroup {
  /** "3", or "16 to 23". */
  label: string;
  first: number;
  end: number;
}

/** Workers in order, in at most `most` groups of equal size but the last. */
export function bar_groups(n: number, most = kMostBars): BarGroup[] {
  const size = Math.max(1, Math.ceil(n / most));
  const groups: BarGroup[] = [];
  for (let first = 0; first < n; first += size) {
    const end = Math.min(n, first + size);
    const label =
      end - first === 1 ? String(first) : `${first} to ${end - 1}`;
    groups.push({ label, first, end });
  }
  return groups;
}

/** Of the workers of a group the mean; of a longest or most, the largest. */
export function group_value(
  column: Column | undefined,
  group: BarGroup,
  figure: Figure,
): number | null {
  const values = (column ?? []).slice(group.first, group.end).filter(finite);
  if (!values.length) return null;
  if (figure.endsWith("_most")) return Math.max(...values);
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** A time, which is in gradients where the run has no clock. */
export function gossip_time(gossip: Gossip, value: Num): string {
  return gossip.has_clock === false
    ? `${number(value)} gradients`
    : seconds(value);
}

/** What is said below the bars. */
export function gossip_note(gossip: Gossip): string {
  const { all } = gossip;
  const time = (value: Num): string => gossip_time(gossip, value);
  const parts = [
    `${whole(all.gradients)} gradients and ${whole(all.averagings)} ` +
      `averagings: ${number(all.rate)} for each gradient, ` +
      `${number(gossip.asked_rate)} asked for.`,
  ];
  if (finite(all.wait_seconds)) {
    parts.push(
      `A partner was found in ${time(all.wait_seconds)} on average, ` +
        `${time(all.wait_most)} at most; staleness ` +
        `${number(all.staleness)} gradients, ${number(all.staleness_most)} ` +
        "at most.",
    );
  }
  if (finite(all.held_seconds) && all.held_seconds > 0) {
    parts.push(`Held back for ${time(all.held_seconds)} in all.`);
  }
  parts.push(...gossip.sentences);
  if (gossip.members) {
    parts.push(`${plural(gossip.members.length, "worker")} at the end.`);
  }
  return parts.join(" ");
}

export class GossipWorkersCard extends ChartCard {
  private readonly run_: Control<string>;
  private readonly view_: Control<string>;

  static wanted(app: App): boolean {
    return app.data.runs.some(has_gossip);
  }

  constructor(app: App) {
    super(app, {
      plot: "gossip-workers",
      title: "Who did what",
      about:
        "One asynchronous run, a bar a worker. Whoever is fast computes more " +
        "gradients, so a short bar is a slow worker; nobody waits for it.",
      renderer: "svg",
      wide: true,
    });
    this.run_ = chooser("run", [], () => this.changed());
    this.view_ = chooser("show", kViews, () => this.changed());
    this.add_control(this.run_.element, this.view_.element);
  }

  protected compose(): ChartShown {
    const runs = this.app.selection.runs.filter(has_gossip);
    this.run_.options(run_options(runs));
    const run = runs.find((r) => String(r.id) === this.run_.value());
    if (!run?.gossip) {
      const empty = this.app.selection.runs.length
        ? "No shown run is asynchronous."
        : "No run passes the filter.";
      return { entries: [], series: [], empty };
    }
    const view =
      kViews.find((v) => v.value === this.view_.value()) ?? kViews[0]!;
    return {
      entries: view.bars.map((bar) => ({
        key: bar.figure,
        label: bar.label,
        colour: this.colour(bar),
        symbol: 3,
        line: "none" as const,
      })),
      series: view.bars
        .filter((bar) => !this.hidden.has(bar.figure))
        .map((bar) => bar.label),
      option: this.option(run.gossip, view),
      note: gossip_note(run.gossip),
    };
  }

  private colour(bar: BarSpec): string {
    return kColours[this.app.theme.mode][bar.colour]!;
  }

  private option(gossip: Gossip, view: View): Option {
    const theme = this.app.theme;
    const groups = bar_groups(gossip.workers.gradients.length);
    const bars = view.bars.filter((bar) => !this.hidden.has(bar.figure));
    const columns = bars.map((bar) =>
      groups.map((group) =>
        group_value(gossip.workers[bar.figure], group, bar.figure),
      ),
    );
    const largest = Math.max(0, ...columns.flat().filter(finite));
    const unit = !view.is_time
      ? { factor: 1, name: "" }
      : gossip.has_clock === false
        ? { factor: 1, name: "gradients" }
        : time_unit(largest);
    const format = (value: number): string =>
      view.is_time ? gossip_time(gossip, value) : number(value, 4);
    return {
      ...chart_base(theme),
      tooltip: {
        ...tooltip_base(theme),
        trigger: "axis",
        axisPointer: { type: "shadow", label: { show: false } },
        formatter: (points: { dataIndex: number }[]) => {
          const at = points[0]?.dataIndex ?? -1;
          const group = groups[at];
          if (!group) return "";
          return tooltip_html(
            `worker ${group.label}`,
            bars.map((bar, i) => {
              const value = columns[i]![at];
              return {
                colour: this.colour(bar),
                label: bar.label,
                value: finite(value) ? format(value) : "–",
                detail: this.detail(gossip, group),
              };
            }),
          );
        },
      },
      xAxis: {
        type: "category",
        data: groups.map((group) => group.label),
        name: "worker",
        nameLocation: "middle",
        nameGap: 10,
        nameTextStyle: { color: theme.muted, fontSize: 12 },
        axisLabel: { color: theme.muted, fontSize: 11.5, hideOverlap: true },
        axisLine: { lineStyle: { color: theme.line } },
        axisTick: { show: false },
      },
      yAxis: y_axis(theme, {
        name: unit.name ? `${view.axis} (${unit.name})` : view.axis,
        floating: false,
      }),
      series: bars.map((bar, i) => ({
        id: bar.figure,
        name: bar.label,
        type: "bar",
        barMaxWidth: 28,
        color: this.colour(bar),
        emphasis: { focus: "series" },
        data: columns[i]!.map((value) =>
          finite(value) ? value / unit.factor : null,
        ),
      })),
    };
  }

  /** Whether it was lost, of a worker that has a bar to itself. */
  private detail(gossip: Gossip, group: BarGroup): string {
    if (group.end - group.first !== 1) return "";
    const lost = gossip.workers.lost?.[group.first] ?? 0;
    if (!lost) return "";
    const back = gossip.workers.came_back?.[group.first] ?? 0;
    return `lost ${plural(lost, "time")}, back ${plural(back, "time")}`;
  }
}
