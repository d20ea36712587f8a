// Reading the data, results of runs, the filter, sorting.
import { describe, expect, it } from "vitest";
import { parse_data } from "../../src/data";
import {
  is_active, matches, no_filter, select, toggle, values_of,
} from "../../src/filter";
import { chips_that_fit } from "../../src/filter_bar";
import { accuracy_of, per_worker, steps_of } from "../../src/outcome";
import { compare } from "../../src/tables/table";
import { six_by_three, troubled, twenty_groups } from "../fixture";

describe("reading the data", () => {
  it("fills in what is missing", () => {
    const data = parse_data('{"format_version": 1, "title": "t"}');
    expect(data.runs).toEqual([]);
    expect(data.analysis.findings).toEqual([]);
  });
  it.each([
    ["another version, by name", '{"format_version": 2}', "version 2"],
    ["a template without data", "__GRAPEVINE_DATA__", "grapevine report"],
    ["what is not an object", "null", "object"],
  ])("refuses %s", (_, text, error) =>
    expect(() => parse_data(text)).toThrow(error),
  );
});

describe("a run's result", () => {
  const run_that_is = (outcome: string) =>
    troubled().runs.find((run) => run.outcome === outcome)!;
  it("is what it has so far while it runs", () => {
    const running = run_that_is("running");
    expect(accuracy_of(running)).toBe(
      running.evaluations!.accuracy!.mean.at(-1),
    );
    expect(steps_of(running)).toBe(running.steps!.step.at(-1)! + 1);
  });
  it("is not a guess if the result says null", () =>
    expect(accuracy_of(run_that_is("diverged"))).toBeNull());
  it("divides what all workers sent", () => {
    const run = six_by_three().runs[0]!;
    expect(per_worker(run, "bytes")).toBe(run.result!.bytes! / 96);
  });
});

describe("filter", () => {
  const data = six_by_three();
  const count = (filter: ReturnType<typeof no_filter>) =>
    select(data, filter).runs.length;

  it("shows all at first, and again when a value is taken away", () => {
    expect(is_active(no_filter())).toBe(false);
    expect(count(no_filter())).toBe(18);
    expect(select(data, no_filter()).groups).toHaveLength(6);
    const filter = toggle(toggle(no_filter(), "seed", "1"), "seed", "1");
    expect(is_active(filter)).toBe(false);
    expect(count(filter)).toBe(18);
  });

  it("adds values of one key up, and asks for all keys", () => {
    const one = toggle(no_filter(), "preset", "ada");
    const two = toggle(one, "preset", "d-ring");
    expect([count(one), count(two)]).toEqual([3, 6]);
    const chosen = select(data, toggle(two, "seed", "2"));
    const names = chosen.runs.map((run) => run.name);
    expect(names).toEqual(["ada-n96-s2", "d-ring-n96-s2"]);
    expect(chosen.groups.map(({ runs }) => runs.length)).toEqual([1, 1]);
  });

  it("does not change the filter that it was given", () => {
    const filter = no_filter();
    toggle(filter, "seed", "1");
    expect(is_active(filter)).toBe(false);
  });

  it.each([
    ["RING", 3],
    ["ring seed", 3],
    ["completed", 18],
    ["no such thing", 0],
    ["   ", 18],
  ])("finds the words '%s' in %i runs", (text, runs) =>
    expect(count({ ...no_filter(), text })).toBe(runs),
  );

  it.each([
    ["n=12", true],
    ["n=1", false],
    ["nokey=12", false],
  ])("asks for a key's exact value by %s", (text, found) => {
    const run = twenty_groups().runs[0]!;
    expect(matches(run, { ...no_filter(), text })).toBe(found);
  });

  it("sorts numbers by size and leaves names in order", () => {
    const { runs } = twenty_groups();
    const sizes = ["12", "24", "48", "96"];
    expect(values_of([...runs].reverse(), "n")).toEqual(sizes);
    expect(values_of(runs, "preset")[0]).toBe("d-complete");
  });

  it("has as many chips as fit, never none", () => {
    const many = Array.from({ length: 100 }, (_, i) => String(i));
    expect(chips_that_fit(["a", "b"])).toBe(2);
    expect(chips_that_fit(many)).toBeLessThan(50);
    expect(chips_that_fit(["x".repeat(500), "y"])).toBe(1);
  });
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
