//! The fastest decay of a system at a state, which limits the step of explicit integrators.
//!
//! With the slopes `B = -∂τ/∂v` of joint damping, dry friction and drives, the velocities follow near a state
//!
//! ```text
//! (1)  M v̇ = -B v,      rates = eigenvalues of M⁻¹ B
//! ```
//!
//! An explicit method is stable only while its step times the largest rate stays below its stability limit (6.1 for
//! `dop853`), however smooth the motion is. The largest rate comes from power iteration `z = M⁻¹ B x`, with the Rayleigh
//! quotient in the inner product of `B`, in which `M⁻¹ B` is symmetric:
//!
//! ```text
//! (2)  rate = zᵀ B x / xᵀ B x
//! ```
//!
//! Each iteration costs one sparse solve, O(n · depth). The quotient converges from below; with two rates close to each
//! other it is a few per cent too small, which is accurate enough to detect a stiff system. Not included: drag of bodies
//! and dampers between points.

use crate::forward::Efforts;
use crate::system::System;
use crate::workspace::Workspace;
use crate::{crba, kinematics};

/// Power iterations: the ratio of the two largest rates of a robot is rarely below 1.2, and 1.2^-40 is below 1e-3.
const ITERATIONS: usize = 40;

/// The fastest decay.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FastestDecay {
    /// [1/s]
    pub rate: f64,
    /// The degree of freedom that dissipates most in this mode.
    pub dof: usize,
    /// Its slope `B` [N m s/rad or N s/m].
    pub slope: f64,
    /// The force that contributes most of that slope.
    pub source: DecaySource,
}

/// Source of a velocity slope.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DecaySource {
    /// Joint damping.
    Damping,
    /// Dry friction, smoothed at low speed.
    DryFriction,
    /// An actuator's or controller's drive.
    Drive,
}

impl std::fmt::Display for DecaySource {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Damping => "damping",
            Self::DryFriction => "dry friction",
            Self::Drive => "drive",
        })
    }
}

/// The fastest decay at a state; `None` without damping, or where the inertia is not positive.
pub fn fastest_decay(
    system: &System,
    ws: &mut Workspace,
    efforts: &mut dyn Efforts,
    time: f64,
    q: &[f64],
    v: &[f64],
) -> Option<FastestDecay> {
    let n = system.dof_count();
    let mut slopes = vec![[0.0; 3]; n];
    let (mut stiffness, mut gains) = (vec![0.0; n], vec![0.0; n]);
    efforts.add_gains(system, time, q, v, &mut stiffness, &mut gains);
    for (i, dof) in system.dofs().iter().enumerate() {
        let vs = system.friction_speed();
        let r2 = v[i] * v[i] + vs * vs;
        slopes[i] = [dof.damping, dof.friction * vs * vs / (r2 * r2.sqrt()), gains[i]];
    }
    let slope = |i: usize| slopes[i].iter().sum::<f64>().max(0.0);

    kinematics::positions(system, ws, q);
    crba::mass_matrix_lower(system, ws);
    crba::factor(system, &mut ws.mass).ok()?;
    let mut x: Vec<f64> = (0..n).map(|i| if slope(i) > 0.0 { 1.0 } else { 0.0 }).collect();
    let (mut rate, mut z) = (0.0, vec![0.0; n]);
    for _ in 0..ITERATIONS {
        (0..n).for_each(|i| z[i] = slope(i) * x[i]);
        let below: f64 = x.iter().zip(&z).map(|(x, bx)| x * bx).sum();
        let bx = z.clone();
        crba::solve(system, &ws.mass, &mut z);
        // (2)
        rate = z.iter().zip(&bx).map(|(z, bx)| z * bx).sum::<f64>() / below;
        let largest = z.iter().fold(0.0f64, |most, z| most.max(z.abs()));
        if !rate.is_finite() || largest == 0.0 || !largest.is_finite() {
            return None;
        }
        x.iter_mut().zip(&z).for_each(|(x, z)| *x = z / largest);
    }
    let dof = (0..n).max_by(|&i, &j| (slope(i) * x[i] * x[i]).total_cmp(&(slope(j) * x[j] * x[j])))?;
    let sources = [DecaySource::Damping, DecaySource::DryFriction, DecaySource::Drive];
    let most = (0..3).max_by(|&i, &j| slopes[dof][i].total_cmp(&slopes[dof][j]))?;
    Some(FastestDecay { rate, dof, slope: slope(dof), source: sources[most] })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::NoEfforts;
    use veracity_model::{Body, Dof, Inertia, Joint, JointKind, ModelBuilder, Vec3, World};

    /// Two independent hinges, of inertia 1 and 0.25 kg m²: rates 2 and 0.5/0.25.
    fn system(damping: [f64; 2], friction: f64) -> System {
        let mut b = ModelBuilder::new("m");
        for (i, radius) in [1.0, 0.5].into_iter().enumerate() {
            let mut joint = Joint::new(format!("j{i}"), JointKind::revolute(Vec3::y()));
            joint.dofs =
                vec![Dof { damping: damping[i], friction: if i == 1 { friction } else { 0.0 }, ..joint.dofs[0] }];
            b.add_body(Body::new(format!("b{i}"), Inertia::point_mass(1.0, Vec3::x() * radius)), joint, None);
        }
        System::new(&World::with_model(b.build().unwrap())).unwrap()
    }

    #[test]
    fn the_rate_of_a_damped_hinge_is_its_damping_over_its_inertia() {
        let system = system([2.0, 1e11], 0.0);
        let mut ws = Workspace::new(&system);
        let found = fastest_decay(&system, &mut ws, &mut NoEfforts, 0.0, &[0.0; 2], &[0.0; 2]).unwrap();
        assert!((found.rate / 4e11 - 1.0).abs() < 1e-12, "{found:?}");
        assert_eq!((found.dof, found.slope, found.source), (1, 1e11, DecaySource::Damping));
    }

    #[test]
    fn dry_friction_is_fast_at_rest_and_slow_in_motion() {
        let system = system([2.0, 0.0], 1.0);
        let mut ws = Workspace::new(&system);
        let mut at =
            |speed: f64| fastest_decay(&system, &mut ws, &mut NoEfforts, 0.0, &[0.0; 2], &[0.0, speed]).unwrap();
        // At rest f / v_s over the inertia.
        let rest = at(0.0);
        assert!((rest.rate / (4.0 / system.friction_speed()) - 1.0).abs() < 1e-12, "{rest:?}");
        assert_eq!(rest.source, DecaySource::DryFriction);
        assert_eq!(at(1.0).source, DecaySource::Damping);
    }

    #[test]
    fn nothing_decays_without_damping() {
        let system = system([0.0; 2], 0.0);
        let mut ws = Workspace::new(&system);
        assert_eq!(fastest_decay(&system, &mut ws, &mut NoEfforts, 0.0, &[0.0; 2], &[0.0; 2]), None);
    }
}
