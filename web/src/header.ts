// Title, origin, settings that all runs share, and what the reader must know.
import type { App } from "./app";
import { h, list, type Child } from "./dom";
import { kNothing, moment, plural } from "./format";
import { asked } from "./plan";
import { store_mode } from "./theme";

function counts(app: App): string {
  const { runs, groups, plan } = app.data;
  if (plan && !runs.length) return asked(plan);
  const seeds = new Set(runs.map((run) => run.seed ?? null)).size;
  const parts = [plural(runs.length, "run")];
  if (groups.length > 1) parts.push(plural(groups.length, "group"));
  if (seeds > 1) parts.push(plural(seeds, "seed"));
  return parts.join(", ");
}

/** Counts the runs that did not complete. */
function outcomes(app: App): Child {
  const bad = app.data.runs
    .map((run) => run.outcome)
    .filter((outcome) => outcome !== "completed");
  const badges = [...new Set(bad)].map((outcome) => {
    const count = bad.filter((other) => other === outcome).length;
    return h("span", { class: `badge ${outcome}` }, `${count} ${outcome}`);
  });
  return badges.length > 0 && h("span", {}, ...badges);
}

function common(app: App): Child {
  const entries = Object.entries(app.data.common);
  const rows = entries.map(([key, value]) =>
    h("div", {}, h("dt", {}, key), h("dd", {}, value || kNothing)),
  );
  const title = `Settings that all runs share (${entries.length})`;
  return (
    rows.length > 0 &&
    h(
      "details",
      { class: "common" },
      h("summary", {}, title),
      h("dl", {}, ...rows),
    )
  );
}

function skipped(app: App): Child {
  const all = app.data.skipped;
  const title =
    all.length === 1
      ? "1 directory was skipped"
      : `${all.length} directories were skipped`;
  const items = all.map(({ path, why }) =>
    h("span", {}, h("code", {}, path), ` ${why}`),
  );
  return (
    all.length > 0 &&
    h(
      "details",
      { class: "skipped", open: all.length <= 6, "data-part": "skipped" },
      h("summary", {}, title),
      list(items),
    )
  );
}

function theme_switch(app: App): HTMLElement {
  const other = (): "dark" | "light" =>
    app.choices.mode === "dark" ? "light" : "dark";
  const click = (): void => {
    const mode = other();
    store_mode(mode);
    app.change({ mode });
  };
  const button = h("button", { type: "button", class: "theme-switch", click });
  app.keep_fresh(() => {
    button.textContent = other() === "dark" ? "☾ Dark" : "☀ Light";
    button.title = `switch to ${other()} colours`;
  });
  return button;
}

export function header(app: App): HTMLElement {
  const { title, created, program, notes } = app.data;
  const facts = [counts(app), moment(created), program].filter(Boolean);
  const spans = facts.map((fact) => h("span", {}, fact));
  return h(
    "header",
    { class: "top" },
    theme_switch(app),
    h("h1", {}, title),
    h("p", { class: "facts" }, ...spans, outcomes(app)),
    common(app),
    skipped(app),
    notes.length > 0 && list(notes, "notes"),
  );
}
