//! How many digits the equations of motion lose, and how slowly iterative solvers converge on them.
//!
//! The ratio of the largest to the smallest eigenvalue of the joint-space inertia at the start. Solving with it
//! loses that factor of the 16 digits of f64, and conjugate gradients need about its square root in iterations. Scaled
//! to ones on the diagonal, so that metres beside radians, or a wrist beside a shoulder, do not count: what remains is
//! how nearly one joint's motion is another's.

use crate::Check;
use crate::context::{Context, Notes};
use veracity_model::{Findings, Severity};

pub(super) const CHECK: Check =
    Check { code: "conditioning", text: "the joint-space inertia at the start loses less than six digits", run };

const LARGE: f64 = 1e6;

fn run(context: &Context<'_>) -> Findings {
    let mut notes = Notes::new(CHECK.code);
    let Ok(start) = &context.start else { return notes.done() };
    let m = &start.mass_matrix;
    // A matrix that is not positive definite is reported by `mass-matrix`.
    let Some((scaled, raw)) = m.scaled_condition().zip(m.condition()).filter(|(s, _)| *s > LARGE) else {
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
