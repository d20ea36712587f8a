// The bar that stays in view: which runs, drawn how, against what.
import type { App, SeedsMode } from "./app";
import { axes_with_data, type AxisKey } from "./axis";
import { h, Segments, type Option } from "./dom";
import { is_active, no_filter, toggle, values_of } from "./filter";
import { kNothing, plural } from "./format";

/** Chips of a key after so many letters are hidden until asked for. */
const kMostLetters = 220;

/** How many of the values fit into that, at least one. */
export function chips_that_fit(values: string[]): number {
  let letters = 0;
  const end = values.findIndex((value) => {
    letters += value.length + 4;
    return letters > kMostLetters;
  });
  return end < 0 ? values.length : Math.max(1, end);
}

function chip(properties: Parameters<typeof h>[1], label: string) {
  return h("button", { type: "button", class: "chip", ...properties }, label);
}

function chips(app: App, key: string): HTMLElement {
  const values = values_of(app.data.runs, key);
  const buttons = values.map((value) => {
    const title = `only runs with ${key} ${value || "unset"} (several add up)`;
    const click = (): void =>
      app.change({ filter: toggle(app.choices.filter, key, value) });
    const pressed = { "data-value": value, "aria-pressed": "false" };
    return chip({ ...pressed, title, click }, value || kNothing);
  });
  const extra = buttons.slice(chips_that_fit(values));
  for (const button of extra) button.hidden = true;
  const show_all = (): void => {
    for (const button of extra) button.hidden = false;
    more.remove();
  };
  const more = chip({ click: show_all }, `${extra.length} more …`);
  app.on_change((changed) => {
    if (!changed.has("filter")) return;
    const chosen = app.choices.filter.values.get(key);
    buttons.forEach((button, i) => {
      const pressed = chosen?.has(values[i]!) ?? false;
      button.setAttribute("aria-pressed", String(pressed));
    });
  });
  return h(
    "div",
    { class: "chips", "data-key": key },
    h("span", {}, key),
    ...buttons,
    extra.length > 0 && more,
  );
}

function counter(app: App): HTMLElement {
  const output = h("output", { class: "shown-count" });
  app.keep_fresh(() => {
    const [shown, all] = [app.selection.runs.length, app.data.runs.length];
    const some = shown === all ? "" : `${shown} of `;
    output.textContent = some + plural(all, "run");
  });
  return output;
}

function text_filter(app: App): HTMLInputElement {
  let timer = 0;
  const apply = (): void =>
    app.change({ filter: { ...app.choices.filter, text: input.value } });
  const input = h("input", {
    type: "search",
    class: "text-filter",
    placeholder: "Filter: ring, n=96, diverged",
    "aria-label": "Filter runs",
    input: () => {
      clearTimeout(timer);
      timer = window.setTimeout(apply, 120);
    },
  });
  return input;
}

const kSeeds: Option<SeedsMode>[] = [
  { value: "mean", label: "mean with spread" },
  { value: "runs", label: "every run" },
];

/** With links to the sections. */
export function filter_bar(app: App, sections: HTMLElement[]): HTMLElement {
  const { runs, groups, keys } = app.data;
  const input = text_filter(app);
  const reset = (): void => {
    input.value = "";
    app.change({ filter: no_filter() });
  };
  const button = { type: "button", class: "clear", click: reset };
  const clear = h("button", button, "Clear");
  app.keep_fresh(() => {
    clear.hidden = !is_active(app.choices.filter);
  });
  const seeds = new Segments("seeds", kSeeds, app.choices.seeds);
  seeds.changed = () => app.change({ seeds: seeds.value });
  const axes = axes_with_data(runs);
  const axis = new Segments<AxisKey>(
    "against",
    axes.map(({ key, label }) => ({ value: key, label })),
    app.choices.axis,
  );
  axis.changed = () => app.change({ axis: axis.value });
  const links = sections.map((part) =>
    h("a", { href: `#${part.id}` }, part.querySelector("h2")!.textContent),
  );
  const offered = keys.filter((key) => values_of(runs, key).length > 1);
  return h(
    "div",
    { class: "filter-bar", role: "search" },
    h(
      "div",
      { class: "filter-row" },
      input,
      counter(app),
      clear,
      h("span", { class: "push" }),
      axes.length > 1 && axis.element,
      runs.length > groups.length && seeds.element,
    ),
    offered.length > 0 &&
      h("div", { class: "chip-rows" }, ...offered.map((key) => chips(app, key))),
    h("nav", { class: "jump", "aria-label": "Sections" }, ...links),
  );
}
