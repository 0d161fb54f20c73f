// The replay with its controls. The 3D scene is built only when it comes near the screen.

import type { Replay, Scenario, Trial } from "../data/schema.ts";
import { h, unreadable, whenNear } from "../dom.ts";
import { count, number, span, step } from "../format.ts";
import { plainIcon, verdictIcon } from "../icons.ts";
import { type Report, splitSpec } from "../report.ts";
import { specName } from "../table/matrix.ts";
import { colour, onThemeChange } from "../theme.ts";
import { verdictText } from "../verdict.ts";
import type { Clock } from "./clock.ts";
import { decoded, type Scene } from "./decoded.ts";
import { cells } from "./layout.ts";
import { bodiesPart, forcesPart } from "./controls.ts";
import { FIRST_VIEW, listenForOrbit, PRESETS, turned, type View, zoomed } from "./orbit.ts";
import { sharedRenderer } from "./renderer.ts";
import { type Shot, Stage } from "./stage.ts";
import type { Track } from "./track.ts";

const RATES = [0.05, 0.1, 0.25, 0.5, 1, 2, 5];
/** At the start, at most this many tracks are shown. */
const FIRST_TRACKS = 6;

export function replayFigure(report: Report, scenario: Scenario, replay: Replay, clock: Clock): HTMLElement {
  const figure = h("figure", { class: "replay" });
  figure.append(h("div", { class: "stage stage-waiting" }));
  whenNear(figure, () => {
    if (sharedRenderer() === null) {
      figure.replaceChildren(
        h(
          "p",
          { class: "no-webgl" },
          "This browser has no WebGL, so the motion cannot be shown here; tables and plots are complete without it.",
        ),
      );
    } else if (replay.tracks.length === 0) {
      figure.replaceChildren(h("p", { class: "muted" }, "No motion was recorded."));
    } else {
      decoded(replay).then(
        (scene) => new ReplayFigure(report, scenario, replay, scene, clock, figure),
        (error: unknown) => figure.replaceChildren(unreadable("motion", error)),
      );
    }
  });
  return figure;
}

interface Part {
  trial: Trial | null;
  track: Track;
  colourVariable: string | null;
  chosen: boolean;
  label: HTMLElement;
  away: HTMLElement;
}

class ReplayFigure {
  private readonly parts: Part[];
  private readonly stage: Stage;
  private readonly canvas = h("canvas", { class: "stage-canvas", tabindex: 0, role: "application" });
  private readonly labels = h("div", { class: "stage-labels" });
  private readonly notice = h("p", { class: "stage-notice", role: "status", hidden: true });
  private noticeEnd: ReturnType<typeof setTimeout> | undefined;
  private readonly playButton = h("button", { type: "button", class: "play" });
  private readonly scrub: HTMLInputElement;
  private readonly readout = h("output", { class: "time" });
  private view: View = FIRST_VIEW;
  private sideBySide = false;
  private wanted = false;

  constructor(
    private readonly report: Report,
    private readonly scenario: Scenario,
    replay: Replay,
    private readonly scene: Scene,
    private readonly clock: Clock,
    private readonly figure: HTMLElement,
  ) {
    this.parts = scene.tracks.map((track, index) => this.part(track, replay.tracks[index]?.trial ?? null));
    this.chooseFirst();
    this.stage = new Stage(
      scene.bodies,
      this.parts.map((part, index) => ({
        track: part.track,
        contacts: scene.contacts?.[index] ?? null,
        colour: part.colourVariable,
      })),
    );
    this.scrub = h("input", {
      type: "range",
      class: "scrub",
      min: 0,
      max: clock.duration,
      step: clock.duration / 2000 || 1,
      value: 0,
      "aria-label": "Time",
    });
    this.canvas.setAttribute(
      "aria-label",
      `Motion of ${scenario.title}. Space plays, arrows move in time, shift and arrows rotate, plus and minus zoom.`,
    );
    const redraw = () => this.draw();
    figure.replaceChildren(
      this.choices(),
      h("div", { class: "stage" }, this.canvas, this.labels, this.notice),
      this.transport(),
      h(
        "div",
        { class: "replay-details" },
        scene.contacts !== null && forcesPart(this.stage, replay.contact_points ?? 0, redraw),
        bodiesPart(this.stage, redraw),
      ),
      this.hint(),
    );
    this.listen();
    this.refresh();
  }

  private part(track: Track, of: number | null): Part {
    const trial = of === null ? null : (this.scenario.trials[of] ?? null);
    return {
      trial,
      track,
      colourVariable: trial === null ? null : this.report.spec(trial.spec).colourVariable,
      chosen: false,
      label: h("div", { class: "stage-label" }),
      away: h("span", { class: "away" }),
    };
  }

  /** The reference, and the largest step of each spec: there a difference shows first. */
  private chooseFirst(): void {
    const largest = new Map<string, Part>();
    for (const part of this.parts) {
      if (part.trial === null) part.chosen = true;
      else if ((part.trial.step_s ?? 0) >= (largest.get(part.trial.spec)?.trial?.step_s ?? 0))
        largest.set(part.trial.spec, part);
    }
    for (const part of [...largest.values()].slice(0, FIRST_TRACKS)) part.chosen = true;
  }

  private choices(): HTMLElement {
    const switches = this.parts.map((part) => {
      const box = h("input", {
        type: "checkbox",
        checked: part.chosen,
        onchange: (event: Event) => {
          part.chosen = (event.target as HTMLInputElement).checked;
          this.refresh();
        },
      });
      const { trial } = part;
      if (trial === null) return h("label", { class: "track" }, box, "shown");
      return h(
        "label",
        { class: "track", title: verdictText(trial, this.report.expecting) },
        box,
        h("span", {}, h("span", { class: "visually-hidden" }, trial.spec), step(trial.step_s)),
        verdictIcon(trial.verdict),
        h("span", { class: "visually-hidden" }, verdictText(trial, this.report.expecting)),
      );
    });
    // A row per spec, as in the legends of the plots.
    const specs = [...new Set(this.parts.map((part) => part.trial?.spec ?? null))];
    const rows = specs.map((spec) => {
      const mine = switches.filter((_, index) => (this.parts[index]?.trial?.spec ?? null) === spec);
      const name =
        spec === null
          ? h("span", { class: "spec" }, h("i", { class: "swatch swatch-reference" }), h("b", {}, "reference"))
          : specName(this.report.spec(spec));
      return h("div", { class: "legend-row" }, name, h("span", { class: "legend-steps" }, mine));
    });
    const modes = (["Ghosts", "Side by side"] as const).map((name, index) => {
      const button = h("button", { type: "button", "aria-pressed": String(index === 0) }, name);
      button.addEventListener("click", () => {
        for (const other of modes) other.setAttribute("aria-pressed", String(other === button));
        this.sideBySide = index === 1;
        this.refresh();
      });
      return button;
    });
    const flag = (name: string, on: boolean, set: (on: boolean) => void) => {
      const button = h("button", { type: "button", class: "toggle", "aria-pressed": String(on) }, name);
      button.addEventListener("click", () => {
        on = !on;
        button.setAttribute("aria-pressed", String(on));
        set(on);
        this.draw();
      });
      return button;
    };
    return h(
      "div",
      { class: "replay-choices" },
      h(
        "fieldset",
        { class: rows.length > FIRST_TRACKS ? "tracks many" : "tracks" },
        h("legend", { class: "visually-hidden" }, "Tracks shown"),
        rows,
      ),
      h(
        "div",
        { class: "replay-modes" },
        h("div", { class: "segmented", role: "group", "aria-label": "Layout" }, modes),
        flag("trails", this.stage.trails, (on) => (this.stage.trails = on)),
        flag("follow", this.stage.follow, (on) => (this.stage.follow = on)),
        h(
          "div",
          { class: "segmented", role: "group", "aria-label": "View" },
          PRESETS.map(({ name, title, azimuth, elevation }) =>
            h(
              "button",
              {
                type: "button",
                title,
                "aria-label": title,
                onclick: () => this.look({ ...FIRST_VIEW, distance: this.view.distance, azimuth, elevation }),
              },
              name,
            ),
          ),
        ),
        h(
          "button",
          {
            type: "button",
            class: "icon-button",
            "aria-label": "Reset the view",
            title: "Reset the view",
            onclick: () => {
              this.stage.focus = null;
              this.look(FIRST_VIEW);
            },
          },
          plainIcon("reset"),
        ),
      ),
    );
  }

  private transport(): HTMLElement {
    const rates = h(
      "select",
      {
        class: "rate",
        "aria-label": "Speed",
        onchange: (event: Event) => (this.clock.rate = Number((event.target as HTMLSelectElement).value)),
      },
      RATES.map((rate) => h("option", { value: rate, selected: rate === this.clock.rate }, `${rate}×`)),
    );
    this.playButton.addEventListener("click", () => this.clock.toggle());
    this.scrub.addEventListener("input", () => {
      this.clock.pause();
      this.clock.seek(Number(this.scrub.value));
    });
    return h("div", { class: "transport" }, this.playButton, this.scrub, this.readout, rates);
  }

  private hint(): HTMLElement {
    const key = (name: string) => h("kbd", {}, name);
    const keys = h(
      "span",
      { class: "keys" },
      key("space"),
      " play ",
      key("←"),
      key("→"),
      " move in time ",
      key("shift"),
      "+",
      key("arrows"),
      " rotate ",
      key("+"),
      key("−"),
      " zoom. Drag rotates; shift-drag moves; a click on a body looks at it; the wheel zooms after a click or with ",
      key("ctrl"),
      ".",
    );
    const frames = Math.max(...this.scene.tracks.map((track) => track.frames));
    const blur = `${number(this.scene.blur(this.stage.largestRadius), 1)} m`;
    return h(
      "figcaption",
      { class: "replay-foot" },
      keys,
      h(
        "span",
        { class: "precision" },
        `Drawn from ${count(frames)} recorded moments with linear interpolation, each accurate to ${blur}; the exact numbers are in the tables.`,
      ),
    );
  }

  private listen(): void {
    this.clock.onChange(() => this.refresh());
    onThemeChange(() => {
      this.stage.recolour();
      this.draw();
    });
    listenForOrbit(
      this.canvas,
      () => this.view,
      (view) => this.look(view),
      {
        clicked: (x, y) => this.click(x, y),
        scrolled: () => this.say("Click the picture, or hold ctrl, to zoom with the wheel."),
      },
    );
    this.figure.addEventListener("keydown", (event) => this.key(event));
    new ResizeObserver(() => this.draw()).observe(this.canvas);
  }

  /** A click on a body looks at it; anywhere else, at all that move. */
  private click(x: number, y: number): void {
    const ratio = this.canvas.width / Math.max(1, this.canvas.clientWidth);
    const shot = this.shots(this.canvas.width, this.canvas.height).find(
      ({ cell: { left, top, width, height } }) =>
        x * ratio >= left && x * ratio < left + width && y * ratio >= top && y * ratio < top + height,
    );
    if (shot === undefined) return;
    const { left, top, width, height } = shot.cell;
    const body = this.stage.bodyAt(shot, (x * ratio - left) / width, (y * ratio - top) / height);
    if (body === this.stage.focus) return;
    this.stage.focus = body;
    const name = this.stage.bodyNames.find((one) => one.body === body)?.name;
    this.say(name === undefined ? "Looking at all bodies that move." : `Looking at ${name}.`);
    this.look({ ...this.view, shift: [0, 0, 0] });
  }

  /** Shows a sentence over the picture for a moment. */
  private say(text: string): void {
    this.notice.textContent = text;
    this.notice.hidden = false;
    clearTimeout(this.noticeEnd);
    this.noticeEnd = setTimeout(() => (this.notice.hidden = true), 2500);
  }

  private key(event: KeyboardEvent): void {
    const target = event.target as HTMLElement;
    // Buttons, lists and the time bar have their own keys.
    const own = target.closest("button, select, input") !== null;
    if (own && !(target === this.scrub && event.key === " ")) return;
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const { clock } = this;
    const jump = clock.duration / 200;
    const turn = 0.08;
    const actions: Record<string, () => void> = {
      " ": () => clock.toggle(),
      ArrowLeft: () => (event.shiftKey ? this.look(turned(this.view, -turn, 0)) : this.seekPaused(clock.time - jump)),
      ArrowRight: () => (event.shiftKey ? this.look(turned(this.view, turn, 0)) : this.seekPaused(clock.time + jump)),
      Home: () => this.seekPaused(0),
      End: () => this.seekPaused(clock.duration),
      "+": () => this.look(zoomed(this.view, 0.9)),
      "=": () => this.look(zoomed(this.view, 0.9)),
      "-": () => this.look(zoomed(this.view, 1.1)),
    };
    if (event.shiftKey) {
      actions["ArrowUp"] = () => this.look(turned(this.view, 0, turn));
      actions["ArrowDown"] = () => this.look(turned(this.view, 0, -turn));
    }
    const action = actions[event.key];
    if (action === undefined) return;
    event.preventDefault();
    action();
  }

  private seekPaused(time: number): void {
    this.clock.pause();
    this.clock.seek(time);
  }

  private look(view: View): void {
    this.view = view;
    this.draw();
  }

  /** Updates controls and labels, then the picture. */
  private refresh(): void {
    const { clock } = this;
    const name = clock.playing ? "Pause" : "Play";
    if (this.playButton.getAttribute("aria-label") !== name) {
      this.playButton.setAttribute("aria-label", name);
      this.playButton.replaceChildren(plainIcon(clock.playing ? "pause" : "play"));
    }
    this.scrub.value = String(clock.time);
    this.scrub.style.setProperty("--part", String(clock.duration > 0 ? clock.time / clock.duration : 0));
    this.scrub.setAttribute("aria-valuetext", `${clock.time.toFixed(2)} seconds`);
    this.readout.textContent = `${clock.time.toFixed(2)} s / ${clock.duration.toFixed(2)} s`;
    this.draw();
  }

  private draw(): void {
    if (this.wanted) return;
    this.wanted = true;
    requestAnimationFrame(() => {
      this.wanted = false;
      this.drawNow();
    });
  }

  private drawNow(): void {
    const renderer = sharedRenderer();
    const context = this.canvas.getContext("2d");
    const box = this.canvas.getBoundingClientRect();
    if (renderer === null || context === null || box.width === 0) return;
    const ratio = Math.min(devicePixelRatio, 2);
    const size = { width: Math.round(box.width * ratio), height: Math.round(box.height * ratio) };
    if (this.canvas.width !== size.width || this.canvas.height !== size.height) Object.assign(this.canvas, size);
    if (renderer.domElement.width !== size.width || renderer.domElement.height !== size.height)
      renderer.setSize(size.width, size.height, false);
    const shots = this.shots(size.width, size.height);
    this.stage.render(renderer, shots, this.clock.time, this.view, size);
    context.clearRect(0, 0, size.width, size.height);
    if (shots.length > 0) context.drawImage(renderer.domElement, 0, 0);
    // A line between views side by side.
    context.fillStyle = colour("--rule-strong");
    for (const { cell } of shots) {
      if (cell.left > 0) context.fillRect(cell.left, cell.top, ratio, cell.height);
      if (cell.top > 0) context.fillRect(cell.left, cell.top, cell.width, ratio);
    }
    this.placeLabels(shots, ratio);
  }

  /** Ghosts: all in one view, the reference as an outline. Side by side: one view each, the reference in all of them. */
  private shots(width: number, height: number): Shot[] {
    const chosen = this.parts.flatMap((part, index) => (part.chosen ? [index] : []));
    const trials = chosen.filter((index) => this.parts[index]?.trial !== null);
    const references = chosen.filter((index) => this.parts[index]?.trial === null);
    if (chosen.length === 0) return [];
    if (!this.sideBySide || trials.length === 0) {
      const [solid, ghosts] = trials.length === 0 ? [references, []] : [trials, references];
      return cells(1, width, height).map((cell) => ({ cell, solid, ghosts }));
    }
    return cells(trials.length, width, height).map((cell, at) => ({
      cell,
      solid: [trials[at] as number],
      ghosts: references,
    }));
  }

  private placeLabels(shots: Shot[], ratio: number): void {
    const base = this.measuredFrom();
    const { time } = this.clock;
    const shown: HTMLElement[] = [];
    for (const { cell, solid } of shots) {
      for (const [row, index] of solid.entries()) {
        const part = this.parts[index];
        if (part === undefined) continue;
        part.away.textContent = this.awayText(index, base, time);
        if (part.label.childElementCount === 0) part.label.append(this.labelName(part), part.away);
        part.label.style.transform = `translate(${cell.left / ratio + 10}px, ${cell.top / ratio + 8 + 22 * row}px)`;
        part.label.style.maxWidth = `${cell.width / ratio - 20}px`;
        shown.push(part.label);
      }
    }
    if (
      shown.length !== this.labels.childElementCount ||
      shown.some((label, index) => this.labels.children[index] !== label)
    )
      this.labels.replaceChildren(...shown);
  }

  /** Distances are from the reference; without one, from the smallest step of the first spec. */
  private measuredFrom(): number {
    const reference = this.parts.findIndex((part) => part.trial === null);
    if (reference >= 0) return reference;
    const spec = this.parts[0]?.trial?.spec;
    const stepOf = (index: number) => this.parts[index]?.trial?.step_s ?? 0;
    const mine = this.parts.flatMap((part, index) => (part.trial?.spec === spec ? [index] : []));
    return mine.reduce((best, index) => (stepOf(index) < stepOf(best) ? index : best), mine[0] ?? 0);
  }

  private labelName(part: Part): HTMLElement {
    const style = part.colourVariable === null ? null : `background:var(${part.colourVariable})`;
    return h(
      "span",
      { class: "label-name" },
      h("i", { class: part.trial === null ? "swatch swatch-reference" : "swatch", style }),
      this.nameOf(this.parts.indexOf(part)),
    );
  }

  private nameOf(index: number): string {
    const trial = this.parts[index]?.trial ?? null;
    if (trial === null) return "reference";
    const { engine, settings } = splitSpec(trial.spec);
    return [engine, settings, step(trial.step_s)].filter(Boolean).join(" ");
  }

  private awayText(index: number, base: number, time: number): string {
    const part = this.parts[index];
    if (part === undefined) return "";
    // Some tolerance: the last sample of a complete run may be just before its end.
    if (time > part.track.end + 0.02 * this.clock.duration) return `ended at ${span(part.track.end)}`;
    const isReference = this.parts[base]?.trial === null;
    if (base === index) return isReference ? "" : "distances are from here";
    const apart = this.stage.apart(index, base, time);
    if (apart === null) return "not finite";
    // Both points have a display error.
    const floor = 2 * this.scene.blur(this.stage.largestRadius);
    const word = isReference ? "off" : `from ${this.nameOf(base)}`;
    return apart < floor ? `< ${number(floor, 1)} m ${word}` : `${number(apart, 2)} m ${word}`;
  }
}
