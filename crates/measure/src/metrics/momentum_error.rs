//! How much linear or angular momentum of a free system appeared or vanished.
//!
//! With the masses and inertias of the recorded world, the twists of the bodies and their common centre of mass `c`:
//!
//! ```text
//! (1)  p = Σ m v_c                    p(t) = p(0) + Σ m γ g t
//! (2)  L = Σ R I Rᵀ ω + m (p_c - c) × (v_c - c')       constant
//! ```
//!
//! The departure of (1) is divided by `√(2 M T)` and that of (2) by `√(2 J T')`: the momentum and spin the largest
//! kinetic energies of the run, `T` and, without that of the centre of mass, `T'`, could have at most, with `M` the mass
//! and `J` the largest principal moment of the whole about `c` in the first row (`T'` is taken as a millionth of a millionth
//! of `T` at least). The worse of the two counts, and the
//! note says which it is; `of = "linear"` or `of = "angular"` asks for one of them.
//!
//! Cannot tell unless the system is free: every root hangs on a free joint without springs, losses or motors, nothing
//! else holds it to the ground, no body touched anything, and gravity pulls on all bodies alike. Motors, springs and
//! damping between its bodies change nothing.

use crate::energy::EnergyOfRows;
use crate::machine::Machine;
use crate::metric::{CannotTell, Measured, MetricEntry, Options, Subject};
use crate::rows::{BodyRow, Rows, largest, rows_that_count};
use crate::truth::Truth;
use veracity_model::{JointKind, Mat3, Vec3};

/// See the page of this file.
pub const ENTRY: MetricEntry = MetricEntry {
    name: "momentum_error",
    unit: "",
    text: "the largest momentum or spin of a free system that appeared or vanished, relative to what its motion could have",
    needs_truth: false,
    deterministic: true,
    measure,
};

/// Kinetic energy about the centre of mass below this fraction of the whole (speeds of a millionth) is rounding:
/// angular momentum is then relative to that fraction, so that falling bodies are not rejected for their last bits.
const NOTHING_TURNS: f64 = 1e-12;

/// Linear and angular momentum of a row.
#[derive(Clone, Copy, Debug)]
pub struct MomentumRow {
    /// (1) [kg m/s]
    pub linear: Vec3,
    /// (2), about the common centre of mass [kg m²/s].
    pub angular: Vec3,
    /// Sums of the lengths of the terms of each.
    pub terms: [f64; 2],
    /// Kinetic energy without and with that of the centre of mass [J].
    pub kinetic: [f64; 2],
    /// About the common centre of mass [kg m²].
    pub tensor: Mat3,
}

fn measure(subject: &Subject<'_>, _truth: Option<&Truth>, options: &Options) -> Result<Measured, CannotTell> {
    let rows = match rows_that_count(subject, options)? {
        Rows::BrokeDown(broken) => return Ok(broken),
        Rows::Some(rows) => rows,
    };
    let (want_linear, want_angular) = match options.of.as_deref() {
        None => (true, true),
        Some("linear") => (true, false),
        Some("angular") => (false, true),
        Some(other) => {
            return CannotTell::new(format!("there is no momentum '{other}': `of` is linear, angular or absent"));
        }
    };
    let energy = EnergyOfRows::new(subject)?;
    let machine = energy.machine();
    let gravity_scale = must_be_free(subject, machine)?;
    let momenta: Vec<MomentumRow> = rows.iter().map(|&r| momentum_of_row(subject, machine, r)).collect();
    let times: Vec<f64> = rows.iter().map(|&r| subject.record.track.times[r]).collect();
    let mass: f64 = machine.moving().map(|(_, i)| i.mass).sum();
    let most = |k: usize| momenta.iter().map(|m| m.kinetic[k]).fold(0.0, f64::max);
    let moment = momenta[0].tensor.symmetric_eigenvalues().max();
    let turning = most(0).max(NOTHING_TURNS * most(1));
    let scales = [(2.0 * mass * most(1)).sqrt(), (2.0 * moment * turning).sqrt()];
    let scales = scales.map(|s| options.scale.unwrap_or(s));
    let relative = |x: f64, scale: f64| if x == 0.0 { 0.0 } else { x / scale };
    if scales[0] == 0.0 && momenta.iter().any(|m| m.linear != momenta[0].linear || m.angular != momenta[0].angular) {
        return CannotTell::new("nothing moves, so there is no scale for the error; give `scale`");
    }

    let weight = machine.gravity * (mass * gravity_scale);
    let part = |k: usize| -> Measured {
        let off = |i: usize| match k {
            0 => (momenta[i].linear - momenta[0].linear - weight * (times[i] - times[0])).norm(),
            _ => (momenta[i].angular - momenta[0].angular).norm(),
        };
        let series = times.iter().enumerate().map(|(i, &t)| (t, relative(off(i), scales[k]))).collect();
        let rounding = |m: &MomentumRow| crate::balance::ROUNDING * (m.terms[k] + momenta[0].terms[k]);
        let doubt: Vec<f64> = momenta.iter().map(|m| relative(rounding(m), scales[k])).collect();
        let mut found = largest(series, &doubt);
        let (name, unit) = [("linear", "kg m/s"), ("angular", "kg m²/s")][k];
        found.note = format!("{name}, relative to {:.3e} {unit}", scales[k]);
        found
    };
    Ok(match (want_linear, want_angular) {
        (true, false) => part(0),
        (false, _) => part(1),
        _ => {
            let (linear, angular) = (part(0), part(1));
            if linear.value.is_nan() || linear.value > angular.value { linear } else { angular }
        }
    })
}

/// (1) and (2) of a row.
pub fn momentum_of_row(subject: &Subject<'_>, machine: &Machine<'_>, row: usize) -> MomentumRow {
    let track = &subject.record.track;
    let motions: Vec<_> = machine.moving().map(|(slot, i)| (BodyRow::read(track, row, slot), i)).collect();
    let mass: f64 = motions.iter().map(|(_, i)| i.mass).sum();
    let mean = |f: &dyn Fn(&BodyRow, &Vec3) -> Vec3| -> Vec3 {
        motions.iter().map(|(m, i)| f(m, &i.com) * i.mass).sum::<Vec3>() / mass
    };
    let centre = mean(&|m, com| m.point(com));
    let velocity = mean(&|m, com| m.point_velocity(com));
    let mut sum = MomentumRow {
        linear: velocity * mass,
        angular: Vec3::zeros(),
        terms: [0.0; 2],
        kinetic: [0.0; 2],
        tensor: Mat3::zeros(),
    };
    for (motion, inertia) in &motions {
        let (arm, v) = (motion.point(&inertia.com) - centre, motion.point_velocity(&inertia.com));
        let turn = motion.world_from_body.rotation.to_rotation_matrix();
        let tensor = turn.matrix() * inertia.tensor * turn.matrix().transpose();
        let (own, orbit) = (tensor * motion.spin, arm.cross(&(v - velocity)) * inertia.mass);
        sum.angular += own + orbit;
        // Rounding of the arm is that of the position in the world.
        let reach = arm.norm() + 1e-1 * centre.norm();
        sum.terms[0] += inertia.mass * v.norm();
        sum.terms[1] += own.norm() + inertia.mass * reach * (v - velocity).norm();
        sum.kinetic[0] += 0.5 * (motion.spin.dot(&own) + inertia.mass * (v - velocity).norm_squared());
        sum.tensor += tensor + (Mat3::identity() * arm.norm_squared() - arm * arm.transpose()) * inertia.mass;
    }
    sum.kinetic[1] = sum.kinetic[0] + 0.5 * mass * velocity.norm_squared();
    sum
}

/// The common gravity scale of all bodies; fails unless the system is free.
fn must_be_free(subject: &Subject<'_>, machine: &Machine<'_>) -> Result<f64, CannotTell> {
    let record = subject.record;
    let held = |what: &str| CannotTell::new(format!("the system is not free: {what}; measure its energy instead"));
    if !record.contacts.is_empty() {
        return held("bodies touched");
    }
    if let Some(push) = crate::balance::outside_push(record) {
        return held(&format!("'{push}' pushed a body"));
    }
    for b in machine.bodies.iter().filter(|b| b.moves) {
        if b.body.linear_damping != 0.0 || b.body.angular_damping != 0.0 {
            return held(&format!("body '{}' has drag", b.body.name));
        }
        let at_root = b.parent.is_none_or(|p| !machine.bodies[p].moves);
        if at_root && b.joint.kind != JointKind::Free {
            return held(&format!("joint '{}' holds it to the ground", b.joint.name));
        }
        let holds = |d: &veracity_model::Dof| {
            d.damping != 0.0 || d.stiffness != 0.0 || d.friction != 0.0 || d.armature != 0.0
        };
        if at_root && b.joint.dofs.iter().any(holds) {
            return held(&format!("joint '{}' has a spring, losses or a rotor", b.joint.name));
        }
        let pushed = |row: usize| (0..6).any(|k| record.track.efforts[row * record.track.nv + b.v + k] != 0.0);
        if at_root
            && record.track.efforts.len() == record.track.rows() * record.track.nv
            && (0..record.track.rows()).any(pushed)
        {
            return held(&format!("efforts act on joint '{}'", b.joint.name));
        }
    }
    for placement in &record.world.placements {
        let model = &placement.model;
        if model.loops().iter().any(|l| l.body_a.is_none() || l.body_b.is_none())
            || model.springs().iter().any(|s| s.body_a.is_none() || s.body_b.is_none())
        {
            return held("a loop or spring is fastened to the ground");
        }
    }
    let mut scales = machine.moving().map(|(slot, _)| machine.bodies[slot].body.gravity_scale);
    let Some(first) = scales.next() else { return CannotTell::new("nothing that moves has mass") };
    if scales.any(|s| s != first) {
        return held("gravity does not act equally on all bodies");
    }
    Ok(first)
}
