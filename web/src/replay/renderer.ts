// The one WebGL context of the page. Browsers allow about sixteen; a report may have hundreds of replays, so they take turns
// and keep what was drawn in canvases of their own.

import { PCFShadowMap, WebGLRenderer } from "three";

let shared: WebGLRenderer | null | undefined;

/** `null` where the browser has no WebGL. */
export function sharedRenderer(): WebGLRenderer | null {
  if (shared === undefined) shared = hasWebGl() ? make() : null;
  return shared;
}

/** Asked apart, because three.js says it on the console when there is none. */
function hasWebGl(): boolean {
  return document.createElement("canvas").getContext("webgl2") !== null;
}

function make(): WebGLRenderer | null {
  try {
    const renderer = new WebGLRenderer({ antialias: true, powerPreference: "low-power" });
    renderer.setPixelRatio(1);
    renderer.shadowMap.enabled = true;
    renderer.shadowMap.type = PCFShadowMap;
    renderer.setScissorTest(true);
    return renderer;
  } catch {
    return null;
  }
}
