//! `<inertial>`, mass from geoms, and the repairs requested by `<compiler>`.

use super::compiler::{Compiler, InertiaFromGeom};
use super::context::Context;
use super::geom::Geom;
use super::node::Node;
use super::pose;
use crate::geometry::{Mat3, Vec3};
use crate::inertia::Inertia;
use nalgebra as na;

/// Reads `<inertial>` in its enclosing frame; `None` if it is incomplete.
pub(super) fn read(node: &Node, ctx: &mut Context<'_>) -> Option<Inertia> {
    ctx.check_attributes(node, "inertial");
    let missing: Vec<&str> = ["pos", "mass"].into_iter().filter(|name| !node.has(name)).collect();
    if !missing.is_empty() {
        let text = format!("<inertial> lacks {}; MuJoCo requires it", missing.join(" and "));
        if ctx.compiler(node).inertia_from_geom == InertiaFromGeom::Always {
            ctx.warning(node, "inertial", format!("{text}, but inertiafromgeom=\"true\" makes it pointless"));
        } else {
            ctx.error(node, "inertial", text);
        }
        return None;
    }
    let place = pose::read(node, ctx);
    let mass = node.number("mass", ctx.findings)?;
    if mass < 0.0 {
        ctx.error(node, "mass", format!("the mass is {mass}; it cannot be negative"));
        return None;
    }
    let tensor = match (node.has("diaginertia"), node.has("fullinertia")) {
        (true, true) => {
            ctx.error(node, "inertial", "<inertial> has both diaginertia and fullinertia; keep one");
            return None;
        }
        (true, false) => Mat3::from_diagonal(&node.vector("diaginertia", ctx.findings)?),
        (false, true) => Inertia::new(0.0, na::zero(), node.numbers::<6>("fullinertia", ctx.findings)?).tensor,
        (false, false) => Mat3::zeros(),
    };
    Some(Inertia { mass, com: na::zero(), tensor }.transformed(&place))
}

/// The inertia of a body whose `pos` is `position`, from its `<inertial>` and its geoms, before repairs.
pub(super) fn of_body(said: Option<Inertia>, geoms: &[Geom], position: Vec3, compiler: &Compiler) -> Inertia {
    let from_geoms = || {
        let mut weighed = geoms.iter().filter_map(|geom| geom.inertia);
        let first = weighed.next()?;
        Some(weighed.fold(first, |sum, next| sum.combined(&next)))
    };
    let inertia = match compiler.inertia_from_geom {
        InertiaFromGeom::Never => said,
        InertiaFromGeom::Always => from_geoms().or(said),
        InertiaFromGeom::WhenMissing => said.or_else(from_geoms),
    };
    // For a body without mass, MuJoCo puts the mass of `boundmass` at the body's `pos`, interpreted in the body frame.
    inertia.unwrap_or(Inertia { com: position, ..Inertia::zero() })
}

/// Applies `boundmass`, `boundinertia` and `balanceinertia`, in that order.
pub(super) fn repaired(inertia: Inertia, compiler: &Compiler) -> Inertia {
    let mass = inertia.mass.max(compiler.bound_mass);
    // The builder reports non-finite values; computing their principal axes would not terminate.
    if !inertia.is_finite() || compiler.bound_inertia <= 0.0 && !compiler.balance_inertia {
        return Inertia { mass, ..inertia };
    }
    let principal = inertia.principal_moments();
    let impossible = principal[0] + principal[1] < principal[2];
    let too_small = principal[0] < compiler.bound_inertia;
    if !(too_small || compiler.balance_inertia && impossible) {
        return Inertia { mass, ..inertia };
    }
    let eigen = na::SymmetricEigen::new(inertia.tensor);
    let mut moments = eigen.eigenvalues.map(|moment| moment.max(compiler.bound_inertia));
    let (sum, largest) = (moments.sum(), moments.max());
    if compiler.balance_inertia && sum - largest < largest {
        moments.fill(sum / 3.0);
    }
    let tensor = eigen.eigenvectors * Mat3::from_diagonal(&moments) * eigen.eigenvectors.transpose();
    Inertia { mass, com: inertia.com, tensor: (tensor + tensor.transpose()) * 0.5 }
}

/// `settotalmass`: scales masses and tensors by the same factor.
pub(super) fn scale_to_total(inertias: &mut [Inertia], total: f64) {
    let sum: f64 = inertias.iter().map(|inertia| inertia.mass).sum();
    if sum > 0.0 {
        let factor = total / sum;
        for inertia in inertias {
            inertia.mass *= factor;
            inertia.tensor *= factor;
        }
    }
}
