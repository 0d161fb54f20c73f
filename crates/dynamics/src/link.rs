//! The constants of one link of a compiled system, in the form the inner loops use.

use crate::spatial::{IDENTITY, Rot, Sym3, V3, add, add_scaled, compose, rotate, scale};
use nalgebra as na;

/// How a link moves relative to its parent. Single axes are the link's z.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum LinkKind {
    Revolute,
    Prismatic,
    Screw { pitch: f64 },
    Ball,
    Free,
}

/// The constants of a link.
#[derive(Clone, Debug)]
pub(crate) struct Link {
    /// 0 is the world; link `i` has state index `i + 1`.
    pub parent: usize,
    pub kind: LinkKind,
    pub q: usize,
    pub v: usize,
    /// Joint frame (z along the axis) in the parent link.
    pub tree_rot: Rot,
    pub tree_turn: TreeTurn,
    pub tree_pos: V3,
    /// Whether the link's origin always coincides with its parent's.
    pub has_no_arm: bool,
    /// Rotor inertia of a single axis.
    pub armature: f64,
    /// Origin of the link's tree in the world. Positions are relative to it, so that the gap between trees far from the
    /// world's origin has the rounding error of their own size.
    pub tree_origin: V3,
    pub mass: f64,
    pub com: V3,
    /// About the centre of mass, link axes.
    pub inertia: Sym3,
    /// Mass times centre of mass.
    pub first_moment: V3,
    /// About the link origin.
    pub about_origin: PrincipalInertia,
    /// Mass times (gravity scale - 1), and its first moment: the gravity deficit of this link.
    pub gravity_deficit: f64,
    pub gravity_deficit_moment: V3,
    /// Σ rate·mass, Σ rate·mass·com, Σ rate·(m(c·c 1 - c cᵀ)) and Σ rate·I for body drag.
    pub drag: Option<Box<Drag>>,
}

/// The rotation from a parent's axes to those of a joint. Most robots are drawn along x, y and z, so that most joints only
/// permute axes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum TreeTurn {
    None,
    /// New x, y, z are the old y, z, x.
    Cycle,
    /// New x, y, z are the old z, x, y.
    CycleBack,
    Any,
}

/// A tensor as `base 1 + k₁ u₁ u₁ᵀ + k₂ u₂ u₂ᵀ`: rotating it costs two vector rotations, and nothing when the axes `u` are
/// the link's own x and y.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PrincipalInertia {
    pub base: f64,
    pub k: [f64; 2],
    pub axes: [V3; 2],
    pub aligned: bool,
}

/// Drag on the bodies of a link.
#[derive(Clone, Debug)]
pub(crate) struct Drag {
    /// (linear rate · mass, centre of mass) of each body [kg/s].
    pub linear: Vec<(f64, V3)>,
    /// Σ angular rate · tensor in link axes.
    pub angular: Sym3,
}

impl TreeTurn {
    pub(crate) fn new(rot: &Rot) -> Self {
        let [x, y, z] = IDENTITY;
        match *rot {
            r if r == [x, y, z] => TreeTurn::None,
            r if r == [y, z, x] => TreeTurn::Cycle,
            r if r == [z, x, y] => TreeTurn::CycleBack,
            _ => TreeTurn::Any,
        }
    }
}

impl Link {
    /// Number of degrees of freedom of its joint.
    #[inline(always)]
    pub(crate) fn dof_count(&self) -> usize {
        match self.kind {
            LinkKind::Ball => 3,
            LinkKind::Free => 6,
            _ => 1,
        }
    }

    /// The joint's axes in the world.
    #[inline(always)]
    pub(crate) fn joint_axes(&self, parent: &Rot) -> Rot {
        let [x, y, z] = *parent;
        match self.tree_turn {
            TreeTurn::None => [x, y, z],
            TreeTurn::Cycle => [y, z, x],
            TreeTurn::CycleBack => [z, x, y],
            TreeTurn::Any => compose(parent, &self.tree_rot),
        }
    }

    /// The link's origin in the world.
    #[inline]
    pub(crate) fn world_position(&self, s: &crate::workspace::LinkState) -> V3 {
        add(self.tree_origin, s.pos)
    }
}

impl PrincipalInertia {
    pub(crate) fn new(s: &Sym3) -> Self {
        let size = s[0].abs().max(s[1].abs()).max(s[2].abs());
        // Products of inertia below the rounding of the moments count as zero.
        if s[3..].iter().all(|x| x.abs() <= 1e-17 * size) {
            let axes = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
            return Self { base: s[2], k: [s[0] - s[2], s[1] - s[2]], axes, aligned: true };
        }
        let eigen = na::SymmetricEigen::new(full(s));
        let (m, u) = (eigen.eigenvalues, eigen.eigenvectors);
        let axes = [0, 1].map(|c| [u[(0, c)], u[(1, c)], u[(2, c)]]);
        Self { base: m[2], k: [m[0] - m[2], m[1] - m[2]], axes, aligned: false }
    }

    /// In world axes.
    #[inline(always)]
    pub(crate) fn turned(&self, r: &Rot) -> Sym3 {
        let (u, w) = if self.aligned { (r[0], r[1]) } else { (rotate(r, self.axes[0]), rotate(r, self.axes[1])) };
        let (ku, kw) = (scale(u, self.k[0]), scale(w, self.k[1]));
        let b = self.base;
        let x = add_scaled(scale(ku, u[0]), kw, w[0]);
        [
            b + x[0],
            b + (ku[1] * u[1] + kw[1] * w[1]),
            b + (ku[2] * u[2] + kw[2] * w[2]),
            x[1],
            x[2],
            ku[1] * u[2] + kw[1] * w[2],
        ]
    }
}

/// All nine entries.
pub(crate) fn full(s: &Sym3) -> na::Matrix3<f64> {
    na::Matrix3::new(s[0], s[3], s[4], s[3], s[1], s[5], s[4], s[5], s[2])
}
