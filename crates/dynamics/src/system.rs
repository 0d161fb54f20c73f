//! A [`World`] compiled for motion.
//!
//! Bodies held by fixed joints are welded into one *link*; universal and planar joints become two or three links,
//! all but the last without mass. What remains has joints of five kinds only. Each link's frame is at its joint with z
//! along the joint axis, so that a rotation about it changes only two columns of the orientation.
//!
//! The order of `q` and `v` is that of the placements and of the joints in their models: compiling changes no index.

use crate::attachments::{CompiledActuator, CompiledSpring, Constraint};
use crate::blocks::Block;
use crate::branches::Branches;
use crate::link::{Drag, Link, LinkKind, PrincipalInertia, TreeTurn, full};
use crate::spatial::{Rot, V3, scale, sym_shift};
use nalgebra as na;
use veracity_model::geometry::frame_with_z;
use veracity_model::{BodyId, Dof, Inertia, JointKind, Model, Placement, Pose, Vec3, World};

/// The link and the frame of a body of the world.
#[derive(Clone, Copy, Debug)]
pub struct BodyPlace {
    /// State index: 0 is the world.
    pub(crate) state: usize,
    /// Origin of the link's tree; zero for the world.
    pub(crate) tree_origin: V3,
    pub(crate) rot: Rot,
    pub(crate) pos: V3,
}

/// A world ready to move. Immutable.
#[derive(Clone, Debug)]
pub struct System {
    pub(crate) links: Vec<Link>,
    pub(crate) nq: usize,
    pub(crate) nv: usize,
    pub(crate) gravity: V3,
    pub(crate) dofs: Vec<Dof>,
    /// Position index of each degree of freedom with a scalar position, for springs.
    pub(crate) dof_position: Vec<Option<usize>>,
    /// For each degree of freedom the next one towards the root, or `usize::MAX`.
    pub(crate) dof_parent: Vec<usize>,
    pub(crate) branches: Branches,
    pub(crate) blocks: Vec<Block>,
    /// The block of each degree of freedom.
    pub(crate) dof_block: Vec<usize>,
    /// Entry `(i, j)` of the mass matrix is at `mass_rows[i] + j`, for `i` and `j` of one block.
    pub(crate) mass_rows: Vec<usize>,
    pub(crate) mass_len: usize,
    pub(crate) constraints: Vec<Constraint>,
    pub(crate) springs: Vec<CompiledSpring>,
    pub(crate) actuators: Vec<CompiledActuator>,
    pub(crate) bodies: Vec<Vec<BodyPlace>>,
    pub(crate) neutral: Vec<f64>,
    pub(crate) has_joint_forces: bool,
    pub(crate) has_drag: bool,
    pub(crate) has_gravity_deficit: bool,
    pub(crate) friction_speed: f64,
}

/// Why a world cannot be compiled.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum SystemError {
    /// A feature that is not supported.
    #[error("{subject}: {what} is not supported by the native dynamics; {hint}")]
    Unsupported {
        /// Which part.
        subject: String,
        /// The unsupported feature.
        what: String,
        /// What to do.
        hint: String,
    },
}

/// Speed below which dry friction is smoothed [rad/s or m/s]: `friction · v / sqrt(v² + speed²)`.
pub const DEFAULT_FRICTION_SPEED: f64 = 1e-4;

impl System {
    /// Compiles a world.
    pub fn new(world: &World) -> Result<Self, SystemError> {
        let mut system = System {
            links: Vec::new(),
            nq: 0,
            nv: 0,
            gravity: world.gravity.into(),
            dofs: Vec::new(),
            dof_position: Vec::new(),
            dof_parent: Vec::new(),
            branches: Branches::default(),
            blocks: Vec::new(),
            dof_block: Vec::new(),
            mass_rows: Vec::new(),
            mass_len: 0,
            constraints: Vec::new(),
            springs: Vec::new(),
            actuators: Vec::new(),
            bodies: Vec::new(),
            neutral: Vec::new(),
            has_joint_forces: false,
            has_drag: false,
            has_gravity_deficit: false,
            friction_speed: DEFAULT_FRICTION_SPEED,
        };
        for placement in &world.placements {
            system.add_model(placement)?;
        }
        system.has_joint_forces =
            system.dofs.iter().any(|d| d.damping != 0.0 || d.stiffness != 0.0 || d.friction != 0.0);
        system.has_drag = system.links.iter().any(|l| l.drag.is_some());
        system.has_gravity_deficit = system.links.iter().any(|l| l.gravity_deficit != 0.0);
        for link in &mut system.links {
            link.armature = system.dofs[link.v].armature;
            link.first_moment = scale(link.com, link.mass);
            link.about_origin = PrincipalInertia::new(&sym_shift(&link.inertia, link.mass, link.com));
        }
        system.dof_parent = dof_parents(&system.links, system.nv);
        system.branches = Branches::new(&system.dof_parent);
        system.add_blocks();
        Ok(system)
    }

    /// Compiles one model at the origin.
    pub fn from_model(model: &Model, gravity: Vec3) -> Result<Self, SystemError> {
        let mut world = World::with_model(model.clone());
        world.gravity = gravity;
        Self::new(&world)
    }

    /// Length of `q`.
    pub fn position_count(&self) -> usize {
        self.nq
    }

    /// Length of `v`.
    pub fn dof_count(&self) -> usize {
        self.nv
    }

    /// Whether loops or couplings constrain the tree.
    pub fn is_constrained(&self) -> bool {
        !self.constraints.is_empty()
    }

    /// Positions with every joint neutral.
    pub fn neutral_positions(&self) -> &[f64] {
        &self.neutral
    }

    /// Acceleration of free fall [m/s²].
    pub fn gravity(&self) -> V3 {
        self.gravity
    }

    /// Properties of the degrees of freedom, in the order of `v`.
    pub fn dofs(&self) -> &[Dof] {
        &self.dofs
    }

    /// The link and the frame of a body of a placement.
    pub fn place(&self, placement: usize, body: BodyId) -> BodyPlace {
        self.bodies[placement][body.0]
    }

    /// The speed below which dry friction is smoothed [rad/s or m/s].
    pub fn friction_speed(&self) -> f64 {
        self.friction_speed
    }

    /// Smooths dry friction below another speed [rad/s or m/s].
    pub fn set_friction_speed(&mut self, speed: f64) {
        self.friction_speed = speed;
    }

    fn add_model(&mut self, placement: &Placement) -> Result<(), SystemError> {
        let model = &placement.model;
        let mut places: Vec<BodyPlace> = Vec::with_capacity(model.bodies().len());
        let mut joint_index = Vec::with_capacity(model.joints().len());
        for (body, joint) in model.bodies().iter().zip(model.joints()) {
            let (parent_state, parent_pose) = match joint.parent {
                None => (0, placement.world_from_model),
                Some(p) => (places[p.0].state, places[p.0].pose()),
            };
            let joint_pose = parent_pose * joint.parent_from_joint;
            joint_index.push((self.nq, self.nv));
            let (state, frame_from_joint) = self.add_joint(&placement.name, joint, parent_state, joint_pose)?;
            // The body's frame in the link's frame.
            let link_from_body = frame_from_joint * joint.child_from_joint.inverse();
            let mut place = BodyPlace::new(state, &link_from_body);
            if state > 0 {
                place.tree_origin = self.links[state - 1].tree_origin;
            }
            if state > 0 {
                self.weld(state - 1, body, &link_from_body);
            }
            places.push(place);
        }
        self.add_constraints(placement, &places, &joint_index);
        self.add_springs(placement, &places);
        self.add_actuators(model, &joint_index);
        self.bodies.push(places);
        Ok(())
    }

    /// Adds the links of one joint; returns the state index of the last and the joint frame in it.
    fn add_joint(
        &mut self,
        placement: &str,
        joint: &veracity_model::Joint,
        parent: usize,
        parent_from_joint: Pose,
    ) -> Result<(usize, Pose), SystemError> {
        self.neutral.extend_from_slice(joint.kind.neutral());
        self.dofs.extend_from_slice(&joint.dofs);
        let nq = self.nq;
        let scalar = |n: usize| (0..n).map(move |i| Some(nq + i)).collect::<Vec<_>>();
        match joint.kind {
            JointKind::Fixed => return Ok((parent, parent_from_joint)),
            JointKind::Revolute { axis } | JointKind::Continuous { axis } => {
                self.dof_position.extend(scalar(1));
                return Ok(self.add_axis_link(parent, parent_from_joint, &axis, LinkKind::Revolute));
            }
            JointKind::Prismatic { axis } => {
                self.dof_position.extend(scalar(1));
                return Ok(self.add_axis_link(parent, parent_from_joint, &axis, LinkKind::Prismatic));
            }
            JointKind::Screw { axis, pitch } => {
                self.dof_position.extend(scalar(1));
                return Ok(self.add_axis_link(parent, parent_from_joint, &axis, LinkKind::Screw { pitch }));
            }
            JointKind::Universal { axis1, axis2 } => {
                self.dof_position.extend(scalar(2));
                let (first, frame) = self.add_axis_link(parent, parent_from_joint, &axis1, LinkKind::Revolute);
                return Ok(self.add_axis_link(first, frame, &axis2, LinkKind::Revolute));
            }
            JointKind::Planar { x_axis, y_axis } => {
                self.dof_position.extend(scalar(3));
                let (first, frame) = self.add_axis_link(parent, parent_from_joint, &x_axis, LinkKind::Prismatic);
                let (second, frame) = self.add_axis_link(first, frame, &y_axis, LinkKind::Prismatic);
                return Ok(self.add_axis_link(second, frame, &x_axis.cross(&y_axis), LinkKind::Revolute));
            }
            JointKind::Ball => self.push_link(parent, &parent_from_joint, LinkKind::Ball),
            JointKind::Free => {
                if parent != 0 && joint.dofs.iter().any(|d| d.armature != 0.0) {
                    return Err(SystemError::Unsupported {
                        subject: format!("{placement}/joints/{}", joint.name),
                        what: "armature on a free joint attached to a moving body".into(),
                        hint: "set the armature to zero or attach the joint to the world".into(),
                    });
                }
                self.push_link(parent, &parent_from_joint, LinkKind::Free);
            }
        }
        self.dof_position.extend(vec![None; joint.kind.dof_count()]);
        Ok((self.links.len(), Pose::identity()))
    }

    /// A link that turns about or slides along `axis`; returns its state index and the joint frame in it.
    fn add_axis_link(
        &mut self,
        parent: usize,
        parent_from_joint: Pose,
        axis: &Vec3,
        kind: LinkKind,
    ) -> (usize, Pose) {
        let joint_from_link = Pose::from_parts(na::Translation3::identity(), link_axes(axis));
        self.push_link(parent, &(parent_from_joint * joint_from_link), kind);
        (self.links.len(), joint_from_link.inverse())
    }

    fn push_link(&mut self, parent: usize, parent_from_link: &Pose, kind: LinkKind) {
        let tree_rot = rot(parent_from_link);
        let at: V3 = parent_from_link.translation.vector.into();
        let tree_pos = if parent == 0 { [0.0; 3] } else { at };
        self.links.push(Link {
            parent,
            kind,
            q: self.nq,
            v: self.nv,
            tree_rot,
            tree_turn: TreeTurn::new(&tree_rot),
            tree_pos,
            has_no_arm: tree_pos == [0.0; 3] && matches!(kind, LinkKind::Revolute | LinkKind::Ball),
            armature: 0.0,
            tree_origin: if parent == 0 { at } else { self.links[parent - 1].tree_origin },
            mass: 0.0,
            com: [0.0; 3],
            inertia: [0.0; 6],
            first_moment: [0.0; 3],
            about_origin: PrincipalInertia::new(&[0.0; 6]),
            gravity_deficit: 0.0,
            gravity_deficit_moment: [0.0; 3],
            drag: None,
        });
        let (q, v) = match kind {
            LinkKind::Ball => (4, 3),
            LinkKind::Free => (7, 6),
            _ => (1, 1),
        };
        self.nq += q;
        self.nv += v;
    }

    /// Adds a body's mass to a link.
    fn weld(&mut self, link: usize, body: &veracity_model::Body, link_from_body: &Pose) {
        let link = &mut self.links[link];
        let added = body.inertia.transformed(link_from_body);
        let so_far = Inertia { mass: link.mass, com: link.com.into(), tensor: full(&link.inertia) };
        // The numbers of a single body are kept bit for bit.
        let sum = if link.mass == 0.0 && link.inertia == [0.0; 6] { added } else { so_far.combined(&added) };
        let t = sum.tensor;
        link.mass = sum.mass;
        link.com = sum.com.into();
        link.inertia = [t[(0, 0)], t[(1, 1)], t[(2, 2)], t[(0, 1)], t[(0, 2)], t[(1, 2)]];
        let deficit = added.mass * (body.gravity_scale - 1.0);
        link.gravity_deficit += deficit;
        for k in 0..3 {
            link.gravity_deficit_moment[k] += deficit * added.com[k];
        }
        if body.linear_damping != 0.0 || body.angular_damping != 0.0 {
            let drag = link.drag.get_or_insert_with(|| Box::new(Drag { linear: Vec::new(), angular: [0.0; 6] }));
            drag.linear.push((body.linear_damping * added.mass, added.com.into()));
            let a = added.tensor * body.angular_damping;
            let six = [a[(0, 0)], a[(1, 1)], a[(2, 2)], a[(0, 1)], a[(0, 2)], a[(1, 2)]];
            for (sum, x) in drag.angular.iter_mut().zip(six) {
                *sum += x;
            }
        }
    }
}

/// A frame with z along the joint's axis: a permutation of the joint's own axes where possible.
fn link_axes(axis: &Vec3) -> na::UnitQuaternion<f64> {
    let half =
        |sign: f64| na::UnitQuaternion::new_unchecked(na::Quaternion::new(0.5, 0.5 * sign, 0.5 * sign, 0.5 * sign));
    match [axis.x, axis.y, axis.z] {
        // Thirds of a turn about (1, 1, 1) take z to x and to y.
        [1.0, 0.0, 0.0] => half(1.0),
        [0.0, 1.0, 0.0] => half(-1.0),
        _ => frame_with_z(axis),
    }
}

impl BodyPlace {
    fn new(state: usize, link_from_body: &Pose) -> Self {
        Self { state, tree_origin: [0.0; 3], rot: rot(link_from_body), pos: link_from_body.translation.vector.into() }
    }

    /// The body's frame in the link (or world).
    pub(crate) fn pose(&self) -> Pose {
        let m = na::Matrix3::from_columns(&[self.rot[0].into(), self.rot[1].into(), self.rot[2].into()]);
        let rotation = na::UnitQuaternion::from_rotation_matrix(&na::Rotation3::from_matrix_unchecked(m));
        Pose::from_parts(na::Translation3::from(Vec3::from(self.pos)), rotation)
    }
}

/// Columns of the pose's rotation, with exact zeros and ones kept exact.
pub(crate) fn rot(pose: &Pose) -> Rot {
    let m = pose.rotation.to_rotation_matrix().into_inner();
    // A product of frame changes that is the identity up to rounding is the identity: it lets the inner loop skip
    // a product and keeps planar mechanisms planar to the last bit. One rounding of a unit quaternion is 2e-16.
    let clean = |x: f64| {
        let nearest = x.round();
        if (x - nearest).abs() < 1e-15 { nearest } else { x }
    };
    [0, 1, 2].map(|c| [clean(m[(0, c)]), clean(m[(1, c)]), clean(m[(2, c)])])
}

fn dof_parents(links: &[Link], nv: usize) -> Vec<usize> {
    let mut parents = vec![usize::MAX; nv];
    for link in links {
        let count = match link.kind {
            LinkKind::Ball => 3,
            LinkKind::Free => 6,
            _ => 1,
        };
        let above = match link.parent {
            0 => usize::MAX,
            p => {
                let up = &links[p - 1];
                up.v + match up.kind {
                    LinkKind::Ball => 2,
                    LinkKind::Free => 5,
                    _ => 0,
                }
            }
        };
        for k in 0..count {
            parents[link.v + k] = if k == 0 { above } else { link.v + k - 1 };
        }
    }
    parents
}
