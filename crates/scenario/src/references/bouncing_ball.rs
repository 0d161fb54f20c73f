//! A ball dropped on level ground bounces: Newton's restitution, instant impacts.
//!
//! Falling by `h` it hits the ground with `u = √(2 g h)` after `t₀ = u / g`, leaves its `k`-th impact with `eᵏ u`, and
//!
//! ```text
//! (1)  apex k = e²ᵏ h above the height at which it touches
//! (2)  impact k + 1 comes 2 eᵏ u / g after impact k
//! (3)  for e < 1 all impacts are over at t₀ (1 + e) / (1 - e); then it rests
//! ```

use super::form::{Form, FormInput, FormParameter};
use super::touching::{FreeStart, common_surface};
use crate::reference::ParameterValue;
use veracity_measure::{CannotTell, Quantity, TruthChannel};

pub(super) const FORM: Form = Form {
    name: "bouncing_ball",
    text: "a ball dropped from rest on level ground bounces to e² of its height, again and again",
    parameters: &[
        FormParameter { name: "body", text: "the ball", required: true },
        FormParameter { name: "ground", text: "the body it falls on", required: true },
        FormParameter { name: "drop_m", text: "the distance it falls before it touches [m]", required: true },
        FormParameter {
            name: "apex",
            text: "which apex `highest` refers to; by default the first after an impact",
            required: false,
        },
    ],
    work_out,
};

fn work_out(input: &FormInput<'_>) -> Result<Vec<TruthChannel>, CannotTell> {
    let (name, ground) = (input.name("body")?, input.name("ground")?);
    let body = FreeStart::at_rest(input, name)?;
    let restitution = common_surface(input, name, ground)?.restitution;
    let number = |key: &str| match input.parameters.get(key) {
        Some(ParameterValue::Number(x)) => Some(*x),
        _ => None,
    };
    let drop = number("drop_m").filter(|x| *x > 0.0).ok_or_else(|| CannotTell("'drop_m' must be positive".into()))?;
    let apex = number("apex").unwrap_or(1.0);
    if input.commanded || body.gravity.xy().norm() != 0.0 || body.gravity.z >= 0.0 {
        return Err(CannotTell("the closed form does not hold: it needs gravity along -z and no controllers".into()));
    }
    let ball = Ball { gravity: -body.gravity.z, drop, restitution };
    let low = body.place.z - drop;
    let point: [f64; 3] = body.inertia.com.into();
    let times = || input.times.iter().copied();
    let place = |t: f64| [body.place.x, body.place.y, low + ball.at(t).0];
    let speed = |t: f64| [0.0, 0.0, ball.at(t).1];
    // The time of an impact is known to rounding, a position to that times the speed.
    let doubt = |t: f64| 16.0 * f64::EPSILON * (body.place.norm() + ball.arrival() * t);
    let doubt_of_speed = |t: f64| 16.0 * f64::EPSILON * (ball.arrival() + ball.gravity * t);
    let height = low + drop * libm::pow(restitution, 2.0 * apex);
    Ok(vec![
        input.channel(Quantity::Point { body: body.slot, point }, times().map(place), doubt),
        input.channel(Quantity::PointVelocity { body: body.slot, point }, times().map(speed), doubt_of_speed),
        TruthChannel {
            quantity: Quantity::Scalar("highest".to_string()),
            times: vec![0.0],
            values: vec![height],
            uncertainty: vec![8.0 * f64::EPSILON * (body.place.norm() + drop)],
            parts_at_s: None,
        },
    ])
}

struct Ball {
    gravity: f64,
    drop: f64,
    restitution: f64,
}

impl Ball {
    /// Speed at the first impact [m/s].
    fn arrival(&self) -> f64 {
        (2.0 * self.gravity * self.drop).sqrt()
    }

    /// Height above the touching height, and velocity, (1) to (3).
    fn at(&self, t: f64) -> (f64, f64) {
        let (g, u, e) = (self.gravity, self.arrival(), self.restitution);
        let first = u / g;
        if t < first {
            return (self.drop - 0.5 * g * t * t, -g * t);
        }
        if e < 1.0 && t >= first * (1.0 + e) / (1.0 - e) {
            return (0.0, 0.0);
        }
        let (mut since, mut leaving) = (t - first, e * u);
        // Flights get shorter without end towards (3); the last ones are shorter than a rounding of t and end the
        // search.
        while leaving > 0.0 && since >= 2.0 * leaving / g {
            since -= 2.0 * leaving / g;
            leaving *= e;
            if leaving < 1e-15 * u {
                return (0.0, 0.0);
            }
        }
        (leaving * since - 0.5 * g * since * since, leaving - g * since)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn apexes_fall_by_e_squared_and_flight_is_a_parabola() {
        for e in [0.25, 0.5, 0.9, 1.0] {
            let ball = Ball { gravity: 9.81, drop: 1.0, restitution: e };
            let first = ball.arrival() / 9.81;
            let mut apex = first;
            for k in 1..6 {
                let half = first * libm::pow(e, f64::from(k));
                apex += half;
                let (height, speed) = ball.at(apex);
                // Rounding of a few sums of times of order one.
                assert!((height - libm::pow(e, 2.0 * f64::from(k))).abs() < 1e-14, "{e} {k} {height}");
                assert!(speed.abs() < 1e-13, "{e} {k} {speed}");
                // The differential equation z'' = -g inside the flight, where the second difference is exact.
                let h = 0.3 * half;
                let bend = (ball.at(apex + h).0 + ball.at(apex - h).0 - 2.0 * height) / (h * h);
                assert!((bend + 9.81).abs() < 1e-9 / (h * h).min(1.0), "{e} {k} {bend}");
                apex += half;
            }
        }
        let dead = Ball { gravity: 9.81, drop: 1.0, restitution: 0.0 };
        assert_eq!(dead.at(1.0), (0.0, 0.0));
        let half = Ball { gravity: 9.81, drop: 1.0, restitution: 0.5 };
        // (3): three times the first fall.
        assert_eq!(half.at(3.1 * half.arrival() / 9.81), (0.0, 0.0));
    }
}
