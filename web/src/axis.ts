// What the curves can be drawn against.
import type { Axes, Column, Run } from "./data";
import {
  bytes, byte_unit, count, finite, number, seconds, time_unit, whole,
} from "./format";
import type { LinesX } from "./lines";

export type AxisKey =
  "epoch" | "step" | "bytes" | "messages" | "seconds" | "virtual_seconds";

export interface AxisChoice extends LinesX {
  key: AxisKey;
  label: string;
}

type Scale = LinesX["scale"];

const plain =
  (name: string): Scale =>
  () => ({ factor: 1, name });

const in_unit =
  (name: string, unit: Scale): Scale =>
  (largest) => {
    const chosen = unit(largest);
    return { factor: chosen.factor, name: `${name} (${chosen.name})` };
  };

const short = (value: number): string => number(value, 6);

export const kAxes: AxisChoice[] = [
  {
    key: "epoch",
    label: "epochs",
    scale: plain("epochs"),
    format: (value) => `epoch ${number(value, 4)}`,
    tick: short,
  },
  {
    key: "step",
    label: "steps",
    scale: plain("steps"),
    format: (value) => `step ${whole(value)}`,
    tick: count,
  },
  {
    key: "bytes",
    label: "bytes",
    scale: in_unit("sent per worker", byte_unit),
    format: (value) => `${bytes(value)} per worker`,
    tick: short,
  },
  {
    key: "messages",
    label: "messages",
    scale: plain("messages sent per worker"),
    format: (value) => `${count(value)} messages per worker`,
    tick: count,
  },
  {
    key: "seconds",
    label: "time",
    scale: in_unit("training time", time_unit),
    format: (value) => `${seconds(value)} of training`,
    tick: short,
  },
  {
    key: "virtual_seconds",
    label: "virtual time",
    scale: in_unit("virtual time", time_unit),
    format: (value) => `${seconds(value)} of virtual time`,
    tick: short,
  },
];

export function axis_of(key: AxisKey): AxisChoice {
  return kAxes.find((axis) => axis.key === key) ?? kAxes[0]!;
}

export function column_of(
  axes: Axes | null | undefined,
  key: AxisKey,
): Column | null {
  const column = axes?.[key];
  return column && column.length ? column : null;
}

function has_axis(run: Run, key: AxisKey): boolean {
  return [run.evaluations, run.steps, run.probes].some((part) =>
    column_of(part, key)?.some(finite),
  );
}

/** The choices for which any run has data, in the order above. */
export function axes_with_data(runs: Run[]): AxisChoice[] {
  return kAxes.filter((axis) => runs.some((run) => has_axis(run, axis.key)));
}
