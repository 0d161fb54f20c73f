//! A world laid out for an engine of rigid bodies: flat, in numbers, the same for a shim in C++ and for a worker in
//! another language, which reads it as JSON.
//!
//! Bodies welded together are one piece ([`crate::pieces`]); piece 0 is the ground. A pose is `x y z w x y z`, of the
//! piece the field's name says (or of the world, for the ground). Infinite limits and stiffnesses are `null` in JSON.

use crate::coordinates::{JointFrames, joint_frames};
use crate::pieces::{GROUND, Pieces};
use crate::refusals::Refusals;
use crate::touch::{TouchTable, Touching};
use serde::Serialize;
use veracity_model::{
    BodyId, Combination, CombineRule, Dof, JointKind, Layout, LoopKind, Material, Pose, Shape, Vec3, World,
};

/// Version of these fields. Version 2 has combination rules other than the default; a scene with the default rules is
/// still of version 1, which a reader that does not know rules may accept.
pub const SCHEMA: u32 = 2;

/// The whole scene.
#[derive(Clone, Debug, Serialize)]
pub struct Scene {
    /// At most [`SCHEMA`].
    pub schema: u32,
    /// The world's.
    pub name: String,
    /// [m/s²]
    pub gravity: [f64; 3],
    /// Length of `q`.
    pub nq: usize,
    /// Length of `v`.
    pub nv: usize,
    /// Whether contact is on.
    pub contact: bool,
    /// How friction of two surfaces becomes that of the pair: average, min, multiply, max, geometric_mean.
    pub friction_rule: CombineRule,
    /// The same for restitution.
    pub restitution_rule: CombineRule,
    /// Rigid pieces, the ground first.
    pub pieces: Vec<ScenePiece>,
    /// Bodies of the layout and the pieces they belong to.
    pub bodies: Vec<SceneBody>,
    /// Joints that move, parents first.
    pub joints: Vec<SceneJoint>,
    /// Degrees of freedom in the order of `v`.
    pub dofs: Vec<Dof>,
    /// Shapes that collide.
    pub shapes: Vec<SceneShape>,
    /// Pairs of shapes that may touch, the lower number first.
    pub touch: Vec<[usize; 2]>,
    /// Joints that close loops.
    pub loops: Vec<SceneLoop>,
    /// Springs between points.
    pub springs: Vec<SceneSpring>,
    /// Joints that move together.
    pub couplings: Vec<SceneCoupling>,
    /// Names of the pairs whose gaps a state holds, in that order.
    pub pairs: Vec<String>,
    /// Start positions of the model.
    pub q: Vec<f64>,
    /// The table `touch` was made of.
    #[serde(skip)]
    pub table: TouchTable,
}

/// A rigid piece; its frame is at its centre of mass.
#[derive(Clone, Debug, Serialize)]
pub struct ScenePiece {
    /// Of its first body.
    pub name: String,
    /// [kg]
    pub mass: f64,
    /// xx yy zz xy xz yz in the piece's axes [kg m²].
    pub tensor: [f64; 6],
    /// Principal moments [kg m²].
    pub moments: [f64; 3],
    /// Their axes: w x y z.
    pub piece_from_principal: [f64; 4],
    /// [1/s]
    pub linear_damping: f64,
    /// [1/s]
    pub angular_damping: f64,
    /// Factor on gravity.
    pub gravity_scale: f64,
}

/// The piece and pose of a body of the layout.
#[derive(Clone, Debug, Serialize)]
pub struct SceneBody {
    /// `placement/body`.
    pub name: String,
    /// Its piece.
    pub piece: usize,
    /// Its frame there.
    pub piece_from_body: [f64; 7],
    /// Its centre of mass in its own frame [m].
    pub com: [f64; 3],
}

/// A joint between two pieces.
#[derive(Clone, Debug, Serialize)]
pub struct SceneJoint {
    /// `placement/joint`.
    pub name: String,
    /// Name of its kind.
    pub kind: &'static str,
    /// Piece it hangs on.
    pub parent: usize,
    /// Piece it carries.
    pub child: usize,
    /// Where its positions begin.
    pub q: usize,
    /// How many there are.
    pub nq: usize,
    /// Where its velocities begin.
    pub v: usize,
    /// How many there are.
    pub nv: usize,
    /// The joint frame in the parent.
    pub parent_from_joint: [f64; 7],
    /// The joint frame in the child.
    pub child_from_joint: [f64; 7],
    /// First axis in the joint frame; zero where it has none.
    pub axis: [f64; 3],
    /// Second axis.
    pub axis2: [f64; 3],
    /// Of a screw [m/rad].
    pub pitch: f64,
}

/// A shape that collides.
#[derive(Clone, Debug, Serialize)]
pub struct SceneShape {
    /// `placement/body/shape`.
    pub name: String,
    /// Name of its kind.
    pub kind: &'static str,
    /// Slot of its body.
    pub body: usize,
    /// Its piece.
    pub piece: usize,
    /// Its frame there.
    pub piece_from_shape: [f64; 7],
    /// Radius; sides; radius and length; see `veracity_shim.h`.
    pub size: [f64; 3],
    /// Of meshes [m].
    pub points: Vec<[f64; 3]>,
    /// Of meshes.
    pub triangles: Vec<[u32; 3]>,
    /// Of height fields, row by row from the lowest y [m].
    pub heights: Vec<f64>,
    /// Columns and rows of the heights.
    pub counts: [usize; 2],
    /// Its surface.
    pub material: Material,
}

/// A joint that closes a loop.
#[derive(Clone, Debug, Serialize)]
pub struct SceneLoop {
    /// `placement/loop`.
    pub name: String,
    /// Name of its kind.
    pub kind: &'static str,
    /// First piece.
    pub a: usize,
    /// Second piece.
    pub b: usize,
    /// Frame A in the first piece.
    pub a_from_frame: [f64; 7],
    /// Frame B in the second piece.
    pub b_from_frame: [f64; 7],
    /// Axis in frame A.
    pub axis_a: [f64; 3],
    /// Axis in frame B.
    pub axis_b: [f64; 3],
    /// Of a distance [m].
    pub length: f64,
}

/// A spring between points.
#[derive(Clone, Debug, Serialize)]
pub struct SceneSpring {
    /// `placement/spring`.
    pub name: String,
    /// First piece.
    pub a: usize,
    /// Second piece.
    pub b: usize,
    /// In the first piece [m].
    pub point_a: [f64; 3],
    /// In the second piece [m].
    pub point_b: [f64; 3],
    /// [N/m]
    pub stiffness: f64,
    /// [N s/m]
    pub damping: f64,
    /// [m]
    pub rest: f64,
}

/// `q[follower] = polynomial(q[leader])`.
#[derive(Clone, Debug, Serialize)]
pub struct SceneCoupling {
    /// `placement/coupling`.
    pub name: String,
    /// Index among the scene's joints.
    pub follower: usize,
    /// Index among the scene's joints; `None` holds the follower.
    pub leader: Option<usize>,
    /// Constant first.
    pub coefficients: Vec<f64>,
}

/// Names, offsets, joint frames and pieces of a scene: the part that is not sent to the engine.
#[derive(Clone, Debug)]
pub struct Place {
    /// Names and offsets.
    pub layout: Layout,
    /// Frames of the joints, one for each body.
    pub frames: Vec<JointFrames>,
    /// Rigid pieces.
    pub pieces: Pieces,
    /// Centre of mass of each body in its own frame [m].
    pub body_coms: Vec<Vec3>,
}

impl Place {
    /// For a world; refuses what no foreign engine can express.
    pub fn new(world: &World, refusals: &mut Refusals) -> Self {
        let layout = Layout::new(world);
        let frames = joint_frames(world, &layout);
        let pieces = Pieces::new(world, &layout, refusals);
        let bodies = world.placements.iter().flat_map(|p| p.model.bodies());
        let body_coms = bodies.map(|b| b.inertia.com).collect();
        Self { layout, frames, pieces, body_coms }
    }
}

impl Scene {
    /// Lays out a world.
    pub fn new(world: &World, place: &Place) -> Self {
        let (layout, pieces) = (&place.layout, &place.pieces);
        let mut scene = Self {
            schema: if world.combination == Combination::default() { 1 } else { SCHEMA },
            name: world.name.clone(),
            gravity: world.gravity.into(),
            nq: layout.position_count,
            nv: layout.dof_count(),
            contact: world.contact,
            friction_rule: world.combination.friction,
            restitution_rule: world.combination.restitution,
            pieces: pieces.pieces.iter().map(scene_piece).collect(),
            bodies: Vec::new(),
            joints: Vec::new(),
            dofs: layout.dofs.clone(),
            shapes: Vec::new(),
            touch: Vec::new(),
            loops: Vec::new(),
            springs: Vec::new(),
            couplings: Vec::new(),
            pairs: layout.pairs.clone(),
            q: world.placements.iter().flat_map(|p| p.model.initial_positions()).collect(),
            table: TouchTable::default(),
        };
        for (slot, body) in layout.bodies.iter().enumerate() {
            scene.bodies.push(SceneBody {
                name: body.name.clone(),
                piece: pieces.of_body[slot],
                piece_from_body: seven(&pieces.piece_from_body[slot]),
                com: place.body_coms[slot].into(),
            });
        }
        // For each joint of the layout its index among the scene's.
        let moving = scene.add_joints(place);
        if world.contact {
            scene.add_shapes(world, place);
        }
        scene.add_constraints(world, place, &moving);
        scene
    }

    fn add_joints(&mut self, place: &Place) -> Vec<Option<usize>> {
        let mut moving = Vec::with_capacity(place.frames.len());
        for (slot, frames) in place.frames.iter().enumerate() {
            if frames.kind == JointKind::Fixed {
                moving.push(None);
                continue;
            }
            moving.push(Some(self.joints.len()));
            let (parent, parent_from_joint) = match frames.parent {
                Some(body) => {
                    (place.pieces.of_body[body], place.pieces.piece_from_body[body] * frames.parent_from_joint)
                }
                None => (GROUND, frames.parent_from_joint),
            };
            let none = Vec3::zeros();
            let (axis, axis2, pitch) = match frames.kind {
                JointKind::Revolute { axis } | JointKind::Continuous { axis } | JointKind::Prismatic { axis } => {
                    (axis, none, 0.0)
                }
                JointKind::Screw { axis, pitch } => (axis, none, pitch),
                JointKind::Universal { axis1, axis2 } => (axis1, axis2, 0.0),
                JointKind::Planar { x_axis, y_axis } => (x_axis, y_axis, 0.0),
                JointKind::Fixed | JointKind::Ball | JointKind::Free => (none, none, 0.0),
            };
            self.joints.push(SceneJoint {
                name: place.layout.joints[slot].name.clone(),
                kind: frames.kind.name(),
                parent,
                child: place.pieces.of_body[slot],
                q: frames.q,
                nq: frames.kind.position_count(),
                v: frames.v,
                nv: frames.kind.dof_count(),
                parent_from_joint: seven(&parent_from_joint),
                child_from_joint: seven(&(place.pieces.piece_from_body[slot] * frames.child_from_joint)),
                axis: axis.into(),
                axis2: axis2.into(),
                pitch,
            });
        }
        moving
    }

    fn add_shapes(&mut self, world: &World, place: &Place) {
        let mut touching = Vec::new();
        for (slot, body) in place.layout.bodies.iter().enumerate() {
            let model = &world.placements[body.placement].model;
            let shapes = &model.bodies()[body.body.0].shapes;
            touching.extend(shapes.iter().filter(|s| s.collides).map(|shape| Touching { body: slot, shape }));
        }
        self.table = TouchTable::new(world, &place.layout, &touching);
        for (a, b) in (0..touching.len()).flat_map(|a| (a + 1..touching.len()).map(move |b| (a, b))) {
            if self.table.allows(a, b) {
                self.touch.push([a, b]);
            }
        }
        for Touching { body, shape } in touching {
            let slot = &place.layout.bodies[body];
            let model = &world.placements[slot.placement].model;
            let material = shape.material.map_or_else(Material::default, |m| model.materials()[m.0].clone());
            let pose = place.pieces.piece_from_body[body] * shape.body_from_shape;
            let mut made = SceneShape {
                name: format!("{}/{}", slot.name, shape.name),
                kind: shape.shape.name(),
                body,
                piece: place.pieces.of_body[body],
                piece_from_shape: seven(&pose),
                size: [0.0; 3],
                points: Vec::new(),
                triangles: Vec::new(),
                heights: Vec::new(),
                counts: [0; 2],
                material,
            };
            match &shape.shape {
                Shape::Sphere { radius } | Shape::Disc { radius } => made.size[0] = *radius,
                Shape::Box { size } => made.size = (*size).into(),
                Shape::Ellipsoid { radii } => made.size = (*radii).into(),
                Shape::Capsule { radius, length } | Shape::Cylinder { radius, length } => {
                    made.size = [*radius, *length, 0.0];
                }
                Shape::Plane => {}
                Shape::Convex(mesh) | Shape::Mesh(mesh) => {
                    made.points = mesh.vertices.iter().map(|v| (*v).into()).collect();
                    made.triangles.clone_from(&mesh.triangles);
                }
                Shape::HeightField(field) => {
                    made.size = [field.size[0], field.size[1], 0.0];
                    made.counts = field.counts;
                    made.heights.clone_from(&field.heights);
                }
            }
            self.shapes.push(made);
        }
    }

    fn add_constraints(&mut self, world: &World, place: &Place, moving: &[Option<usize>]) {
        let mut first = 0;
        for placement in &world.placements {
            let model = &placement.model;
            let end = |body: Option<BodyId>| match body {
                Some(b) => (place.pieces.of_body[first + b.0], place.pieces.piece_from_body[first + b.0]),
                None => (GROUND, placement.world_from_model),
            };
            let named = |name: &str| format!("{}/{name}", placement.name);
            for l in model.loops() {
                let ((a, from_a), (b, from_b)) = (end(l.body_a), end(l.body_b));
                let none = Vec3::zeros();
                let (axis_a, axis_b, length) = match l.kind {
                    LoopKind::Weld | LoopKind::Ball => (none, none, 0.0),
                    LoopKind::Revolute { axis } | LoopKind::Prismatic { axis } => (axis, axis, 0.0),
                    LoopKind::Universal { axis_a, axis_b } => (axis_a, axis_b, 0.0),
                    LoopKind::Distance { length } => (none, none, length),
                };
                self.loops.push(SceneLoop {
                    name: named(&l.name),
                    kind: l.kind.name(),
                    a,
                    b,
                    a_from_frame: seven(&(from_a * l.a_from_frame)),
                    b_from_frame: seven(&(from_b * l.b_from_frame)),
                    axis_a: axis_a.into(),
                    axis_b: axis_b.into(),
                    length,
                });
            }
            for s in model.springs() {
                let ((a, from_a), (b, from_b)) = (end(s.body_a), end(s.body_b));
                let point = |from: &Pose, p: &Vec3| (from * nalgebra::Point3::from(*p)).coords.into();
                self.springs.push(SceneSpring {
                    name: named(&s.name),
                    a,
                    b,
                    point_a: point(&from_a, &s.point_a),
                    point_b: point(&from_b, &s.point_b),
                    stiffness: s.stiffness,
                    damping: s.damping,
                    rest: s.rest_length,
                });
            }
            for c in model.couplings() {
                // The builder only allows couplings of moving joints.
                let Some(follower) = moving[first + c.follower.0] else { continue };
                self.couplings.push(SceneCoupling {
                    name: named(&c.name),
                    follower,
                    leader: c.leader.and_then(|l| moving[first + l.0]),
                    coefficients: c.coefficients.clone(),
                });
            }
            first += model.bodies().len();
        }
    }
}

fn scene_piece(piece: &crate::pieces::Piece) -> ScenePiece {
    let t = &piece.inertia.tensor;
    let turn = piece.piece_from_principal;
    ScenePiece {
        name: piece.name.clone(),
        mass: piece.inertia.mass,
        tensor: [t[(0, 0)], t[(1, 1)], t[(2, 2)], t[(0, 1)], t[(0, 2)], t[(1, 2)]],
        moments: piece.moments,
        piece_from_principal: [turn.w, turn.i, turn.j, turn.k],
        linear_damping: piece.linear_damping,
        angular_damping: piece.angular_damping,
        gravity_scale: piece.gravity_scale,
    }
}

/// `x y z w x y z`.
pub fn seven(pose: &Pose) -> [f64; 7] {
    let (p, r) = (pose.translation.vector, pose.rotation);
    [p.x, p.y, p.z, r.w, r.i, r.j, r.k]
}
