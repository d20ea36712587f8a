// Numbers as people read them. GB is 10^9 bytes. A number that is missing or
// not finite is a dash.
import type { Num, Statistic } from "./data";

export const kNothing = "–";

export function finite(value: Num | undefined): value is number {
  return typeof value === "number" && Number.isFinite(value);
}

const kSuperscripts = "⁰¹²³⁴⁵⁶⁷⁸⁹";

function superscript(exponent: number): string {
  const digits = String(Math.abs(exponent))
    .split("")
    .map((digit) => kSuperscripts[Number(digit)])
    .join("");
  return exponent < 0 ? `⁻${digits}` : digits;
}

/** 12345 -> "12 345", with narrow no-break spaces. */
export function whole(value: Num | undefined): string {
  if (!finite(value)) return kNothing;
  const digits = String(Math.round(Math.abs(value)));
  const spaced = digits.replace(/\B(?=(\d{3})+$)/g, "\u202f");
  return Math.round(value) < 0 ? `−${spaced}` : spaced;
}

/** Any number at `digits` significant digits; small and large ones as powers
 * of ten. */
export function number(value: Num | undefined, digits = 3): string {
  if (!finite(value)) return kNothing;
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (Number.isInteger(value) && size < 1e4) {
    return String(value).replace("-", "−");
  }
  if (size >= 1e6 || size < 1e-3) return scientific(value, digits);
  if (size >= 1e4) return whole(value);
  const text = String(Number(value.toPrecision(Math.max(digits, 1))));
  return text.replace("-", "−");
}

export function scientific(value: number, digits = 3): string {
  const [mantissa, exponent] = value.toExponential(digits - 1).split("e");
  const short = String(Number(mantissa)).replace("-", "−");
  const power = `10${superscript(Number(exponent))}`;
  return short === "1" ? power : `${short}·${power}`;
}

/** A label of a logarithmic axis. */
export function power_label(value: number): string {
  if (value >= 0.001 && value < 1e4) {
    return String(Number(value.toPrecision(6)));
  }
  return scientific(value, 2);
}

interface Unit {
  factor: number;
  name: string;
}

/** Each a thousand times the one before; the largest comes first then. */
const units = (...names: string[]): Unit[] =>
  names.map((name, i) => ({ factor: 10 ** (3 * i), name })).reverse();

const kByteUnits = units("B", "kB", "MB", "GB", "TB", "PB");
const kBitUnits = units("bit/s", "kbit/s", "Mbit/s", "Gbit/s", "Tbit/s");
const kCountUnits = units("", "k", "M", "G");
const kShortTimes: Unit[] = [
  { factor: 1, name: "s" },
  { factor: 1e-3, name: "ms" },
  { factor: 1e-6, name: "µs" },
];
const kLongTimes: Unit[] = [
  { factor: 3600, name: "h" },
  { factor: 60, name: "min" },
];

function unit_for(value: number, units: Unit[], at_least = 1): Unit {
  const size = Math.abs(value);
  return (
    units.find((unit) => size >= unit.factor * at_least) ??
    units[units.length - 1]!
  );
}

export const byte_unit = (value: number): Unit => unit_for(value, kByteUnits);
/** Minutes from 3 minutes on, hours from 3 hours on. */
export const time_unit = (value: number): Unit =>
  value <= 0
    ? { factor: 1, name: "s" }
    : value < 180
      ? unit_for(value, kShortTimes)
      : unit_for(value, kLongTimes, 3);

function with_unit(value: number, units: Unit[]): string {
  if (value === 0) return `0 ${units.find((u) => u.factor === 1)!.name}`.trim();
  const unit = unit_for(value, units);
  const scaled = Number((value / unit.factor).toPrecision(3));
  // 999.6 kB rounds to 1000 kB, which is 1 MB.
  const bigger = units[units.indexOf(unit) - 1];
  if (bigger && Math.abs(scaled) >= bigger.factor / unit.factor) {
    return `1 ${bigger.name}`;
  }
  const text = String(scaled).replace("-", "−");
  return unit.name ? `${text} ${unit.name}` : text;
}

/** 1.37e10 -> "13.7 GB". */
export function bytes(value: Num | undefined): string {
  return finite(value) ? with_unit(value, kByteUnits) : kNothing;
}

/** Of bytes a second: 1.25e8 -> "1 Gbit/s". */
export function bit_rate(value: Num | undefined): string {
  return finite(value) ? with_unit(8 * value, kBitUnits) : kNothing;
}

/** 28800 -> "28.8 k"; below 10 000 as it is. */
export function count(value: Num | undefined): string {
  if (!finite(value)) return kNothing;
  if (Math.abs(value) < 1e4) return number(value, 4);
  return with_unit(value, kCountUnits);
}

/** 0.00035 -> "350 µs", 75 -> "1 min 15 s", 3700 -> "1 h 2 min". */
export function seconds(value: Num | undefined): string {
  if (!finite(value)) return kNothing;
  if (value < 0) return `−${seconds(-value)}`;
  if (value === 0) return "0 s";
  if (value < 59.95) return with_unit(value, kShortTimes);
  const rounded = Math.round(value);
  if (rounded < 3600) return pair(rounded, 60, "min", "s");
  return pair(Math.round(value / 60), 60, "h", "min");
}

function pair(value: number, base: number, big: string, small: string): string {
  const rest = value % base;
  const head = `${Math.floor(value / base)} ${big}`;
  return rest ? `${head} ${rest} ${small}` : head;
}

/** 0.8471 -> "84.71 %". */
export function percent(value: Num | undefined, decimals = 2): string {
  if (!finite(value)) return kNothing;
  return `${(100 * value).toFixed(decimals)} %`.replace("-", "−");
}

/** "84.71 ± 0.34 %"; without a spread for a single seed. */
export function percent_statistic(s: Statistic | null | undefined): string {
  if (!s || !finite(s.mean)) return kNothing;
  if (!finite(s.sd) || s.count < 2) return percent(s.mean);
  return `${(100 * s.mean).toFixed(2)} ± ${(100 * s.sd).toFixed(2)} %`;
}

/** "13.7 GB ± 0.1 GB" with any of the formats above; the spread is left out
 * where it would read as nothing. */
export function statistic(
  s: Statistic | null | undefined,
  format: (value: Num) => string,
): string {
  if (!s || !finite(s.mean)) return kNothing;
  if (!finite(s.sd) || s.count < 2) return format(s.mean);
  if (s.sd <= 1e-3 * Math.abs(s.mean)) return format(s.mean);
  return `${format(s.mean)} ± ${format(s.sd)}`;
}

/** "2026-01-31T12:00:00Z" -> "2026-01-31 12:00 UTC". */
export function moment(text: string): string {
  const match = /^(\d{4}-\d{2}-\d{2})T(\d{2}:\d{2})(?::[\d.]+)?Z$/.exec(text);
  return match ? `${match[1]} ${match[2]} UTC` : text;
}

/** "1 run", "3 runs" */
export function plural(n: number, word: string): string {
  return `${n} ${word}${n === 1 ? "" : "s"}`;
}

/** "a", "a and b", "a, b and c"; with more than `most` "a, b and 7 more". */
export function listed(items: (string | number)[], most = 12): string {
  const named = items.slice(0, most).map(String);
  const more = items.length - named.length;
  const last = more > 0 ? `${more} more` : (named.pop() ?? "");
  return named.length ? `${named.join(", ")} and ${last}` : last;
}

/** "n 96, lr-scaling sqrt" */
export function stratum_label(stratum: Record<string, string> | null): string {
  const parts = Object.entries(stratum ?? {}).map((pair) => pair.join(" "));
  return parts.join(", ") || "all";
}

/** A correlation: "−0.91". */
export function signed(value: Num): string {
  return finite(value) ? value.toFixed(2).replace("-", "−") : kNothing;
}
