//! Rapier's sets, made from a plan.

use crate::convert::{to_pose, to_rotation, to_vector};
use crate::joints::{axis_of_dof, loop_joint, spring_joint, tree_joint};
use crate::plan::{Plan, Role, Source};
use crate::settings::Joints;
use crate::shapes::{check_material, combine_rule, shape};
use crate::touch::groups;
use rapier3d_f64::dynamics::{
    ImpulseJointSet, IslandManager, MassProperties, MultibodyDofCoupling, MultibodyJointSet, RigidBody,
    RigidBodyBuilder, RigidBodySet,
};
use rapier3d_f64::geometry::{BroadPhaseBvh, ColliderBuilder, ColliderSet, NarrowPhase};
use rapier3d_f64::pipeline::ActiveHooks;
use serde::{Deserialize, Serialize};
use veracity_foreign::pieces::GROUND;
use veracity_foreign::{Refusals, TouchTable, Touching};
use veracity_model::{BodyId, Coupling, JointKind, Material, Pose, Vec3, World};

/// All state of Rapier, as stored in a snapshot.
#[derive(Clone, Serialize, Deserialize)]
pub struct Sets {
    /// Which bodies are solved together.
    pub islands: IslandManager,
    /// Pairs that are near.
    pub broad_phase: BroadPhaseBvh,
    /// Contacts with their impulses.
    pub narrow_phase: NarrowPhase,
    /// Bodies.
    pub bodies: RigidBodySet,
    /// Shapes.
    pub colliders: ColliderSet,
    /// Joints held by impulses.
    pub impulse_joints: ImpulseJointSet,
    /// Joints in joint coordinates.
    pub multibody_joints: MultibodyJointSet,
}

impl Sets {
    /// Builds all of them, with every joint at its neutral position.
    pub fn build(world: &World, plan: &mut Plan, refusals: &mut Refusals) -> (Self, TouchTable) {
        let mut sets = Self {
            islands: IslandManager::new(),
            broad_phase: BroadPhaseBvh::new(),
            narrow_phase: NarrowPhase::new(),
            bodies: RigidBodySet::new(),
            colliders: ColliderSet::new(),
            impulse_joints: ImpulseJointSet::new(),
            multibody_joints: MultibodyJointSet::new(),
        };
        for index in 0..plan.pieces.pieces.len() {
            plan.handles[index] = sets.bodies.insert(rigid_body(plan, index));
        }
        let touch = if world.contact { sets.add_colliders(world, plan, refusals) } else { TouchTable::default() };
        // Rapier would do so in the first step; the multibodies need their masses before.
        for handle in &plan.handles {
            sets.bodies[*handle].recompute_mass_properties_from_colliders(&sets.colliders);
        }
        sets.add_tree_joints(world, plan, refusals);
        sets.add_loops_and_springs(world, plan, refusals);
        sets.settle_multibodies(world, plan, refusals);
        (sets, touch)
    }

    fn add_colliders(&mut self, world: &World, plan: &mut Plan, refusals: &mut Refusals) -> TouchTable {
        let mut touching = Vec::new();
        for (slot, place) in plan.layout.bodies.iter().enumerate() {
            let body = &world.placements[place.placement].model.bodies()[place.body.0];
            touching.extend(body.shapes.iter().filter(|s| s.collides).map(|shape| Touching { body: slot, shape }));
        }
        let touch = TouchTable::new(world, &plan.layout, &touching);
        let neutral = Material::default();
        for (index, Touching { body, shape: body_shape }) in touching.iter().enumerate() {
            plan.collider_bodies.push(*body);
            let place = &plan.layout.bodies[*body];
            let name = format!("{}/{}", place.name, body_shape.name);
            let model = &world.placements[place.placement].model;
            let material = body_shape.material.map_or(&neutral, |m| &model.materials()[m.0]);
            check_material(material, &name, refusals);
            let piece = plan.pieces.of_body[*body];
            let Some((solid, ours_from_rapier)) = shape(&body_shape.shape, piece != GROUND, &name, refusals) else {
                continue;
            };
            let pose = plan.pieces.piece_from_body[*body] * body_shape.body_from_shape * ours_from_rapier;
            let mut collider = ColliderBuilder::new(solid)
                .position(to_pose(&pose))
                .density(0.0) // Mass is the model's, not the shape's.
                .friction(material.friction[0])
                .friction_combine_rule(combine_rule(world.combination.friction))
                .restitution(material.restitution)
                .restitution_combine_rule(combine_rule(world.combination.restitution))
                .contact_skin(plan.tuning.contact_skin_m)
                .collision_groups(groups(&touch, index))
                .user_data(index as u128);
            if touch.needs_hook() {
                collider = collider.active_hooks(ActiveHooks::FILTER_CONTACT_PAIRS);
            }
            self.colliders.insert_with_parent(collider, plan.handles[piece], &mut self.bodies);
        }
        for placement in &world.placements {
            for pair in placement.model.contact_pairs() {
                if pair.material.is_some() || !pair.conditions.is_empty() {
                    refusals.add(
                        format!("the material or conditions of the contact pair '{}/{}'", placement.name, pair.name),
                        "give the shapes the material, and remove the pair's conditions",
                    );
                }
            }
        }
        touch
    }

    fn add_tree_joints(&mut self, world: &World, plan: &mut Plan, refusals: &mut Refusals) {
        for index in plan.held_joints().collect::<Vec<_>>() {
            let slot = &plan.layout.joints[index];
            let model = &world.placements[slot.placement].model;
            let joint = &model.joints()[plan.layout.bodies[index].body.0];
            let frames = &plan.frames[index];
            let parent = plan.parent_piece(index);
            let parent_from_joint = match frames.parent {
                Some(body) => plan.pieces.piece_from_body[body] * frames.parent_from_joint,
                None => frames.parent_from_joint,
            };
            let child_from_joint = plan.pieces.piece_from_body[index] * frames.child_from_joint;
            let described = (&joint.kind, &joint.dofs[..], slot.name.as_str());
            let placed = (&parent_from_joint, &child_from_joint);
            let Some(data) = tree_joint(described, placed, &plan.tuning, refusals) else { continue };
            let child = plan.handles[plan.pieces.of_body[index]];
            match plan.tuning.joints {
                Joints::Impulse => {
                    let handle = self.impulse_joints.insert(plan.handles[parent], child, data, true);
                    plan.impulse_joints[index] = Some(handle);
                }
                Joints::Multibody => {
                    // Trees that hang on the ground get a root each: with a shared root they would be one multibody,
                    // whose mass matrix Rapier factorises as a whole.
                    let root = |bodies: &mut RigidBodySet| bodies.insert(RigidBodyBuilder::fixed());
                    let parent = if parent == GROUND { root(&mut self.bodies) } else { plan.handles[parent] };
                    self.multibody_joints.insert(parent, child, data, true);
                }
            }
        }
    }

    fn add_loops_and_springs(&mut self, world: &World, plan: &Plan, refusals: &mut Refusals) {
        let mut first = 0;
        let roles = plan.roles();
        for placement in &world.placements {
            let model = &placement.model;
            // The piece and the place in it of a body of this model, or of the model frame.
            let end = |body: Option<BodyId>| match body {
                Some(b) => (plan.pieces.of_body[first + b.0], plan.pieces.piece_from_body[first + b.0]),
                None => (GROUND, placement.world_from_model),
            };
            for l in model.loops() {
                let name = format!("{}/{}", placement.name, l.name);
                let ((a, piece_from_a), (b, piece_from_b)) = (end(l.body_a), end(l.body_b));
                let frames: (Pose, Pose) = (piece_from_a * l.a_from_frame, piece_from_b * l.b_from_frame);
                if let Some(data) = loop_joint(&l.kind, &name, (&frames.0, &frames.1), &plan.tuning, refusals) {
                    self.impulse_joints.insert(plan.handles[a], plan.handles[b], data, true);
                }
            }
            for spring in model.springs() {
                let ((a, piece_from_a), (b, piece_from_b)) = (end(spring.body_a), end(spring.body_b));
                if roles[a] != Role::Single || roles[b] != Role::Single {
                    let text = format!("the spring '{}/{}' on a multibody", placement.name, spring.name);
                    refusals.add(text, "use joints=impulse");
                    continue;
                }
                let data = spring_joint(spring, &piece_from_a, &piece_from_b);
                self.impulse_joints.insert(plan.handles[a], plan.handles[b], data, true);
            }
            first += model.bodies().len();
        }
    }

    /// Sets damping, armature, friction and springs of multibodies from the model, replacing Rapier's damping of 0.1.
    fn settle_multibodies(&mut self, world: &World, plan: &mut Plan, refusals: &mut Refusals) {
        for index in 0..plan.sources.len() {
            let Some(id) = self.multibody_joints.rigid_body_link(plan.handles[plan.pieces.of_body[index]]).copied()
            else {
                continue;
            };
            let Some(multibody) = self.multibody_joints.get_multibody_mut(id.multibody) else { continue };
            // Determines whether the root moves, which changes the number of degrees of freedom.
            multibody.forward_kinematics(&self.bodies, true);
            let dof: usize = multibody.links().take(id.id).map(|l| l.joint().ndofs()).sum();
            match plan.frames[index].kind {
                JointKind::Fixed => continue,
                JointKind::Free => {
                    multibody.damping_mut().rows_mut(0, 6).fill(0.0);
                    plan.sources[index] = Source::Root { multibody: id.multibody };
                    continue;
                }
                _ => plan.sources[index] = Source::Link { multibody: id.multibody, link: id.id, dof },
            }
            let slot = &plan.layout.joints[index];
            let dofs = &plan.layout.dofs[slot.v..slot.v + slot.kind.dof_count()];
            let even = dofs.iter().all(|d| d.damping == dofs[0].damping);
            let plain = dofs.iter().all(|d| d.armature == 0.0 && d.friction == 0.0);
            if slot.kind == JointKind::Ball && !(even && plain) {
                refusals.add(
                    format!("armature, dry friction or uneven damping of the ball joint '{}'", slot.name),
                    "give it one damping for all axes and nothing else",
                );
            }
            for (i, d) in dofs.iter().enumerate() {
                multibody.damping_mut()[dof + i] = d.damping;
                multibody.armature_mut()[dof + i] = d.armature;
                multibody.frictions_mut()[dof + i] = d.friction;
                if d.stiffness != 0.0
                    && let (Some(axis), Some(link)) = (axis_of_dof(&slot.kind, i), multibody.link_mut(id.id))
                {
                    link.joint.set_spring(axis as usize, d.stiffness, d.spring_reference);
                }
            }
        }
        let mut first = 0;
        for placement in &world.placements {
            for coupling in placement.model.couplings() {
                let name = format!("{}/{}", placement.name, coupling.name);
                self.add_coupling(coupling, first, &name, plan, refusals);
            }
            first += placement.model.bodies().len();
        }
        self.check_inertia(plan, refusals);
    }

    /// Couples two joints of one multibody: Rapier does so where the polynomial is a line.
    fn add_coupling(&mut self, c: &Coupling, first: usize, name: &str, plan: &Plan, refusals: &mut Refusals) {
        let link = |joint: usize| match plan.sources[joint] {
            Source::Link { multibody, link, .. } => {
                Some((multibody, link, axis_of_dof(&plan.frames[joint].kind, 0)?))
            }
            _ => None,
        };
        let leader = c.leader.and_then(|l| link(first + l.0));
        let straight = c.coefficients.get(2..).is_none_or(|rest| rest.iter().all(|x| *x == 0.0));
        match (leader, link(first + c.follower.0)) {
            (Some((multibody, link1, axis1)), Some((same, link2, axis2))) if multibody == same && straight => {
                let coefficient = |i: usize| c.coefficients.get(i).copied().unwrap_or(0.0);
                let coupling = MultibodyDofCoupling {
                    link1,
                    dof1: 0,
                    axis1: axis1 as usize,
                    link2,
                    dof2: 0,
                    axis2: axis2 as usize,
                    coeff: coefficient(1),
                    offset: coefficient(0),
                };
                if let Some(multibody) = self.multibody_joints.get_multibody_mut(multibody) {
                    multibody.add_dof_coupling(coupling);
                }
            }
            _ => refusals.add(
                format!("the coupling '{name}'"),
                "use joints=multibody, which supports linear couplings of two joints of one tree",
            ),
        }
    }

    /// Refuses multibodies with a degree of freedom that moves no mass: Rapier would silently continue.
    fn check_inertia(&mut self, plan: &Plan, refusals: &mut Refusals) {
        for (index, source) in plan.sources.iter().enumerate() {
            let Source::Link { multibody, dof, .. } = source else { continue };
            let Some(multibody) = self.multibody_joints.get_multibody_mut(*multibody) else { continue };
            multibody.update_rigid_bodies(&mut self.bodies, true);
            let compliance = multibody.dof_inverse_inertia(&self.bodies);
            let count = plan.frames[index].kind.dof_count();
            let moves = compliance.rows(*dof, count).iter().all(|x| x.is_finite() && *x > 0.0);
            // If the matrix is singular, Rapier leaves the right-hand side unchanged.
            if !moves || !multibody.inv_augmented_mass().is_invertible() {
                let text = format!("joint '{}', which moves no inertia", plan.layout.joints[index].name);
                refusals.add(text, "give the body it carries a mass and a moment, or the joint an armature");
            }
        }
    }
}

/// Rapier's body of a piece.
fn rigid_body(plan: &Plan, index: usize) -> RigidBody {
    if index == GROUND {
        return RigidBodyBuilder::fixed().build();
    }
    let piece = &plan.pieces.pieces[index];
    let largest = piece.moments.iter().fold(0.0, |a: f64, b| a.max(*b));
    let moment = |m: f64| if m == 0.0 { plan.tuning.moment_floor * largest } else { m };
    let moments = Vec3::new(moment(piece.moments[0]), moment(piece.moments[1]), moment(piece.moments[2]));
    let mass = MassProperties::with_principal_inertia_frame(
        to_vector(&Vec3::zeros()),
        piece.inertia.mass,
        to_vector(&moments),
        to_rotation(&piece.piece_from_principal),
    );
    RigidBodyBuilder::dynamic()
        .additional_mass_properties(mass)
        .gravity_scale(piece.gravity_scale)
        .linear_damping(piece.linear_damping)
        .angular_damping(piece.angular_damping)
        .gyroscopic_forces_enabled(plan.tuning.gyroscopic)
        .allow_fast_rotation(!plan.tuning.spin_cap)
        .ccd_enabled(plan.tuning.ccd)
        .soft_ccd_prediction(plan.tuning.soft_ccd_m)
        .can_sleep(false)
        .build()
}
