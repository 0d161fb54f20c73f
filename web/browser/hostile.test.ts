// The hostile report: markup in every name, non-finite numbers, two hundred trials, unexpected verdicts.

import { afterAll, beforeAll, expect, test } from "vitest";
import type { Browser, Page } from "playwright-core";
import { canvasPicture, differing, quiet } from "./pixels.ts";
import { launch, open, openAll, readAll, type Watched } from "./chromium.ts";

const HOSTILE = process.env["VERACITY_HOSTILE"] ?? "";

let browser: Browser;
let seen: Watched;
let page: Page;
beforeAll(async () => {
  if (HOSTILE === "") throw new Error("VERACITY_HOSTILE names no report; run `cargo xtask test browser`");
  browser = await launch();
  seen = await open(browser, HOSTILE);
  page = seen.page;
  await openAll(page);
});
afterAll(() => browser?.close());

test("markup in names is shown as text and has no effect", async () => {
  expect(await page.title()).toContain("Hostile </script><img src=x");
  expect(await page.locator("h1").textContent()).toContain("<img src=x onerror=");
  expect(await page.locator("img").count()).toBe(0);
  // The index, the page's own, and one of each scenario.
  expect(await page.locator("script").count()).toBe(22);
  expect(await page.locator("main b", { hasText: /^bold$/ }).count()).toBe(0);
});

test("two hundred trials are in the table, and a filter answers at once", async () => {
  expect(await page.locator(".matrix .chip").count()).toBe(200);
  const search = page.getByLabel("Filter by scenario, engine or metric");
  const took = await search.evaluate((input: HTMLInputElement) => {
    const begun = performance.now();
    input.value = "scenario 13";
    input.dispatchEvent(new Event("input", { bubbles: true }));
    document.body.getBoundingClientRect();
    return performance.now() - begun;
  });
  // Waiting is noticed at half a second; the filter takes ten milliseconds, the rest is allowance for a busy machine.
  expect(took).toBeLessThan(500);
  expect(await page.locator(".matrix .chip:visible").count()).toBe(10);
  await search.fill("");
});

test("unexpected verdicts are marked, in words", async () => {
  expect(await page.locator(".outcome").textContent()).toContain("Not all verdicts as expected.");
  const surprise = page.locator(".matrix .chip.surprise").first();
  expect(await surprise.getAttribute("aria-label")).toMatch(/; expected accepted$/);
  await page.getByRole("button", { name: "unexpected only" }).click();
  const chips = page.locator(".matrix .chip:visible");
  expect(await chips.count()).toBe(await page.locator(".matrix .chip.surprise").count());
  await page.getByRole("button", { name: "unexpected only" }).click();
});

test("a leaderboard shows equal places, and trials without one", async () => {
  const ranks = await page.locator(".leaderboard").first().locator(".rank").allTextContents();
  expect(ranks).toEqual(["1", "1", "2", "–", "3", "3", "4", "–", "5", "5"]);
  expect(await page.locator(".leaderboard").count()).toBe(20);
});

test("non-finite numbers are reported, not dropped", async () => {
  const first = page.locator("section.scenario").first();
  await first.locator(".plot").last().scrollIntoViewIfNeeded();
  await first.locator("svg.loglog").waitFor();
  expect(await first.textContent()).toContain("not a number");
  expect(await first.textContent()).toContain("∞");
  const notes = (await first.locator(".plot-note").allTextContents()).join(" ");
  expect(notes).toContain("samples not finite");
  expect(notes).toContain("Cannot be drawn on a logarithmic axis");
});

test("a track that ended, one that is not finite and one that never began are labelled", async () => {
  const replay = page.locator(".replay").first();
  await replay.evaluate((element) => element.scrollIntoView({ block: "center", behavior: "instant" }));
  await replay.locator("canvas").waitFor();
  for (const box of await replay.locator(".track input").all()) await box.check();
  await replay.locator(".scrub").evaluate((input: HTMLInputElement) => {
    input.value = input.max;
    input.dispatchEvent(new Event("input", { bubbles: true }));
  });
  await expect
    .poll(async () => (await replay.locator(".away").allTextContents()).join("; "))
    .toContain("ended at 1.1 s");
  expect((await replay.locator(".away").allTextContents()).join("; ")).toContain("ended at 0 s");
});

test("contact forces are drawn, can be scaled and switched off", async () => {
  const replay = page.locator(".replay").first();
  const canvas = replay.locator("canvas");
  const seen_ = async () => {
    await canvas.evaluate((element) => element.scrollIntoView({ block: "center", behavior: "instant" }));
    await quiet(canvas);
    return canvasPicture(canvas);
  };
  const usual = await seen_();
  await replay.getByLabel("Length of the force arrows").fill("10");
  const long = await seen_();
  expect(differing(usual, long)).toBeGreaterThan(0.0005);
  await replay.getByRole("checkbox", { name: "contact forces" }).uncheck();
  const none = await seen_();
  expect(differing(long, none)).toBeGreaterThan(0.0005);
  expect(await replay.locator(".forces").textContent()).toContain("At most 2 points of each moment");
});

test("through the whole page: no console message, no request, no sideways scrolling on a phone", async () => {
  await readAll(page);
  expect(await page.locator(".replay canvas").count()).toBe(20);
  await page.setViewportSize({ width: 390, height: 844 });
  const [wide, screen] = await page.evaluate(() => [document.documentElement.scrollWidth, window.innerWidth]);
  expect(wide).toBe(screen);
  expect(seen.complaints).toEqual([]);
  expect(seen.requests).toEqual([]);
});
