// Colours that people with any colour vision can tell apart (Okabe and Ito's
// eight, adjusted for contrast on white and on black), and shapes for where
// eight are not enough.
import type { Group } from "./data";

export const kColours = {
  light: [
    "#0072b2",
    "#d55e00",
    "#009e73",
    "#b5549a",
    "#e69f00",
    "#2fa3dd",
    "#7a5c3e",
    "#5c6470",
  ],
  dark: [
    "#4ba3e3",
    "#f0763a",
    "#2fc59a",
    "#e08cc4",
    "#f2b632",
    "#8fd3ff",
    "#c9a27c",
    "#aeb8c4",
  ],
} as const;

const kCross =
  "path://M-5,-2 L-2,-5 L0,-2 L2,-5 L5,-2 L2,0 L5,2 L2,5 L0,2 L-2,5 L-5,2 L-2,0 Z";
const kPlus =
  "path://M-2,-6 L2,-6 L2,-2 L6,-2 L6,2 L2,2 L2,6 L-2,6 L-2,2 L-6,2 L-6,-2 L-2,-2 Z";

/** ECharts' names of symbols. The first is for curves without marks. */
export const kSymbols = [
  "circle",
  "triangle",
  "diamond",
  "rect",
  kPlus,
  kCross,
] as const;

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
  const colours = kColours.light.length;
  return new Map(
    groups.map((group, i) => [
      group.id,
      {
        colour: i % colours,
        symbol: Math.floor(i / colours) % kSymbols.length,
      },
    ]),
  );
}

function by_key(groups: Group[]): Map<number, Look> | null {
  const colours = kColours.light.length;
  if (groups.length <= colours) return null;
  const keys = [...new Set(groups.flatMap((group) => Object.keys(group.keys)))];
  for (const key of keys) {
    const values = index(groups.map((group) => group.keys[key] ?? ""));
    const rests = index(groups.map((group) => rest_of(group, key)));
    if (values.size < 2 || values.size > colours) continue;
    if (rests.size < 2 || rests.size > kSymbols.length) continue;
    return new Map(
      groups.map((group) => [
        group.id,
        {
          colour: values.get(group.keys[key] ?? "")!,
          symbol: rests.get(rest_of(group, key))!,
        },
      ]),
    );
  }
  return null;
}

function rest_of(group: Group, key: string): string {
  const rest = Object.entries(group.keys).filter(([name]) => name !== key);
  return JSON.stringify(rest);
}

function index(values: string[]): Map<string, number> {
  return new Map([...new Set(values)].map((value, i) => [value, i]));
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

/** Of the spans of a step, in the order in which they happen. */
export const kSpanColours: Record<string, number> = {
  data: 4,
  forward: 5,
  backward: 0,
  update: 2,
  exchange: 1,
  wait: 3,
  evaluate: 7,
};
