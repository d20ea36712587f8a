// Colours, sorting, spans, results, and reading the data.
import { describe, expect, it } from "vitest";
import { parse_data } from "../../src/data";
import { chips_that_fit } from "../../src/filter_bar";
import { accuracy_of, per_worker, steps_of } from "../../src/outcome";
import { kColours, looks } from "../../src/palette";
import { varies } from "../../src/plots/degree";
import { label_step, worker_at } from "../../src/plots/graph_canvas";
import { correlation_text } from "../../src/plots/scatter";
import { mean_spans, step_spans } from "../../src/plots/spans";
import { beside } from "../../src/tooltip";
import { compare } from "../../src/tables/sortable";
import {
  six_by_three,
  troubled,
  twenty_groups,
  twenty_names,
} from "../fixture";

describe("looks", () => {
  const distinct = (groups: ReturnType<typeof six_by_three>["groups"]) =>
    new Set([...looks(groups).values()].map((l) => `${l.colour} ${l.symbol}`))
      .size;

  it("differ by colour alone up to eight", () => {
    const all = [...looks(six_by_three().groups).values()];
    expect(new Set(all.map((l) => l.colour)).size).toBe(6);
    expect(all.every((l) => l.symbol === 0)).toBe(true);
  });

  it("have a preset's colour and a scale's symbol", () => {
    const { groups } = twenty_groups();
    const found = looks(groups);
    expect(distinct(groups)).toBe(20);
    for (const a of groups) {
      for (const b of groups) {
        const [la, lb] = [found.get(a.id)!, found.get(b.id)!];
        expect(la.colour === lb.colour).toBe(
          a.keys["preset"] === b.keys["preset"],
        );
        expect(la.symbol === lb.symbol).toBe(a.n === b.n);
      }
    }
  });

  it("are all different for twenty names", () =>
    expect(distinct(twenty_names().groups)).toBe(20));

  it("have a dark twin for each colour", () =>
    expect(kColours.dark).toHaveLength(kColours.light.length));
});

describe("sorting", () => {
  const sorted = (list: (number | string | null)[], down: boolean) =>
    [...list].sort((a, b) => compare(a, b, down));
  it("puts what is missing last either way", () => {
    expect(sorted([2, null, 1, NaN], false).slice(0, 2)).toEqual([1, 2]);
    expect(sorted([2, null, 1, NaN], true).slice(0, 2)).toEqual([2, 1]);
  });
  it("sees numbers in names", () =>
    expect(sorted(["n 96", "n 12", "n 192"], false)).toEqual([
      "n 12",
      "n 96",
      "n 192",
    ]));
});

describe("a run's result", () => {
  it("is what it has so far while it runs", () => {
    const running = troubled().runs.find((run) => run.outcome === "running")!;
    expect(accuracy_of(running)).toBe(
      running.evaluations!.accuracy!.mean[
        running.evaluations!.accuracy!.mean.length - 1
      ],
    );
    expect(steps_of(running)).toBe(
      running.steps!.step[running.steps!.step.length - 1]! + 1,
    );
  });
  it("is not a guess where the result says null", () => {
    const diverged = troubled().runs.find((run) => run.outcome === "diverged")!;
    expect(accuracy_of(diverged)).toBeNull();
  });
  it("divides what all workers sent", () => {
    const run = six_by_three().runs[0]!;
    expect(per_worker(run, "bytes")).toBe(run.result!.bytes! / 96);
  });
});

describe("spans", () => {
  it("are seconds of one worker in one step", () => {
    const run = {
      ...six_by_three().runs[0]!,
      n: 4,
      spans: { forward: 80, wait: null },
    };
    run.result = { steps: 10 };
    expect([...step_spans(run)]).toEqual([["forward", 2]]);
  });
  it("are averaged over the runs that have some", () => {
    const [a, b, c] = six_by_three().runs.map((run) => ({ ...run, n: 1 }));
    a!.result = b!.result = c!.result = { steps: 1 };
    a!.spans = { data: 1 };
    b!.spans = { data: 3 };
    c!.spans = null;
    expect([...mean_spans([a!, b!, c!])!]).toEqual([["data", 2]]);
    expect(mean_spans([c!])).toBeNull();
  });
});

describe("others", () => {
  it("sees whose graph changes", () => {
    const changing = six_by_three().runs.filter(varies);
    expect(new Set(changing.map((run) => run.spec["preset"]))).toEqual(
      new Set(["ada"]),
    );
  });
  it("has room for the numbers around the circle", () => {
    expect([8, 48, 96, 1008].map(label_step)).toEqual([1, 1, 2, 25]);
  });
  it("finds the worker at the pointer", () => {
    expect(worker_at(0.5, 0.02, 8)).toBe(0);
    expect(worker_at(0.98, 0.5, 8)).toBe(2);
    expect(worker_at(0.02, 0.5, 8)).toBe(6);
    expect(worker_at(0.49, 0.02, 8)).toBe(0);
    expect(worker_at(0.5, 0.5, 8)).toBe(-1);
  });
  it("prints correlations", () => {
    const list = six_by_three().analysis.correlations;
    const gini = list.filter((c) => c.with === "gini" && c.phase === "all");
    expect(correlation_text(gini)).toBe(
      "Spearman ρ: overall −0.91 (−0.99 to −0.86; 15 runs, 3 seeds).",
    );
    expect(correlation_text([{ ...gini[0]!, rho: null }])).toBe("");
  });
});

describe("the box at the pointer", () => {
  const screen = { width: 1000, height: 800 };
  const chart = { left: 100, top: 50 };
  it("is at its right", () =>
    expect(beside([200, 100], [300, 80], chart, screen)).toEqual([218, 60]));
  it("is at its left where the right has no room", () =>
    expect(beside([700, 100], [300, 80], chart, screen)).toEqual([382, 60]));
  it("does not leave the window", () => {
    expect(beside([200, 0], [300, 400], chart, screen)[1]).toBe(4 - 50);
    expect(beside([200, 740], [300, 400], chart, screen)[1]).toBe(
      800 - 404 - 50,
    );
    expect(beside([400, 100], [900, 80], chart, screen)[0]).toBe(-100);
  });
});

describe("chips", () => {
  it("all fit if they are few", () =>
    expect(chips_that_fit(["a", "b"])).toBe(2));
  it("are cut where they are many or long, never to nothing", () => {
    const many = Array.from({ length: 100 }, (_, i) => String(i));
    expect(chips_that_fit(many)).toBeLessThan(50);
    expect(chips_that_fit(["x".repeat(500), "y"])).toBe(1);
  });
});

describe("reading the data", () => {
  it("fills in what is missing", () => {
    const data = parse_data('{"format_version": 1, "title": "t"}');
    expect(data.runs).toEqual([]);
    expect(data.analysis.findings).toEqual([]);
  });
  it("refuses another version, by name", () =>
    expect(() => parse_data('{"format_version": 2}')).toThrow("version 2"));
  it("says what a template without data is", () =>
    expect(() => parse_data("__GRAPEVINE_DATA__")).toThrow("grapevine report"));
  it("refuses what is not an object", () =>
    expect(() => parse_data("null")).toThrow("object"));
});
