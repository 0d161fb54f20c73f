import { existsSync, readFileSync } from "node:fs";
import { defineConfig, type Plugin } from "vite";
import { singlePage } from "./build/single_page.ts";

/** Only for `npm run dev`: the data of `cargo run -p veracity-report --example demo_report -- --json` in place of the marker. */
function demoData(): Plugin {
  const file = new URL("../target/web/demo.json", import.meta.url);
  return {
    name: "veracity-demo-data",
    apply: "serve",
    transformIndexHtml: (page) => {
      const data = existsSync(file) ? readFileSync(file, "utf8").replaceAll("<", "\\u003c") : "null";
      return page.replace("@@VERACITY_DATA@@", () => data).replace("@@VERACITY_TITLE@@", "Demo");
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
