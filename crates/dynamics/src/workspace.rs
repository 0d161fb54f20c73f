//! Scratch memory, allocated once for a system. Its contents have no meaning between calls: what must be kept is in the state.

use crate::blocks::FreeBody;
use crate::constraint::ConstraintScratch;
use crate::spatial::{IDENTITY, Rot, Rows3, Sym3, V3};
use crate::system::System;

/// Quantities of one link during the passes, in world axes, moments about the link's own origin.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LinkState {
    /// Link axes in the world.
    pub rot: Rot,
    /// Link origin, from the tree's origin.
    pub pos: V3,
    /// From the parent's origin to this one.
    pub arm: V3,
    pub omega: V3,
    /// Velocity of the link origin.
    pub vel: V3,
    /// Angular acceleration at zero joint acceleration.
    pub alpha_bias: V3,
    /// Acceleration of the link origin at zero joint acceleration, less gravity.
    pub acc_bias: V3,
    /// Mass times the vector from the link origin to the centre of mass.
    pub moment: V3,
    /// Bias wrench: what the joint must transmit at zero joint acceleration.
    pub torque: V3,
    pub force: V3,
    /// Applied wrench about the link origin (springs, drag, caller's wrenches).
    pub applied_torque: V3,
    pub applied_force: V3,
    /// Articulated or composite inertia: angular, mixed, linear blocks.
    pub ia: Sym3,
    pub ib: Rows3,
    pub ic: Sym3,
    /// `U = IA S` and `1 / D` of a single axis, and the joint's residual effort.
    pub u_ang: V3,
    pub u_lin: V3,
    pub inv_d: f64,
    pub residual: f64,
    /// Acceleration beyond the bias.
    pub alpha: V3,
    pub acc: V3,
}

impl LinkState {
    pub(crate) const ZERO: LinkState = LinkState {
        rot: IDENTITY,
        pos: [0.0; 3],
        arm: [0.0; 3],
        omega: [0.0; 3],
        vel: [0.0; 3],
        alpha_bias: [0.0; 3],
        acc_bias: [0.0; 3],
        moment: [0.0; 3],
        torque: [0.0; 3],
        force: [0.0; 3],
        applied_torque: [0.0; 3],
        applied_force: [0.0; 3],
        ia: [0.0; 6],
        ib: [[0.0; 3]; 3],
        ic: [0.0; 6],
        u_ang: [0.0; 3],
        u_lin: [0.0; 3],
        inv_d: 0.0,
        residual: 0.0,
        alpha: [0.0; 3],
        acc: [0.0; 3],
    };
}

/// Scratch memory for one system.
#[derive(Clone, Debug)]
pub struct Workspace {
    /// Index 0 is the world.
    pub(crate) links: Vec<LinkState>,
    /// Whether any applied wrench of the links is set.
    pub(crate) loaded: bool,
    /// Whether the links still have the kinematics of the state below: see [`Workspace::keep`].
    kept: bool,
    kept_q: Vec<f64>,
    kept_v: Vec<f64>,
    /// Sine and cosine of each link's joint angle.
    pub(crate) turns: Vec<(f64, f64)>,
    pub(crate) tau: Vec<f64>,
    /// Mass matrix, block by block, each by rows (full storage, lower part valid), then its factor.
    pub(crate) mass: Vec<f64>,
    /// One over the root of each pivot of that factor.
    pub(crate) inv_roots: Vec<f64>,
    /// For each block that is a free body.
    pub(crate) free_bodies: Vec<FreeBody>,
    pub(crate) constraint: ConstraintScratch,
    pub(crate) vector: Vec<f64>,
}

impl Workspace {
    /// Allocates for a system.
    pub fn new(system: &System) -> Self {
        let mut links = vec![LinkState::ZERO; system.links.len() + 1];
        let g = system.gravity;
        links[0].acc_bias = [-g[0], -g[1], -g[2]];
        Self {
            links,
            loaded: false,
            kept: false,
            kept_q: vec![0.0; system.nq],
            kept_v: vec![0.0; system.nv],
            turns: vec![(0.0, 1.0); system.links.len()],
            tau: vec![0.0; system.nv],
            mass: vec![0.0; system.mass_len],
            inv_roots: vec![0.0; system.nv],
            free_bodies: vec![FreeBody::default(); system.blocks.len()],
            constraint: ConstraintScratch::new(system),
            vector: vec![0.0; system.nv],
        }
    }

    /// Marks the links as having the kinematics of this state, so that they need not be recomputed: recording a row at the end
    /// of a step leaves them for the step that begins there.
    pub(crate) fn keep(&mut self, q: &[f64], v: &[f64]) {
        self.kept_q.copy_from_slice(q);
        self.kept_v.copy_from_slice(v);
        self.kept = true;
    }

    /// Whether the links have the kinematics of this state.
    #[inline]
    pub(crate) fn still_holds(&self, q: &[f64], v: &[f64]) -> bool {
        self.kept && self.kept_q == q && self.kept_v == v
    }

    /// Marks the kinematics as invalid before they change.
    #[inline]
    pub(crate) fn forget(&mut self) {
        self.kept = false;
    }
}
