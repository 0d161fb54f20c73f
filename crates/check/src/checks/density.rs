//! Mass over the volume of the body's shapes, outside anything one can build with.
//!
//! The heaviest solid, osmium, has 22,600 kg/m³; below 1 kg/m³ even the air inside weighs more. A thousand times too
//! large or small is usually a mesh in millimetres or a mass in grams.

use crate::Check;
use crate::context::{Context, Notes};
use crate::extent;
use crate::show::number;
use veracity_model::{Findings, Severity};

pub(super) const CHECK: Check =
    Check { code: "density", text: "mass over volume is that of a material one can build with", run };

const HEAVIEST: f64 = 23_000.0;
const LIGHTEST: f64 = 1.0;

fn run(context: &Context<'_>) -> Findings {
    let mut notes = Notes::new(CHECK.code);
    for b in context.bodies().filter(|b| b.body.inertia.mass > 0.0) {
        // The true volume lies between those of the two sets of shapes: the larger one decides whether the body is too
        // dense, the smaller one whether it is too light.
        let volume = |colliding: bool| {
            extent::solid(b.body.shapes.iter().filter(|s| s.collides == colliding)).map_or(0.0, |s| s.mass)
        };
        let volumes = [volume(true), volume(false)];
        let largest = volumes[0].max(volumes[1]);
        if largest == 0.0 {
            continue;
        }
        let smallest = volumes.into_iter().filter(|v| *v > 0.0).fold(largest, f64::min);
        let mass = b.body.inertia.mass;
        let (density, volume, too) = if mass / largest > HEAVIEST {
            (mass / largest, largest, "denser than any solid")
        } else if mass / smallest < LIGHTEST {
            (mass / smallest, smallest, "lighter than the air it displaces")
        } else {
            continue;
        };
        let text = format!(
            "body '{}' has {} kg in {} m³ of shapes, {} kg/m³: {too}; check the mass and the scale of the \
             shapes",
            b.body.name,
            number(mass),
            number(volume),
            number(density)
        );
        notes.add(Severity::Warning, &b.body.source, b.path(context), text);
    }
    notes.done()
}
