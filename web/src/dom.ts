// Elements without strings of HTML: text from the data can only be text.

type Child = Node | string | number | null | undefined | false | Child[];
type Attributes = Record<string, string | number | boolean | null | undefined | ((event: never) => void)>;

export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  return fill(document.createElement(tag), attributes, children);
}

export function svg<K extends keyof SVGElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Child[]
): SVGElementTagNameMap[K] {
  return fill(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);
}

/** A function is a listener for the event of its name (`onclick`), `true` an attribute without a value. */
function fill<E extends Element>(element: E, attributes: Attributes, children: Child[]): E {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === "function") element.addEventListener(name.slice(2), value as (event: Event) => void);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  append(element, children);
  return element;
}

function append(element: Element, children: Child[]): void {
  for (const child of children) {
    if (child === null || child === undefined || child === false) continue;
    if (Array.isArray(child)) append(element, child);
    else element.append(typeof child === "number" ? String(child) : child);
  }
}

/** Shown in place of a part whose numbers cannot be read. */
export function unreadable(what: string, error: unknown): HTMLElement {
  const why = error instanceof Error ? error.message : String(error);
  return h("p", { class: "unreadable" }, `The ${what} cannot be drawn: ${why}.`);
}

/** Calls `show` once: when the element comes near the screen, or before printing, which shows the whole page. */
export function whenNear(element: Element, show: () => void): void {
  const once = () => {
    observer.disconnect();
    window.removeEventListener("beforeprint", once);
    show();
  };
  const observer = new IntersectionObserver(
    (entries) => {
      if (entries.some((entry) => entry.isIntersecting)) once();
    },
    { rootMargin: "400px 0px" },
  );
  observer.observe(element);
  window.addEventListener("beforeprint", once);
}
