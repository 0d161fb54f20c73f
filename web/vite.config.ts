import { existsSync, readFileSync } from "node:fs";
import { defineConfig, type Plugin } from "vite";
import { singlePage } from "./build/single_page.ts";

/**
 * Only for `npm run dev`: the data of a report that `cargo run -p veracity-report --example demo_report --
 * target/web/demo.html` wrote, in place of the markers.
 */
function demoData(): Plugin {
  const file = new URL("../target/web/demo.html", import.meta.url);
  const between = (page: string, from: string, to: string) => page.split(from)[1]?.split(to)[0] ?? "null";
  return {
    name: "veracity-demo-data",
    apply: "serve",
    transformIndexHtml: (page) => {
      const made = existsSync(file) ? readFileSync(file, "utf8") : "";
      const scenarios = made.match(/<script type="text\/plain" id="scenario-data-\d+">.*?<\/script>/gs) ?? [];
      return page
        .replace("@@VERACITY_INDEX@@", () => between(made, 'id="report-index">', "</script>"))
        .replace("@@VERACITY_SCENARIOS@@", () => scenarios.join("\n"))
        .replace("@@VERACITY_TITLE@@", "Demo");
    },
  };
}

export default defineConfig({
  base: "./",
  plugins: [demoData(), singlePage("report.html")],
  build: {
    outDir: process.env["VERACITY_WEB_OUT"] ?? "../target/web/bundle",
    emptyOutDir: true,
    target: ["chrome123", "firefox120", "safari17.5"],
    cssCodeSplit: false,
    modulePreload: false,
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    chunkSizeWarningLimit: 2000,
    rollupOptions: { output: { format: "iife", codeSplitting: false } },
  },
});
