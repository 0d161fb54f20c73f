// Reports derived from the demonstration: one with the specs of every engine, as many columns as a suite has, and a
// damaged one.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Browser, Page } from "playwright-core";
import type { ReportData, Trial } from "../src/data/schema.ts";
import { launch, open, readAll } from "./chromium.ts";

const DEMO = process.env["VERACITY_DEMO"] ?? "";
const SPECS = [
  ...["", ":integrator=dop853", ":integrator=euler", ":integrator=implicit", ":integrator=midpoint"].map(
    (x) => `native${x}`,
  ),
  ...["event", "penalty", "stepping"].map((x) => `native:paradigm=${x}`),
  ...["", ":iters=20", ":joints=multibody"].map((x) => `rapier${x}`),
  ...["ode", "ode:solver=quick", "bullet", "bullet:coordinates=maximal", "dart", "drake"],
  ...["physx:solver=pgs", "physx", "physx:iters=16"],
  ...["simbody", "simbody:integrator=semi_explicit_euler", "mujoco:cone=elliptic", "mujoco:integrator=rk4"],
  ...["mujoco:integrator=implicitfast,cone=elliptic,impratio=100.0", "mujoco@3.17:cone=elliptic"],
];

let browser: Browser;
let folder: string;
beforeAll(async () => {
  if (DEMO === "") throw new Error("VERACITY_DEMO names no report; run `cargo xtask test browser`");
  browser = await launch();
  folder = mkdtempSync(join(tmpdir(), "veracity-many-"));
});
afterAll(async () => {
  await browser?.close();
  rmSync(folder, { recursive: true, force: true });
});

/** The demonstration with changed data. */
function changed(name: string, change: (data: ReportData) => void): string {
  const page = readFileSync(DEMO, "utf8");
  const [before, rest] = page.split('id="report-data">') as [string, string];
  const end = rest.indexOf("</script>");
  const data = JSON.parse(rest.slice(0, end)) as ReportData;
  change(data);
  const file = join(folder, name);
  const text = JSON.stringify(data).replaceAll("<", "\\u003c");
  writeFileSync(file, `${before}id="report-data">${text}${rest.slice(end)}`);
  return file;
}

/** Every spec with one trial of each scenario, every third without an expectation; motion and curves of the first ones. */
function everyEngine(data: ReportData): void {
  // The text of a missing feature names specs, which have no place to break the line.
  data.engines[0]?.missing.push({ feature: `bounce (${SPECS.slice(-4).join(", ")})`, hint: "The adapter says so." });
  for (const scenario of data.scenarios) {
    const [model] = scenario.trials as [Trial];
    const count = scenario.trials.length;
    scenario.trials = SPECS.map((spec, index) => ({
      ...model,
      spec,
      step_s: index === 0 ? 0.1 : 0.001,
      verdict: index % 2 === 0 ? "accepted" : "rejected",
      expected: index % 3 === 0 ? [] : [index % 2 === 0 ? "accepted" : "rejected"],
    }));
    scenario.leaderboard = {
      metric: "position_error",
      places: SPECS.map((_, trial) => ({ rank: trial + 1, trial, check: 0 })),
    };
    scenario.convergence = [];
    scenario.speed = scenario.speed.map((plot) => ({
      ...plot,
      points: SPECS.map((_, trial) => ({
        trial,
        cpu_per_simulated: 0.01 * (trial + 1),
        error: 1e-3,
        uncertainty: null,
      })),
    }));
    // More tracks and curves than the demonstration has trials.
    for (const plot of scenario.errors)
      plot.curves = SPECS.map((_, trial) => ({
        ...(plot.curves[trial % count] as (typeof plot.curves)[number]),
        trial,
      }));
    if (scenario.replay !== null) {
      const { tracks } = scenario.replay;
      scenario.replay.tracks = SPECS.map((_, trial) => ({
        ...(tracks[trial % tracks.length] as (typeof tracks)[number]),
        trial,
      }));
    }
  }
}

const widths = (page: Page) =>
  page.evaluate(() => [document.documentElement.scrollWidth, window.innerWidth] as [number, number]);

for (const [name, options] of [
  ["a laptop of 1280", { viewport: { width: 1280, height: 800 } }],
  ["a laptop of 1440", { viewport: { width: 1440, height: 900 } }],
  ["a phone", { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true }],
] as const) {
  test(`with the specs of every engine, ${name} does not scroll sideways`, async () => {
    const { page, complaints } = await open(browser, changed("many.html", everyEngine), options);
    // A phone's browser zooms out to show what is too wide; the screen's own width is used.
    expect(await widths(page)).toEqual([options.viewport.width, options.viewport.width]);
    await readAll(page);
    expect(await widths(page)).toEqual([options.viewport.width, options.viewport.width]);
    // Not by hiding: on a laptop every column of the table is inside its own box.
    const inside = await page
      .locator(".matrix")
      .evaluate((table) => table.getBoundingClientRect().width <= (table.parentElement?.clientWidth ?? 0) + 1);
    expect(inside).toBe(true);
    expect(await page.locator(".matrix .chip:visible").count()).toBe(4 * SPECS.length);
    expect(complaints).toEqual([]);
    await page.context().close();
  });
}

test("an icon alone means the usual step, another step is written; settings are under their engine", async () => {
  const { page } = await open(browser, changed("many.html", everyEngine));
  const row = page.locator(".matrix tbody tr").first();
  expect((await row.locator(".chip").first().textContent())?.trim()).toBe("0.1 s");
  expect((await row.locator(".chip").nth(1).textContent())?.trim()).toBe("");
  expect(await row.locator(".usual-step").textContent()).toBe("1 ms");
  const families = await page.locator(".families th.family").allTextContents();
  expect(families).toEqual(["native", "rapier", "ode", "bullet", "dart", "drake", "physx", "simbody", "mujoco"]);
  await page.context().close();
});

test("a trial without an expectation is neither a success nor a failure, in words, colour and number", async () => {
  const { page } = await open(browser, changed("many.html", everyEngine));
  const open_ = page.locator(".matrix .chip.open");
  const without = SPECS.filter((_, index) => index % 3 === 0).length;
  expect(await open_.count()).toBe(4 * without);
  expect(await open_.nth(1).getAttribute("aria-label")).toMatch(/rejected, no expectation$/);
  const ink = (of: string) =>
    page
      .locator(of)
      .first()
      .evaluate((icon) => getComputedStyle(icon).color);
  const [openInk, good, bad] = [
    await ink(".matrix .chip.open .icon"),
    await ink(".matrix .chip.c-accepted:not(.open) .icon"),
    await ink(".matrix .chip.c-rejected:not(.open) .icon"),
  ];
  expect(openInk).not.toBe(good);
  expect(openInk).not.toBe(bad);
  expect(await page.locator(".tally").textContent()).toContain("without expectation");
  await page.getByRole("button", { name: "no expectation only" }).click();
  expect(await page.locator(".matrix .chip:visible").count()).toBe(4 * without);
  await page.context().close();
});

test("a damaged array affects only its own plot or replay, which says so; the tables are there", async () => {
  const file = changed("damaged.html", (data) => {
    const [first, second] = data.scenarios;
    const curve = first?.errors[0]?.curves[0];
    const track = second?.replay?.tracks[0];
    if (curve === undefined || track === undefined) throw new Error("the demonstration has no curve or track");
    curve.value = curve.value.slice(0, curve.value.length >> 1);
    track.poses = `${track.poses.slice(0, 40)}AAAA${track.poses.slice(44)}`;
  });
  const { page, complaints } = await open(browser, file);
  const plots = page.locator("section.scenario").first().locator(".plot-wide");
  await plots.first().scrollIntoViewIfNeeded();
  await expect
    .poll(() => plots.first().textContent())
    .toMatch(/The curves cannot be drawn: an array of this report .*again/);
  const replay = page.locator("section.scenario").nth(1).locator(".replay");
  await replay.scrollIntoViewIfNeeded();
  await expect.poll(() => replay.textContent()).toContain("The motion cannot be drawn: an array of this report");
  const other = page.locator("section.scenario").nth(2).locator(".replay");
  await other.scrollIntoViewIfNeeded();
  await other.locator("canvas").waitFor();
  expect(await page.locator(".matrix .chip").count()).toBe(32);
  expect(complaints).toEqual([]);
  await page.context().close();
});
