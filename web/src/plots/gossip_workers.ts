// What each worker of an asynchronous run did and waited for: a bar per worker.
import type { App } from "../app";
import type { CardSpec } from "../card";
import type { Column, Gossip, GossipFigures, Num } from "../data";
import { Chooser } from "../dom";
import { finite, number, plural, seconds, time_unit, whole } from "../format";
import { draw_bars } from "./bars";
import { has_gossip } from "./curves";
import { RunChooser } from "./matrix";

type Figure = keyof GossipFigures<Column>;

interface View {
  value: string;
  label: string;
  axis: string;
  is_time: boolean;
  bars: [figure: Figure, label: string, colour: number][];
}

const in_numbers = (
  value: string,
  label: string,
  axis: string,
  ...bars: View["bars"]
): View => ({ value, label, axis, is_time: false, bars });

const in_time = (...view: Parameters<typeof in_numbers>): View => ({
  ...in_numbers(...view),
  is_time: true,
});

const kViews: View[] = [
  in_numbers(
    "work",
    "gradients and averagings",
    "of a worker, in all",
    ["gradients", "gradients", 0],
    ["averagings", "averagings", 1],
  ),
  in_time(
    "wait",
    "wait for a partner",
    "wait for a partner",
    ["wait_seconds", "mean", 3],
    ["wait_most", "longest", 7],
  ),
  in_time("pair", "time with a partner", "time with a partner", [
    "pair_seconds",
    "mean",
    1,
  ]),
  in_numbers(
    "staleness",
    "staleness",
    "gradients between read and write",
    ["staleness", "mean", 2],
    ["staleness_most", "most", 7],
  ),
  in_time("held", "held back", "held back by max-lag, in all", [
    "held_seconds",
    "held back",
    4,
  ]),
];

/** With more workers neighbouring ones share a bar. */
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
  return Array.from({ length: Math.ceil(n / size) }, (_, i) => {
    const first = i * size;
    const end = Math.min(n, first + size);
    const several = end - first > 1;
    const label = several ? `${first} to ${end - 1}` : String(first);
    return { label, first, end };
  });
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

/** A time, which is in gradients if the run has no clock. */
export function gossip_time(gossip: Gossip, value: Num): string {
  return gossip.has_clock === false
    ? `${number(value)} gradients`
    : seconds(value);
}

/** The sentences below the bars. */
export function gossip_note(gossip: Gossip): string {
  const { all } = gossip;
  const time = (value: Num): string => gossip_time(gossip, value);
  const parts = [
    `${whole(all.gradients)} gradients and ${whole(all.averagings)} ` +
      `averagings: ${number(all.rate)} per gradient, ` +
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

/** Whether it was lost, of a worker that has a bar to itself. */
function losses({ workers }: Gossip, { first, end }: BarGroup): string {
  const lost = end - first === 1 ? (workers.lost?.[first] ?? 0) : 0;
  if (!lost) return "";
  const back = workers.came_back?.[first] ?? 0;
  return `lost ${plural(lost, "time")}, back ${plural(back, "time")}`;
}

export function gossip_workers_card(app: App): CardSpec {
  const chosen_run = new RunChooser();
  const view_control = new Chooser("show", kViews);
  const draw: CardSpec["draw"] = (hidden) => {
    const run = chosen_run.among(app.selection.runs.filter(has_gossip));
    const gossip = run?.gossip;
    if (!gossip) return { empty: "No shown run is asynchronous." };
    const view = kViews.find((v) => v.value === view_control.value)!;
    const groups = bar_groups(gossip.workers.gradients.length);
    const format = (value: Num): string =>
      view.is_time ? gossip_time(gossip, value) : number(value, 4);
    const bars = view.bars.map(([figure, label, colour]) => {
      const column = gossip.workers[figure];
      const values = groups.map((group) => group_value(column, group, figure));
      const text = (i: number) => ({
        value: format(values[i] ?? null),
        detail: losses(gossip, groups[i]!),
      });
      return { key: figure, label, colour, values, text };
    });
    const largest = Math.max(
      0,
      ...bars.flatMap((bar) => bar.values).filter(finite),
    );
    const unit = !view.is_time
      ? { factor: 1, name: "" }
      : gossip.has_clock === false
        ? { factor: 1, name: "gradients" }
        : time_unit(largest);
    const shown = draw_bars(app, hidden, {
      categories: groups.map((group) => group.label),
      bars,
      stacked: false,
      category: "worker",
      axis: { name: unit.name ? `${view.axis} (${unit.name})` : view.axis },
      factor: unit.factor,
      title: (i) => `worker ${groups[i]!.label}`,
      format,
    });
    return { ...shown, note: gossip_note(gossip) };
  };
  return {
    plot: "gossip-workers",
    title: "Who did what",
    about:
      "One asynchronous run, a bar per worker. A fast worker computes more " +
      "gradients, so a short bar is a slow worker; no worker waits for it.",
    renderer: "svg",
    wide: true,
    controls: [chosen_run, view_control],
    draw,
  };
}
