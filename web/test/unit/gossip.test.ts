// Workers of asynchronous runs.
import { describe, expect, it } from "vitest";
import { has_gossip } from "../../src/plots/gossip";
import {
  bar_groups,
  gossip_note,
  gossip_time,
  group_value,
} from "../../src/plots/gossip_workers";
import { asynchronous, one_run } from "../fixture";

describe("workers of asynchronous runs", () => {
  it("are shown of runs that have them", () => {
    expect(asynchronous().runs.map(has_gossip)).toEqual([false, true, true]);
    expect(has_gossip(one_run().runs[0]!)).toBe(false);
  });

  it("share bars where they are many", () => {
    expect(bar_groups(3).map((g) => g.label)).toEqual(["0", "1", "2"]);
    const many = bar_groups(1008);
    expect(many.length).toBeLessThanOrEqual(128);
    expect(many[0]!.label).toBe("0 to 7");
    expect(many[many.length - 1]!.end).toBe(1008);
    expect(bar_groups(130).at(-1)).toEqual({
      label: "128 to 129",
      first: 128,
      end: 130,
    });
    expect(bar_groups(0)).toEqual([]);
  });

  it("of a bar are a mean, or the most of any", () => {
    const pair = { label: "", first: 1, end: 3 };
    expect(group_value([9, 1, 3], pair, "gradients")).toBe(2);
    expect(group_value([9, 1, 3], pair, "wait_most")).toBe(3);
    expect(group_value([9, null, 3], pair, "rate")).toBe(3);
    expect(group_value([9, null, null], pair, "rate")).toBe(null);
    expect(group_value(undefined, pair, "rate")).toBe(null);
  });
});

describe("what is said of them", () => {
  it("is the rate, the waits, and who stands out", () => {
    const note = gossip_note(asynchronous().runs[2]!.gossip!);
    expect(note).toContain("0.98 for each gradient, 1 asked for.");
    expect(note).toContain("in 2.3 ms on average, 27 ms at most");
    expect(note).toContain("worker 3 (0.33). Lost: worker 5 once");
    expect(note).toContain("8 workers at the end.");
    expect(note).not.toContain("Held back");
  });

  it("is in gradients where there is no clock", () => {
    const gossip = asynchronous().runs[1]!.gossip!;
    expect(gossip_time({ ...gossip, has_clock: false }, 0.5)).toBe(
      "0.5 gradients",
    );
  });
});
