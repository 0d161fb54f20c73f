import { expect, test } from "vitest";
import { count, factor, number, plural, quantity, span, stated, step, words } from "./format.ts";

test("numbers keep their significant digits and non-finite ones are named", () => {
  expect(number(0.0126)).toBe("0.0126");
  expect(number(12345.6)).toBe("12346");
  expect(number(6.891e-6)).toBe("6.89e-6");
  expect(number(1.5e7, 2)).toBe("1.5e7");
  expect(number(-0.5)).toBe("−0.500");
  expect(number(0)).toBe("0");
  expect([NaN, Infinity, -Infinity].map((value) => number(value))).toEqual(["not a number", "∞", "−∞"]);
});

test("a bound is shown as it was written", () => {
  expect(stated(0.01, "m")).toBe("0.01 m");
  expect(stated(1e-6, "rad")).toBe("1e-6 rad");
  expect(stated(2.5e-9, "")).toBe("2.5e-9");
  expect(stated(1000, "")).toBe("1000");
  expect(stated(-20, "m")).toBe("−20 m");
});

test("time spans need no power of ten", () => {
  expect([1, 0.1, 0.0015625, 62.5e-6, 3e-9].map((seconds) => span(seconds))).toEqual([
    "1 s",
    "0.1 s",
    "1.563 ms",
    "62.5 µs",
    "3 ns",
  ]);
  expect(span(0.00024321, 3)).toBe("0.243 ms");
  expect(span(0)).toBe("0 s");
  expect(step(null)).toBe("adaptive");
});

test("units, factors, counts and words", () => {
  expect(quantity(0.5, "m")).toBe("0.500 m");
  expect(quantity(0.5, "")).toBe("0.500");
  expect(factor(52631.6)).toBe("52 632×");
  expect(factor(1.25)).toBe("1.3×");
  expect(count(1234567)).toBe("1 234 567");
  expect([plural(1, "trial"), plural(2, "trial")]).toEqual(["1 trial", "2 trials"]);
  expect(words("position_error")).toBe("position error");
});
