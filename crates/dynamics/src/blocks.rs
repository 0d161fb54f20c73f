//! Parts of a world that are coupled only by contact: the trees attached to the ground.
//!
//! A [`Block`] is a range of degrees of freedom between which the mass matrix may have entries; usually one tree (two trees
//! whose degrees of freedom are interleaved form one block). Impulses on a block change only the velocities of that block:
//!
//! ```text
//! (1)  Δv = M̂⁻¹ Jᵀ λ,      M̂ = M + diag(extra)
//! ```
//!
//! A block that is one free body needs no factor. With `c` the vector from the link's origin to its centre of mass, the
//! impulses `(N, F)` about the origin give
//!
//! ```text
//! (2)  Δω = I⁻¹ (N - c × F),      Δv = F / m - Δω × c
//! ```
//!
//! Call [`prepare`] after [`crate::kinematics::velocities`] or [`crate::kinematics::positions`]; [`add_wrench_row`] gives
//! `J`, [`respond`] applies `M̂⁻¹`.

use crate::link::LinkKind;
use crate::spatial::*;
use crate::system::{BodyPlace, System};
use crate::workspace::Workspace;
use crate::{crba, jacobian};

/// A range of degrees of freedom that the mass matrix couples with no other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Block {
    /// Its first degree of freedom.
    pub first: usize,
    /// Number of its degrees of freedom.
    pub len: usize,
    /// Its first link and one past its last.
    pub(crate) links: (usize, usize),
    /// One free body of the world: (2).
    pub(crate) is_free_body: bool,
    /// Start of its part of the mass matrix.
    pub(crate) mass: usize,
}

impl Block {
    /// Whether it is one free body, moved about its centre of mass.
    pub fn is_free_body(&self) -> bool {
        self.is_free_body
    }

    /// Its row `i` of a mass matrix or its factor.
    #[inline(always)]
    pub(crate) fn mass_row<'a>(&self, mass: &'a [f64], i: usize) -> &'a [f64] {
        let begin = self.mass + i * self.len;
        &mass[begin..begin + self.len]
    }
}

/// The quantities of (2), in world axes.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct FreeBody {
    pub inv_mass: f64,
    pub inv_inertia: Sym3,
    pub com: V3,
    /// `G`, lower, with `I⁻¹ = G Gᵀ`: by rows.
    pub inv_root: [f64; 6],
    /// `1/√m`.
    pub inv_root_mass: f64,
}

impl System {
    /// The blocks, in the order of their degrees of freedom.
    pub fn blocks(&self) -> &[Block] {
        &self.blocks
    }

    /// The block a body moves with; `None` for a body that cannot move.
    pub fn block_of(&self, body: BodyPlace) -> Option<usize> {
        (body.state != 0).then(|| self.dof_block[self.links[body.state - 1].v])
    }

    /// The block of a degree of freedom.
    pub fn block_of_dof(&self, dof: usize) -> usize {
        self.dof_block[dof]
    }

    /// Position index of a degree of freedom with a scalar position.
    pub fn dof_position(&self, dof: usize) -> Option<usize> {
        self.dof_position[dof]
    }

    /// Mass of each block [kg].
    pub fn block_masses(&self) -> Vec<f64> {
        self.blocks.iter().map(|b| self.links[b.links.0..b.links.1].iter().map(|l| l.mass).sum()).collect()
    }

    /// Finds the blocks; called once, after all links are added.
    pub(crate) fn add_blocks(&mut self) {
        let size = |kind: LinkKind| match kind {
            LinkKind::Ball => 3,
            LinkKind::Free => 6,
            _ => 1,
        };
        // A link with an earlier parent merges all blocks from the parent's on.
        let mut blocks: Vec<Block> = Vec::new();
        for (i, link) in self.links.iter().enumerate() {
            let mut block =
                Block { first: link.v, len: size(link.kind), links: (i, i + 1), is_free_body: false, mass: 0 };
            while let Some(last) = blocks.last().copied() {
                if link.parent == 0 || link.parent > block.links.0 {
                    break;
                }
                blocks.pop();
                block.len += block.first - last.first;
                (block.first, block.links.0) = (last.first, last.links.0);
            }
            blocks.push(block);
        }
        self.dof_block = vec![0; self.nv];
        self.mass_rows = vec![0; self.nv];
        self.mass_len = 0;
        for (index, block) in blocks.iter_mut().enumerate() {
            let link = &self.links[block.links.0];
            let plain = self.dofs[block.first..block.first + block.len]
                .iter()
                .all(|d| d.armature == 0.0 && d.damping == 0.0 && d.stiffness == 0.0 && d.friction == 0.0);
            block.is_free_body = link.kind == LinkKind::Free && block.len == 6 && link.mass > 0.0 && plain;
            block.mass = self.mass_len;
            for k in 0..block.len {
                self.dof_block[block.first + k] = index;
                // A sum of squares is at least the sum of the numbers: the difference is not negative.
                self.mass_rows[block.first + k] = self.mass_len + k * block.len - block.first;
            }
            self.mass_len += block.len * block.len;
        }
        self.blocks = blocks;
    }
}

/// Computes and factors `M̂` of (1) at the positions of the last kinematics; `extra` has one number for each degree of freedom,
/// and is ignored for free bodies, which have no springs or dampers. `Err` names a degree of freedom without inertia.
pub fn prepare(system: &System, ws: &mut Workspace, extra: Option<&[f64]>) -> Result<(), usize> {
    for (index, block) in system.blocks.iter().enumerate() {
        if block.is_free_body {
            let (link, s) = (&system.links[block.links.0], &ws.links[block.links.0 + 1]);
            let inertia = sym_rotate(&s.rot, &link.inertia);
            let inv_inertia = sym_inverse(&inertia);
            if inv_inertia.iter().any(|x| !x.is_finite()) {
                return Err(block.first);
            }
            let com = rotate(&s.rot, link.com);
            let inv_mass = 1.0 / link.mass;
            let (inv_root, inv_root_mass) = (sym_root(&inv_inertia), inv_mass.sqrt());
            ws.free_bodies[index] = FreeBody { inv_mass, inv_inertia, com, inv_root, inv_root_mass };
            continue;
        }
        crba::mass_matrix_of(system, ws, block.links.0..block.links.1);
        let dofs = block.first..block.first + block.len;
        if let Some(extra) = extra {
            for v in dofs.clone() {
                ws.mass[system.mass_rows[v] + v] += extra[v];
            }
        }
        crba::factor_range(system, &mut ws.mass, dofs.clone())?;
        for v in dofs {
            ws.inv_roots[v] = 1.0 / ws.mass[system.mass_rows[v] + v].sqrt();
        }
    }
    Ok(())
}

/// The lower triangle `G` of `S = G Gᵀ`, by rows.
fn sym_root(s: &Sym3) -> [f64; 6] {
    let [xx, yy, zz, xy, xz, yz] = *s;
    let a = xx.sqrt();
    let (b, d) = (xy / a, xz / a);
    let c = (yy - b * b).sqrt();
    let e = (yz - d * b) / c;
    [a, b, c, d, e, (zz - d * d - e * e).sqrt()]
}

/// Adds `sign` times the row of a wrench on a body to `out`, which covers the body's block: a force at a point of the world
/// [m] and a torque, world axes. Does nothing for a body that cannot move.
pub fn add_wrench_row(
    system: &System,
    ws: &Workspace,
    body: BodyPlace,
    point: V3,
    (torque, force): (V3, V3),
    sign: f64,
    out: &mut [f64],
) {
    if body.state == 0 {
        return;
    }
    let link = &system.links[body.state - 1];
    let s = &ws.links[body.state];
    let lever = sub(point, link.world_position(s));
    let torque = add(torque, cross(lever, force));
    let first = system.blocks[system.dof_block[link.v]].first;
    jacobian::add_wrench_efforts(system, &ws.links, body.state, torque, force, sign, first, out);
}

/// `x ← M̂⁻¹ x` for the degrees of freedom of one block, after [`prepare`].
pub fn respond(system: &System, ws: &Workspace, block: usize, x: &mut [f64]) {
    let b = &system.blocks[block];
    if !b.is_free_body {
        // Lᵀ, D and L of M̂ = Lᵀ D L in turn.
        let x = &mut x[..b.len];
        for i in (0..b.len).rev() {
            let y = x[i];
            system.branches.subtract(b.first + i, b.first, b.mass_row(&ws.mass, i), y, x);
        }
        for i in 0..b.len {
            let root = ws.inv_roots[b.first + i];
            let above = system.branches.dot(b.first + i, b.first, b.mass_row(&ws.mass, i), x);
            x[i] = x[i] * root * root - above;
        }
        return;
    }
    let (link, s, free) = (&system.links[b.links.0], &ws.links[b.links.0 + 1], &ws.free_bodies[block]);
    let axes = link.joint_axes(&IDENTITY);
    let (torque, force) = (rotate(&s.rot, [x[0], x[1], x[2]]), rotate(&axes, [x[3], x[4], x[5]]));
    let turn = sym_mul(&free.inv_inertia, sub(torque, cross(free.com, force)));
    let slide = sub(scale(force, free.inv_mass), cross(turn, free.com));
    x[..3].copy_from_slice(&rotate_back(&s.rot, turn));
    x[3..6].copy_from_slice(&rotate_back(&axes, slide));
}

/// `M̂` of one block by rows into `out`, after [`prepare`]: for callers that couple blocks in one matrix.
pub fn inertia(system: &System, ws: &Workspace, block: usize, out: &mut [f64]) {
    let b = &system.blocks[block];
    let n = b.len;
    let out = &mut out[..n * n];
    out.fill(0.0);
    if !b.is_free_body {
        // M̂ = Lᵀ D L with ones on the diagonal of L: each degree of freedom adds to those above it.
        for k in b.first..b.first + n {
            let row = system.mass_rows[k];
            let pivot = ws.mass[row + k];
            let entry = |i: usize| if i == k { 1.0 } else { ws.mass[row + i] };
            let mut i = k;
            while i != usize::MAX {
                let mut j = i;
                while j != usize::MAX {
                    out[(i - b.first) * n + j - b.first] += entry(i) * pivot * entry(j);
                    j = system.dof_parent[j];
                }
                i = system.dof_parent[i];
            }
        }
        for i in 0..n {
            for j in 0..i {
                out[j * n + i] = out[i * n + j];
            }
        }
        return;
    }
    let (link, s) = (&system.links[b.links.0], &ws.links[b.links.0 + 1]);
    let about = sym_shift(&link.inertia, link.mass, link.com);
    let turning = [[about[0], about[3], about[4]], [about[3], about[1], about[5]], [about[4], about[5], about[2]]];
    let axes = link.joint_axes(&IDENTITY);
    let com = scale(ws.free_bodies[block].com, link.mass);
    for i in 0..3 {
        out[(3 + i) * 6 + 3 + i] = link.mass;
        for j in 0..3 {
            out[i * 6 + j] = turning[i][j];
            // ω · (m c × v): coupling of rotation and translation.
            let mixed = dot(s.rot[i], cross(com, axes[j]));
            out[i * 6 + 3 + j] = mixed;
            out[(3 + j) * 6 + i] = mixed;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use veracity_model::geometry::at;
    use veracity_model::{Body, Inertia, Joint, JointKind, Mat3, ModelBuilder, Vec3, World};

    fn body(name: &str, seed: f64) -> Body {
        let com = Vec3::new(0.1 * seed, -0.2, 0.05);
        let tensor = Mat3::new(0.2, 0.01, -0.02, 0.01, 0.3, 0.03, -0.02, 0.03, 0.25);
        Body::new(name, Inertia { mass: 1.0 + seed, com, tensor })
    }

    /// Two trees whose degrees of freedom are interleaved, then a free body, then a single hinge.
    fn system() -> System {
        let mut b = ModelBuilder::new("m");
        let hinge = |name: &str, axis| Joint::new(name, JointKind::revolute(axis)).at(at(0.2, 0.1, 0.3));
        let one = b.add_body(body("one", 0.5), hinge("j1", Vec3::y()), None);
        b.add_body(body("two", 0.2), hinge("j2", Vec3::x()), None);
        b.add_body(body("three", 0.9), hinge("j3", Vec3::z()), Some(one));
        let turned = at(1.0, 2.0, 3.0) * veracity_model::Pose::rotation(Vec3::new(0.3, -0.4, 0.5));
        b.add_body(body("loose", 0.7), Joint::new("f", JointKind::Free).at(turned), None);
        b.add_body(body("last", 0.1), hinge("j4", Vec3::y()), None);
        System::new(&World::with_model(b.build().unwrap())).unwrap()
    }

    #[test]
    fn interleaved_trees_share_a_block() {
        let spans: Vec<_> = system().blocks.iter().map(|b| (b.first, b.len, b.is_free_body)).collect();
        assert_eq!(spans, [(0, 3, false), (3, 6, true), (9, 1, false)]);
    }

    #[test]
    fn the_response_undoes_the_mass_matrix() {
        let system = system();
        let mut ws = Workspace::new(&system);
        let mut q = system.neutral.clone();
        let n = system.nv;
        let turn: Vec<f64> = (0..n).map(|i| 0.3 + 0.1 * i as f64).collect();
        crate::kinematics::advance(&system, &mut q, &turn, 1.0);
        crate::kinematics::positions(&system, &mut ws, &q);
        let mut mass = vec![0.0; n * n];
        crba::mass_matrix(&system, &mut ws, &mut mass);
        prepare(&system, &mut ws, None).unwrap();
        for (index, block) in system.blocks.iter().enumerate() {
            let mut own = vec![0.0; block.len * block.len];
            inertia(&system, &ws, index, &mut own);
            for (i, j) in (0..block.len).flat_map(|i| (0..block.len).map(move |j| (i, j))) {
                let (whole, own) = (mass[(block.first + i) * n + block.first + j], own[i * block.len + j]);
                // A factor multiplied out again: some roundings of entries of order one.
                assert!((whole - own).abs() < 1e-14, "{index}: {i} {j}: {whole} {own}");
            }
        }
        let x: Vec<f64> = (0..n).map(|i| (i as f64 * 1.7).sin()).collect();
        let mut y: Vec<f64> = (0..n).map(|i| (0..n).map(|j| mass[i * n + j] * x[j]).sum()).collect();
        for (index, block) in system.blocks.iter().enumerate() {
            respond(&system, &ws, index, &mut y[block.first..block.first + block.len]);
        }
        // Rounding times the condition of matrices of order one, some 1e2.
        (0..n).for_each(|i| assert!((x[i] - y[i]).abs() < 1e-13, "{i}: {} {}", x[i], y[i]));
    }
}
