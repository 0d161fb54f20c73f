// Contact points of a track as dots, and the forces on the first or second body as arrows, at one moment.

import {
  ConeGeometry,
  CylinderGeometry,
  Group,
  InstancedMesh,
  Matrix4,
  MeshBasicMaterial,
  Quaternion,
  SphereGeometry,
  Vector3,
} from "three";
import type { ContactTable } from "../data/decode.ts";

const UP = new Vector3(0, 0, 1);

export class ContactArrows {
  readonly group = new Group();
  private readonly material = new MeshBasicMaterial({ depthTest: false, transparent: true, opacity: 0.9 });
  private readonly dots: InstancedMesh;
  private readonly shafts: InstancedMesh;
  private readonly heads: InstancedMesh;
  private readonly place = new Vector3();
  private readonly way = new Vector3();
  private readonly turn = new Quaternion();
  private readonly size = new Vector3();
  private readonly matrix = new Matrix4();

  /** `reach` is the radius of the scene [m]. */
  constructor(
    private readonly table: ContactTable,
    private readonly reach: number,
  ) {
    const most = mostPoints(table);
    const made = (geometry: SphereGeometry | CylinderGeometry | ConeGeometry) => {
      const mesh = new InstancedMesh(geometry, this.material, Math.max(1, most));
      mesh.frustumCulled = false;
      // Over the bodies: a contact point is inside or between them.
      mesh.renderOrder = 10;
      this.group.add(mesh);
      return mesh;
    };
    this.dots = made(new SphereGeometry(1, 12, 8));
    // Unit length along z, from the origin up.
    this.shafts = made(new CylinderGeometry(1, 1, 1, 8).rotateX(Math.PI / 2).translate(0, 0, 0.5));
    this.heads = made(new ConeGeometry(1, 1, 12).rotateX(Math.PI / 2).translate(0, 0, 0.5));
  }

  recolour(colour: string): void {
    this.material.color.set(colour);
  }

  /** `metresPerNewton` is the length of an arrow for each newton; negative for the force on the second body. */
  show(moment: number, metresPerNewton: number): void {
    const { starts, points, forces } = this.table;
    const [from, to] = [starts[moment] ?? 0, starts[moment + 1] ?? 0];
    const thin = 0.006 * this.reach;
    let arrows = 0;
    for (let at = from; at < to; at++) {
      this.place.fromArray(points, 3 * at);
      this.turn.identity();
      this.matrix.compose(this.place, this.turn, this.size.setScalar(2 * thin));
      this.dots.setMatrixAt(at - from, this.matrix);
      this.way.fromArray(forces, 3 * at).multiplyScalar(metresPerNewton);
      const length = this.way.length();
      if (!(length > 0.5 * thin)) continue;
      this.turn.setFromUnitVectors(UP, this.way.normalize());
      const head = Math.min(6 * thin, 0.5 * length);
      this.matrix.compose(this.place, this.turn, this.size.set(thin, thin, length - head));
      this.shafts.setMatrixAt(arrows, this.matrix);
      this.place.addScaledVector(this.way, length - head);
      this.matrix.compose(this.place, this.turn, this.size.set(2.6 * thin, 2.6 * thin, head));
      this.heads.setMatrixAt(arrows, this.matrix);
      arrows++;
    }
    this.dots.count = to - from;
    this.shafts.count = this.heads.count = arrows;
    for (const mesh of [this.dots, this.shafts, this.heads]) mesh.instanceMatrix.needsUpdate = true;
  }
}

function mostPoints({ starts }: ContactTable): number {
  let most = 0;
  for (let moment = 0; moment + 1 < starts.length; moment++)
    most = Math.max(most, (starts[moment + 1] ?? 0) - (starts[moment] ?? 0));
  return most;
}

/** The median of all forces that are not zero [N]: half of the arrows are longer than its arrow. */
export function usualForce(tables: ContactTable[]): number {
  const sizes: number[] = [];
  for (const { forces } of tables) {
    for (let at = 0; at < forces.length; at += 3) {
      const size = Math.hypot(forces[at] ?? 0, forces[at + 1] ?? 0, forces[at + 2] ?? 0);
      if (size > 0 && Number.isFinite(size)) sizes.push(size);
    }
  }
  sizes.sort((a, b) => a - b);
  return sizes[sizes.length >> 1] ?? 1;
}
