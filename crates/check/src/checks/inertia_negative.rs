//! A tensor with a negative principal moment: turned about that axis, the body would store negative energy.
//!
//! A zero moment is legal: point masses and thin rods have them. Where a joint then moves nothing that resists,
//! `mass-matrix` says so. A moment is zero when its radius of gyration `√(|I|/m)` is below ten nanometres: exporters leave
//! such numbers (1e-20 kg m²) of either sign where they mean a point mass.

use crate::Check;
use crate::context::{Context, Notes};
use crate::mass_properties::impossible;
use crate::show::number;
use veracity_model::Findings;

pub(super) const CHECK: Check =
    Check { code: "inertia-negative", text: "no principal moment of inertia is negative", run };

fn run(context: &Context<'_>) -> Findings {
    let mut notes = Notes::new(CHECK.code);
    for b in context.bodies() {
        let moments = b.body.inertia.principal_moments();
        if b.body.inertia.has_negative_moment() {
            let text = format!(
                "body '{}' has principal moments {}, {}, {} kg m²; none may be negative: check the signs \
                 and the products of inertia",
                b.body.name,
                number(moments[0]),
                number(moments[1]),
                number(moments[2])
            );
            notes.add(impossible(&b), &b.body.source, b.path(context), text);
        }
    }
    notes.done()
}
