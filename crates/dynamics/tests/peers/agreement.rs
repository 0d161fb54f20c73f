//! Differences between our numbers and a peer's.
//!
//! ```text
//! (1)  mass          max |M - M_peer| / max |M_peer|
//! (2)  bias          max |h - h_peer| / max |h_peer|
//! (3)  acceleration  |M_peer a + h_peer - tau| / (|M_peer| |a| + |h_peer| + |tau|),   a by our ABA
//! (4)  each          max over i, j of |M_ij - M_peer_ij| / sqrt(M_peer_ii M_peer_jj)
//! ```
//!
//! (1) cannot see the inertia of a fingertip on a heavy arm; (4) can: it does not change when coordinates are scaled.
//!
//! Two cases make a denominator vanish. For a coordinate without inertia (a body of `izz = 0` about its z axis) (4) uses
//! the largest entry in place of its own. Where h is zero because everything balances, (2) is relative to a thousandth of
//! the size of velocity products, `max |M| max |v|²`.

use super::subject::{State, Subject};
use crate::support::{multiply, norm};
use veracity_dynamics::{System, Workspace, aba, crba, kinematics, rnea};

/// Bound on (1) to (4). Peers and we round differently in sums over at most a hundred bodies and through inverses of
/// frame changes: 1e-12 would do for most; 1e-9 leaves three digits to peers that turn poses into matrices and back.
pub const TOLERANCE: f64 = 1e-9;

/// The largest differences over the states of one subject.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Agreement {
    pub mass: f64,
    pub bias: f64,
    pub each: f64,
    /// `None` where some peer's matrix is singular, so that no acceleration follows from it.
    pub acceleration: Option<f64>,
    /// Nothing moves or no moving body has mass: the numbers above are meaningless.
    pub empty: bool,
}

impl Agreement {
    /// Compares every state.
    pub fn measure(subject: &Subject, theirs: &[(Vec<f64>, Vec<f64>)]) -> Self {
        assert_eq!(theirs.len(), subject.states.len(), "one answer for each state");
        let mut workspace = Workspace::new(&subject.system);
        let mut worst = Self { acceleration: Some(0.0), empty: true, ..Self::default() };
        for (state, (mass, bias)) in subject.states.iter().zip(theirs) {
            worst = worst.or_worse(Self::at_state(&subject.system, &mut workspace, state, mass, bias));
        }
        worst
    }

    fn at_state(system: &System, ws: &mut Workspace, state: &State, mass: &[f64], bias: &[f64]) -> Self {
        let n = system.dof_count();
        assert_eq!((mass.len(), bias.len()), (n * n, n), "the peer answered in other dimensions");
        let (mut our_mass, mut our_bias, mut a) = (vec![0.0; n * n], vec![0.0; n], vec![0.0; n]);
        kinematics::velocities(system, ws, &state.q, &state.v);
        crba::mass_matrix(system, ws, &mut our_mass);
        rnea::bias_efforts(system, ws, &mut our_bias);

        let top = largest(mass);
        let scale: Vec<f64> =
            (0..n).map(|i| mass[i * n + i]).map(|m| if m > 1e-14 * top { m } else { top }).collect();
        let each = (0..n * n).map(|k| ratio((our_mass[k] - mass[k]).abs(), (scale[k / n] * scale[k % n]).sqrt()));
        let balanced = 1e-3 * top * largest(&state.v).powi(2);
        let acceleration = (n > 0 && is_regular(mass, n)).then(|| {
            kinematics::velocities(system, ws, &state.q, &state.v);
            aba::accelerations(system, ws, &state.tau, &mut a);
            let residual: Vec<f64> =
                multiply(mass, &a).iter().zip(bias).zip(&state.tau).map(|((m, h), t)| m + h - t).collect();
            norm(&residual) / (norm(mass) * norm(&a) + norm(bias) + norm(&state.tau))
        });
        Self {
            mass: ratio(difference(&our_mass, mass), top),
            bias: ratio(difference(&our_bias, bias), largest(bias).max(balanced)),
            each: each.fold(0.0, worse),
            acceleration,
            empty: top == 0.0 && largest(&our_mass) == 0.0,
        }
    }

    fn or_worse(self, other: Self) -> Self {
        Self {
            mass: worse(self.mass, other.mass),
            bias: worse(self.bias, other.bias),
            each: worse(self.each, other.each),
            acceleration: self.acceleration.zip(other.acceleration).map(|(a, b)| worse(a, b)),
            empty: self.empty && other.empty,
        }
    }

    /// The worst over many subjects; an acceleration counts where there is one.
    pub fn worst_of<'a>(all: impl IntoIterator<Item = &'a Agreement>) -> Self {
        all.into_iter().fold(Self::default(), |sum, one| Self {
            mass: worse(sum.mass, one.mass),
            bias: worse(sum.bias, one.bias),
            each: worse(sum.each, one.each),
            acceleration: Some(worse(sum.acceleration.unwrap_or(0.0), one.acceleration.unwrap_or(0.0))),
            empty: false,
        })
    }

    /// Whether (1) to (4) are within the bound; false for NaN.
    pub fn holds(&self) -> bool {
        [self.mass, self.bias, self.each, self.acceleration.unwrap_or(0.0)].iter().all(|x| *x <= TOLERANCE)
    }
}

impl std::fmt::Display for Agreement {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "mass matrix {:.0e} (each entry {:.0e}), bias {:.0e}, ", self.mass, self.each, self.bias)?;
        match self.acceleration {
            Some(a) => write!(f, "acceleration {a:.0e}"),
            None => write!(f, "no acceleration (singular mass matrix)"),
        }
    }
}

/// The larger, or NaN if there is one: `f64::max` would ignore it.
fn worse(a: f64, b: f64) -> f64 {
    if a.is_nan() || b.is_nan() { f64::NAN } else { a.max(b) }
}

fn largest(x: &[f64]) -> f64 {
    x.iter().fold(0.0, |m, a| worse(m, a.abs()))
}

fn difference(ours: &[f64], theirs: &[f64]) -> f64 {
    ours.iter().zip(theirs).map(|(a, b)| (a - b).abs()).fold(0.0, worse)
}

/// Zero compared with zero agrees.
fn ratio(apart: f64, scale: f64) -> f64 {
    if apart == 0.0 { 0.0 } else { apart / scale }
}

/// Whether the matrix, scaled to a unit diagonal, has pivots that are not rounding.
fn is_regular(mass: &[f64], n: usize) -> bool {
    let scale: Vec<f64> = (0..n).map(|i| mass[i * n + i].sqrt()).collect();
    let mut m: Vec<f64> = (0..n * n).map(|k| mass[k] / (scale[k / n] * scale[k % n])).collect();
    for k in 0..n {
        // The unit diagonal carries errors of 1e-16 times the square root of the spread of masses.
        let pivot = m[k * n + k];
        if pivot.is_nan() || pivot < 1e-10 {
            return false;
        }
        for i in k + 1..n {
            let factor = m[i * n + k] / pivot;
            for j in k + 1..n {
                m[i * n + j] -= factor * m[k * n + j];
            }
        }
    }
    true
}
