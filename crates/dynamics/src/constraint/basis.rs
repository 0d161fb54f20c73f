//! Orthogonal bases of the constraint rows, in the metric of the mass matrix.
//!
//! Modified Gram-Schmidt with a second pass where the first lost more than half of a column's length: after two
//! passes the basis is orthogonal to rounding ("twice is enough", Kahan; Giraud et al. 2005).

use super::{ConstraintScratch, PROJECTION_TOLERANCE, RANK_TOLERANCE};
use crate::crba;
use crate::system::System;

/// Rows weaker than this fraction of the strongest of their group count as absent: the out-of-plane rows of planar loops.
const ABSENT: f64 = 1e-11;

/// Picks independent rows by pivoting.
pub(super) fn choose(system: &System, mass_factor: &[f64], c: &mut ConstraintScratch) {
    let n = system.nv;
    c.kept.clear();
    c.order.clear();
    c.strong = 0;
    c.weakest = 1.0;
    for k in 0..c.rows {
        let column = &mut c.q[k * n..(k + 1) * n];
        column.copy_from_slice(&c.jacobian[k * n..(k + 1) * n]);
        crba::half_solve(system, mass_factor, column);
        c.norms[k] = norm(column);
    }
    // Lengths and angles, light loops and heavy ones cannot be compared; the rows of one group can. A row that is weak
    // compared with its group is about to vanish (a hinge that constrains nothing along a flat parallelogram).
    for k in 0..c.rows {
        let group = c.groups[k];
        let sisters = c.groups.iter().zip(&c.norms).filter(|(g, _)| **g == group);
        let strongest = sisters.fold(0.0f64, |worst, (_, norm)| worst.max(*norm));
        if c.norms[k] > ABSENT * strongest {
            c.order.push(k);
            let inv = 1.0 / strongest;
            c.q[k * n..(k + 1) * n].iter_mut().for_each(|x| *x *= inv);
        }
    }
    // The strength of a column is its remainder after subtracting the chosen ones.
    while !c.order.is_empty() {
        let (mut best, mut best_norm) = (0, -1.0);
        for (place, &k) in c.order.iter().enumerate() {
            let left = norm(&c.q[k * n..(k + 1) * n]);
            if left > best_norm {
                (best, best_norm) = (place, left);
            }
        }
        if best_norm < RANK_TOLERANCE {
            break;
        }
        let chosen = c.order.remove(best);
        // Orthogonalise once more against those chosen before: small remainders have large relative rounding.
        for &earlier in &c.kept {
            remove_component(&mut c.q, n, earlier, chosen);
        }
        let left = norm(&c.q[chosen * n..(chosen + 1) * n]);
        if left < RANK_TOLERANCE {
            continue;
        }
        c.q[chosen * n..(chosen + 1) * n].iter_mut().for_each(|x| *x /= left);
        c.kept.push(chosen);
        c.weakest = c.weakest.min(left);
        if left > PROJECTION_TOLERANCE {
            c.strong = c.kept.len();
        }
        for &other in &c.order {
            remove_component(&mut c.q, n, chosen, other);
        }
    }
}

/// `Y = Q R` of the first `rank` kept rows, in their order.
pub(super) fn factor(system: &System, mass_factor: &[f64], c: &mut ConstraintScratch, rank: usize) {
    let n = system.nv;
    for k in 0..rank {
        let row = c.kept[k];
        let (done, rest) = c.q.split_at_mut(k * n);
        let column = &mut rest[..n];
        column.copy_from_slice(&c.jacobian[row * n..(row + 1) * n]);
        crba::half_solve(system, mass_factor, column);
        for j in 0..k {
            c.r[j * c.rows + k] = 0.0;
        }
        let mut before = norm(column);
        for _pass in 0..2 {
            for j in 0..k {
                let qj = &done[j * n..(j + 1) * n];
                let along: f64 = qj.iter().zip(column.iter()).map(|(a, b)| a * b).sum();
                if along != 0.0 {
                    for (x, q) in column.iter_mut().zip(qj) {
                        *x -= along * q;
                    }
                }
                c.r[j * c.rows + k] += along;
            }
            let after = norm(column);
            if after > 0.5 * before {
                break;
            }
            before = after;
        }
        let length = norm(column);
        c.r[k * c.rows + k] = length;
        let inv = 1.0 / length;
        column.iter_mut().for_each(|x| *x *= inv);
    }
}

/// `w ← R⁻ᵀ w`.
pub(super) fn forward_substitute_transposed(c: &mut ConstraintScratch, rank: usize) {
    for k in 0..rank {
        let mut x = c.w[k];
        for j in 0..k {
            x -= c.r[j * c.rows + k] * c.w[j];
        }
        c.w[k] = x / c.r[k * c.rows + k];
    }
}

/// Multipliers `λ = R⁻¹ w`, zero for rows left out.
pub(super) fn back_substitute(c: &mut ConstraintScratch) {
    c.multipliers.fill(0.0);
    for k in (0..c.kept.len()).rev() {
        let mut x = c.w[k];
        for j in k + 1..c.kept.len() {
            x -= c.r[k * c.rows + j] * c.multipliers[c.kept[j]];
        }
        c.multipliers[c.kept[k]] = x / c.r[k * c.rows + k];
    }
}

fn norm(x: &[f64]) -> f64 {
    x.iter().map(|a| a * a).sum::<f64>().sqrt()
}

/// Removes the direction of unit column `unit` from column `other`.
fn remove_component(columns: &mut [f64], n: usize, unit: usize, other: usize) {
    let (low, high) = (unit.min(other), unit.max(other));
    let (first, second) = columns.split_at_mut(high * n);
    let (a, b) = (&mut first[low * n..(low + 1) * n], &mut second[..n]);
    let (u, x) = if unit < other { (a, b) } else { (b, a) };
    let along: f64 = u.iter().zip(x.iter()).map(|(p, q)| p * q).sum();
    for (xi, ui) in x.iter_mut().zip(u.iter()) {
        *xi -= along * ui;
    }
}
