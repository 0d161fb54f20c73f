//! Velocity coordinates in which the mass matrix is the identity.
//!
//! Constraint rows are linear in velocities in any coordinates. In those whose square is twice the kinetic energy a row equals
//! its response to an impulse, and the coupling of two rows is their product:
//!
//! ```text
//! (1)  M̂ = Sᵀ S,   u = S v,   J_u = J S⁻¹,   J M̂⁻¹ Jᵀ = J_u J_uᵀ
//! (2)  trees         M̂ = Lᵀ D L,          S = D^½ L                                             `crba`
//! (3)  free bodies   I⁻¹ = G Gᵀ (world),   u = (G⁻¹ R ω, m^½ (X v + R ω × c)),   J_u = (Gᵀ (r × f), m^-½ f)
//! ```
//!
//! `R`, `X` are the axes of the body and of its joint, `c` is the vector from the origin to the centre of mass, `r` that from
//! there to the point of the force `f`. `S⁻ᵀ` of a tree changes a row only along the branch that the row acts on.
//!
//! All functions here must be called after [`crate::blocks::prepare`].

use crate::blocks::{self, Block, FreeBody};
use crate::link::LinkKind;
use crate::spatial::*;
use crate::system::{BodyPlace, System};
use crate::workspace::Workspace;

/// `u` from `v`.
pub fn from_velocity(system: &System, ws: &Workspace, v: &[f64], u: &mut [f64]) {
    for (index, block) in system.blocks.iter().enumerate() {
        let dofs = block.first..block.first + block.len;
        if !block.is_free_body {
            let (first, v) = (block.first, &v[dofs]);
            for (i, x) in v.iter().enumerate() {
                let above = system.branches.dot(first + i, first, block.mass_row(&ws.mass, i), v);
                u[first + i] = (x + above) / ws.inv_roots[first + i];
            }
            continue;
        }
        let (v, u) = (&v[dofs.clone()], &mut u[dofs]);
        let free = &ws.free_bodies[index];
        let axes = system.links[block.links.0].joint_axes(&IDENTITY);
        let turn = rotate(&ws.links[block.links.0 + 1].rot, [v[0], v[1], v[2]]);
        let slide = add(rotate(&axes, [v[3], v[4], v[5]]), cross(turn, free.com));
        let [a, b, c, d, e, f] = free.inv_root;
        u[0] = turn[0] / a;
        u[1] = (turn[1] - b * u[0]) / c;
        u[2] = (turn[2] - d * u[0] - e * u[1]) / f;
        (0..3).for_each(|k| u[3 + k] = slide[k] / free.inv_root_mass);
    }
}

/// `v` from `u`.
pub fn to_velocity(system: &System, ws: &Workspace, u: &[f64], v: &mut [f64]) {
    for (index, block) in system.blocks.iter().enumerate() {
        let dofs = block.first..block.first + block.len;
        block_to_velocity(system, ws, index, &u[dofs.clone()], &mut v[dofs]);
    }
}

/// [`to_velocity`] of one block: both slices cover its velocities only.
#[inline]
pub fn block_to_velocity(system: &System, ws: &Workspace, index: usize, u: &[f64], v: &mut [f64]) {
    let block = &system.blocks[index];
    if !block.is_free_body {
        let first = block.first;
        for i in 0..block.len {
            let above = system.branches.dot(first + i, first, block.mass_row(&ws.mass, i), v);
            v[i] = u[i] * ws.inv_roots[first + i] - above;
        }
        return;
    }
    let free = &ws.free_bodies[index];
    let axes = system.links[block.links.0].joint_axes(&IDENTITY);
    let [a, b, c, d, e, f] = free.inv_root;
    let turn = [a * u[0], b * u[0] + c * u[1], d * u[0] + e * u[1] + f * u[2]];
    let slide = sub(scale([u[3], u[4], u[5]], free.inv_root_mass), cross(turn, free.com));
    v[..3].copy_from_slice(&rotate_back(&ws.links[block.links.0 + 1].rot, turn));
    v[3..].copy_from_slice(&rotate_back(&axes, slide));
}

/// Converts rows over the joint velocities of one block, stored one after another in `rows`, into these coordinates.
pub fn turn_rows(system: &System, ws: &Workspace, block: usize, rows: &mut [f64]) {
    let b = &system.blocks[block];
    if !b.is_free_body {
        rows.chunks_exact_mut(b.len).for_each(|row| convert_tree_row(system, ws, b, row));
        return;
    }
    let axes = system.links[b.links.0].joint_axes(&IDENTITY);
    let free = &ws.free_bodies[block];
    for row in rows.chunks_exact_mut(6) {
        let force = rotate(&axes, [row[3], row[4], row[5]]);
        let torque = rotate(&ws.links[b.links.0 + 1].rot, [row[0], row[1], row[2]]);
        row.copy_from_slice(&free_row(free, sub(torque, cross(free.com, force)), force));
    }
}

/// `S⁻ᵀ j` of (2); degrees of freedom that the row does not act on are skipped.
fn convert_tree_row(system: &System, ws: &Workspace, block: &Block, row: &mut [f64]) {
    let first = block.first;
    for i in (first..first + block.len).rev() {
        let x = row[i - first];
        if x == 0.0 {
            continue;
        }
        system.branches.subtract(i, first, block.mass_row(&ws.mass, i - first), x, row);
        row[i - first] = x * ws.inv_roots[i];
    }
}

/// (3) of a torque about the centre of mass and a force.
#[inline(always)]
fn free_row(free: &FreeBody, torque: V3, force: V3) -> [f64; 6] {
    let [a, b, c, d, e, f] = free.inv_root;
    let [x, y, z] = torque;
    let m = free.inv_root_mass;
    [a * x + b * y + d * z, c * y + e * z, f * z, m * force[0], m * force[1], m * force[2]]
}

/// Rows of several wrenches `(torque, force)` at one point of the world on one or two bodies of a block, each with its sign,
/// one row after another in `rows`, each as long as the block. The bodies must be able to move.
pub fn wrench_rows(
    system: &System,
    ws: &Workspace,
    bodies: &[(BodyPlace, f64)],
    point: V3,
    wrenches: &[(V3, V3)],
    rows: &mut [f64],
) {
    let Some((body, sign)) = bodies.first() else { return };
    let link = &system.links[body.state - 1];
    let index = system.dof_block[link.v];
    let block = &system.blocks[index];
    if block.is_free_body && bodies.len() == 1 {
        loose_rows(system, ws, body, *sign, point, wrenches, 6, rows);
        return;
    }
    rows.fill(0.0);
    if let ([(body, sign)], 3) = (bodies, wrenches.len())
        && branch_rows(system, ws, block, (*body, *sign), point, wrenches, rows)
    {
        return;
    }
    for (wrench, row) in wrenches.iter().zip(rows.chunks_exact_mut(block.len)) {
        for (body, sign) in bodies {
            blocks::add_wrench_row(system, ws, *body, point, *wrench, *sign, row);
        }
    }
    turn_rows(system, ws, index, rows);
}

/// [`wrench_rows`] of one free body; each row begins `stride` after the last and has six numbers.
#[allow(clippy::too_many_arguments)]
pub fn loose_rows(
    system: &System,
    ws: &Workspace,
    body: &BodyPlace,
    sign: f64,
    point: V3,
    wrenches: &[(V3, V3)],
    stride: usize,
    rows: &mut [f64],
) {
    let link = &system.links[body.state - 1];
    let free = &ws.free_bodies[system.dof_block[link.v]];
    let lever = sub(point, add(link.world_position(&ws.links[body.state]), free.com));
    for ((torque, force), row) in wrenches.iter().zip(rows.chunks_mut(stride)) {
        let (torque, force) = (scale(*torque, sign), scale(*force, sign));
        row[..6].copy_from_slice(&free_row(free, add(torque, cross(lever, force)), force));
    }
}

/// Motion of a free body, in world axes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FreeMotion {
    /// Angular velocity [rad/s].
    pub turn: V3,
    /// Velocity of the centre of mass [m/s].
    pub slide: V3,
    /// Position of the centre of mass [m].
    pub centre: V3,
}

/// Motion of a free body at velocities `u`, the six of its block.
pub fn free_motion(system: &System, ws: &Workspace, index: usize, u: &[f64]) -> FreeMotion {
    let (free, first) = (&ws.free_bodies[index], system.blocks[index].links.0);
    let [a, b, c, d, e, f] = free.inv_root;
    FreeMotion {
        turn: [a * u[0], b * u[0] + c * u[1], d * u[0] + e * u[1] + f * u[2]],
        slide: scale([u[3], u[4], u[5]], free.inv_root_mass),
        centre: add(system.links[first].world_position(&ws.links[first + 1]), free.com),
    }
}

/// Most degrees of freedom of a branch that [`branch_rows`] supports.
const DEEPEST: usize = 40;

/// Rows of three wrenches at a point of one body of a tree: the branch is walked once, and each factor is read once for all
/// three. `rows` must be zero. `false`, and nothing done, if the branch is too long.
fn branch_rows(
    system: &System,
    ws: &Workspace,
    block: &Block,
    (body, sign): (BodyPlace, f64),
    point: V3,
    wrenches: &[(V3, V3)],
    rows: &mut [f64],
) -> bool {
    // The three entries of each degree of freedom padded to four: vector instructions need an even number.
    let mut entries = [[0.0; 4]; DEEPEST];
    let first = block.first;
    let link = &system.links[body.state - 1];
    let tip = link.v + link.dof_count() - 1 - first;
    let Some(entries) = entries.get_mut(..tip + 1) else { return false };
    let lever = sub(point, link.world_position(&ws.links[body.state]));
    let force: [V3; 3] = std::array::from_fn(|k| scale(wrenches[k].1, sign));
    let mut torque: [V3; 3] = std::array::from_fn(|k| add(scale(wrenches[k].0, sign), cross(lever, force[k])));
    let mut at = body.state;
    while at != 0 {
        let (link, s) = (&system.links[at - 1], &ws.links[at]);
        let (z, v) = (s.rot[2], link.v - first);
        match link.kind {
            LinkKind::Revolute => (0..3).for_each(|k| entries[v][k] = dot(z, torque[k])),
            LinkKind::Prismatic => (0..3).for_each(|k| entries[v][k] = dot(z, force[k])),
            LinkKind::Screw { pitch } => {
                (0..3).for_each(|k| entries[v][k] = dot(z, torque[k]) + pitch * dot(z, force[k]));
            }
            LinkKind::Ball => {
                (0..3).for_each(|i| (0..3).for_each(|k| entries[v + i][k] = dot(s.rot[i], torque[k])));
            }
            LinkKind::Free => {
                let axes = link.joint_axes(&ws.links[link.parent].rot);
                for k in 0..3 {
                    (0..3).for_each(|i| entries[v + i][k] = dot(s.rot[i], torque[k]));
                    (0..3).for_each(|i| entries[v + 3 + i][k] = dot(axes[i], force[k]));
                }
            }
        }
        (0..3).for_each(|k| torque[k] = add(torque[k], cross(s.arm, force[k])));
        at = link.parent;
    }
    // S⁻ᵀ of (2), from the tip to the root.
    let mut turn = |i: usize| {
        let factors = block.mass_row(&ws.mass, i);
        let (before, own) = entries.split_at_mut(i);
        let x = own[0];
        for &(from, to) in system.branches.above(first + i) {
            let range = from - first..to - first;
            for (entry, l) in before[range.clone()].iter_mut().zip(&factors[range]) {
                (0..4).for_each(|k| entry[k] -= l * x[k]);
            }
        }
        let root = ws.inv_roots[first + i];
        own[0] = x.map(|x| x * root);
        for k in 0..3 {
            rows[k * block.len + i] = own[0][k];
        }
    };
    turn(tip);
    for &(from, to) in system.branches.above(first + tip) {
        (from - first..to - first).rev().for_each(&mut turn);
    }
    true
}

/// The velocities of its block that the rows of a body act on, if these are one or two ranges: first and one past the last.
/// The second is empty if one is enough.
pub fn support_of_body(system: &System, body: BodyPlace) -> Option<[(usize, usize); 2]> {
    let link = &system.links[body.state.checked_sub(1)?];
    support_of_dof(system, link.v + link.dof_count() - 1)
}

/// The same for the rows of a degree of freedom.
pub fn support_of_dof(system: &System, dof: usize) -> Option<[(usize, usize); 2]> {
    let first = system.blocks[system.dof_block[dof]].first;
    let end = dof - first + 1;
    let place = |&(from, to): &(usize, usize)| (from - first, to - first);
    Some(match system.branches.above(dof) {
        [] => [(end - 1, end), (end, end)],
        [near] if near.1 == dof => [(near.0 - first, end), (end, end)],
        [near] => [place(near), (end - 1, end)],
        [near, far] if near.1 == dof => [place(far), (near.0 - first, end)],
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use veracity_model::geometry::at;
    use veracity_model::{Body, BodyId, Inertia, Joint, JointKind, Mat3, ModelBuilder, Pose, Vec3, World};

    fn body(name: &str, mass: f64) -> Body {
        let tensor = Mat3::new(0.2, 0.01, -0.02, 0.01, 0.3, 0.03, -0.02, 0.03, 0.25);
        Body::new(name, Inertia { mass, com: Vec3::new(0.1, -0.2, 0.3), tensor })
    }

    /// A free body, and a floating tree with branches.
    fn system() -> System {
        let mut b = ModelBuilder::new("m");
        let tilted = at(1.0, 2.0, 3.0) * Pose::rotation(Vec3::new(0.3, -0.4, 0.5));
        b.add_body(body("loose", 1.7), Joint::new("f", JointKind::Free).at(tilted), None);
        let root = b.add_body(body("root", 2.0), Joint::new("g", JointKind::Free), None);
        for (name, axis) in [("left", Vec3::x()), ("right", Vec3::y())] {
            let hinge = Joint::new(format!("{name}_hinge"), JointKind::revolute(axis)).at(at(0.2, 0.1, 0.3));
            b.add_body(body(name, 0.5), hinge, Some(root));
        }
        System::new(&World::with_model(b.build().unwrap())).unwrap()
    }

    /// Both coordinates give the same row velocity and the same response to an impulse, and here a row is its own response.
    #[test]
    fn rows_agree_with_joint_coordinates() {
        let system = system();
        let mut ws = Workspace::new(&system);
        let mut q = system.neutral.clone();
        let n = system.nv;
        let v: Vec<f64> = (0..n).map(|i| libm::sin(1.0 + 1.7 * i as f64)).collect();
        crate::kinematics::advance(&system, &mut q, &v, 0.7);
        crate::kinematics::positions(&system, &mut ws, &q);
        let extra: Vec<f64> = (0..n).map(|i| 0.01 * i as f64).collect();
        blocks::prepare(&system, &mut ws, Some(&extra)).unwrap();
        let (mut u, mut back) = (vec![0.0; n], vec![0.0; n]);
        from_velocity(&system, &ws, &v, &mut u);
        to_velocity(&system, &ws, &u, &mut back);
        // A dozen roundings of numbers of order one, times a condition number of ten, here and below.
        (0..n).for_each(|k| assert!((back[k] - v[k]).abs() < 1e-13, "{k}"));
        let wrench = ([0.1, 0.2, 0.3], [0.5, -0.4, 0.7]);
        let point = [1.3, 2.2, 2.9];
        let place = |k: usize| system.place(0, BodyId(k));
        // The free body; a branch; both branches of the tree against each other.
        for bodies in [vec![(place(0), -1.0)], vec![(place(3), 1.0)], vec![(place(2), 1.0), (place(3), -1.0)]] {
            let block = system.block_of(bodies[0].0).unwrap();
            let b = system.blocks()[block];
            let dofs = b.first..b.first + b.len;
            let mut plain = vec![0.0; b.len];
            for (body, sign) in &bodies {
                blocks::add_wrench_row(&system, &ws, *body, point, wrench, *sign, &mut plain);
            }
            let mut row = vec![0.0; b.len];
            wrench_rows(&system, &ws, &bodies, point, &[wrench], &mut row);
            if let [(body, _)] = bodies[..] {
                let [a, c] = support_of_body(&system, body).expect("one run or two");
                let inside = |k: usize| (a.0 <= k && k < a.1) || (c.0 <= k && k < c.1);
                (0..b.len).for_each(|k| assert!(inside(k) == (row[k] != 0.0), "{k} of {row:?}"));
            }
            let mut turned = plain.clone();
            turn_rows(&system, &ws, block, &mut turned);
            let dot = |a: &[f64], b: &[f64]| -> f64 { a.iter().zip(b).map(|(x, y)| x * y).sum() };
            assert!((dot(&plain, &v[dofs.clone()]) - dot(&row, &u[dofs.clone()])).abs() < 1e-13);
            let mut answer = plain.clone();
            blocks::respond(&system, &ws, block, &mut answer);
            assert!((dot(&plain, &answer) - dot(&row, &row)).abs() < 1e-13);
            let (mut all, mut out) = (vec![0.0; n], vec![0.0; n]);
            all[dofs.clone()].copy_from_slice(&row);
            to_velocity(&system, &ws, &all, &mut out);
            for k in 0..b.len {
                assert!((out[b.first + k] - answer[k]).abs() < 1e-13 && (turned[k] - row[k]).abs() < 1e-13, "{k}");
            }
        }
    }
}
