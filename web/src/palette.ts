// Colours that people with any colour vision can tell apart (Okabe and Ito's
// eight, adjusted for contrast on white and on black), and shapes for where
// eight are not enough.
import type { Group } from "./data";
import type { Mode } from "./theme";

/** A light and a dark one of each. */
const kPairs = [
  ["#0072b2", "#4ba3e3"],
  ["#d55e00", "#f0763a"],
  ["#009e73", "#2fc59a"],
  ["#b5549a", "#e08cc4"],
  ["#e69f00", "#f2b632"],
  ["#2fa3dd", "#8fd3ff"],
  ["#7a5c3e", "#c9a27c"],
  ["#5c6470", "#aeb8c4"],
] as const;

export const kColourCount = kPairs.length;

/** The i-th colour; after the last the first again. */
export function colour_at(mode: Mode, i: number): string {
  return kPairs[i % kColourCount]![mode === "light" ? 0 : 1];
}

/** Marks as SVG paths around 0; the first is for curves without marks. */
export const kMarks = [
  "M-5,0 a5,5 0 1 0 10,0 a5,5 0 1 0 -10,0 Z",
  "M0,-5 L6,5 L-6,5 Z",
  "M0,-6 L6,0 L0,6 L-6,0 Z",
  "M-5,-5 h10 v10 h-10 Z",
  "M-2,-6 h4 v4 h4 v4 h-4 v4 h-4 v-4 h-4 v-4 h4 Z",
  "M-5,-2 L-2,-5 L0,-2 L2,-5 L5,-2 L2,0 L5,2 L2,5 L0,2 L-2,5 L-5,2 L-2,0 Z",
];

/** The same for ECharts. */
export const kSymbols = kMarks.map((path) => `path://${path}`);

/** An index into each of the above. */
export interface Look {
  colour: number;
  symbol: number;
}

/** Group id -> look. Up to eight groups differ by colour alone. More differ by
 * colour in one key and by symbol in the others where that works out, as with
 * presets at several scales; else they go through the colours again with the
 * next symbol. */
export function looks(groups: Group[]): Map<number, Look> {
  return by_key(groups) ?? by_order(groups);
}

function by_order(groups: Group[]): Map<number, Look> {
  const look = (i: number): Look => ({
    colour: i % kColourCount,
    symbol: Math.floor(i / kColourCount) % kSymbols.length,
  });
  return new Map(groups.map((group, i) => [group.id, look(i)]));
}

function by_key(groups: Group[]): Map<number, Look> | null {
  if (groups.length <= kColourCount) return null;
  const keys = new Set(groups.flatMap((group) => Object.keys(group.keys)));
  for (const key of keys) {
    const values = groups.map((group) => group.keys[key] ?? "");
    const rests = groups.map((group) =>
      JSON.stringify({ ...group.keys, [key]: "" }),
    );
    const colours = [...new Set(values)];
    const symbols = [...new Set(rests)];
    if (colours.length < 2 || colours.length > kColourCount) continue;
    if (symbols.length < 2 || symbols.length > kSymbols.length) continue;
    const look = (i: number): Look => ({
      colour: colours.indexOf(values[i]!),
      symbol: symbols.indexOf(rests[i]!),
    });
    return new Map(groups.map((group, i) => [group.id, look(i)]));
  }
  return null;
}

/** Viridis, which reads the same in grey and for any colour vision. */
export const kViridis = [
  "#440154",
  "#482878",
  "#3e4a89",
  "#31688e",
  "#26828e",
  "#1f9e89",
  "#35b779",
  "#6ece58",
  "#b5de2b",
  "#fde725",
];
