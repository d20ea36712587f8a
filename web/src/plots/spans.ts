// Where the time of a step goes, a bar per group.
import type { App } from "../app";
import type { CardSpec } from "../card";
import type { Run } from "../data";
import { Segments } from "../dom";
import { finite, percent, seconds, time_unit } from "../format";
import { steps_of } from "../outcome";
import { draw_bars } from "./bars";

/** Colours of the spans of a step, in the order in which they happen. */
const kSpans: Record<string, number> = {
  data: 4,
  forward: 5,
  backward: 0,
  update: 2,
  exchange: 1,
  wait: 3,
  evaluate: 7,
};

/** Seconds of one worker in one step by span; empty if it recorded none. */
export function step_spans(run: Run): Map<string, number> {
  const steps = steps_of(run);
  const spans = new Map<string, number>();
  if (!run.spans || !finite(steps) || steps <= 0 || run.n <= 0) return spans;
  for (const [name, value] of Object.entries(run.spans)) {
    if (finite(value)) spans.set(name, value / (steps * run.n));
  }
  return spans;
}

/** Mean over the runs that recorded spans; null if none did. */
export function mean_spans(runs: Run[]): Map<string, number> | null {
  const recorded = runs.map(step_spans).filter((spans) => spans.size > 0);
  if (!recorded.length) return null;
  const mean = new Map<string, number>();
  for (const spans of recorded) {
    for (const [name, value] of spans) {
      mean.set(name, (mean.get(name) ?? 0) + value / recorded.length);
    }
  }
  return mean;
}

export function spans_card(app: App): CardSpec {
  const measure = new Segments<"share" | "seconds">(
    "show",
    [
      { value: "share", label: "share" },
      { value: "seconds", label: "time" },
    ],
    "share",
  );
  const draw: CardSpec["draw"] = (hidden) => {
    const found = app.selection.groups.flatMap(({ group, runs }) => {
      const spans = mean_spans(runs);
      if (!spans) return [];
      const total = [...spans.values()].reduce((sum, value) => sum + value, 0);
      return [{ label: group.label, spans, total: total || 1 }];
    });
    if (!found.length) return { empty: "No shown run has recorded its spans." };
    const names = new Set([
      ...Object.keys(kSpans),
      ...found.flatMap(({ spans }) => [...spans.keys()]),
    ]);
    const share = measure.value === "share";
    const unit = time_unit(Math.max(...found.map(({ total }) => total)));
    const bars = [...names]
      .filter((name) => found.some(({ spans }) => spans.has(name)))
      .map((name) => {
        const times = found.map(({ spans }) => spans.get(name) ?? 0);
        const shares = times.map((time, i) => time / found[i]!.total);
        return {
          key: name,
          label: name,
          colour: kSpans[name] ?? 6,
          values: share ? shares.map((part) => 100 * part) : times,
          text: (i: number) => ({
            value: seconds(times[i]),
            detail: percent(shares[i], 1),
          }),
        };
      });
    return draw_bars(app, hidden, {
      categories: found.map(({ label }) => label),
      bars,
      stacked: true,
      category: "",
      axis: {
        name: share
          ? "share of the time (%)"
          : `time of a worker in a step (${unit.name})`,
        ...(share && !hidden.size && { max: 100 }),
      },
      factor: share ? 1 : unit.factor,
      title: (i) =>
        `${found[i]!.label}, ${seconds(found[i]!.total)} per step and worker`,
      format: seconds,
    });
  };
  return {
    plot: "spans",
    title: "Where a step's time goes",
    about:
      "Time of one worker in one step by span, mean over workers, steps and " +
      "seeds. Evaluation is spread over all steps.",
    wide: true,
    renderer: "svg",
    controls: [measure],
    draw,
  };
}
