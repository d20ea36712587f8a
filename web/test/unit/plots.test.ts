// What plots make of a run: spans, waits, asynchronous workers, plans, and how
// groups look.
import { describe, expect, it } from "vitest";
import { bit_rate } from "../../src/format";
import { kColourCount, looks } from "../../src/palette";
import * as plans from "../../src/plan";
import { has_gossip, varies } from "../../src/plots/curves";
import {
  bar_groups, gossip_note, gossip_time, group_value,
} from "../../src/plots/gossip_workers";
import { label_step, worker_at } from "../../src/plots/graph_canvas";
import { correlation_text } from "../../src/plots/points";
import { mean_spans, step_spans } from "../../src/plots/spans";
import { has_waits, longest_wait, verdict } from "../../src/plots/waits";
import * as fixture from "../fixture";
import { plan } from "../plan_fixture";

describe("looks", () => {
  type Groups = Parameters<typeof looks>[0];
  const distinct = (groups: Groups) =>
    new Set([...looks(groups).values()].map((l) => `${l.colour} ${l.symbol}`))
      .size;

  it("differ by colour alone up to eight", () => {
    const all = [...looks(fixture.six_by_three().groups).values()];
    expect(new Set(all.map((l) => l.colour)).size).toBe(6);
    expect(all.every((l) => l.symbol === 0)).toBe(true);
    expect(all.every((l) => l.colour < kColourCount)).toBe(true);
  });

  it("have a preset's colour and a scale's symbol", () => {
    const { groups } = fixture.twenty_groups();
    const found = looks(groups);
    expect(distinct(groups)).toBe(20);
    for (const a of groups) {
      for (const b of groups) {
        const [la, lb] = [found.get(a.id)!, found.get(b.id)!];
        const same_preset = a.keys["preset"] === b.keys["preset"];
        expect(la.colour === lb.colour).toBe(same_preset);
        expect(la.symbol === lb.symbol).toBe(a.n === b.n);
      }
    }
  });

  it("are all different for twenty names", () =>
    expect(distinct(fixture.twenty_names().groups)).toBe(20));
});

describe("spans", () => {
  const run = fixture.one_run().runs[0]!;
  const with_spans = (spans: Record<string, number | null> | null) => ({
    ...run,
    n: 4,
    result: { steps: 10 },
    spans,
  });
  it("are seconds of one worker in one step", () =>
    expect([...step_spans(with_spans({ forward: 80, wait: null }))]).toEqual([
      ["forward", 2],
    ]));
  it("are averaged over the runs that have some", () => {
    const runs = [{ data: 40 }, { data: 120 }, null].map(with_spans);
    expect([...mean_spans(runs)!]).toEqual([["data", 2]]);
    expect(mean_spans(runs.slice(2))).toBeNull();
  });
});

describe("waits", () => {
  const run = fixture.waiting().runs[0]!;
  const other = fixture.one_run().runs[0]!;
  const short = {
    seconds: 200,
    mean_wait_seconds: 2,
    waits: [],
    sentences: [],
  };

  it("are shown of runs that have them, coloured up to the longest", () => {
    expect(has_waits(run)).toBe(true);
    expect(has_waits(other)).toBe(false);
    expect(has_waits({ ...other, blame: short })).toBe(false);
    expect(longest_wait(run.blame!)).toBe(22);
    expect(longest_wait(short)).toBe(0);
  });

  it("are followed by what was found; short ones have no cause", () => {
    expect(verdict(run.blame!)).toMatch(/^Worker 4 is the str/);
    expect(verdict(short)).toContain("1.0 % of the training time; too little");
    expect(verdict({ ...short, seconds: null })).toContain("waited 2 s; too");
  });
});

describe("workers of asynchronous runs", () => {
  const [plain, first, second] = fixture.asynchronous().runs;

  it("are shown of runs that have them", () =>
    expect([plain!, first!, second!].map(has_gossip)).toEqual([
      false,
      true,
      true,
    ]));

  it("share bars if they are many", () => {
    expect(bar_groups(3).map((g) => g.label)).toEqual(["0", "1", "2"]);
    const many = bar_groups(1008);
    expect(many.length).toBeLessThanOrEqual(128);
    expect(many[0]!.label).toBe("0 to 7");
    expect(many.at(-1)!.end).toBe(1008);
    const last = { label: "128 to 129", first: 128, end: 130 };
    expect(bar_groups(130).at(-1)).toEqual(last);
    expect(bar_groups(0)).toEqual([]);
  });

  it.each([
    ["gradients", [9, 1, 3], 2],
    ["wait_most", [9, 1, 3], 3],
    ["rate", [9, null, 3], 3],
    ["rate", [9, null, null], null],
    ["rate", undefined, null],
  ] as const)("%s of a bar, of %j, is %j", (figure, column, value) => {
    const pair = { label: "", first: 1, end: 3 };
    expect(group_value(column && [...column], pair, figure)).toBe(value);
  });

  it("have their rate, waits and who stands out in words", () => {
    const note = gossip_note(second!.gossip!);
    expect(note).toContain("0.98 per gradient, 1 asked for.");
    expect(note).toContain("in 2.3 ms on average, 27 ms at most");
    expect(note).toContain("worker 3 (0.33). Lost: worker 5 once");
    expect(note).toContain("8 workers at the end.");
    expect(note).not.toContain("Held back");
  });

  it("count time in gradients without a clock", () => {
    const gossip = { ...first!.gossip!, has_clock: false };
    expect(gossip_time(gossip, 0.5)).toBe("0.5 gradients");
  });
});

describe("graphs", () => {
  it("that change are seen", () => {
    const changing = fixture.six_by_three().runs.filter(varies);
    const presets = new Set(changing.map((run) => run.spec["preset"]));
    expect([...presets]).toEqual(["ada"]);
  });
  it("have room for the numbers around the circle", () =>
    expect([8, 48, 96, 1008].map(label_step)).toEqual([1, 1, 2, 25]));
  it.each([
    [0.5, 0.02, 0],
    [0.98, 0.5, 2],
    [0.02, 0.5, 6],
    [0.49, 0.02, 0],
    [0.5, 0.5, -1],
  ])("have at %d, %d worker %i", (x, y, worker) =>
    expect(worker_at(x, y, 8)).toBe(worker),
  );
});

it("correlations are printed", () => {
  const list = fixture.six_by_three().analysis.correlations;
  const gini = list.filter((c) => c.with === "gini" && c.phase === "all");
  expect(correlation_text(gini)).toBe(
    "Spearman ρ: overall −0.91 (−0.99 to −0.86; 15 runs, 3 seeds).",
  );
  expect(correlation_text([{ ...gini[0]!, rho: null }])).toBe("");
});

describe("plan", () => {
  const { rows } = plan();
  it("names curves by graph, All-Reduce by itself", () => {
    const lattice = { ...rows[1]!, graph: "lattice", k: 8 };
    expect([rows[0]!, rows[1]!, lattice].map(plans.graph_label)).toEqual([
      "All-Reduce",
      "ring",
      "lattice, k = 8",
    ]);
  });

  it("knows its sizes and algorithms, and what was asked", () => {
    expect(plans.sizes_of(plan([64, 4]))).toEqual([4, 64]);
    const algorithms = ["adapt-then-combine", "combine-while-adapt"];
    expect(plans.algorithms_of(plan())).toEqual(algorithms);
    expect(plans.asked(plan())).toBe(
      "mlp, batch 32, 25 MB, compute 180 ms, links 1gbit,2ms",
    );
  });

  it("shows what is recommended first", () => {
    const data = plan();
    expect(plans.first_shown(data)).toBe("combine-while-adapt");
    const use = rows.find((row) => row.algorithm === "adapt-then-combine")!;
    data.recommendations[1]!.use = use;
    expect(plans.first_shown(data)).toBe("adapt-then-combine");
  });

  it("writes rates in bits", () =>
    expect([1.25e8, 2.5e5, null].map(bit_rate)).toEqual([
      "1 Gbit/s",
      "2 Mbit/s",
      "–",
    ]));
});
