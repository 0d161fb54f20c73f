// A camera on a sphere about its target. z is up.

import type { Point } from "./extent.ts";

export interface View {
  /** Angle about z [rad]. */
  azimuth: number;
  /** Elevation above the horizon [rad]. */
  elevation: number;
  /** Radii of the scene between camera and target. */
  distance: number;
  /** Translation from the scene's middle, in radii. */
  shift: Point;
}

export const FIRST_VIEW: View = { azimuth: -1.05, elevation: 0.3, distance: 2.7, shift: [0, 0, 0] };

/** Views by name; the first is the one at the start. */
export const PRESETS: { name: string; title: string; azimuth: number; elevation: number }[] = [
  { name: "3D", title: "View from the front right", azimuth: FIRST_VIEW.azimuth, elevation: FIRST_VIEW.elevation },
  { name: "x", title: "View along the x axis", azimuth: 0, elevation: 0 },
  { name: "y", title: "View along the y axis", azimuth: -Math.PI / 2, elevation: 0 },
  { name: "z", title: "View from above, along the z axis", azimuth: -Math.PI / 2, elevation: Math.PI / 2 - 0.01 },
];

/** A pointer that moved no further than this was not dragged. */
const CLICK_PX = 4;
const STEEPEST = Math.PI / 2 - 0.01;

export function turned(view: View, azimuth: number, elevation: number): View {
  return {
    ...view,
    azimuth: view.azimuth + azimuth,
    elevation: Math.max(-STEEPEST, Math.min(STEEPEST, view.elevation + elevation)),
  };
}

export function zoomed(view: View, factor: number): View {
  return { ...view, distance: Math.max(0.3, Math.min(60, view.distance * factor)) };
}

/** Translates along the screen's right and up, in radii. */
export function shifted(view: View, right: number, up: number): View {
  const [sa, ca, se, ce] = [
    Math.sin(view.azimuth),
    Math.cos(view.azimuth),
    Math.sin(view.elevation),
    Math.cos(view.elevation),
  ];
  const [x, y, z] = view.shift;
  return { ...view, shift: [x - right * sa - up * se * ca, y + right * ca - up * se * sa, z + up * ce] };
}

/** From the target to the camera, in radii. */
export function direction(view: View): Point {
  const ce = Math.cos(view.elevation);
  return [
    view.distance * ce * Math.cos(view.azimuth),
    view.distance * ce * Math.sin(view.azimuth),
    view.distance * Math.sin(view.elevation),
  ];
}

/**
 * Drag rotates, shift-drag or the right button moves, two fingers zoom. The wheel zooms only with keyboard focus or the
 * control key (otherwise `scrolled` is called, to say so), and a vertical stroke of one finger scrolls the page, so that a
 * replay does not interrupt scrolling. A press without a move is a click.
 */
export function listenForOrbit(
  element: HTMLElement,
  get: () => View,
  set: (view: View) => void,
  events: { clicked: (x: number, y: number) => void; scrolled: () => void },
): void {
  let moved = 0;
  const pointers = new Map<number, { x: number; y: number }>();
  const spread = () => {
    const [a, b] = [...pointers.values()];
    return a === undefined || b === undefined ? 0 : Math.hypot(a.x - b.x, a.y - b.y);
  };
  element.addEventListener("pointerdown", (event) => {
    pointers.set(event.pointerId, { x: event.clientX, y: event.clientY });
    moved = 0;
    element.setPointerCapture(event.pointerId);
  });
  element.addEventListener("pointermove", (event) => {
    const before = pointers.get(event.pointerId);
    if (before === undefined) return;
    const spreadBefore = spread();
    const [dx, dy] = [event.clientX - before.x, event.clientY - before.y];
    pointers.set(event.pointerId, { x: event.clientX, y: event.clientY });
    moved += Math.abs(dx) + Math.abs(dy);
    const height = element.clientHeight || 1;
    if (pointers.size >= 2) {
      if (spreadBefore > 0 && spread() > 0) set(zoomed(get(), spreadBefore / spread()));
    } else if (event.shiftKey || (event.buttons & 2) !== 0) {
      const scale = get().distance / height;
      set(shifted(get(), -dx * scale, dy * scale));
    } else {
      set(turned(get(), (-dx / height) * 3, (dy / height) * 3));
    }
  });
  const forget = (event: PointerEvent) => pointers.delete(event.pointerId);
  element.addEventListener("pointerup", (event) => {
    if (pointers.size === 1 && moved <= CLICK_PX && event.button === 0) events.clicked(event.offsetX, event.offsetY);
    forget(event);
  });
  element.addEventListener("pointercancel", forget);
  element.addEventListener("contextmenu", (event) => event.preventDefault());
  element.addEventListener(
    "wheel",
    (event) => {
      if (document.activeElement !== element && !event.ctrlKey) {
        events.scrolled();
        return;
      }
      event.preventDefault();
      set(zoomed(get(), Math.exp(Math.max(-0.5, Math.min(0.5, event.deltaY * 0.0015)))));
    },
    { passive: false },
  );
}
