import { describe, expect, it } from "vitest";
import {
  bytes, count, moment, number, percent, percent_statistic, power_label,
  seconds, statistic, stratum_label, time_unit, whole,
} from "../../src/format";

describe("bytes", () => {
  it.each([
    [0, "0 B"],
    [999, "999 B"],
    [1000, "1 kB"],
    [999_499, "999 kB"],
    [999_600, "1 MB"],
    [13.7e9, "13.7 GB"],
    [1e9, "1 GB"],
    [2.5e15, "2.5 PB"],
    [null, "–"],
    [NaN, "–"],
    [Infinity, "–"],
    [undefined, "–"],
  ])("%s is %s", (value, text) => expect(bytes(value)).toBe(text));
});

describe("count", () => {
  it.each([
    [0, "0"],
    [304, "304"],
    [9999, "9999"],
    [28_800, "28.8 k"],
    [2.77e6, "2.77 M"],
    [999_999, "1 M"],
  ])("%s is %s", (value, text) => expect(count(value)).toBe(text));
});

describe("seconds", () => {
  it.each([
    [0, "0 s"],
    [0.00035, "350 µs"],
    [0.0123, "12.3 ms"],
    [12.34, "12.3 s"],
    [59.94, "59.9 s"],
    [59.99, "1 min"],
    [75, "1 min 15 s"],
    [3599.6, "1 h"],
    [3700, "1 h 2 min"],
    [-75, "−1 min 15 s"],
    [null, "–"],
  ])("%s is %s", (value, text) => expect(seconds(value)).toBe(text));
});

describe("percent", () => {
  it("has two decimals", () => expect(percent(0.84713)).toBe("84.71 %"));
  it("takes others", () => expect(percent(0.8, 1)).toBe("80.0 %"));
  it("of nothing is a dash", () => expect(percent(null)).toBe("–"));
  it("has its spread", () =>
    expect(percent_statistic({ mean: 0.84706, sd: 0.0034, count: 3 })).toBe(
      "84.71 ± 0.34 %",
    ));
  it("has none for one seed", () =>
    expect(percent_statistic({ mean: 0.84706, sd: null, count: 1 })).toBe(
      "84.71 %",
    ));
});

describe("number", () => {
  it.each([
    [0, "0"],
    [2, "2"],
    [1007, "1007"],
    [0.12345, "0.123"],
    [-0.5, "−0.5"],
    [12345, "12\u202f345"],
    [0.00015, "1.5·10⁻⁴"],
    [1e-10, "10⁻¹⁰"],
    [-3.2e7, "−3.2·10⁷"],
    [null, "–"],
  ])("%s is %s", (value, text) => expect(number(value)).toBe(text));
});

describe("others", () => {
  it("spaces thousands", () =>
    expect(whole(1234567)).toBe("1\u202f234\u202f567"));
  it("labels powers", () =>
    expect([1e-10, 1e-3, 0.01, 1, 1000, 1e5].map(power_label)).toEqual([
      "10⁻¹⁰",
      "0.001",
      "0.01",
      "1",
      "1000",
      "10⁵",
    ]));
  it("leaves a spread of nothing out", () =>
    expect(statistic({ mean: 1e6, sd: 0, count: 3 }, bytes)).toBe("1 MB"));
  it("writes a spread", () =>
    expect(statistic({ mean: 1e6, sd: 2e4, count: 3 }, bytes)).toBe(
      "1 MB ± 20 kB",
    ));
  it("of no statistic is a dash", () =>
    expect(statistic(null, bytes)).toBe("–"));
  it("reads a moment", () =>
    expect(moment("2026-01-31T12:00:00Z")).toBe("2026-01-31 12:00 UTC"));
  it("leaves other texts alone", () => expect(moment("today")).toBe("today"));
  it("names a stratum", () =>
    expect(stratum_label({ n: "96", "lr-scaling": "sqrt" })).toBe(
      "n 96, lr-scaling sqrt",
    ));
  it("chooses a unit of time", () =>
    expect(
      [0, 0.01, 100, 180, 10799, 10800].map((s) => time_unit(s).name),
    ).toEqual(["s", "ms", "s", "min", "min", "h"]));
});
