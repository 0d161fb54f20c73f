// Long tables in portions: the first rows at once, further ones on request.

import { h } from "./dom.ts";
import { count } from "./format.ts";

export class Portions<T> {
  /** Below the table; hidden when nothing is left. */
  readonly button = h("button", { type: "button", class: "toggle more" });
  private items: T[] = [];
  private shown = 0;

  constructor(
    private readonly place: HTMLElement,
    private readonly size: number,
    private readonly noun: string,
    private readonly build: (item: T, index: number, items: T[]) => HTMLElement[],
  ) {
    this.button.addEventListener("click", () => this.show(this.shown + this.size));
  }

  /** Starts again with these. */
  fill(items: T[]): void {
    this.items = items;
    this.shown = 0;
    this.place.replaceChildren();
    this.show(this.size);
  }

  /** Shows at least this many. */
  show(wanted: number): void {
    const end = Math.min(wanted, this.items.length);
    const fresh: HTMLElement[] = [];
    for (; this.shown < end; this.shown++)
      fresh.push(...this.build(this.items[this.shown] as T, this.shown, this.items));
    this.place.append(...fresh);
    const left = this.items.length - this.shown;
    this.button.hidden = left === 0;
    this.button.textContent = `Show ${count(Math.min(left, this.size))} more of ${count(left)} ${this.noun}`;
  }
}
