// Decodes the data in the page.

import { DamagedArray, fromBase64, inflated, type Table, unpack } from "./pack.ts";
import {
  type Heading,
  type Index,
  type Packed,
  type Real,
  type Scenario,
  STANDINGS,
  type TrialHead,
  VERDICTS,
} from "./schema.ts";

/** The schema this page shows. */
export const SCHEMA = 2;
/** Limit on a scenario's text [bytes]. */
const MOST_TEXT = 2 ** 30;

/** Spec, step, verdict, expected verdicts as bits, standing; see crates/report/src/index.rs. */
type TrialLine = [number, number | null, number, number, number];

export function readIndex(text: string): Index {
  const data = JSON.parse(text) as Omit<Index, "headings"> & {
    headings: (Omit<Heading, "trials"> & { trials: TrialLine[] })[];
  };
  if (data.schema !== SCHEMA) {
    throw new Error(`the data have schema ${data.schema} and this page shows ${SCHEMA}; make the report again`);
  }
  const expectations = VERDICTS.reduce((sum, _, bit) => sum + 2 ** bit, 0) + 1;
  // The few sets that occur are shared by all trials.
  const sets = Array.from({ length: expectations }, (_, bits) =>
    VERDICTS.filter((_verdict, bit) => (bits & (1 << bit)) !== 0),
  );
  const trial = ([spec, step_s, verdict, expected, standing]: TrialLine): TrialHead => ({
    spec: data.specs[spec] ?? "",
    step_s,
    verdict: VERDICTS[verdict] ?? "failed",
    expected: sets[expected] ?? [],
    standing: STANDINGS[standing] ?? "error",
  });
  const headings = data.headings.map((heading) => ({ ...heading, trials: heading.trials.map(trial) }));
  return { ...data, headings };
}

/** A scenario from the text of its element. */
export async function readScenario(text: string, at: number): Promise<Scenario> {
  const bytes = await inflated(fromBase64(text.trim()), MOST_TEXT);
  const scenario = JSON.parse(new TextDecoder().decode(bytes)) as Scenario;
  scenario.at = at;
  for (const [index, trial] of scenario.trials.entries()) trial.at = index;
  return scenario;
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

/** Times [s], written as whole nanoseconds. */
export async function times(packed: Packed): Promise<Float64Array> {
  return (await column(packed)).map((ns) => ns / 1e9);
}

/** Binary digits of single precision that are dropped. */
const DROPPED = 11;

/** Values of a curve: the leading bits of single precision. */
export async function values(packed: Packed): Promise<Float32Array> {
  const numbers = await column(packed);
  const bits = new Uint32Array(numbers.length);
  for (const [index, number] of numbers.entries()) bits[index] = word(number, 2 ** (32 - DROPPED)) * 2 ** DROPPED;
  return new Float32Array(bits.buffer);
}

export async function floats(packed: Packed): Promise<Float32Array> {
  return new Float32Array((await indices(packed)).buffer);
}

export async function indices(packed: Packed): Promise<Uint32Array<ArrayBuffer>> {
  const numbers = await column(packed);
  const bits = new Uint32Array(numbers.length);
  for (const [index, number] of numbers.entries()) bits[index] = word(number, 2 ** 32);
  return bits;
}

/** Marks a non-finite number; as `Poses::NOT_FINITE` of crates/report. */
const NOT_FINITE = -(2 ** 40);
const POSE_NUMBERS = 7;

/** Poses, frame by frame and body by body: x y z [m] and a quaternion. */
export async function poses(
  packed: Packed,
  bodies: number,
  steps: { position_step_m: number; rotation_step: number },
): Promise<Float32Array> {
  const { columns, rows, numbers } = await unpack(packed);
  if (rows > 0 && columns !== POSE_NUMBERS * bodies) {
    throw new DamagedArray(`has ${columns} columns, expected ${POSE_NUMBERS * bodies}`);
  }
  const out = new Float32Array(numbers.length);
  for (let at = 0; at < out.length; at++) {
    const number = numbers[at] as number;
    const unit = at % POSE_NUMBERS < 3 ? steps.position_step_m : steps.rotation_step;
    out[at] = number === NOT_FINITE ? NaN : number * unit;
  }
  return out;
}

/** Where bodies touched at each moment of a track. */
export interface ContactTable {
  /** Place of the first point of each moment; one more than there are moments. */
  starts: Uint32Array;
  /** x y z [m] of each point. */
  points: Float32Array;
  /** x y z [N] of each force. */
  forces: Float32Array;
}

const CONTACT_NUMBERS = 7;

export async function contacts(
  packed: Packed,
  moments: number,
  steps: { position_step_m: number; force_step_n?: number },
): Promise<ContactTable> {
  if (packed === "") {
    return { starts: new Uint32Array(moments + 1), points: new Float32Array(0), forces: new Float32Array(0) };
  }
  const { columns, rows, numbers } = await unpack(packed);
  if (columns !== CONTACT_NUMBERS) throw new DamagedArray(`has ${columns} columns, expected ${CONTACT_NUMBERS}`);
  const starts = new Uint32Array(moments + 1);
  const [points, forces] = [new Float32Array(3 * rows), new Float32Array(3 * rows)];
  let before = 0;
  for (let row = 0; row < rows; row++) {
    const at = CONTACT_NUMBERS * row;
    const moment = numbers[at] as number;
    if (moment < before || moment >= moments) throw new DamagedArray("has a contact point at no moment");
    for (; before < moment; before++) starts[before + 1] = row;
    for (let axis = 0; axis < 3; axis++) {
      points[3 * row + axis] = (numbers[at + 1 + axis] as number) * steps.position_step_m;
      forces[3 * row + axis] = (numbers[at + 4 + axis] as number) * (steps.force_step_n ?? 1);
    }
  }
  for (; before < moments; before++) starts[before + 1] = rows;
  return { starts, points, forces };
}

async function column(packed: Packed): Promise<Float64Array> {
  const { columns, numbers }: Table = await unpack(packed);
  if (columns !== 1) throw new DamagedArray(`has ${columns} columns, expected 1`);
  return numbers;
}

function word(number: number, end: number): number {
  if (number < 0 || number >= end) throw new DamagedArray("has a number out of range");
  return number;
}
