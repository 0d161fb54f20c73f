// The picture of a canvas, as numbers.

import type { Locator } from "playwright-core";

export interface Picture {
  width: number;
  height: number;
  /** red green blue alpha, row by row. */
  data: Uint8Array;
}

/** The pixels, thinned to at most about 300 columns: enough to distinguish pictures. */
export async function canvasPicture(canvas: Locator): Promise<Picture> {
  const { width, height, text } = await canvas.evaluate((element: HTMLCanvasElement) => {
    const copy = document.createElement("canvas");
    const scale = Math.min(1, 300 / element.width);
    copy.width = Math.max(1, Math.round(element.width * scale));
    copy.height = Math.max(1, Math.round(element.height * scale));
    const context = copy.getContext("2d");
    if (context === null) throw new Error("no canvas to copy to");
    context.drawImage(element, 0, 0, copy.width, copy.height);
    const { data } = context.getImageData(0, 0, copy.width, copy.height);
    let text = "";
    for (const byte of data) text += String.fromCharCode(byte);
    return { width: copy.width, height: copy.height, text: btoa(text) };
  });
  return { width, height, data: Uint8Array.from(Buffer.from(text, "base64")) };
}

/** The share of pixels that do not have the most frequent colour. */
export function inkOf(picture: Picture): number {
  const counts = new Map<number, number>();
  const pixels = picture.data.length / 4;
  for (let at = 0; at < picture.data.length; at += 4) {
    // In steps of 16: a soft gradient is one colour.
    const key = [0, 1, 2, 3].reduce((sum, channel) => 16 * sum + ((picture.data[at + channel] ?? 0) >> 4), 0);
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return 1 - Math.max(...counts.values()) / pixels;
}

/** The share of pixels that differ visibly. */
export function differing(a: Picture, b: Picture): number {
  if (a.width !== b.width || a.height !== b.height) return 1;
  let count = 0;
  for (let at = 0; at < a.data.length; at += 4) {
    const far = [0, 1, 2, 3].some(
      (channel) => Math.abs((a.data[at + channel] ?? 0) - (b.data[at + channel] ?? 0)) > 12,
    );
    if (far) count++;
  }
  return count / (a.data.length / 4);
}

/** Waits until two consecutive pictures are the same. */
export async function quiet(canvas: Locator): Promise<void> {
  let before = await canvasPicture(canvas);
  for (let look = 0; look < 40; look++) {
    await canvas.page().waitForTimeout(80);
    const now = await canvasPicture(canvas);
    if (differing(before, now) === 0 && inkOf(now) > 0) return;
    before = now;
  }
  throw new Error("the canvas keeps changing");
}
