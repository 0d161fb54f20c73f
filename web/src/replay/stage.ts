// The scene: fixed bodies, the moving bodies of each track, and the light.

import {
  BufferAttribute,
  BufferGeometry,
  Color,
  DirectionalLight,
  EdgesGeometry,
  Fog,
  Group,
  HemisphereLight,
  Line,
  LineBasicMaterial,
  LineSegments,
  type Material,
  Mesh,
  MeshStandardMaterial,
  type Object3D,
  PerspectiveCamera,
  PlaneGeometry,
  Raycaster,
  Scene,
  ShadowMaterial,
  SphereGeometry,
  Vector2,
  type WebGLRenderer,
} from "three";
import type { ContactTable } from "../data/decode.ts";
import { colour } from "../theme.ts";
import { ContactArrows, usualForce } from "./contact_arrows.ts";
import type { SolidBody } from "./decoded.ts";
import { type BodyExtent, bodyExtent, distance, type Framing, framing, movingBodies, type Point } from "./extent.ts";
import { floorGrid } from "./grid.ts";
import type { Cell } from "./layout.ts";
import { direction, type View } from "./orbit.ts";
import { geometryOf } from "./shapes.ts";
import { pointInWorld, POSE_NUMBERS, type Track } from "./track.ts";

export interface Actor {
  track: Track;
  contacts: ContactTable | null;
  /** `null` for the reference. */
  colour: string | null;
}

interface Cast {
  actor: Actor;
  bodies: { object: Object3D; body: number; solid: MeshStandardMaterial; edges: LineBasicMaterial }[];
  group: Group;
  arrows: ContactArrows | null;
  trail: Line;
}

/** How the reader wants to see a body. */
export interface BodyLook {
  shown: boolean;
  /** From 0 to 1. */
  opacity: number;
}

/** Content of one view: which actors, and which of them as faint ghosts. */
export interface Shot {
  cell: Cell;
  solid: number[];
  ghosts: number[];
}

const TRAIL_POINTS = 800;
const FLOOR_SQUARES = 80;

export class Stage {
  readonly framing: Framing;
  private readonly scene = new Scene();
  private readonly camera = new PerspectiveCamera(32, 1, 0.01, 100);
  private readonly light = new DirectionalLight(0xffffff, 1.9);
  private readonly floor = new Group();
  private readonly casts: Cast[];
  private readonly extents: BodyExtent[];
  private readonly moving: boolean[];
  private readonly pose = new Float64Array(POSE_NUMBERS);
  private readonly fixed: { object: Object3D; body: number; material: MeshStandardMaterial }[] = [];
  private readonly planeMaterial = new MeshStandardMaterial({ roughness: 1 });
  private readonly shadowMaterial = new ShadowMaterial({ opacity: 0.18 });
  private readonly spacing: number;
  private readonly reach: number;
  private grid: LineSegments | null = null;
  trails = true;
  follow: boolean;
  contacts = true;
  /** Length of the arrow of the usual force, in radii of the scene. */
  forceScale = 0.5;
  /** Whose force the arrows show: that on the first body of each pair, or the opposite one on the second. */
  forceOn: "first" | "second" = "first";
  /** Half of all contact forces are larger [N]. */
  readonly usualForce: number;
  /** The body the camera looks at; `null` for all that move. */
  focus: number | null = null;
  readonly looks: BodyLook[];

  constructor(
    private readonly bodies: SolidBody[],
    actors: Actor[],
  ) {
    this.looks = bodies.map(() => ({ shown: true, opacity: 1 }));
    this.usualForce = usualForce(actors.flatMap((actor) => (actor.contacts === null ? [] : [actor.contacts])));
    this.extents = bodies.map(bodyExtent);
    this.moving = movingBodies(
      bodies,
      actors.map((actor) => actor.track),
    );
    this.framing = framing(
      bodies,
      actors.map((actor) => actor.track),
    );
    this.follow = this.framing.follow;
    if (this.framing.apart) this.focus = this.moving.indexOf(true);
    this.reach = this.framing.follow || this.framing.apart ? this.closeRadius() : this.framing.radius;
    this.spacing = niceSpacing(this.reach / 2);
    this.camera.up.set(0, 0, 1);
    this.casts = actors.map((actor) => this.cast(actor));
    this.addFixed(actors[0]?.track);
    this.addLight();
    this.scene.add(this.floor);
    this.recolour();
  }

  /** Rebuilds the colours after a change of theme. */
  recolour(): void {
    const ground = new Color(colour("--stage"));
    this.scene.background = ground;
    this.scene.fog = new Fog(ground, 1, 2);
    for (const { material } of this.fixed) material.color.set(colour("--stage-fixed"));
    this.planeMaterial.color.set(colour("--stage-plane"));
    this.grid?.removeFromParent();
    this.grid?.geometry.dispose();
    this.grid = floorGrid(FLOOR_SQUARES, this.spacing, colour("--stage-grid"));
    this.grid.position.z = 0.002 * this.reach;
    this.floor.add(this.grid);
    for (const cast of this.casts) {
      const own = cast.actor.colour === null ? colour("--stage-reference") : colour(cast.actor.colour);
      for (const { solid, edges } of cast.bodies) {
        solid.color.set(own);
        edges.color.set(cast.actor.colour === null ? colour("--ink") : own);
      }
      cast.arrows?.recolour(cast.actor.colour === null ? colour("--ink") : own);
      (cast.trail.material as LineBasicMaterial).color.set(own);
    }
  }

  /** Draws the shots into the renderer's canvas, which has this size in pixels. */
  render(
    renderer: WebGLRenderer,
    shots: Shot[],
    time: number,
    view: View,
    size: { width: number; height: number },
  ): void {
    for (const cast of this.casts) this.place(cast, time);
    for (const { object, body, material } of this.fixed) {
      const { shown, opacity } = this.look(body);
      object.visible = shown;
      material.opacity = opacity;
      material.transparent = opacity < 1;
      material.depthWrite = opacity === 1;
    }
    const target = this.target(time, view, shots[0]?.solid[0] ?? shots[0]?.ghosts[0] ?? 0);
    this.aim(target, view);
    for (const { cell, solid, ghosts } of shots) {
      for (const [index, cast] of this.casts.entries()) {
        const [isSolid, isGhost] = [solid.includes(index), ghosts.includes(index)];
        cast.group.visible = isSolid || isGhost;
        cast.trail.visible = cast.group.visible && this.trails;
        this.dress(cast, isSolid, isSolid ? solid.indexOf(index) : solid.length + ghosts.indexOf(index));
        if (cast.arrows !== null) cast.arrows.group.visible = isSolid && this.contacts;
      }
      this.fit(cell);
      const bottom = size.height - cell.top - cell.height;
      renderer.setViewport(cell.left, bottom, cell.width, cell.height);
      renderer.setScissor(cell.left, bottom, cell.width, cell.height);
      renderer.render(this.scene, this.camera);
    }
  }

  /** In a narrow view the camera is further back, so that the scene's width fits too. */
  private fit(cell: Cell): void {
    this.camera.aspect = cell.width / cell.height;
    this.camera.fov =
      this.camera.aspect >= 1
        ? 32
        : Math.min(90, (2 * 180 * Math.atan(Math.tan((16 * Math.PI) / 180) / this.camera.aspect)) / Math.PI);
    this.camera.updateProjectionMatrix();
  }

  /** The body at a place of a view (0 to 1 from its left and top edge), as it was drawn last. */
  bodyAt({ cell, solid, ghosts }: Shot, x: number, y: number): number | null {
    this.fit(cell);
    const ray = new Raycaster();
    ray.setFromCamera(new Vector2(2 * x - 1, 1 - 2 * y), this.camera);
    const objects = [...solid, ...ghosts].flatMap((index) => this.casts[index]?.bodies ?? []);
    for (const hit of ray.intersectObjects(
      objects.map(({ object }) => object).filter((object) => object.visible),
      true,
    )) {
      if (!(hit.object instanceof Mesh)) continue;
      for (const { object, body } of objects) {
        let part: Object3D | null = hit.object;
        while (part !== null && part !== object) part = part.parent;
        if (part === object) return body;
      }
    }
    return null;
  }

  /** Bodies that a reader may hide: those with a shape. */
  get bodyNames(): { name: string; body: number; moves: boolean }[] {
    return this.bodies.flatMap(({ name, shapes }, body) =>
      shapes.length === 0 ? [] : [{ name, body, moves: this.moving[body] ?? false }],
    );
  }

  private look(body: number): BodyLook {
    return this.looks[body] ?? { shown: true, opacity: 1 };
  }

  /**
   * Distance of the bodies of one track from another's [m]: the largest distance over the middle of each moving body
   * and three points on its hull, so that rotation counts too.
   */
  apart(a: number, b: number, time: number): number | null {
    let largest: number | null = null;
    for (const [
      index,
      {
        centre: [x, y, z],
        radius: r,
      },
    ] of this.extents.entries()) {
      if (!this.moving[index]) continue;
      for (const point of [
        [x, y, z],
        [x + r, y, z],
        [x, y + r, z],
        [x, y, z + r],
      ] as const) {
        const [one, other] = [this.pointOf(a, index, point, time), this.pointOf(b, index, point, time)];
        if (one === null || other === null) return null;
        largest = Math.max(largest ?? 0, distance(one, other));
      }
    }
    return largest;
  }

  private pointOf(cast: number, body: number, point: readonly [number, number, number], time: number): Point | null {
    const track = this.casts[cast]?.actor.track;
    if (track === undefined || !track.sample(time, body, this.pose)) return null;
    return pointInWorld(this.pose, point);
  }

  /** Largest radius of the moving bodies about their middles [m]. */
  get largestRadius(): number {
    return Math.max(0, ...this.extents.filter((_, index) => this.moving[index]).map((extent) => extent.radius));
  }

  private closeRadius(): number {
    const near = 4 * this.largestRadius;
    return this.framing.follow ? Math.max(near, this.framing.together) : near;
  }

  private cast(actor: Actor): Cast {
    const group = new Group();
    const bodies = this.bodies.flatMap((body, index) => {
      if (!this.moving[index]) return [];
      // A material for each body, so that each can be faded.
      const solid = new MeshStandardMaterial({ roughness: 0.55, transparent: true, polygonOffset: true });
      const edges = new LineBasicMaterial({ transparent: true });
      const object = this.bodyObject(body, solid, edges);
      group.add(object);
      return [{ object, body: index, solid, edges }];
    });
    const trail = new Line(this.trailOf(actor.track), new LineBasicMaterial({ transparent: true, opacity: 0.5 }));
    trail.frustumCulled = false;
    const arrows = actor.contacts === null ? null : new ContactArrows(actor.contacts, this.reach);
    if (arrows !== null) this.scene.add(arrows.group);
    this.scene.add(group, trail);
    return { actor, bodies, group, trail, arrows };
  }

  private bodyObject(body: SolidBody, material: Material, edges: LineBasicMaterial | null): Object3D {
    const object = new Group();
    for (const { geometry, body_from_shape: pose } of body.shapes) {
      const isPlane = geometry.kind === "plane";
      const made = geometryOf(geometry, FLOOR_SQUARES * this.spacing);
      const mesh = new Mesh(made, isPlane ? this.planeMaterial : material);
      mesh.castShadow = !isPlane;
      mesh.receiveShadow = true;
      const placed = new Group();
      placed.position.set(...pose.position_m);
      placed.quaternion.set(
        pose.rotation_wxyz[1],
        pose.rotation_wxyz[2],
        pose.rotation_wxyz[3],
        pose.rotation_wxyz[0],
      );
      placed.add(mesh);
      if (edges !== null && !isPlane) placed.add(new LineSegments(new EdgesGeometry(made, 35), edges));
      object.add(placed);
    }
    // A scene of bodies without shapes would be empty; elsewhere such a body is a frame that holds no solid.
    if (this.bodies.every((other) => other.shapes.length === 0))
      object.add(new Mesh(new SphereGeometry(0.02 * this.reach, 16, 12), material));
    return object;
  }

  private addFixed(track: Track | undefined): void {
    let floorAt = this.framing.floor;
    let hasPlane = false;
    for (const [index, body] of this.bodies.entries()) {
      if (this.moving[index] || track === undefined || !track.sample(0, index, this.pose)) continue;
      const material = new MeshStandardMaterial({ roughness: 0.9 });
      const object = this.bodyObject(body, material, null);
      setPose(object, this.pose);
      this.scene.add(object);
      this.fixed.push({ object, body: index, material });
      if (body.shapes.some((shape) => shape.geometry.kind === "plane")) {
        floorAt = this.pose[2] as number;
        hasPlane = true;
      }
    }
    this.floor.position.z = floorAt;
    if (hasPlane) return;
    const catcher = new Mesh(
      new PlaneGeometry(FLOOR_SQUARES * this.spacing, FLOOR_SQUARES * this.spacing),
      this.shadowMaterial,
    );
    catcher.receiveShadow = true;
    this.floor.add(catcher);
  }

  private addLight(): void {
    this.light.castShadow = true;
    this.light.shadow.mapSize.set(1024, 1024);
    const { camera } = this.light.shadow;
    const reach = 2.2 * this.reach;
    [camera.left, camera.right, camera.top, camera.bottom] = [-reach, reach, reach, -reach];
    [camera.near, camera.far] = [0.1 * this.reach, 12 * this.reach];
    this.light.shadow.normalBias = 0.01 * this.reach;
    this.scene.add(new HemisphereLight(0xffffff, 0xcfcbc4, 2.3), this.light, this.light.target);
  }

  /** The path of the shape that moves furthest: a pendulum's bob, an arm's hand. */
  private trailOf(track: Track): BufferGeometry {
    let [longest, best] = [-1, new Float32Array(0)];
    for (const [index, body] of this.bodies.entries()) {
      if (!this.moving[index]) continue;
      const middles =
        body.shapes.length === 0
          ? [[0, 0, 0] as const]
          : body.shapes.map((shape) => shape.body_from_shape.position_m);
      for (const middle of middles) {
        const { points, length } = this.pathOf(track, index, middle);
        if (length > longest) [longest, best] = [length, points];
      }
    }
    const geometry = new BufferGeometry();
    geometry.setAttribute("position", new BufferAttribute(best, 3));
    return geometry;
  }

  /** The path of a point of a body, as far as it can be drawn. */
  private pathOf(
    track: Track,
    body: number,
    point: readonly [number, number, number],
  ): { points: Float32Array<ArrayBuffer>; length: number } {
    const stride = Math.max(1, Math.ceil(track.frames / TRAIL_POINTS));
    const points: number[] = [];
    let [length, before] = [0, null as Point | null];
    for (let frame = 0; frame < track.frames; frame += stride) {
      if (!track.sample(track.timeOf(frame), body, this.pose)) break;
      const here = pointInWorld(this.pose, point);
      if (before !== null) length += distance(before, here);
      before = here;
      points.push(...here);
    }
    return { points: Float32Array.from(points), length };
  }

  private place(cast: Cast, time: number): void {
    for (const { object, body } of cast.bodies) {
      object.visible = this.look(body).shown && cast.actor.track.sample(time, body, this.pose);
      if (object.visible) setPose(object, this.pose);
    }
    const sign = this.forceOn === "first" ? 1 : -1;
    cast.arrows?.show(cast.actor.track.frameAt(time), (sign * this.forceScale * this.reach) / this.usualForce);
  }

  /**
   * Solid bodies fade a little with rank, so that two at the same place can both be seen; ghosts are outlines. Surfaces at
   * one place are moved apart in depth by rank, and only the first writes it: they do not flicker.
   */
  private dress(cast: Cast, isSolid: boolean, rank: number): void {
    cast.group.renderOrder = rank;
    for (const { object, body, solid, edges } of cast.bodies) {
      const { opacity } = this.look(body);
      solid.opacity = opacity * (isSolid ? (rank <= 0 ? 1 : 0.62) : 0.22);
      solid.depthWrite = isSolid && rank <= 0 && opacity === 1;
      solid.polygonOffsetFactor = solid.polygonOffsetUnits = 2 * rank;
      edges.opacity = isSolid ? 0 : 0.75 * opacity;
      edges.visible = !isSolid;
      object.traverse((part) => {
        part.renderOrder = rank;
        if (part instanceof Mesh) part.castShadow = isSolid && opacity > 0.5;
      });
    }
  }

  private target(time: number, view: View, lead: number): Point {
    let centre: Point = this.framing.centre;
    const focused = this.focus === null ? null : this.focusPoint(lead, time);
    if (focused !== null) {
      centre = focused;
    } else if (this.follow) {
      const middles = this.extents
        .flatMap((extent, index) => (this.moving[index] ? [this.pointOf(lead, index, extent.centre, time)] : []))
        .filter((point) => point !== null);
      if (middles.length > 0)
        centre = [0, 1, 2].map(
          (axis) => middles.reduce((sum, point) => sum + (point[axis] ?? 0), 0) / middles.length,
        ) as Point;
    }
    const radius = this.viewRadius();
    return [
      centre[0] + radius * view.shift[0],
      centre[1] + radius * view.shift[1],
      centre[2] + radius * view.shift[2],
    ];
  }

  private focusPoint(lead: number, time: number): Point | null {
    const body = this.focus ?? 0;
    return this.pointOf(lead, body, this.extents[body]?.centre ?? [0, 0, 0], time);
  }

  private viewRadius(): number {
    if (this.focus !== null)
      return Math.min(this.framing.radius, 3 * Math.max(this.extents[this.focus]?.radius ?? 0, 1e-3));
    return this.follow ? Math.min(this.closeRadius(), this.framing.radius) : this.framing.radius;
  }

  private aim(target: Point, view: View): void {
    const radius = this.viewRadius();
    const away = direction(view);
    const far = radius * view.distance;
    this.camera.position.set(
      target[0] + radius * away[0],
      target[1] + radius * away[1],
      target[2] + radius * away[2],
    );
    this.camera.near = 0.01 * far;
    this.camera.far = 40 * far;
    this.camera.lookAt(...target);
    const { fog } = this.scene;
    if (fog instanceof Fog) [fog.near, fog.far] = [1.6 * far, 5 * far];
    this.light.position.set(target[0] - 2.2 * radius, target[1] - 2.6 * radius, target[2] + 4.4 * radius);
    this.light.target.position.set(...target);
    // The grid moves in whole squares, so that it appears at rest.
    this.floor.position.x = this.spacing * Math.round(target[0] / this.spacing);
    this.floor.position.y = this.spacing * Math.round(target[1] / this.spacing);
  }
}

/** 1, 2 or 5 times a power of ten. */
export function niceSpacing(about: number): number {
  const power = 10 ** Math.floor(Math.log10(about));
  const digit = about / power;
  return power * (digit < 1.5 ? 1 : digit < 3.5 ? 2 : digit < 7.5 ? 5 : 10);
}

function setPose(object: Object3D, pose: Float64Array): void {
  const [x, y, z, w, i, j, k] = pose as unknown as [number, number, number, number, number, number, number];
  object.position.set(x, y, z);
  object.quaternion.set(i, j, k, w);
}
