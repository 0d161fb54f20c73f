//! A compiled world with contact: the moving system, the shapes, the surfaces, and the place of each body.

use crate::surface::Surfaces;
use veracity_collide::{Collider, ContactPoint, ContactScene};
use veracity_dynamics::observe::{body_pose, body_velocity};
use veracity_dynamics::spatial::norm;
use veracity_dynamics::{BodyPlace, System, SystemError, Workspace};
use veracity_model::{Layout, Pose, Shape, Vec3, World};

/// What every paradigm needs of a world. Immutable except for the scratch inside the scene.
#[derive(Clone, Debug)]
pub struct ContactWorld {
    /// The moving system.
    pub system: System,
    /// Names and offsets.
    pub layout: Layout,
    /// Shapes, and which pairs may touch.
    pub scene: ContactScene,
    /// Surface properties of the shapes.
    pub surfaces: Surfaces,
    /// For each body of the layout, its place in the system.
    pub places: Vec<BodyPlace>,
    /// For each body of the layout the block it moves with; `None` for bodies that cannot move.
    pub blocks: Vec<Option<usize>>,
    /// For each body how far its collision shapes reach from its origin [m]. Zero without shapes; planes and other
    /// unbounded shapes count as a point.
    pub radii: Vec<f64>,
    /// For each shape of the scene, whether it has round flat faces (a cylinder or a disc).
    pub round_faces: Vec<bool>,
    /// Bodies with collision shapes, in order: contact needs the poses of these only.
    pub shaped: Vec<usize>,
    /// Degrees of freedom with a limit.
    pub limits: Vec<LimitedDof>,
    /// Degrees of freedom with dry friction, and its effort [N m or N].
    pub dry_friction: Vec<(usize, f64)>,
}

/// A degree of freedom with limits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LimitedDof {
    /// Index in `v`.
    pub v: usize,
    /// Index in `q`.
    pub q: usize,
    /// Lower limit [rad or m]; may be infinite.
    pub lower: f64,
    /// Upper limit [rad or m]; may be infinite.
    pub upper: f64,
}

/// Why a world cannot be moved through contact.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ContactError {
    /// The system cannot be compiled.
    #[error(transparent)]
    System(#[from] SystemError),
    /// A feature is not supported.
    #[error("{subject}: {what} is not supported; {hint}")]
    Unsupported {
        /// The part of the world concerned.
        subject: String,
        /// The unsupported feature.
        what: String,
        /// What to do.
        hint: String,
    },
}

impl ContactWorld {
    /// Compiles a world. On failure, lists everything that is not supported.
    pub fn new(world: &World) -> Result<Self, Vec<ContactError>> {
        let mut trouble = Vec::new();
        let layout = Layout::new(world);
        let system = System::new(world).map_err(|e| trouble.push(e.into())).ok();
        let scene = ContactScene::new(world, &layout)
            .map_err(|list| {
                trouble.extend(list.into_iter().map(|(subject, why)| ContactError::Unsupported {
                    subject,
                    what: why.to_string(),
                    hint: "exclude the shape from collisions or replace it".into(),
                }));
            })
            .ok();
        let (Some(system), Some(scene)) = (system, scene) else { return Err(trouble) };
        let places: Vec<BodyPlace> = layout.bodies.iter().map(|b| system.place(b.placement, b.body)).collect();
        let blocks = places.iter().map(|p| system.block_of(*p)).collect();
        let mut radii = vec![0.0f64; places.len()];
        let mut round_faces = Vec::with_capacity(scene.shapes().len());
        for shape in scene.shapes() {
            let solid = &world.placements[shape.id.placement].model.body(shape.id.body).shapes[shape.id.shape].shape;
            round_faces.push(matches!(solid, Shape::Cylinder { .. } | Shape::Disc { .. }));
            let around = Collider::new(solid).ok().and_then(|c| c.bounds(&shape.body_from_shape));
            if let Some([low, high]) = around {
                let corner = low.abs().sup(&high.abs());
                radii[shape.body] = radii[shape.body].max(corner.norm());
            }
        }
        let mut shaped: Vec<usize> = scene.shapes().iter().map(|shape| shape.body).collect();
        shaped.sort_unstable();
        shaped.dedup();
        let mut limits = Vec::new();
        for (v, dof) in layout.dofs.iter().enumerate() {
            if dof.lower == f64::NEG_INFINITY && dof.upper == f64::INFINITY {
                continue;
            }
            match system.dof_position(v) {
                Some(q) => limits.push(LimitedDof { v, q, lower: dof.lower, upper: dof.upper }),
                None => {
                    let joint = layout.joints.iter().rfind(|j| j.v <= v).map_or("", |j| j.name.as_str());
                    trouble.push(ContactError::Unsupported {
                        subject: joint.to_string(),
                        what: "a limit on a ball or free joint".into(),
                        hint: "build the joint from revolute and prismatic joints, or remove the limit".into(),
                    });
                }
            }
        }
        let dry_friction = layout.dofs.iter().enumerate().filter(|(_, d)| d.friction > 0.0);
        let dry_friction = dry_friction.map(|(v, d)| (v, d.friction)).collect();
        let surfaces = Surfaces::new(world, &scene);
        if !trouble.is_empty() {
            return Err(trouble);
        }
        Ok(Self { system, layout, scene, surfaces, places, blocks, radii, round_faces, shaped, limits, dry_friction })
    }

    /// Poses of all bodies, by slots, after [`veracity_dynamics::kinematics::positions`] or `velocities`.
    pub fn poses(&self, ws: &Workspace, out: &mut Vec<Pose>) {
        out.clear();
        out.extend(self.places.iter().map(|place| body_pose(ws, *place)));
    }

    /// The same for the bodies that have collision shapes; entries of the others are left unchanged.
    pub fn shaped_poses(&self, ws: &Workspace, out: &mut Vec<Pose>) {
        out.resize(self.places.len(), Pose::identity());
        self.shaped.iter().for_each(|&slot| out[slot] = body_pose(ws, self.places[slot]));
    }

    /// How far the points of each body with collision shapes move in `time` at the speeds of the last
    /// [`veracity_dynamics::kinematics::velocities`] [m], by slots. Returns the largest.
    pub fn reaches(&self, ws: &Workspace, time: f64, out: &mut Vec<f64>) -> f64 {
        out.resize(self.places.len(), 0.0);
        let mut largest = 0.0f64;
        for &slot in &self.shaped {
            let (angular, linear) = body_velocity(ws, self.places[slot]);
            out[slot] = time * (norm(linear) + self.radii[slot] * norm(angular));
            largest = out[slot].max(largest);
        }
        largest
    }

    /// The two tangents and the combined surface at a point; `poses` by slots.
    #[inline]
    pub fn surface_at(&self, point: &ContactPoint, poses: &[Pose]) -> crate::surface::PairSurface {
        let shapes = self.scene.shapes();
        self.surfaces.at(point, |shape| {
            let shape = &shapes[shape as usize];
            poses[shape.body] * shape.body_from_shape
        })
    }

    /// The name of the body that a degree of freedom moves, for messages.
    pub fn body_of_dof(&self, dof: usize) -> Option<&str> {
        let joint = self.layout.joints.iter().rfind(|j| j.v <= dof)?;
        Some(&self.layout.bodies[joint.body].name)
    }
}

/// The contact position as one point: midway between the two surfaces.
#[inline]
pub fn middle(point: &ContactPoint) -> Vec3 {
    (point.point_a + point.point_b) * 0.5
}
