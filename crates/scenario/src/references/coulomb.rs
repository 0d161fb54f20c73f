//! A body on a plane surface with dry friction, at rest or sliding.
//!
//! With `F` the sum of weight and push, `n` the surface's normal, `N = -F·n` and `F_t` the part along the surface,
//!
//! ```text
//! (1)  at rest, |F_t| <= μ N:   it stays
//! (2)  at rest, else            m a = F_t (1 - μ N / |F_t|),     p = p₀ + ½ a t²,    v = a t
//! (3)  sliding with v₀:         m a = F_t - μ N v₀ / |v₀|,       p = p₀ + v₀ t + ½ a t²
//!      until it stops, at t = |v₀| / |a| where a is against v₀; from there on (1) or (2)
//! ```
//!
//! whatever the direction. In (3) `F_t` must lie along `v₀`: otherwise the path is curved. The body must be low enough
//! not to tip: at height `h` over a base of half-length `l`, `μ h <= l`, which is not checked.

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
            text: "of the surface, world axes; by default against gravity",
            required: false,
        },
        FormParameter { name: "force_n", text: "force of the controllers, world axes [N]", required: false },
    ],
    work_out,
};

fn work_out(input: &FormInput<'_>) -> Result<Vec<TruthChannel>, CannotTell> {
    let (name, ground) = (input.name("body")?, input.name("ground")?);
    let body = FreeStart::without_spin(input, name)?;
    let friction = common_surface(input, name, ground)?.friction[0];
    let normal = vector(input, "normal")?.unwrap_or(-input.world.gravity);
    let Some(normal) = normal.try_normalize(0.0) else {
        return Err(CannotTell("the surface has no normal; give 'normal'".to_string()));
    };
    let force = (body.gravity * body.inertia.mass + push(input)?) / body.inertia.mass;
    let motion = Motion::new(body.velocity, force, normal, friction)?;
    let point: [f64; 3] = body.inertia.com.into();
    let times = || input.times.iter().copied();
    let place = |t: f64| (body.place + motion.at(t).0).into();
    let speed = |t: f64| motion.at(t).1.into();
    // Rounding of the start and of the displacement; the net force just above the limit is a difference of forces.
    let lost = 8.0 * f64::EPSILON * (body.gravity.norm() + motion.rates[0].norm() + motion.rates[1].norm());
    let fast = 8.0 * f64::EPSILON * body.velocity.norm();
    let doubt = |t: f64| 4.0 * f64::EPSILON * body.place.norm() + fast * t + lost * t * t;
    Ok(vec![
        input.channel(Quantity::Point { body: body.slot, point }, times().map(place), doubt),
        input.channel(Quantity::PointVelocity { body: body.slot, point }, times().map(speed), |t| fast + lost * t),
    ])
}

/// (1) to (3).
struct Motion {
    start: Vec3,
    /// Accelerations before and after it comes to rest [m/s²].
    rates: [Vec3; 2],
    /// When it comes to rest [s]; infinite if never.
    stops: f64,
}

impl Motion {
    /// From a velocity along the surface, under a force per mass [m/s²].
    fn new(start: Vec3, force: Vec3, normal: Vec3, friction: f64) -> Result<Self, CannotTell> {
        let at_rest = acceleration(force, normal, friction)?;
        let speed = start.norm();
        if speed == 0.0 {
            return Ok(Self { start, rates: [at_rest; 2], stops: 0.0 });
        }
        // The velocity in the file has rounded digits.
        let heading = start / speed;
        if heading.dot(&normal).abs() > 1e-12 {
            return Err(CannotTell(
                "the closed form does not hold: the body does not start along the surface".to_string(),
            ));
        }
        let pressed = -force.dot(&normal);
        let along = force + normal * pressed;
        if along.cross(&heading).norm() > 1e-12 * pressed {
            return Err(CannotTell(
                "the closed form does not hold: the force along the surface is not parallel to the velocity, so the path is curved"
                    .to_string(),
            ));
        }
        let gained = along.dot(&heading) - friction * pressed;
        let stops = if gained < 0.0 { speed / -gained } else { f64::INFINITY };
        Ok(Self { start, rates: [heading * gained, at_rest], stops })
    }

    /// Displacement and velocity.
    fn at(&self, t: f64) -> (Vec3, Vec3) {
        let before = t.min(self.stops);
        let slid = self.start * before + self.rates[0] * (0.5 * before * before);
        if t <= self.stops {
            return (slid, self.start + self.rates[0] * t);
        }
        let after = t - self.stops;
        (slid + self.rates[1] * (0.5 * after * after), self.rates[1] * after)
    }
}

/// `a` of (1) and (2) for a force per mass.
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

    /// 6 m/s at friction 0.5: at rest after v / (μ g) = 1.2232 s and v² / (2 μ g) = 3.6697 m, and it stays there.
    #[test]
    fn a_sliding_body_stops_where_its_energy_is_spent() {
        let (g, friction, speed) = (9.81, 0.5, 6.0);
        let start = Vec3::new(0.6 * speed, 0.8 * speed, 0.0);
        let motion = Motion::new(start, Vec3::new(0.0, 0.0, -g), Vec3::z(), friction).unwrap();
        assert!((motion.stops - speed / (friction * g)).abs() < 1e-15);
        for t in [motion.stops, 2.0, 10.0] {
            let (way, v) = motion.at(t);
            // Rounding of a few products.
            assert!(
                (way - start / speed * (speed * speed / (2.0 * friction * g))).norm() < 1e-14 && v.norm() < 1e-14
            );
        }
    }

    /// The path satisfies m a = F_t - μ N v / |v| on the way up a slope, and (2) on the way down: by differences.
    #[test]
    fn thrown_up_a_slope_it_turns_and_slides_back() {
        let (g, friction, angle) = (9.81, 0.3, 0.6f64);
        let (sin, cos) = libm::sincos(angle);
        let (up, normal) = (Vec3::new(cos, 0.0, sin), Vec3::new(-sin, 0.0, cos));
        let motion = Motion::new(up * 3.0, Vec3::new(0.0, 0.0, -g), normal, friction).unwrap();
        let h = 1e-5;
        for (t, a) in [(0.2, -g * (sin + friction * cos)), (0.9, -g * (sin - friction * cos))] {
            let second = (motion.at(t + h).0 - motion.at(t).0 * 2.0 + motion.at(t - h).0) / (h * h);
            // Rounding of positions of a metre over h².
            assert!((second - up * a).norm() < 1e-4, "{second} at {t}");
            assert!(((motion.at(t + h).0 - motion.at(t - h).0) / (2.0 * h) - motion.at(t).1).norm() < 1e-9);
        }
        assert!(Motion::new(Vec3::y(), Vec3::new(0.0, 0.0, -g), normal, friction).is_err(), "curved");
    }

    /// On a slope of θ the acceleration is g (sin θ - μ cos θ), zero up to tan θ = μ, in any direction.
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
                // A few roundings of numbers of order ten.
                assert!((a - expected).norm() < 1e-14, "{angle} {a:?} {expected:?}");
            }
        }
        assert!(acceleration(Vec3::z(), Vec3::z(), 0.5).is_err());
    }
}
