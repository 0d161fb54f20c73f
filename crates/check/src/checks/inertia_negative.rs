//! A tensor with a negative principal moment: turned about that axis, the body would store negative energy.
//!
//! A zero moment is legal: point masses and thin rods have them. Where a joint then moves nothing that resists,
//! `mass-matrix` says so.

use crate::Check;
use crate::context::{Context, Notes};
use crate::show::number;
use veracity_model::{Findings, Severity};

pub(super) const CHECK: Check =
    Check { code: "inertia-negative", text: "no principal moment of inertia is negative", run };

/// Relative to the largest moment: what turning a tensor by rounded angles leaves of a zero.
const ROUNDING: f64 = 1e-9;

fn run(context: &Context<'_>) -> Findings {
    let mut notes = Notes::new(CHECK.code);
    for b in context.bodies() {
        let moments = b.body.inertia.principal_moments();
        let [smallest, _, largest] = moments;
        if smallest < -ROUNDING * largest.abs().max(-smallest) && smallest < 0.0 {
            let text = format!(
                "body '{}' has principal moments {}, {}, {} kg m²; none may be negative: check the signs \
                 and the products of inertia",
                b.body.name,
                number(moments[0]),
                number(moments[1]),
                number(moments[2])
            );
            notes.add(b.severity(Severity::Error), &b.body.source, b.path(context), text);
        }
    }
    notes.done()
}
