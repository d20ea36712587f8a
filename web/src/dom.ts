// Elements by function call, and the few controls of the page.

export type Child = Node | string | null | undefined | false;

type Properties = Record<
  string,
  string | number | boolean | null | undefined | ((event: never) => void)
>;

function filled<E extends Element>(
  element: E,
  properties: Properties,
  children: Child[],
): E {
  for (const [name, value] of Object.entries(properties)) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === "function") {
      element.addEventListener(name, value as unknown as EventListener);
    } else {
      element.setAttribute(name, value === true ? "" : String(value));
    }
  }
  for (const child of children) if (child) element.append(child);
  return element;
}

/** h("p", {class: "note", click: handler}, "text", element) */
export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  properties: Properties = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  return filled(document.createElement(tag), properties, children);
}

/** The same for SVG. */
export function s(tag: string, properties: Properties): SVGElement {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  return filled(element, properties, []);
}

/** Replaces what is in the element. */
export function fill(element: Element, ...children: Child[]): void {
  element.replaceChildren(...children.filter((child) => child as boolean) as Node[]);
}

export function list(sentences: Child[], name?: string): HTMLElement {
  return h("ul", { class: name }, ...sentences.map((it) => h("li", {}, it)));
}

export function escape_html(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}

export interface Option<T extends string = string> {
  value: T;
  label: string;
}

/** Something that the reader sets. `changed` is set by whoever listens. */
export interface Control<T> {
  element: HTMLElement;
  value: T;
  changed: () => void;
}

/** A drop-down list with its label. Other options keep the value if it is
 * among them; without options the list is hidden. */
export class Chooser<T extends string = string> implements Control<T> {
  readonly element: HTMLElement;
  changed = (): void => {};
  private readonly select_: HTMLSelectElement;

  constructor(label: string, options: Option<T>[] = []) {
    this.select_ = h("select", {
      "aria-label": label,
      change: () => this.changed(),
    });
    const name = h("span", {}, label);
    this.element = h("label", { class: "control" }, name, this.select_);
    this.offer(options);
  }

  get value(): T {
    return this.select_.value as T;
  }

  set value(value: T) {
    this.select_.value = value;
  }

  /** Of the chosen option. */
  get label(): string {
    return this.select_.selectedOptions[0]?.textContent ?? "";
  }

  offer(options: Option<T>[]): void {
    const before = this.select_.value;
    this.select_.replaceChildren(
      ...options.map((o) => h("option", { value: o.value }, o.label)),
    );
    if (options.some((o) => o.value === before)) this.select_.value = before;
    this.element.hidden = options.length === 0;
  }
}

/** A row of buttons of which one is pressed. */
export class Segments<T extends string> implements Control<T> {
  readonly element: HTMLElement;
  changed = (): void => {};
  private readonly buttons_: HTMLButtonElement[];

  constructor(
    label: string,
    options: Option<T>[],
    public value: T,
  ) {
    this.buttons_ = options.map((o) =>
      h(
        "button",
        { type: "button", value: o.value, click: () => this.press(o.value) },
        o.label,
      ),
    );
    const row = { class: "segments", role: "group", "aria-label": label };
    this.element = h(
      "div",
      { class: "control" },
      h("span", {}, label),
      h("div", row, ...this.buttons_),
    );
    this.show();
  }

  private press(value: T): void {
    this.value = value;
    this.show();
    this.changed();
  }

  private show(): void {
    for (const button of this.buttons_) {
      button.setAttribute("aria-pressed", String(button.value === this.value));
    }
  }
}

export function checkbox(label: string, value: boolean): Control<boolean> {
  const box = h("input", {
    type: "checkbox",
    checked: value,
    change: () => {
      control.value = box.checked;
      control.changed();
    },
  });
  const name = h("span", {}, label);
  const control: Control<boolean> = {
    element: h("label", { class: "control check" }, box, name),
    value,
    changed: () => {},
  };
  return control;
}
