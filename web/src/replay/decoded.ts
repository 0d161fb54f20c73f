// A replay with its arrays decoded: the input of the stage.

import { contacts, type ContactTable, floats, indices, poses, times } from "../data/decode.ts";
import type { Body, Geometry, Pose, Replay } from "../data/schema.ts";
import { Track } from "./track.ts";

export type SolidGeometry =
  Exclude<Geometry, { kind: "mesh" }> | { kind: "mesh"; vertices_m: Float32Array; triangles: Uint32Array };

export interface SolidBody extends Omit<Body, "shapes"> {
  shapes: { body_from_shape: Pose; geometry: SolidGeometry }[];
}

export interface Scene {
  bodies: SolidBody[];
  /** In the order of the replay's. */
  tracks: Track[];
  /** Contact points of each track; `null` if none were recorded in any. */
  contacts: ContactTable[] | null;
  /** Limit on the display error of a point of a body of this radius about its origin [m]. */
  blur(radius: number): number;
}

export async function decoded(replay: Replay): Promise<Scene> {
  const count = replay.bodies.length;
  const track = async ({ time_s, poses: packed }: Replay["tracks"][number]) =>
    new Track(await times(time_s), await poses(packed, count, replay), count);
  const [bodies, tracks] = await Promise.all([
    Promise.all(replay.bodies.map(solidBody)),
    Promise.all(replay.tracks.map(track)),
  ]);
  const any = replay.tracks.some((one) => (one.contacts ?? "") !== "");
  const points = replay.tracks.map((one, index) => contacts(one.contacts ?? "", tracks[index]?.frames ?? 0, replay));
  const touched = await Promise.all(points);
  // Half a step along each of three axes; half a step in each of four numbers rotates by at most two steps.
  const blur = (radius: number) => (Math.sqrt(3) / 2) * replay.position_step_m + 2 * replay.rotation_step * radius;
  return { bodies, tracks, contacts: any ? touched : null, blur };
}

async function solidBody(body: Body): Promise<SolidBody> {
  const shapes = body.shapes.map(async ({ body_from_shape, geometry }) => ({
    body_from_shape,
    geometry: geometry.kind === "mesh" ? await mesh(geometry) : geometry,
  }));
  return { ...body, shapes: await Promise.all(shapes) };
}

async function mesh(geometry: Extract<Geometry, { kind: "mesh" }>): Promise<SolidGeometry> {
  const [vertices_m, triangles] = await Promise.all([floats(geometry.vertices_m), indices(geometry.triangles)]);
  return { kind: "mesh", vertices_m, triangles };
}
