import { expect, test } from "vitest";
import { floats, indices, readReport, real } from "./decode.ts";

test("arrays are little-endian words in base64", () => {
  expect([...floats("AACAPwAAAMA=")]).toEqual([1, -2]);
  expect([...indices("AQAAAP////8=")]).toEqual([1, 4294967295]);
  expect([...floats("")]).toEqual([]);
});

test("words for numbers that JSON lacks", () => {
  expect([real("inf"), real("-inf"), real(0.5)]).toEqual([Infinity, -Infinity, 0.5]);
  expect(real("nan")).toBeNaN();
});

test("data of a newer schema are refused with a sentence", () => {
  expect(() => readReport('{"schema": 99}')).toThrow("schema 99 and this page shows up to 1");
});
