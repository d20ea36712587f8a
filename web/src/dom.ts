// Elements by function call, and the few controls of the page.

export type Child = Node | string | null | undefined | false;

type Properties = Record<
  string,
  string | number | boolean | null | undefined | ((event: never) => void)
>;

function apply(element: Element, properties: Properties): void {
  for (const [name, value] of Object.entries(properties)) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === "function") {
      element.addEventListener(name, value as unknown as EventListener);
    } else {
      element.setAttribute(name, value === true ? "" : String(value));
    }
  }
}

/** h("p", {class: "note", click: handler}, "text", element) */
export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  properties: Properties = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  apply(element, properties);
  for (const child of children) if (child) element.append(child);
  return element;
}

/** Takes out what is in the element and puts the children in. */
export function fill(element: Element, ...children: Child[]): void {
  element.replaceChildren();
  for (const child of children) if (child) element.append(child);
}

export function s(
  tag: string,
  properties: Properties = {},
  ...children: Child[]
): SVGElement {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  apply(element, properties);
  for (const child of children) if (child) element.append(child);
  return element;
}

export function escape_html(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}

export interface Option<T extends string> {
  value: T;
  label: string;
  title?: string;
}

export interface Control<T extends string> {
  element: HTMLElement;
  value(): T;
  set(value: T): void;
  /** Other options; keeps the value if it is among them. */
  options(options: Option<T>[]): void;
}

/** A drop-down list with its label. */
export function chooser<T extends string>(
  label: string,
  options: Option<T>[],
  changed: (value: T) => void,
): Control<T> {
  const select = h("select", {
    "aria-label": label,
    change: () => changed(select.value as T),
  });
  const element = h(
    "label",
    { class: "control" },
    h("span", {}, label),
    select,
  );
  const control: Control<T> = {
    element,
    value: () => select.value as T,
    set: (value) => {
      select.value = value;
    },
    options: (list) => {
      const before = select.value;
      select.replaceChildren(
        ...list.map((o) => h("option", { value: o.value }, o.label)),
      );
      if (list.some((o) => o.value === before)) select.value = before;
      element.hidden = list.length === 0;
    },
  };
  control.options(options);
  return control;
}

/** A row of buttons of which one is pressed. */
export function segments<T extends string>(
  label: string,
  options: Option<T>[],
  initial: T,
  changed: (value: T) => void,
): Control<T> {
  let current = initial;
  const row = h("div", {
    class: "segments",
    role: "group",
    "aria-label": label,
  });
  const show = (): void => {
    for (const button of row.querySelectorAll("button")) {
      button.setAttribute("aria-pressed", String(button.value === current));
    }
  };
  const control: Control<T> = {
    element: h("div", { class: "control" }, h("span", {}, label), row),
    value: () => current,
    set: (value) => {
      current = value;
      show();
    },
    options: (list) => {
      row.replaceChildren(
        ...list.map((o) =>
          h(
            "button",
            {
              type: "button",
              value: o.value,
              title: o.title,
              click: () => {
                control.set(o.value);
                changed(o.value);
              },
            },
            o.label,
          ),
        ),
      );
      show();
    },
  };
  control.options(options);
  return control;
}

export function checkbox(
  label: string,
  checked: boolean,
  changed: (checked: boolean) => void,
): HTMLElement {
  const box = h("input", {
    type: "checkbox",
    checked,
    change: () => changed(box.checked),
  });
  return h("label", { class: "control check" }, box, h("span", {}, label));
}
