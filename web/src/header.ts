// Title, origin, settings that all runs share, and what the reader must know.
import type { App } from "./app";
import { h, type Child } from "./dom";
import { moment, plural } from "./format";
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

function outcomes(app: App): Child {
  const bad = new Map<string, number>();
  for (const run of app.data.runs) {
    if (run.outcome === "completed") continue;
    bad.set(run.outcome, (bad.get(run.outcome) ?? 0) + 1);
  }
  if (!bad.size) return null;
  return h(
    "span",
    { class: "outcomes" },
    ...[...bad].map(([outcome, count]) =>
      h("span", { class: `badge ${outcome}` }, `${count} ${outcome}`),
    ),
  );
}

function common(app: App): Child {
  const entries = Object.entries(app.data.common);
  if (!entries.length) return null;
  return h(
    "details",
    { class: "common" },
    h("summary", {}, `Settings that all runs share (${entries.length})`),
    h(
      "dl",
      {},
      ...entries.map(([key, value]) =>
        h("div", {}, h("dt", {}, key), h("dd", {}, value || "–")),
      ),
    ),
  );
}

function skipped(app: App): Child {
  const list = app.data.skipped;
  if (!list.length) return null;
  const title =
    list.length === 1
      ? "1 directory was skipped"
      : `${list.length} directories were skipped`;
  return h(
    "details",
    { class: "skipped", open: list.length <= 6, "data-part": "skipped" },
    h("summary", {}, title),
    h(
      "ul",
      {},
      ...list.map((entry) =>
        h("li", {}, h("code", {}, entry.path), ` ${entry.why}`),
      ),
    ),
  );
}

function notes(app: App): Child {
  if (!app.data.notes.length) return null;
  return h(
    "ul",
    { class: "notes", "data-part": "notes" },
    ...app.data.notes.map((note) => h("li", {}, note)),
  );
}

export function theme_switch(app: App): HTMLElement {
  const button = h("button", {
    type: "button",
    class: "theme-switch",
    click: () => {
      const mode = app.choices.mode === "dark" ? "light" : "dark";
      store_mode(mode);
      app.change({ mode });
    },
  });
  const show = (): void => {
    const other = app.choices.mode === "dark" ? "light" : "dark";
    button.textContent = other === "dark" ? "☾ Dark" : "☀ Light";
    button.title = `switch to ${other} colours`;
  };
  app.on_change(show);
  show();
  return button;
}

export function header(app: App): HTMLElement {
  const { title, created, program } = app.data;
  const facts = [counts(app), created && moment(created), program];
  return h(
    "header",
    { class: "top" },
    h(
      "div",
      { class: "title-row" },
      h(
        "div",
        {},
        h("h1", {}, title),
        h(
          "p",
          { class: "facts" },
          ...facts.filter(Boolean).map((fact) => h("span", {}, fact)),
          outcomes(app),
        ),
      ),
      theme_switch(app),
    ),
    common(app),
    skipped(app),
    notes(app),
  );
}
