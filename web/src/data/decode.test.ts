import { deflateRawSync } from "node:zlib";
import { expect, test } from "vitest";
import { contacts, floats, indices, poses, readIndex, readScenario, real, times, values } from "./decode.ts";

/** Columns of whole numbers, with order 0: the simplest text of the format. */
function packed(columns: number[][]): string {
  const bytes: number[] = [];
  const push = (value: number) => {
    while (value >= 128) {
      bytes.push((value % 128) + 128);
      value = Math.floor(value / 128);
    }
    bytes.push(value);
  };
  push(columns.length);
  push(columns[0]?.length ?? 0);
  for (const column of columns) {
    bytes.push(0);
    for (const number of column) push(number >= 0 ? 2 * number : -2 * number - 1);
  }
  return deflateRawSync(Uint8Array.from(bytes)).toString("base64");
}
const bits = (value: number) => new Uint32Array(new Float32Array([value]).buffer)[0] as number;

test("arrays are decoded", async () => {
  expect([...(await times(packed([[0, 400_000, 1_000_000_000]])))]).toEqual([0, 4e-4, 1]);
  expect([...(await floats(packed([[bits(1), bits(-2)]])))]).toEqual([1, -2]);
  expect([...(await indices(packed([[1, 4294967295]])))]).toEqual([1, 4294967295]);
  expect([...(await values(packed([[1.5, Infinity, 0].map((x) => bits(x) >>> 11)])))]).toEqual([1.5, Infinity, 0]);
  expect([...(await values(packed([[bits(NaN) >>> 11]])))]).toEqual([NaN]);
});

test("poses are multiples of their steps, non-finite numbers are NaN", async () => {
  const steps = { position_step_m: 0.5, rotation_step: 0.25 };
  const one = await poses(packed([[2], [-3], [-(2 ** 40)], [4], [0], [0], [-1]]), 1, steps);
  expect([...one]).toEqual([1, -1.5, NaN, 1, 0, 0, -0.25]);
  await expect(poses(packed([[1], [2]]), 1, steps)).rejects.toThrow("2 columns, expected 7");
});

test("numbers out of range are rejected", async () => {
  await expect(indices(packed([[-1]]))).rejects.toThrow("out of range");
  await expect(values(packed([[2 ** 21]]))).rejects.toThrow("out of range");
  await expect(times(packed([[1], [2]]))).rejects.toThrow("2 columns, expected 1");
});

test("non-finite numbers are written as words", () => {
  expect([real("inf"), real("-inf"), real(0.5)]).toEqual([Infinity, -Infinity, 0.5]);
  expect(real("nan")).toBeNaN();
});

test("the lines of trials are whole numbers, the first of them a place in the list of specs", () => {
  const trials = [
    [1, 0.001, 1, 0b11, 0],
    [0, null, 5, 0, 2],
  ];
  const heading = { name: "s", title: "S", finding: null, answer: null, metrics: [], trials };
  const index = readIndex(JSON.stringify({ schema: 2, specs: ["a", "b"], headings: [heading] }));
  expect(index.headings[0]?.trials).toEqual([
    { spec: "b", step_s: 0.001, verdict: "rejected", expected: ["accepted", "rejected"], standing: "passed" },
    { spec: "a", step_s: null, verdict: "failed", expected: [], standing: "error" },
  ]);
});

test("a scenario is inflated and its trials know their places", async () => {
  const text = deflateRawSync(JSON.stringify({ name: "s", trials: [{}, {}] })).toString("base64");
  const scenario = await readScenario(`${text}\n`, 3);
  expect([scenario.name, scenario.at, scenario.trials.map((trial) => trial.at)]).toEqual(["s", 3, [0, 1]]);
  await expect(readScenario(text.slice(0, 8), 0)).rejects.toThrow();
});

test("data of another schema are an error", () => {
  expect(() => readIndex('{"schema": 99}')).toThrow("schema 99 and this page shows 2");
  expect(() => readIndex('{"schema": 1}')).toThrow("schema 1 and this page shows 2");
});

test("contact points belong to moments, some of which have none", async () => {
  const rows = [
    [1, 1, 2, 3, 4, 5, 6],
    [1, 0, 0, 0, 0, 0, -2],
    [3, 0, 0, 1, 0, 0, 0],
  ];
  const text = packed([0, 1, 2, 3, 4, 5, 6].map((column) => rows.map((row) => row[column] as number)));
  const table = await contacts(text, 5, { position_step_m: 0.5, force_step_n: 10 });
  expect([...table.starts]).toEqual([0, 0, 2, 2, 3, 3]);
  expect([...table.points.slice(0, 3)]).toEqual([0.5, 1, 1.5]);
  expect([...table.forces.slice(3, 6)]).toEqual([0, 0, -20]);
  expect([...(await contacts("", 2, { position_step_m: 1 })).starts]).toEqual([0, 0, 0]);
  await expect(contacts(text, 2, { position_step_m: 1 })).rejects.toThrow("at no moment");
});
