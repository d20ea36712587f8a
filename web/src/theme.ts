// Light or dark: the system's wish until the reader chooses; paper is light.

export type Mode = "light" | "dark";

/** Colours for what is drawn on a canvas; the rest is in style.css. */
export interface Theme {
  mode: Mode;
  ink: string;
  muted: string;
  line: string;
  faint: string;
  card: string;
  accent: string;
}

export const kThemes: Record<Mode, Theme> = {
  light: {
    mode: "light",
    ink: "#1b2430",
    muted: "#5a6675",
    line: "#c9d0d9",
    faint: "#eaedf1",
    card: "#ffffff",
    accent: "#0a5dc2",
  },
  dark: {
    mode: "dark",
    ink: "#e6eaf0",
    muted: "#9aa6b6",
    line: "#3b4552",
    faint: "#252d38",
    card: "#171c24",
    accent: "#6cb0ff",
  },
};

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
