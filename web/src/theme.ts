// Light or dark: the system's setting, until the reader changes it.

import { h } from "./dom.ts";
import { plainIcon } from "./icons.ts";

export type Theme = "light" | "dark";

const KEY = "veracity-theme";
const listeners = new Set<() => void>();
/** Cached: reading a style forces a layout, and a plot reads colours at every redraw. */
const resolved = new Map<string, string>();
const system = window.matchMedia("(prefers-color-scheme: dark)");

export function theme(): Theme {
  const chosen = document.documentElement.dataset["theme"];
  if (chosen === "light" || chosen === "dark") return chosen;
  return system.matches ? "dark" : "light";
}

/** Calls `listener` after every change; plots and replays draw their own colours. */
export function onThemeChange(listener: () => void): void {
  listeners.add(listener);
}

/** The value of a CSS variable, in a form the canvas accepts. */
export function colour(variable: string): string {
  const known = resolved.get(variable);
  if (known !== undefined) return known;
  const probe = document.createElement("span");
  probe.style.color = `var(${variable})`;
  document.body.append(probe);
  const found = getComputedStyle(probe).color;
  probe.remove();
  resolved.set(variable, found);
  return found;
}

export function themeButton(): HTMLButtonElement {
  const button = h("button", {
    type: "button",
    class: "icon-button theme-button",
    onclick: () => choose(theme() === "dark" ? "light" : "dark"),
  });
  const show = () => {
    const other = theme() === "dark" ? "light" : "dark";
    button.setAttribute("aria-label", `Switch to ${other} colours`);
    button.title = `Switch to ${other} colours`;
    button.replaceChildren(plainIcon(other === "dark" ? "moon" : "sun"));
  };
  onThemeChange(show);
  show();
  return button;
}

export function startTheme(): void {
  const kept = remembered();
  if (kept !== null) document.documentElement.dataset["theme"] = kept;
  system.addEventListener("change", notifyListeners);
}

function choose(next: Theme): void {
  document.documentElement.dataset["theme"] = next;
  // A page opened from a file may have no storage; then the choice lasts as long as the page.
  try {
    localStorage.setItem(KEY, next);
  } catch {
    /* no storage */
  }
  notifyListeners();
}

function remembered(): Theme | null {
  try {
    const kept = localStorage.getItem(KEY);
    return kept === "light" || kept === "dark" ? kept : null;
  } catch {
    return null;
  }
}

function notifyListeners(): void {
  resolved.clear();
  for (const listener of listeners) listener();
}
