// Opens reports in headless Chromium and prints, as one line of JSON each, how long a reader waits: from the start of
// loading to the first picture with content, and from an action to the picture that answers it.
//
// node bench/report.mjs ROUNDS NAME=FILE …

import { chromium } from "playwright-core";

const [, , rounds, ...reports] = process.argv;
const browser = await chromium.launch({
  executablePath: process.env.VERACITY_CHROMIUM ?? "/usr/bin/chromium",
  headless: true,
  args: ["--no-sandbox", "--disable-background-networking", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"],
});

/** In the page: notes when the table of verdicts is there and drawn. */
function watchForContent() {
  const look = () => {
    if (document.querySelector("main h1, main .matrix") === null) requestAnimationFrame(look);
    else requestAnimationFrame(() => setTimeout(() => (window.contentAt = performance.now())));
  };
  look();
}

/** In the page: time of each action until the next picture after its result [ms]; `null` where it does not apply. */
async function actions() {
  const drawn = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
  const until = async (ready) => {
    while (!ready()) await new Promise((done) => setTimeout(done));
    await drawn();
  };
  const timed = async (act, ready = () => true) => {
    await drawn();
    const begun = performance.now();
    act();
    await until(ready);
    return performance.now() - begun;
  };
  const search = document.querySelector(".search");
  const type = (text) => () => {
    search.value = text;
    search.dispatchEvent(new Event("input", { bubbles: true }));
  };
  const filter = await timed(type("native"));
  const clear = await timed(type(""));
  // The scenario with the most trials: the longest to open.
  const size = (one) =>
    [...one.querySelectorAll(".scenario-head .verdict-count")].reduce(
      (sum, part) => sum + parseInt(part.title, 10),
      0,
    );
  const sections = [...document.querySelectorAll(".scenario")].sort((a, b) => size(b) - size(a));
  const open = await timed(
    () => sections[0].querySelector("summary").click(),
    () => sections[0].querySelector(".scenario-body h3") !== null,
  );
  const replay = sections[0].querySelector(".replay");
  let scrub = null;
  if (replay !== null) {
    replay.scrollIntoView({ block: "center", behavior: "instant" });
    await until(() => replay.querySelector(".scrub") !== null);
    const bar = replay.querySelector(".scrub");
    const times = [];
    for (let part = 1; part <= 10; part++)
      times.push(
        await timed(() => {
          bar.value = String((Number(bar.max) * part) / 10);
          bar.dispatchEvent(new Event("input", { bubbles: true }));
        }),
      );
    scrub = Math.max(...times.slice(1));
  }
  return { filter: Math.max(filter, clear), open, scrub, height: document.documentElement.scrollHeight };
}

const median = (values) => [...values].sort((a, b) => a - b)[values.length >> 1];
for (const report of reports) {
  const [name, file] = report.split("=");
  const runs = [];
  for (let round = 0; round < Number(rounds); round++) {
    const context = await browser.newContext({ viewport: { width: 1400, height: 900 } });
    const page = await context.newPage();
    page.setDefaultTimeout(120_000);
    await page.addInitScript(watchForContent);
    await page.goto(`file://${file}`);
    await page.waitForFunction(() => window.contentAt !== undefined);
    const load = await page.evaluate(() => window.contentAt);
    const height = await page.evaluate(() => document.documentElement.scrollHeight);
    runs.push({ load, ...(await page.evaluate(actions)), height });
    await context.close();
  }
  const of = (key) => (runs[0][key] === null ? null : median(runs.map((run) => run[key])));
  const keys = ["load", "filter", "open", "scrub", "height"];
  console.log(JSON.stringify({ name, ...Object.fromEntries(keys.map((key) => [key, of(key)])) }));
}
await browser.close();
