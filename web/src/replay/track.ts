// Poses of the bodies at any time, interpolated between the recorded ones.

/** x y z and the quaternion w x y z. */
export const POSE_NUMBERS = 7;
export type PoseNumbers = Float64Array;

export class Track {
  private hint = 0;

  constructor(
    private readonly times: Float32Array | Float64Array,
    private readonly poses: Float32Array,
    readonly bodies: number,
  ) {}

  get frames(): number {
    return this.times.length;
  }

  /** The last recorded time [s]: the track of an engine that failed ends early. */
  get end(): number {
    return this.times[this.times.length - 1] ?? 0;
  }

  timeOf(frame: number): number {
    return this.times[frame] ?? 0;
  }

  /** Whether its pose is the same from first to last. */
  stands(body: number): boolean {
    const { poses } = this;
    for (let frame = 1; frame < this.times.length; frame++) {
      for (let i = 0; i < POSE_NUMBERS; i++) {
        if (poses[POSE_NUMBERS * (frame * this.bodies + body) + i] !== poses[POSE_NUMBERS * body + i]) return false;
      }
    }
    return true;
  }

  /**
   * Writes the pose into `out`; returns false if there is none that can be drawn. Constant before the start and after
   * the end.
   */
  sample(time: number, body: number, out: PoseNumbers): boolean {
    if (this.times.length === 0) return false;
    const frame = this.frameBefore(time);
    const next = Math.min(frame + 1, this.times.length - 1);
    const [from, to] = [this.times[frame] as number, this.times[next] as number];
    const part = to > from ? Math.max(0, Math.min(1, (time - from) / (to - from))) : 0;
    const a = POSE_NUMBERS * (frame * this.bodies + body);
    const b = POSE_NUMBERS * (next * this.bodies + body);
    const { poses } = this;
    const at = (index: number) => poses[index] as number;
    for (let i = 0; i < 3; i++) out[i] = at(a + i) + part * (at(b + i) - at(a + i));
    // The shorter arc: a quaternion and its negative are the same orientation. Linear interpolation with normalisation
    // is accurate enough between frames.
    let dot = 0;
    for (let i = 3; i < 7; i++) dot += at(a + i) * at(b + i);
    const sign = dot < 0 ? -1 : 1;
    let norm = 0;
    for (let i = 3; i < 7; i++) {
      const value = at(a + i) + part * (sign * at(b + i) - at(a + i));
      out[i] = value;
      norm += value * value;
    }
    norm = Math.sqrt(norm);
    for (let i = 3; i < 7; i++) out[i] = (out[i] as number) / norm;
    return out.every(Number.isFinite);
  }

  /** The recorded moment before or at a time. */
  frameAt(time: number): number {
    return this.frameBefore(time);
  }

  private frameBefore(time: number): number {
    const { times } = this;
    // When playing forward, the index is the last one or the next; otherwise it is searched for.
    const near = this.hint;
    if ((times[near] ?? Infinity) <= time && time < (times[near + 1] ?? Infinity)) return near;
    let [low, high] = [0, times.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((times[middle] as number) <= time) low = middle;
      else high = middle - 1;
    }
    this.hint = low;
    return low;
  }
}

/** A point of the body in the world. */
export function pointInWorld(pose: PoseNumbers, point: readonly [number, number, number]): [number, number, number] {
  const [x, y, z, w, i, j, k] = pose as unknown as [number, number, number, number, number, number, number];
  const [px, py, pz] = point;
  // p + 2 w (u × p) + 2 u × (u × p), with u the quaternion's vector part.
  const [cx, cy, cz] = [j * pz - k * py, k * px - i * pz, i * py - j * px];
  return [
    x + px + 2 * (w * cx + j * cz - k * cy),
    y + py + 2 * (w * cy + k * cx - i * cz),
    z + pz + 2 * (w * cz + i * cy - j * cx),
  ];
}
