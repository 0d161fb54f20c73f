// Reports derived from the demonstration: one with the specs of every engine, as many columns as a suite has, and a
// damaged one.

import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { deflateRawSync, inflateRawSync } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Browser, Page } from "playwright-core";
import type { ReportData, Scenario, Trial } from "../src/data/schema.ts";
import { launch, open, openAll, readAll } from "./chromium.ts";

const JSON_FILE = process.env["VERACITY_DEMO_JSON"] ?? "";
const MAKER = process.env["VERACITY_REPORT_MAKER"] ?? "";
const STUDY = process.env["VERACITY_MANY"] ?? "";
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
  if (JSON_FILE === "") throw new Error("VERACITY_DEMO_JSON names no report; run `cargo xtask test browser`");
  browser = await launch();
  folder = mkdtempSync(join(tmpdir(), "veracity-many-"));
});
afterAll(async () => {
  await browser?.close();
  rmSync(folder, { recursive: true, force: true });
});

/** The demonstration with changed data, as the program writes it. */
function changed(name: string, change: (data: ReportData) => void): string {
  const data = JSON.parse(readFileSync(JSON_FILE, "utf8")) as ReportData;
  change(data);
  const [json, file] = [join(folder, `${name}.json`), join(folder, name)];
  writeFileSync(json, JSON.stringify(data));
  execFileSync(MAKER, ["--from", json, file]);
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

/** Changes a scenario's data in the file itself, as damage would. */
function damage(page: string, at: number, change: (scenario: Scenario) => void): string {
  const [before, rest] = page.split(`id="scenario-data-${at}">`) as [string, string];
  const end = rest.indexOf("</script>");
  const scenario = JSON.parse(inflateRawSync(Buffer.from(rest.slice(0, end), "base64")).toString()) as Scenario;
  change(scenario);
  const text = deflateRawSync(JSON.stringify(scenario)).toString("base64");
  return `${before}id="scenario-data-${at}">${text}${rest.slice(end)}`;
}

test("a damaged array affects only its own plot or replay, which says so; a damaged scenario only itself", async () => {
  let page_ = readFileSync(
    changed("whole.html", () => undefined),
    "utf8",
  );
  page_ = damage(page_, 0, ({ errors }) => {
    const curve = errors[0]?.curves[0];
    if (curve === undefined) throw new Error("the demonstration has no curve");
    curve.value = curve.value.slice(0, curve.value.length >> 1);
  });
  page_ = damage(page_, 1, ({ replay }) => {
    const track = replay?.tracks[0];
    if (track === undefined) throw new Error("the demonstration has no track");
    track.poses = `${track.poses.slice(0, 40)}AAAA${track.poses.slice(44)}`;
  });
  const [before, rest] = page_.split('id="scenario-data-3">') as [string, string];
  const file = join(folder, "damaged.html");
  writeFileSync(file, `${before}id="scenario-data-3">${rest.slice(100)}`);
  const { page, complaints } = await open(browser, file);
  await openAll(page);
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
  expect(await page.locator("section.scenario").nth(3).locator(".unreadable").textContent()).toContain(
    "The scenario cannot be drawn",
  );
  expect(await page.locator(".matrix .chip").count()).toBe(32);
  expect(complaints).toEqual([]);
  await page.context().close();
});

test("a study of twenty thousand trials shows counts, and builds rows in portions", async () => {
  const { page, complaints } = await open(browser, STUDY);
  expect(await page.locator(".shown-count").textContent()).toBe("20 000 trials");
  expect(await page.locator(".matrix .chip").count()).toBe(16);
  const accepted = () =>
    page
      .locator(".matrix .verdict-count:has(.v-accepted)")
      .evaluateAll((all) => all.reduce((sum, one) => sum + Number.parseInt(one.textContent ?? "", 10), 0));
  const all = await accepted();
  expect(all).toBeGreaterThan(1000);
  await page.getByRole("button", { name: "rejected" }).click();
  expect(await accepted()).toBe(0);
  await page.getByRole("button", { name: "rejected" }).click();
  expect(await accepted()).toBe(all);
  // A trial far down is linked to without building those before it.
  const last = "scenario-variation-2-trial-4999";
  await page.evaluate((id) => (location.hash = id), last);
  await page.locator(`#${last}`).waitFor();
  expect(await page.locator("tbody.trial").count()).toBe(41);
  const board = page.locator(".board").first();
  expect(await board.locator("tbody tr").count()).toBe(30);
  await board.getByRole("button", { name: "Show 30 more of 4 970 places" }).click();
  expect(await board.locator("tbody tr").count()).toBe(60);
  expect(await page.evaluate(() => document.querySelectorAll("*").length)).toBeLessThan(10_000);
  expect(complaints).toEqual([]);
  await page.context().close();
});
