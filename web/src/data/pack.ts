// Decodes long arrays. crates/report/src/pack.rs documents the format: base64 of raw deflate of columns of whole
// numbers, each column as differences from a polynomial extrapolation of the previous numbers.

/** Whole numbers in columns: number `row * columns + column`. */
export interface Table {
  columns: number;
  rows: number;
  numbers: Float64Array;
}

/** Limit on the numbers: third differences of these are exact in doubles. */
const LARGEST = 2 ** 48;
/** Limit on the inflated bytes. */
const MOST_BYTES = 2 ** 26;

/** An array that cannot be read; the message is shown to the reader. */
export class DamagedArray extends Error {
  constructor(what: string) {
    super(`an array of this report ${what}; make the report again`);
  }
}

export async function unpack(text: string): Promise<Table> {
  const bytes = await inflated(fromBase64(text), MOST_BYTES);
  let at = 0;
  const pull = (): number => {
    let [value, unit] = [0, 1];
    for (let place = 0; place < 8; place++) {
      const byte = bytes[at++];
      if (byte === undefined) throw new DamagedArray("is truncated");
      value += (byte & 127) * unit;
      if (byte < 128) return value;
      unit *= 128;
    }
    throw new DamagedArray("has a number that is too large");
  };
  const [columns, rows] = [pull(), pull()];
  // Every number has a byte and every column one more: a larger count is rejected before memory is allocated.
  if ((rows + 1) * columns > bytes.length - at) throw new DamagedArray("is truncated");
  const numbers = new Float64Array(rows * columns);
  for (let column = 0; column < columns; column++) {
    const order = bytes[at++] ?? 0;
    if (order > 3) throw new DamagedArray("has an unknown order");
    let [a, b, c] = [0, 0, 0];
    for (let row = 0; row < rows; row++) {
      const coded = pull();
      const rest = coded % 2 === 0 ? coded / 2 : -(coded + 1) / 2;
      const value = predicted(a, b, c, Math.min(row, order)) + rest;
      if (Math.abs(value) > LARGEST) throw new DamagedArray("has a number that is too large");
      numbers[row * columns + column] = value;
      [a, b, c] = [value, a, b];
    }
  }
  if (at !== bytes.length) throw new DamagedArray("has trailing data");
  return { columns, rows, numbers };
}

function predicted(a: number, b: number, c: number, order: number): number {
  switch (order) {
    case 0:
      return 0;
    case 1:
      return a;
    case 2:
      return 2 * a - b;
    default:
      return 3 * (a - b) + c;
  }
}

export function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  let binary: string;
  try {
    binary = atob(text);
  } catch {
    throw new DamagedArray("is not base64");
  }
  const bytes = new Uint8Array(binary.length);
  for (let at = 0; at < binary.length; at++) bytes[at] = binary.charCodeAt(at);
  return bytes;
}

/** Inflates with the browser's own decoder; stops if the stream is too long. */
export async function inflated(packed: Uint8Array<ArrayBuffer>, most: number): Promise<Uint8Array<ArrayBuffer>> {
  const reader = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate-raw")).getReader();
  const chunks: Uint8Array[] = [];
  let length = 0;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      chunks.push(value);
      length += value.length;
      if (length > most) break;
    }
  } catch {
    throw new DamagedArray("does not inflate");
  }
  if (length > most) {
    // The rest is not needed.
    reader.cancel().catch(() => undefined);
    throw new DamagedArray("is too large");
  }
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  return bytes;
}
