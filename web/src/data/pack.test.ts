import { deflateRawSync } from "node:zlib";
import { expect, test } from "vitest";
import { unpack } from "./pack.ts";

const packed = (bytes: number[] | Uint8Array) => deflateRawSync(Uint8Array.from(bytes)).toString("base64");
const numbers = async (text: string) => [...(await unpack(text)).numbers];

test("columns, orders and signs are as documented in pack.rs", async () => {
  // The array of the Rust test: 5 6 7 by first differences, 0 0 -1 unchanged.
  const table = await unpack(packed([2, 3, 1, 10, 2, 2, 0, 0, 0, 1]));
  expect([table.columns, table.rows]).toEqual([2, 3]);
  expect([...table.numbers]).toEqual([5, 0, 6, 0, 7, -1]);
  // 0 1 4 9 16: second differences of 2 after a start of 0 and 1; third differences of 0 after 0, 1, 2.
  expect(await numbers(packed([1, 5, 2, 0, 2, 4, 4, 4]))).toEqual([0, 1, 4, 9, 16]);
  expect(await numbers(packed([1, 5, 3, 0, 2, 4, 0, 0]))).toEqual([0, 1, 4, 9, 16]);
});

test("numbers beyond 32 bits are exact", async () => {
  // 2^40 zigzag is 2^41: six bytes.
  expect(await numbers(packed([1, 1, 0, 0x80, 0x80, 0x80, 0x80, 0x80, 0x40]))).toEqual([2 ** 40]);
});

test("what Rust wrote is read", async () => {
  // pack(&[5, 0, 6, 0, 7, -1], 2) of crates/report/src/pack.rs.
  expect(await numbers("Y2Jm4mJiAAJGAA==")).toEqual([5, 0, 6, 0, 7, -1]);
});

test("an array cut anywhere is an error", async () => {
  // 200 is 72 with the continuation bit, then 1 times 128.
  const text = packed([1, 200, 1, 1, ...Array.from({ length: 200 }, (_, i) => (i * 37) % 120)]);
  expect((await unpack(text)).rows).toBe(200);
  const whole = text.replace(/=+$/, "");
  // The last character may hold only the padding of the last byte.
  for (let length = 0; length < whole.length - 1; length++) {
    await expect(unpack(text.slice(0, length))).rejects.toThrow(/an array of this report .*; make the report again/);
  }
});

test("any damaged character gives another array or an error, and never hangs", async () => {
  const text = packed([2, 3, 1, 10, 2, 2, 0, 0, 0, 1]);
  for (let place = 0; place < text.length; place++) {
    for (const other of ["A", "z", "/", "="]) {
      const damaged = text.slice(0, place) + other + text.slice(place + 1);
      await unpack(damaged).catch((error: Error) => expect(error.message).toContain("an array of this report"));
    }
  }
});

test("a count larger than the data is rejected before memory is allocated", async () => {
  await expect(unpack(packed([1, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f, 0]))).rejects.toThrow("truncated");
  await expect(unpack(packed([0xff, 0xff, 0x7f, 0xff, 0xff, 0x7f]))).rejects.toThrow("truncated");
  await expect(unpack(packed([1, 1, 4, 0]))).rejects.toThrow("unknown order");
  await expect(unpack(packed([1, 1, 0, 0, 0]))).rejects.toThrow("trailing data");
  const huge = [1, 1, 0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1];
  await expect(unpack(packed(huge))).rejects.toThrow("too large");
  await expect(unpack("no base64!")).rejects.toThrow("is not base64");
});

test("an array that inflates without end is rejected", async () => {
  const bomb = packed(new Uint8Array(2 ** 26 + 2 ** 16));
  expect(bomb.length).toBeLessThan(100_000);
  await expect(unpack(bomb)).rejects.toThrow("is too large");
});
