//! How many digits the equations of motion lose, and how slowly iterative solvers converge on them.
//!
//! The ratio of the largest to the smallest eigenvalue of the joint-space inertia at the start. Solving with it
//! loses that factor of the 16 digits of f64, and conjugate gradients need about its square root in iterations. Scaled
//! to ones on the diagonal, so that metres beside radians, or a wrist beside a shoulder, do not count: what remains is
//! how nearly one joint's motion is another's.

use crate::Check;
use crate::context::{Context, Notes};
use nalgebra as na;
use veracity_model::{Findings, Severity};

pub(super) const CHECK: Check =
    Check { code: "conditioning", text: "the joint-space inertia at the start loses less than six digits", run };

const LARGE: f64 = 1e6;

fn run(context: &Context<'_>) -> Findings {
    let mut notes = Notes::new(CHECK.code);
    let Ok(start) = &context.start else { return notes.done() };
    let m = &start.mass_matrix;
    // A matrix that is not positive definite has a finding of its own.
    let Some((scaled, raw)) = scaled_condition(m).zip(condition(m)).filter(|(s, _)| *s > LARGE) else {
        return notes.done();
    };
    let text = format!(
        "the joint-space inertia at the start has a condition of {scaled:.1e} (scaled to a unit diagonal; {raw:.1e} as it \
         is): {} of 16 digits are lost in every acceleration; look for a light body between heavy ones",
        scaled.log10().round()
    );
    notes.add(Severity::Warning, &context.file_of(0), String::new(), text);
    notes.done()
}

/// Condition of `D^-½ M D^-½`; `None` unless positive definite.
pub(crate) fn scaled_condition(m: &na::DMatrix<f64>) -> Option<f64> {
    let scale = m.diagonal().map(|x| 1.0 / x.sqrt());
    condition(&na::DMatrix::from_fn(m.nrows(), m.ncols(), |i, j| m[(i, j)] * scale[i] * scale[j]))
}

/// Ratio of the extreme eigenvalues; `None` unless positive definite.
pub(crate) fn condition(m: &na::DMatrix<f64>) -> Option<f64> {
    if m.nrows() == 0 || m.iter().any(|x| !x.is_finite()) {
        return None;
    }
    let eigenvalues = m.symmetric_eigenvalues();
    let (low, high) = (eigenvalues.min(), eigenvalues.max());
    (low > 0.0).then(|| high / low)
}
