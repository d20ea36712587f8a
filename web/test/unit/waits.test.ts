// Who waited for whom.
import { describe, expect, it } from "vitest";
import type { Blame } from "../../src/data";
import { has_waits, longest_wait, verdict } from "../../src/plots/waits";
import { one_run, waiting } from "../fixture";

const short: Blame = {
  seconds: 200,
  mean_wait_seconds: 2,
  waits: [],
  sentences: [],
};

describe("waits", () => {
  it("are shown of runs that have them", () => {
    expect(has_waits(waiting().runs[0]!)).toBe(true);
    expect(has_waits(one_run().runs[0]!)).toBe(false);
    expect(has_waits({ ...one_run().runs[0]!, blame: short })).toBe(false);
  });

  it("are coloured up to the longest", () => {
    expect(longest_wait(waiting().runs[0]!.blame!)).toBe(22);
    expect(longest_wait(short)).toBe(0);
  });
});

describe("verdict", () => {
  it("is what was found", () =>
    expect(verdict(waiting().runs[0]!.blame!)).toMatch(/^Worker 4 is the str/));

  it("blames nobody for short waits", () => {
    expect(verdict(short)).toContain("1.0 % of the training time; too little");
    expect(verdict({ ...short, seconds: null })).toContain("waited 2 s; too");
  });
});
