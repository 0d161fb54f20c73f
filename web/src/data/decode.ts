// From the text in the page to numbers.

import type { Packed, Real, ReportData } from "./schema.ts";

/** The newest schema this page can show. */
export const SCHEMA = 1;

export function readReport(text: string): ReportData {
  const data = JSON.parse(text) as ReportData;
  if (data.schema > SCHEMA) {
    throw new Error(`the data have schema ${data.schema} and this page shows up to ${SCHEMA}; make the report anew`);
  }
  return data;
}

export function real(value: Real): number {
  switch (value) {
    case "nan":
      return NaN;
    case "inf":
      return Infinity;
    case "-inf":
      return -Infinity;
    default:
      return value;
  }
}

export function floats(packed: Packed): Float32Array {
  return words(
    packed,
    (view, at) => view.getFloat32(at, true),
    (count) => new Float32Array(count),
  );
}

export function indices(packed: Packed): Uint32Array {
  return words(
    packed,
    (view, at) => view.getUint32(at, true),
    (count) => new Uint32Array(count),
  );
}

function words<A extends Float32Array | Uint32Array>(
  packed: Packed,
  read: (view: DataView, at: number) => number,
  make: (count: number) => A,
): A {
  const text = atob(packed);
  const bytes = new Uint8Array(text.length);
  for (let at = 0; at < text.length; at++) bytes[at] = text.charCodeAt(at);
  const view = new DataView(bytes.buffer);
  const array = make(bytes.length >> 2);
  for (let index = 0; index < array.length; index++) array[index] = read(view, 4 * index);
  return array;
}
