// The single WebGL context of the page. Browsers allow about sixteen; a report may have hundreds of replays, so they
// share it and copy their pictures to their own canvases.

import { PCFShadowMap, WebGLRenderer } from "three";

let shared: WebGLRenderer | null | undefined;

/** `null` where the browser has no WebGL. */
export function sharedRenderer(): WebGLRenderer | null {
  if (shared === undefined) shared = hasWebGl() ? make() : null;
  return shared;
}

/** Checked separately, because three.js logs an error if there is none. */
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
