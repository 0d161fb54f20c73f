// The demonstration report, as a reader uses it.

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Browser, Locator, Page } from "playwright-core";
import { launch, open, openAll, readAll, type Watched } from "./chromium.ts";
import { canvasPicture, differing, inkOf, quiet } from "./pixels.ts";

const DEMO = process.env["VERACITY_DEMO"] ?? "";
const PHONE = { viewport: { width: 390, height: 844 }, deviceScaleFactor: 2, isMobile: true, hasTouch: true };

let browser: Browser;
beforeAll(async () => {
  if (DEMO === "") throw new Error("VERACITY_DEMO names no report; run `cargo xtask test browser`");
  browser = await launch();
});
afterAll(() => browser?.close());

async function see(locator: Locator): Promise<void> {
  await locator.evaluate((element) => element.scrollIntoView({ block: "center", behavior: "instant" }));
}

async function firstReplay(page: Page): Promise<{ replay: Locator; canvas: Locator }> {
  await openAll(page);
  const replay = page.locator(".replay").first();
  await see(replay);
  const canvas = replay.locator("canvas");
  await canvas.waitFor();
  await see(canvas);
  await quiet(canvas);
  return { replay, canvas };
}

describe("on a laptop", () => {
  let seen: Watched;
  let page: Page;
  beforeAll(async () => {
    seen = await open(browser, DEMO);
    page = seen.page;
  });
  afterAll(() => page?.context().close());

  test("the verdict table comes first, with an icon and a word for every trial", async () => {
    const order = await page
      .locator("main > header, main > section")
      .evaluateAll((parts) => parts.map((part) => part.id || part.className));
    expect(order[0]).toBe("summary");
    expect(order[1]).toBe("verdicts");
    const chips = await page
      .locator(".matrix .chip")
      .evaluateAll((all) =>
        all.map((chip) => [chip.querySelector("svg") !== null, chip.getAttribute("aria-label") ?? ""] as const),
      );
    expect(chips.length).toBe(32);
    for (const [sign, label] of chips) {
      expect(sign).toBe(true);
      expect(label).toMatch(/accepted|rejected/);
    }
  });

  test("scenarios are lines with their verdicts, and one is read when it is opened", async () => {
    expect(await page.locator("section.scenario").count()).toBe(4);
    expect(await page.locator(".scenario-body > *").count()).toBe(0);
    const line = page.locator(".scenario-head").nth(1);
    expect(await line.textContent()).toContain("accepted");
    expect(await page.evaluate(() => document.documentElement.scrollHeight)).toBeLessThan(2500);
    await line.focus();
    await page.keyboard.press("Enter");
    await page.locator("section.scenario").nth(1).locator(".leaderboard").waitFor();
    expect(await page.locator(".leaderboard").count()).toBe(1);
    await line.click();
    expect(await page.locator(".leaderboard:visible").count()).toBe(0);
  });

  test("signs at the side agree with the outcome at the top", async () => {
    expect(await page.locator(".outcome").textContent()).toContain("All verdicts as expected.");
    expect(await page.locator(".contents .standing").count()).toBe(4);
    expect(await page.locator(".contents .standing .v-accepted").count()).toBe(4);
  });

  test("a cell links to its numbers", async () => {
    const chip = page.locator(".matrix .chip.c-rejected").first();
    const target = (await chip.getAttribute("href")) ?? "";
    await chip.click();
    expect(await page.evaluate(() => location.hash)).toBe(target);
    const row = page.locator(target);
    await row.waitFor();
    expect(await row.textContent()).toContain("rejected, as expected");
    await expect.poll(() => row.evaluate((element) => element.getBoundingClientRect().top)).toBeLessThan(800);
  });

  test("a leaderboard has every trial of its scenario, accepted ones first, the smaller error before the larger", async () => {
    await openAll(page);
    const boards = page.locator(".leaderboard");
    expect(await boards.count()).toBe(4);
    for (const board of await boards.all()) {
      const lines = await board.locator("tbody tr").evaluateAll((rows) =>
        rows.map((row) => ({
          rank: row.querySelector(".rank")?.textContent,
          accepted: row.querySelector(".v-accepted") !== null,
          error: Number.parseFloat(row.querySelector(".error")?.textContent ?? ""),
          cost: row.querySelector(".cost")?.textContent ?? "",
        })),
      );
      expect(lines.map((line) => line.rank)).toEqual(["1", "2", "3", "4", "5", "6", "7", "8"]);
      const accepted = lines.filter((line) => line.accepted).length;
      expect(lines.slice(0, accepted).every((line) => line.accepted)).toBe(true);
      for (const group of [lines.slice(0, accepted), lines.slice(accepted)]) {
        const errors = group.map((line) => line.error);
        expect(errors).toEqual([...errors].sort((a, b) => a - b));
      }
      for (const line of lines) expect(line.cost).toMatch(/^[\d.]+ (s|ms|µs|ns)$/);
    }
  });

  test("a place links to its numbers", async () => {
    const first = page.locator(".leaderboard").nth(1).locator("tbody tr").first();
    await see(first);
    const target = (await first.locator("th a").getAttribute("href")) ?? "";
    await first.locator("th a").click();
    expect(await page.evaluate(() => location.hash)).toBe(target);
    expect(await page.locator(target).textContent()).toContain("accepted");
  });

  test("filters keep what matches and show how many", async () => {
    await see(page.locator("#verdicts"));
    await page.getByLabel("Filter by scenario, engine or metric").fill("double rk4");
    expect(await page.locator(".shown-count").textContent()).toBe("4 of 32 trials");
    expect(await page.locator(".matrix tbody tr:visible").count()).toBe(1);
    await page.getByLabel("Filter by scenario, engine or metric").fill("nothing like it");
    expect(await page.getByText("No trial matches").first().isVisible()).toBe(true);
    await page.getByLabel("Filter by scenario, engine or metric").fill("");
  });

  test("the list sorts by a column, in both directions", async () => {
    await page.getByRole("button", { name: "List" }).click();
    await page.locator(".list tbody tr").nth(31).waitFor();
    const steps = () => page.locator(".list tbody tr td:nth-child(3)").allTextContents();
    await page.getByRole("button", { name: "step" }).click();
    expect((await steps())[0]).toBe("1.563 ms");
    await page.getByRole("button", { name: "step" }).click();
    expect((await steps())[0]).toBe("0.1 s");
    expect(await page.locator(".list th[aria-sort=descending]").count()).toBe(1);
    await page.getByRole("button", { name: "Matrix" }).click();
  });

  test("plots over time are drawn, and a curve can be switched off", async () => {
    const plot = page.locator(".plot-wide").first();
    await see(plot);
    const canvas = plot.locator("canvas");
    await canvas.waitFor();
    await quiet(canvas);
    const before = await canvasPicture(canvas);
    expect(inkOf(before)).toBeGreaterThan(0.01);
    await plot.locator(".curve-button").first().click();
    expect(differing(before, await canvasPicture(canvas))).toBeGreaterThan(0.0005);
    await plot.locator(".curve-button").first().click();
    await plot.getByRole("button", { name: "log" }).click();
    expect(differing(before, await canvasPicture(canvas))).toBeGreaterThan(0.005);
    await plot.getByRole("button", { name: "log" }).click();
  });

  test("the crosshair shows the values of the curves", async () => {
    const plot = page.locator(".plot-wide").first();
    const box = await plot.locator(".u-over").boundingBox();
    if (box === null) throw new Error("the plot has no place");
    await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
    await expect.poll(() => plot.locator(".readout").first().textContent()).toMatch(/^\d/);
    await page.mouse.move(0, 0);
  });

  test("log-log plots have their points, lines and fitted orders", async () => {
    const convergence = page.locator(".plot", { hasText: "convergence of" }).first();
    await see(convergence);
    await convergence.locator("svg.loglog").waitFor();
    expect(await convergence.locator("a.point").count()).toBe(8);
    expect(await convergence.locator(".fit-line").count()).toBe(2);
    const colours = await convergence
      .locator("svg.loglog .marker")
      .evaluateAll((all) => all.map((marker) => getComputedStyle(marker).fill));
    expect(new Set(colours).size).toBe(2);
    expect(await convergence.textContent()).toMatch(/order 3\.\d\d|order 4\.\d\d/);
    await convergence.locator("a.point").first().focus();
    expect(await convergence.locator(".tip").isVisible()).toBe(true);
  });

  test("the replay is not empty, and scrubbing moves the bodies", async () => {
    const { replay, canvas } = await firstReplay(page);
    const start = await canvasPicture(canvas);
    expect(inkOf(start)).toBeGreaterThan(0.005);
    await replay.locator(".scrub").evaluate((input: HTMLInputElement) => {
      input.value = String(Number(input.max) / 3);
      input.dispatchEvent(new Event("input", { bubbles: true }));
    });
    await quiet(canvas);
    expect(differing(start, await canvasPicture(canvas))).toBeGreaterThan(0.003);
    expect(await replay.locator(".time").textContent()).toBe("4.27 s / 12.80 s");
    expect(await replay.locator(".away").first().textContent()).toMatch(/m off$/);
  });

  test("the keyboard plays, pauses, moves in time, rotates and zooms", async () => {
    const { replay, canvas } = await firstReplay(page);
    const time = async () => Number.parseFloat((await replay.locator(".time").textContent()) ?? "");
    await canvas.focus();
    await page.keyboard.press("Home");
    expect(await time()).toBe(0);
    await page.keyboard.press("Space");
    expect(await replay.getByRole("button", { name: "Pause" }).count()).toBe(1);
    await expect.poll(time).toBeGreaterThan(0.2);
    await page.keyboard.press("Space");
    expect(await replay.getByRole("button", { name: "Play" }).count()).toBe(1);
    const paused = await time();
    await page.keyboard.press("ArrowRight");
    expect(await time()).toBeGreaterThan(paused);
    await quiet(canvas);
    const before = await canvasPicture(canvas);
    await page.keyboard.press("Shift+ArrowLeft");
    await quiet(canvas);
    const turned = await canvasPicture(canvas);
    expect(differing(before, turned)).toBeGreaterThan(0.002);
    await page.keyboard.press("+");
    await quiet(canvas);
    expect(differing(turned, await canvasPicture(canvas))).toBeGreaterThan(0.002);
  });

  test("dragging rotates the view, and side by side shows one view per engine", async () => {
    const { replay, canvas } = await firstReplay(page);
    const before = await canvasPicture(canvas);
    const box = await canvas.boundingBox();
    if (box === null) throw new Error("the canvas has no place");
    await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width / 2 + 120, box.y + box.height / 2 + 30, { steps: 4 });
    await page.mouse.up();
    await quiet(canvas);
    expect(differing(before, await canvasPicture(canvas))).toBeGreaterThan(0.005);
    await replay.getByRole("button", { name: "Side by side" }).click();
    await quiet(canvas);
    const places = await replay
      .locator(".stage-label")
      .evaluateAll((labels) => labels.map((label) => Math.round(label.getBoundingClientRect().left)));
    expect(new Set(places).size).toBe(2);
    await replay.getByRole("button", { name: "Ghosts" }).click();
  });

  test("a click in the plot goes to that moment of the replay, and the moment is a line in the plot", async () => {
    const section = page.locator("section.scenario").first();
    const over = section.locator(".plot-wide .u-over").first();
    await see(over);
    const box = await over.boundingBox();
    if (box === null) throw new Error("the plot has no place");
    await page.mouse.click(box.x + box.width / 2, box.y + 20);
    expect(await section.locator(".time").textContent()).toMatch(/^6\.[34]\d s/);
    expect(await section.locator(".moment").first().isVisible()).toBe(true);
  });

  test("a recorded signal is plotted on demand, with the reference, and follows the replay's time", async () => {
    const section = page.locator("section.scenario").first();
    const choice = section.getByLabel("Signal to plot");
    await see(choice);
    expect(await section.locator(".signals .plot").count()).toBe(0);
    await choice.selectOption({ label: "v/first [1/s]" });
    const plot = section.locator(".signals .plot");
    await plot.locator("canvas").waitFor();
    expect(await plot.locator(".legend-row").first().textContent()).toContain("reference");
    expect(inkOf(await canvasPicture(plot.locator("canvas")))).toBeGreaterThan(0.01);
    const box = await plot.locator(".u-over").boundingBox();
    if (box === null) throw new Error("the plot has no place");
    await page.mouse.click(box.x + box.width / 4, box.y + 20);
    expect(await section.locator(".time").textContent()).toMatch(/^3\.[12]\d s/);
    await plot.getByRole("button", { name: "remove" }).click();
    expect(await section.locator(".signals .plot").count()).toBe(0);
  });

  test("bodies can be hidden and faded, views chosen, and a click looks at a body", async () => {
    const { replay, canvas } = await firstReplay(page);
    await replay.getByRole("button", { name: "Reset the view" }).click();
    await replay.getByText("hide or fade").click();
    await see(canvas);
    await quiet(canvas);
    const before = await canvasPicture(canvas);
    await replay.getByRole("checkbox", { name: "bob" }).uncheck();
    await quiet(canvas);
    expect(differing(before, await canvasPicture(canvas))).toBeGreaterThan(0.002);
    await replay.getByRole("checkbox", { name: "bob" }).check();
    await replay.getByLabel("Opacity of bob").fill("0.2");
    await quiet(canvas);
    expect(differing(before, await canvasPicture(canvas))).toBeGreaterThan(0.002);
    await replay.getByLabel("Opacity of bob").fill("1");
    await quiet(canvas);
    expect(differing(before, await canvasPicture(canvas))).toBe(0);
    await replay.getByRole("button", { name: "View from above, along the z axis" }).click();
    await quiet(canvas);
    expect(differing(before, await canvasPicture(canvas))).toBeGreaterThan(0.01);
    await replay.getByRole("button", { name: "Reset the view" }).click();
    // Somewhere in the picture is the bob: clicks on a raster find it.
    const box = await canvas.boundingBox();
    if (box === null) throw new Error("the canvas has no place");
    const notice = replay.locator(".stage-notice");
    let found = "";
    for (let at = 0; at < 150 && !found.includes("bob"); at++) {
      await page.mouse.click(
        box.x + ((at % 15) + 0.5) * (box.width / 15),
        box.y + (Math.floor(at / 15) + 0.5) * (box.height / 10),
      );
      found = (await notice.textContent()) ?? "";
    }
    expect(found).toBe("Looking at bob.");
    await replay.getByRole("button", { name: "Reset the view" }).click();
  });

  test("the wheel scrolls the page and says how to zoom; with ctrl it zooms", async () => {
    const { replay, canvas } = await firstReplay(page);
    await canvas.evaluate((element) => element.blur());
    await canvas.hover();
    await page.mouse.wheel(0, 20);
    await expect.poll(() => replay.locator(".stage-notice").textContent()).toContain("hold ctrl");
    await see(canvas);
    await quiet(canvas);
    const before = await canvasPicture(canvas);
    await canvas.evaluate((element) =>
      element.dispatchEvent(new WheelEvent("wheel", { deltaY: 300, ctrlKey: true, cancelable: true, bubbles: true })),
    );
    await quiet(canvas);
    expect(differing(before, await canvasPicture(canvas))).toBeGreaterThan(0.002);
    await replay.getByRole("button", { name: "Reset the view" }).click();
  });

  test("only one WebGL context is made for any number of replays", async () => {
    const fresh = await browser.newContext();
    const counted = await fresh.newPage();
    await counted.addInitScript(() => {
      const original = HTMLCanvasElement.prototype.getContext;
      const made = new Set<unknown>();
      HTMLCanvasElement.prototype.getContext = function (this: HTMLCanvasElement, kind: string, ...rest: unknown[]) {
        const context = (original as (...all: unknown[]) => unknown).call(this, kind, ...rest);
        // The probe for WebGL is never drawn on and is garbage-collected.
        if (kind.startsWith("webgl") && rest.length > 0) made.add(this);
        (window as unknown as { contexts: number }).contexts = made.size;
        return context;
      } as typeof original;
    });
    await counted.goto(`file://${DEMO}`);
    await readAll(counted);
    expect(await counted.locator(".replay canvas").count()).toBe(4);
    expect(await counted.evaluate(() => (window as unknown as { contexts: number }).contexts)).toBe(1);
    await fresh.close();
  });

  test("the theme button changes the colours of the page, the plots and the stage", async () => {
    const { canvas } = await firstReplay(page);
    const [ground, stage] = [
      await page.evaluate(() => getComputedStyle(document.body).backgroundColor),
      await canvasPicture(canvas),
    ];
    await page.getByRole("button", { name: "Switch to dark colours" }).click();
    await quiet(canvas);
    expect(await page.evaluate(() => getComputedStyle(document.body).backgroundColor)).not.toBe(ground);
    await see(canvas);
    expect(differing(stage, await canvasPicture(canvas))).toBeGreaterThan(0.5);
    await page.getByRole("button", { name: "Switch to light colours" }).click();
    expect(await page.evaluate(() => getComputedStyle(document.body).backgroundColor)).toBe(ground);
  });

  test("after all of that: no message on the console, and no network request", async () => {
    await readAll(page);
    expect(seen.complaints).toEqual([]);
    expect(seen.requests).toEqual([]);
  });
});

test("an address with a trial in it opens at that trial", async () => {
  const { page } = await open(browser, DEMO);
  await openAll(page);
  const id = await page.locator("tbody.trial").nth(20).getAttribute("id");
  const fresh = await page.context().newPage();
  await fresh.goto(`file://${DEMO}#${id}`);
  await expect.poll(() => fresh.locator("tbody.trial:target").getAttribute("id")).toBe(id);
  await expect
    .poll(() => fresh.locator("tbody.trial:target").evaluate((row) => Math.round(row.getBoundingClientRect().top)))
    .toBeLessThan(800);
  await page.context().close();
});

test("the system's dark colours are the page's, without a click", async () => {
  const { page } = await open(browser, DEMO, { colorScheme: "dark" });
  const ground = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const [red] = (ground.match(/\d+/g) ?? ["255"]).map(Number);
  expect(red).toBeLessThan(60);
  await page.context().close();
});

test("with reduced motion there is no smooth scrolling", async () => {
  const behaviour = async (reducedMotion: "reduce" | "no-preference") => {
    const { page } = await open(browser, DEMO, { reducedMotion });
    const found = await page.evaluate(() => getComputedStyle(document.documentElement).scrollBehavior);
    await page.context().close();
    return found;
  };
  expect(await behaviour("reduce")).toBe("auto");
  expect(await behaviour("no-preference")).toBe("smooth");
});

test("the keyboard reaches the skip link, then the verdicts", async () => {
  const { page } = await open(browser, DEMO);
  await page.keyboard.press("Tab");
  expect(await page.evaluate(() => document.activeElement?.textContent)).toBe("Skip to the verdicts");
  await page.keyboard.press("Enter");
  expect(await page.evaluate(() => location.hash)).toBe("#verdicts");
  const unnamed = await page
    .locator("button, a, input, select")
    .evaluateAll((all) =>
      all
        .filter(
          (one) =>
            (one.textContent ?? "").trim() === "" && !one.getAttribute("aria-label") && one.closest("label") === null,
        )
        .map((one) => one.outerHTML.slice(0, 120)),
    );
  expect(unnamed).toEqual([]);
  await page.context().close();
});

test("on a phone nothing is wider than the screen, and everything is drawn", async () => {
  const { page, complaints } = await open(browser, DEMO, PHONE);
  await readAll(page);
  const [wide, screen] = await page.evaluate(() => [document.documentElement.scrollWidth, window.innerWidth]);
  expect(wide).toBe(screen);
  const row = page.locator(".leaderboard tbody tr").first();
  await see(row);
  // The verdict is below the engine, and no line is cut off.
  const [name, verdict, edge] = await row.evaluate((line) => [
    line.querySelector("th")?.getBoundingClientRect().bottom ?? 0,
    line.querySelector(".verdict-cell")?.getBoundingClientRect().bottom ?? 0,
    Math.max(...[...line.children].map((cell) => cell.getBoundingClientRect().right)),
  ]);
  expect(verdict).toBeGreaterThan(name ?? Infinity);
  expect(edge).toBeLessThanOrEqual(390);
  const { canvas } = await firstReplay(page);
  expect(inkOf(await canvasPicture(canvas))).toBeGreaterThan(0.005);
  expect(complaints).toEqual([]);
  await page.context().close();
});

test("without WebGL the replay shows a message, and the rest is there", async () => {
  const bare = await launch({ webgl: false });
  const { page, complaints } = await open(bare, DEMO);
  await readAll(page);
  expect(await page.getByText("This browser has no WebGL").count()).toBe(4);
  expect(await page.locator(".matrix .chip").count()).toBe(32);
  expect(inkOf(await canvasPicture(page.locator(".plot-wide canvas").first()))).toBeGreaterThan(0.01);
  expect(complaints).toEqual([]);
  await bare.close();
});
