// The bar that stays in view: which runs, drawn how, against what.
import type { App, SeedsMode } from "./app";
import { axes_with_data, type AxisKey } from "./axis";
import { h, segments } from "./dom";
import { is_active, no_filter, toggle, values_of } from "./filter";

/** Chips of a key beyond so many letters are hidden until asked for. */
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

function chips(app: App, key: string): HTMLElement {
  const values = values_of(app.data.runs, key);
  const row = h("div", { class: "chips", "data-key": key });
  const buttons = values.map((value) =>
    h(
      "button",
      {
        type: "button",
        class: "chip",
        "data-value": value,
        "aria-pressed": "false",
        title: `only runs with ${key} ${value || "unset"} (several add up)`,
        click: () =>
          app.change({ filter: toggle(app.choices.filter, key, value) }),
      },
      value || "–",
    ),
  );
  const extra = buttons.slice(chips_that_fit(values));
  row.append(h("span", { class: "chip-key" }, key), ...buttons);
  if (extra.length) {
    for (const button of extra) button.hidden = true;
    const more = h(
      "button",
      {
        type: "button",
        class: "chip more",
        click: () => {
          for (const button of extra) button.hidden = false;
          more.remove();
        },
      },
      `${extra.length} more`,
    );
    row.append(more);
  }
  app.on_change((changed) => {
    if (!changed.has("filter")) return;
    const chosen = app.choices.filter.values.get(key);
    buttons.forEach((button, i) => {
      const pressed = chosen?.has(values[i]!) ?? false;
      button.setAttribute("aria-pressed", String(pressed));
    });
  });
  return row;
}

function counter(app: App): HTMLElement {
  const output = h("output", { class: "shown-count" });
  const show = (): void => {
    const [shown, all] = [app.selection.runs.length, app.data.runs.length];
    output.textContent =
      shown === all
        ? `${all} run${all === 1 ? "" : "s"}`
        : `${shown} of ${all} runs`;
  };
  app.on_change(show);
  show();
  return output;
}

function text_filter(app: App): HTMLInputElement {
  let timer = 0;
  const input = h("input", {
    type: "search",
    class: "text-filter",
    placeholder: "Filter: ring, n=96, diverged",
    "aria-label": "Filter runs",
    input: () => {
      clearTimeout(timer);
      timer = window.setTimeout(() => {
        app.change({ filter: { ...app.choices.filter, text: input.value } });
      }, 120);
    },
  });
  return input;
}

export interface Jump {
  id: string;
  label: string;
}

export function filter_bar(app: App, jumps: Jump[]): HTMLElement {
  const input = text_filter(app);
  const clear = h(
    "button",
    {
      type: "button",
      class: "clear",
      hidden: true,
      click: () => {
        input.value = "";
        app.change({ filter: no_filter() });
      },
    },
    "Show all",
  );
  app.on_change(() => {
    clear.hidden = !is_active(app.choices.filter);
  });
  const seeds = segments<SeedsMode>(
    "seeds",
    [
      { value: "mean", label: "mean with spread" },
      { value: "runs", label: "every run" },
    ],
    app.choices.seeds,
    (value) => app.change({ seeds: value }),
  );
  const axes = axes_with_data(app.data.runs);
  const axis = segments<AxisKey>(
    "against",
    axes.map(({ key, label }) => ({ value: key, label })),
    app.choices.axis,
    (value) => app.change({ axis: value }),
  );
  seeds.element.classList.add("seeds-control");
  axis.element.classList.add("axis-control");
  const jump = h("nav", { class: "jump", "aria-label": "Sections" });
  for (const { id, label } of jumps) {
    jump.append(h("a", { href: `#${id}` }, label));
  }
  const keys = app.data.keys.filter(
    (key) => values_of(app.data.runs, key).length > 1,
  );
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
      app.data.runs.length > app.data.groups.length && seeds.element,
    ),
    keys.length > 0 &&
      h("div", { class: "chip-rows" }, ...keys.map((key) => chips(app, key))),
    jump,
  );
}
