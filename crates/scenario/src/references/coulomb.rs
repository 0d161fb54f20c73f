//! A body on a plane surface, held or let go by dry friction.
//!
//! With `F` the weight and the push together, `n` the surface's normal, `N = -F·n` and `F_t` the part along the surface,
//!
//! ```text
//! (1)  |F_t| <= μ N:   it stays
//! (2)  else            m a = F_t (1 - μ N / |F_t|),     p = p₀ + ½ a t²,    v = a t
//! ```
//!
//! from rest, whatever the heading. The body must be low enough not to tip, which is not checked.

use super::form::{Form, FormInput, FormParameter};
use super::touching::{FreeStart, common_surface, push, vector};
use veracity_measure::{CannotTell, Quantity, TruthChannel};
use veracity_model::Vec3;

pub(super) const FORM: Form = Form {
    name: "coulomb",
    text: "a body on a plane surface stays or slides as dry friction says",
    parameters: &[
        FormParameter { name: "body", text: "the body", required: true },
        FormParameter { name: "ground", text: "the body it lies on", required: true },
        FormParameter {
            name: "normal",
            text: "of the surface, world axes; against gravity unless said",
            required: false,
        },
        FormParameter { name: "force_n", text: "what controllers push with, world axes [N]", required: false },
    ],
    work_out,
};

fn work_out(input: &FormInput<'_>) -> Result<Vec<TruthChannel>, CannotTell> {
    let (name, ground) = (input.name("body")?, input.name("ground")?);
    let body = FreeStart::at_rest(input, name)?;
    let friction = common_surface(input, name, ground)?.friction[0];
    let normal = vector(input, "normal")?.unwrap_or(-input.world.gravity);
    let Some(normal) = normal.try_normalize(0.0) else {
        return Err(CannotTell("the surface has no normal; give 'normal'".to_string()));
    };
    let mass = body.inertia.mass;
    let acceleration = acceleration(body.gravity * mass + push(input)?, normal, friction)? / mass;
    let point: [f64; 3] = body.inertia.com.into();
    let times = || input.times.iter().copied();
    let place = |t: f64| (body.place + acceleration * (0.5 * t * t)).into();
    let speed = |t: f64| (acceleration * t).into();
    // Roundings of the start and of the way; the force along a surface just above the limit is a difference of forces.
    let lost = 8.0 * f64::EPSILON * (body.gravity.norm() + acceleration.norm());
    let doubt = |t: f64| 4.0 * f64::EPSILON * body.place.norm() + lost * t * t;
    Ok(vec![
        input.channel(Quantity::Point { body: body.slot, point }, times().map(place), doubt),
        input.channel(Quantity::PointVelocity { body: body.slot, point }, times().map(speed), |t| lost * t),
    ])
}

/// `m a` of (1) and (2).
fn acceleration(force: Vec3, normal: Vec3, friction: f64) -> Result<Vec3, CannotTell> {
    let pressed = -force.dot(&normal);
    if pressed <= 0.0 {
        return Err(CannotTell("the closed form does not hold: the body is pulled off the surface".to_string()));
    }
    let along = force + normal * pressed;
    let (pull, holds) = (along.norm(), friction * pressed);
    Ok(if pull <= holds { Vec3::zeros() } else { along * (1.0 - holds / pull) })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// On a slope of θ the acceleration is g (sin θ - μ cos θ), zero up to tan θ = μ, in any heading.
    #[test]
    fn a_slope_gives_the_textbook_acceleration_in_every_heading() {
        let (g, friction) = (9.81, 0.5f64);
        for heading in 0..12 {
            let (sin_h, cos_h) = libm::sincos(0.5 * f64::from(heading));
            for (angle, slides) in [(friction.atan() - 1e-9, false), (friction.atan() + 1e-9, true), (0.7, true)] {
                let (sin, cos) = libm::sincos(angle);
                let down = Vec3::new(cos * cos_h, cos * sin_h, -sin);
                let normal = Vec3::new(sin * cos_h, sin * sin_h, cos);
                let a = acceleration(Vec3::new(0.0, 0.0, -g), normal, friction).unwrap();
                let expected = if slides { down * (g * (sin - friction * cos)) } else { Vec3::zeros() };
                // A handful of roundings of numbers of order ten.
                assert!((a - expected).norm() < 1e-14, "{angle} {a:?} {expected:?}");
            }
        }
        assert!(acceleration(Vec3::z(), Vec3::z(), 0.5).is_err());
    }
}
