// Makes one HTML file of what Vite built: script and styles inside, a policy that forbids loading anything, and the
// licences of what is inside. Where the report's own title and data go, the markers of index.html stay.

import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import type { Plugin } from "vite";

/** What ends up in the page and asks for its notice to be kept. */
const INSIDE = ["three", "uplot"];

export function singlePage(fileName: string): Plugin {
  return {
    name: "veracity-single-page",
    apply: "build",
    enforce: "post",
    generateBundle(_options, bundle) {
      let script = "";
      let styles = "";
      let page = "";
      for (const [name, part] of Object.entries(bundle)) {
        if (part.type === "chunk") script += part.code;
        else if (name.endsWith(".css")) styles += String(part.source);
        else if (name.endsWith(".html")) page = String(part.source);
        else throw new Error(`${name} would be a second file; the report is one`);
        delete bundle[name];
      }
      this.emitFile({ type: "asset", fileName, source: assemble(page, script.trim(), styles.trim()) });
    },
  };
}

function assemble(page: string, script: string, styles: string): string {
  // An HTML parser ends a script at `</script` and changes its mind at `<!--`, whatever JavaScript thinks of it.
  for (const [text, bad] of [
    [script, /<\/script|<!--/i],
    [styles, /<\/style|<!--/i],
  ] as const) {
    if (bad.test(text)) throw new Error(`the built page contains ${String(bad)} where it may not`);
  }
  const digest = createHash("sha256").update(script, "utf8").digest("base64");
  const policy = [
    "default-src 'none'",
    `script-src 'sha256-${digest}'`,
    "style-src 'unsafe-inline'",
    "img-src data: blob:",
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
  const head = `<meta http-equiv="Content-Security-Policy" content="${policy}">\n<style>${styles}</style>`;
  const withoutTags = page
    .replace(/^\s*<script type="module"[^>]*><\/script>\n?/m, "")
    .replace(/^\s*<link rel="stylesheet"[^>]*>\n?/m, "");
  // Functions as replacements: in a string, `$&` and its kin would be instructions.
  return (
    withoutTags
      .replace("</head>", () => `${head}\n</head>`)
      .replace("<!--after-script-->", () => `<script>${script}</script>`)
      .replace("</html>", () => `</html>\n${notices()}`)
      .trimEnd() + "\n"
  );
}

function notices(): string {
  const texts = INSIDE.map((name) => {
    const folder = new URL(`../node_modules/${name}/`, import.meta.url);
    const { version } = JSON.parse(readFileSync(new URL("package.json", folder), "utf8")) as { version: string };
    const licence = readFileSync(new URL("LICENSE", folder), "utf8")
      .replaceAll("\r", "")
      .replaceAll("--", "- -")
      .trim();
    return `This page contains ${name} ${version}:\n${licence}`;
  });
  return `<!--\n${texts.join("\n\n")}\n-->`;
}
