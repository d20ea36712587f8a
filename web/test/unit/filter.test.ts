import { describe, expect, it } from "vitest";
import {
  is_active,
  matches,
  no_filter,
  select,
  toggle,
  values_of,
} from "../../src/filter";
import { six_by_three, twenty_groups } from "../fixture";

const data = six_by_three();

describe("filter", () => {
  it("shows all at first", () => {
    const filter = no_filter();
    expect(is_active(filter)).toBe(false);
    expect(select(data, filter).runs).toHaveLength(18);
    expect(select(data, filter).groups).toHaveLength(6);
  });

  it("adds values of one key up, and asks for all keys", () => {
    let filter = toggle(no_filter(), "preset", "ada");
    filter = toggle(filter, "preset", "d-ring");
    expect(select(data, filter).runs).toHaveLength(6);
    filter = toggle(filter, "seed", "2");
    const chosen = select(data, filter);
    expect(chosen.runs.map((run) => run.name)).toEqual([
      "ada-n96-s2",
      "d-ring-n96-s2",
    ]);
    expect(chosen.groups.map(({ runs }) => runs.length)).toEqual([1, 1]);
  });

  it("takes a value away again, and then asks for nothing", () => {
    const filter = toggle(toggle(no_filter(), "seed", "1"), "seed", "1");
    expect(is_active(filter)).toBe(false);
    expect(select(data, filter).runs).toHaveLength(18);
  });

  it("does not change the filter that it was given", () => {
    const filter = no_filter();
    toggle(filter, "seed", "1");
    expect(is_active(filter)).toBe(false);
  });

  it("finds words anywhere, all of them", () => {
    const with_text = (text: string) =>
      select(data, { ...no_filter(), text }).runs.length;
    expect(with_text("RING")).toBe(3);
    expect(with_text("ring seed")).toBe(3);
    expect(with_text("completed")).toBe(18);
    expect(with_text("no such thing")).toBe(0);
    expect(with_text("   ")).toBe(18);
  });

  it("asks for a key's exact value by KEY=VALUE", () => {
    const run = twenty_groups().runs[0]!;
    expect(matches(run, { ...no_filter(), text: "n=12" })).toBe(true);
    expect(matches(run, { ...no_filter(), text: "n=1" })).toBe(false);
    expect(matches(run, { ...no_filter(), text: "nokey=12" })).toBe(false);
  });

  it("sorts numbers by size and leaves names in order", () => {
    const runs = twenty_groups().runs;
    expect(values_of([...runs].reverse(), "n")).toEqual([
      "12",
      "24",
      "48",
      "96",
    ]);
    expect(values_of(runs, "preset")[0]).toBe("d-complete");
  });
});
