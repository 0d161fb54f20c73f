//! Wrenches transmitted by tree joints, by the balance of forces on each body.
//!
//! With `f`, `n` the force and the torque about the body's origin that its motion requires, minus everything that acts on
//! it except joints (external wrenches, drag, springs, loops), the joint of body `b` transmits
//!
//! ```text
//! (1)  f_b = m (a_c - s g) - Σ F,     n_b = I α + ω × I ω + c × m (a_c - s g) - Σ (N + r × F)
//! (2)  F_b = f_b + Σ F_child,          N_b = n_b + Σ (N_child + (p_child - p_b) × F_child)
//! ```
//!
//! Motor efforts are included: they act through the joint. Bodies and not links are balanced, so that fixed joints have
//! reactions too. Where loops have redundant rows, the forces of the rows left out are assumed to be zero: statics alone does
//! not determine them.

use crate::constraint::loop_wrenches;
use crate::spatial::*;
use crate::system::{BodyPlace, System};
use crate::workspace::Workspace;
use veracity_model::{BodyId, World};

/// One wrench, world axes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ReactionWrench {
    /// [N]
    pub force: V3,
    /// [N m]
    pub torque: V3,
}

/// Constants and scratch of the balance, by body.
#[derive(Clone, Debug)]
pub struct Reactions {
    bodies: Vec<Carried>,
    /// Slots of the bodies of each spring, and of each constraint that is a loop.
    springs: Vec<[Option<usize>; 2]>,
    loops: Vec<[Option<usize>; 2]>,
    balance: Vec<ReactionWrench>,
    places: Vec<(Rot, V3)>,
}

#[derive(Clone, Debug)]
struct Carried {
    place: BodyPlace,
    parent: Option<usize>,
    mass: f64,
    com: V3,
    inertia: Sym3,
    gravity_scale: f64,
    drag: [f64; 2],
    /// The joint's origin in the body.
    joint: V3,
}

impl Reactions {
    /// For the world a system was compiled from.
    pub fn new(world: &World, system: &System) -> Self {
        let mut out = Self {
            bodies: Vec::new(),
            springs: Vec::new(),
            loops: Vec::new(),
            balance: Vec::new(),
            places: Vec::new(),
        };
        for (p, placement) in world.placements.iter().enumerate() {
            let (model, first) = (&placement.model, out.bodies.len());
            let slot = |body: Option<BodyId>| body.map(|b| first + b.0);
            for (i, (body, joint)) in model.bodies().iter().zip(model.joints()).enumerate() {
                let t = body.inertia.tensor;
                out.bodies.push(Carried {
                    place: system.place(p, BodyId(i)),
                    parent: slot(joint.parent),
                    mass: body.inertia.mass,
                    com: body.inertia.com.into(),
                    inertia: [t[(0, 0)], t[(1, 1)], t[(2, 2)], t[(0, 1)], t[(0, 2)], t[(1, 2)]],
                    gravity_scale: body.gravity_scale,
                    drag: [body.linear_damping, body.angular_damping],
                    joint: joint.child_from_joint.translation.vector.into(),
                });
            }
            out.springs.extend(model.springs().iter().map(|s| [slot(s.body_a), slot(s.body_b)]));
            // In the order of the system's constraints: loops, then couplings.
            out.loops.extend(model.loops().iter().map(|l| [slot(l.body_a), slot(l.body_b)]));
            out.loops.extend(model.couplings().iter().map(|_| [None, None]));
        }
        out.balance = vec![ReactionWrench::default(); out.bodies.len()];
        out.places = vec![(IDENTITY, [0.0; 3]); out.bodies.len()];
        out
    }

    /// Wrench through each body's joint on the body, about the joint's origin, after
    /// [`crate::SmoothSimulation::accelerations`]. `external` shows (slot, force on the centre of mass, torque).
    pub fn compute(
        &mut self,
        system: &System,
        ws: &Workspace,
        external: impl Iterator<Item = (usize, V3, V3)>,
        mut show: impl FnMut(usize, ReactionWrench),
    ) {
        for i in 0..self.bodies.len() {
            (self.places[i], self.balance[i]) = self.bodies[i].demand(system, ws);
        }
        for (slot, force, torque) in external {
            let com = rotate(&self.places[slot].0, self.bodies[slot].com);
            self.subtract(Some(slot), add(self.places[slot].1, com), force, torque);
        }
        self.subtract_springs(system, ws);
        self.subtract_loops(system, ws);
        for i in (0..self.bodies.len()).rev() {
            let ReactionWrench { force, torque } = self.balance[i];
            let (turn, place) = self.places[i];
            let joint = rotate(&turn, self.bodies[i].joint);
            show(i, ReactionWrench { force, torque: sub(torque, cross(joint, force)) });
            if let Some(parent) = self.bodies[i].parent {
                let arm = sub(place, self.places[parent].1);
                let sum = &mut self.balance[parent];
                sum.force = add(sum.force, force);
                sum.torque = add(sum.torque, add(torque, cross(arm, force)));
            }
        }
    }

    /// Subtracts a force and a torque that act at a point of the world other than through joints.
    fn subtract(&mut self, slot: Option<usize>, point: V3, force: V3, torque: V3) {
        let Some(slot) = slot else { return };
        let lever = sub(point, self.places[slot].1);
        let sum = &mut self.balance[slot];
        sum.force = sub(sum.force, force);
        sum.torque = sub(sum.torque, add(torque, cross(lever, force)));
    }

    fn subtract_springs(&mut self, system: &System, ws: &Workspace) {
        for (k, spring) in system.springs.iter().enumerate() {
            let (a, b) = (&ws.links[spring.a], &ws.links[spring.b]);
            let (ra, rb) = (rotate(&a.rot, spring.point_a), rotate(&b.rot, spring.point_b));
            let d = add(spring.origin_gap, sub(add(b.pos, rb), add(a.pos, ra)));
            let dv = sub(add(b.vel, cross(b.omega, rb)), add(a.vel, cross(a.omega, ra)));
            let length = norm(d);
            if length == 0.0 {
                continue;
            }
            let e = scale(d, 1.0 / length);
            let pull = spring.stiffness * (length - spring.rest_length) + spring.damping * dot(e, dv);
            let [slot_a, slot_b] = self.springs[k];
            let at = |state: usize, r: V3| add(link_origin(system, ws, state), r);
            self.subtract(slot_a, at(spring.a, ra), scale(e, pull), [0.0; 3]);
            self.subtract(slot_b, at(spring.b, rb), scale(e, -pull), [0.0; 3]);
        }
    }

    fn subtract_loops(&mut self, system: &System, ws: &Workspace) {
        loop_wrenches(system, ws, &mut |index, states, [on_a, on_b]| {
            let [slot_a, slot_b] = self.loops[index];
            self.subtract(slot_a, link_origin(system, ws, states[0]), on_a.1, on_a.0);
            self.subtract(slot_b, link_origin(system, ws, states[1]), on_b.1, on_b.0);
        });
    }
}

impl Carried {
    /// Axes and position of the body, and (1) with only gravity and drag subtracted.
    fn demand(&self, system: &System, ws: &Workspace) -> ((Rot, V3), ReactionWrench) {
        let s = &ws.links[self.place.state];
        let lever = rotate(&s.rot, self.place.pos);
        let turn = compose(&s.rot, &self.place.rot);
        let place = add(self.place.tree_origin, add(s.pos, lever));
        let com = rotate(&turn, self.com);
        let arm = add(lever, com);
        let alpha = add(s.alpha_bias, s.alpha);
        // The bias contains -g for every link: the gravity deficit of this body is added back.
        let felt = add(add(s.acc_bias, s.acc), add(cross(alpha, arm), cross(s.omega, cross(s.omega, arm))));
        let mut force = scale(add_scaled(felt, system.gravity, 1.0 - self.gravity_scale), self.mass);
        let inertia = sym_rotate(&turn, &self.inertia);
        let spin = sym_mul(&inertia, s.omega);
        let mut torque = add(sym_mul(&inertia, alpha), cross(s.omega, spin));
        let vel = add(s.vel, cross(s.omega, arm));
        force = add_scaled(force, vel, self.drag[0] * self.mass);
        torque = add_scaled(torque, spin, self.drag[1]);
        ((turn, place), ReactionWrench { force, torque: add(torque, cross(com, force)) })
    }
}

/// A link's origin in the world.
fn link_origin(system: &System, ws: &Workspace, state: usize) -> V3 {
    if state == 0 { [0.0; 3] } else { system.links[state - 1].world_position(&ws.links[state]) }
}
