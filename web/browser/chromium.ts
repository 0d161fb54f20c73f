// Headless Chromium with a software GPU, and a record of everything a page should not do.

import { chromium, type Browser, type BrowserContextOptions, type Page } from "playwright-core";

/** `cargo xtask test browser` installs it and sets the variable. */
const EXECUTABLE = process.env["VERACITY_CHROMIUM"] ?? "/usr/bin/chromium";

const ARGUMENTS = [
  "--no-sandbox",
  "--no-first-run",
  "--disable-quic",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--force-color-profile=srgb",
];
/** WebGL drawn by the processor: test machines have no graphics card. */
const SOFTWARE_GL = ["--use-angle=swiftshader", "--enable-unsafe-swiftshader"];
const NO_GL = ["--disable-gpu", "--disable-3d-apis"];

export function launch(options: { webgl: boolean } = { webgl: true }): Promise<Browser> {
  const args = [...ARGUMENTS, ...(options.webgl ? SOFTWARE_GL : NO_GL)];
  return chromium.launch({ executablePath: EXECUTABLE, headless: true, args });
}

export interface Watched {
  page: Page;
  /** Messages on the console at the level of a warning or worse, and uncaught errors. */
  complaints: string[];
  /** Every address requested, except the page's own file. */
  requests: string[];
}

export async function open(browser: Browser, file: string, options: BrowserContextOptions = {}): Promise<Watched> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
  const page = await context.newPage();
  const complaints: string[] = [];
  const requests: string[] = [];
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning")
      complaints.push(`${message.type()}: ${message.text()}`);
  });
  page.on("pageerror", (error) => complaints.push(`uncaught: ${error.message}`));
  const address = `file://${file}`;
  page.on("request", (request) => {
    const url = request.url();
    if (url !== address && !url.startsWith("data:") && !url.startsWith("blob:")) requests.push(url);
  });
  page.setDefaultTimeout(120_000);
  await page.goto(address);
  await page.waitForSelector("main");
  return { page, complaints, requests };
}

/** Opens every scenario, as a reader who clicks each line. */
export async function openAll(page: Page): Promise<void> {
  await page.evaluate(() => {
    for (const one of document.querySelectorAll<HTMLDetailsElement>(".scenario > details")) one.open = true;
  });
  await page.waitForFunction(() =>
    [...document.querySelectorAll(".scenario-body")].every((body) => body.querySelector("h3, .unreadable") !== null),
  );
}

/** Opens and scrolls through everything, so that all that waits for visibility is built. */
export async function readAll(page: Page): Promise<void> {
  await openAll(page);
  for (const part of await page.locator(".plot, .replay").all()) {
    await part.evaluate((element) => element.scrollIntoView({ block: "center", behavior: "instant" }));
    await part.evaluate((element) => {
      const place = element.querySelector(".plot-area") ?? element;
      const built = () => place.childElementCount > 0 && element.querySelector(".stage-waiting") === null;
      return new Promise<void>((done) => {
        const look = () => (built() ? done() : requestAnimationFrame(look));
        look();
      });
    });
  }
}
