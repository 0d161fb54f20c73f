// Shapes as three.js geometry. Its cylinders and capsules are along y, ours along z.

import {
  BoxGeometry,
  BufferAttribute,
  BufferGeometry,
  CapsuleGeometry,
  CylinderGeometry,
  PlaneGeometry,
  SphereGeometry,
} from "three";
import type { SolidGeometry } from "./decoded.ts";

/** `planeSize` is the drawn size of an unbounded plane. */
export function geometryOf(geometry: SolidGeometry, planeSize: number): BufferGeometry {
  switch (geometry.kind) {
    case "box":
      return new BoxGeometry(...geometry.size_m);
    case "sphere":
      return new SphereGeometry(geometry.radius_m, 40, 24).rotateX(Math.PI / 2);
    case "ellipsoid":
      return new SphereGeometry(1, 40, 24).rotateX(Math.PI / 2).scale(...geometry.radii_m);
    case "cylinder":
      return new CylinderGeometry(geometry.radius_m, geometry.radius_m, geometry.length_m, 40).rotateX(Math.PI / 2);
    case "capsule":
      return new CapsuleGeometry(geometry.radius_m, geometry.length_m, 12, 32).rotateX(Math.PI / 2);
    case "plane":
      return new PlaneGeometry(planeSize, planeSize);
    case "mesh": {
      const indexed = new BufferGeometry();
      indexed.setAttribute("position", new BufferAttribute(geometry.vertices_m, 3));
      indexed.setIndex(new BufferAttribute(geometry.triangles, 1));
      // Flat faces: a robot's mesh has edges, and smooth shading would hide them.
      const flat = indexed.toNonIndexed();
      flat.computeVertexNormals();
      return flat;
    }
  }
}
