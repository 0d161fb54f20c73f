//! Principal moments that break the triangle inequality `I1 + I2 >= I3`, which every distribution of mass keeps.
//!
//! Files print few digits. Three moments rounded to three digits are each wrong by up to 0.5 %, so a thin plate (an
//! exact equality) can come out broken by 1 % of the largest: up to there it is a warning, beyond it no rounding explains
//! it. Below 1e-9 it is the arithmetic of reading the file, and below `m (10 nm)²` the body is a point mass.
//!
//! A tensor of rank one (all six entries equal, as some exporters write for "small") has moments 0, 0 and 3 a: broken by
//! 100 %, whatever sign rounding gives the zeros.

use crate::Check;
use crate::context::{Context, Notes};
use crate::mass_properties::impossible;
use crate::show::number;
use veracity_model::{Findings, Severity};

pub(super) const CHECK: Check = Check {
    code: "inertia-triangle",
    text: "the two smaller principal moments together are at least the largest",
    run,
};

const ARITHMETIC: f64 = 1e-9;
const THREE_DIGITS: f64 = 1e-2;

fn run(context: &Context<'_>) -> Findings {
    let mut notes = Notes::new(CHECK.code);
    for b in context.bodies() {
        let violation = b.body.inertia.triangle_violation_beyond_rounding();
        if violation <= ARITHMETIC {
            continue;
        }
        let [i1, i2, i3] = b.body.inertia.principal_moments();
        // A negative moment is the more serious fault and has its own inspection; a zero that rounding made negative is
        // not one.
        if b.body.inertia.has_negative_moment() {
            continue;
        }
        let broken = format!(
            "body '{}' has principal moments {} + {} < {} kg m², by {} of the largest",
            b.body.name,
            number(i1),
            number(i2),
            number(i3),
            percent(violation)
        );
        let (severity, advice) = if violation <= THREE_DIGITS {
            (b.severity(Severity::Warning), "as rounding to few digits does: print more digits")
        } else {
            (impossible(&b), "which no distribution of mass has: compute the inertia again about the centre of mass")
        };
        notes.add(severity, &b.body.source, b.path(context), format!("{broken}, {advice}"));
    }
    notes.done()
}

fn percent(x: f64) -> String {
    if x < 1e-4 { format!("{x:.1e}") } else { format!("{:.2} %", 100.0 * x) }
}
