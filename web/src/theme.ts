// Light or dark: the system's wish until the reader chooses; paper is light.

export type Mode = "light" | "dark";

const kNames = ["ink", "muted", "axis", "faint", "card", "accent"] as const;

/** Colours for what ECharts and canvases draw: those of style.css now. */
export type Theme = { mode: Mode } & Record<(typeof kNames)[number], string>;

export function theme_now(mode: Mode): Theme {
  const style = getComputedStyle(document.documentElement);
  const colour = (name: string): string =>
    style.getPropertyValue(`--${name}`).trim();
  const colours = kNames.map((name) => [name, colour(name)]);
  return { mode, ...Object.fromEntries(colours) };
}

export const kFont =
  'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", ' +
  '"Noto Sans", "Liberation Sans", Arial, sans-serif';

const kStorageKey = "grapevine-theme";

/** What the reader chose before, if the browser lets us ask. */
export function stored_mode(): Mode | null {
  try {
    const value = localStorage.getItem(kStorageKey);
    return value === "light" || value === "dark" ? value : null;
  } catch {
    return null;
  }
}

export function store_mode(mode: Mode): void {
  try {
    localStorage.setItem(kStorageKey, mode);
  } catch {
    // A page from disk may have no storage; then the choice lasts as long as
    // the page.
  }
}

export function system_mode(): Mode {
  return matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
}
