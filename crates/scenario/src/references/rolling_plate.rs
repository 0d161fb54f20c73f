//! A plate pushed over equal balls that roll between the plate and level ground.
//!
//! Without slip a ball moves half as fast as the plate and turns with `a / 2r`. With `f` the friction at its top, `b`
//! the friction at its bottom and `β m r²` its moment (2/5 for a solid ball),
//!
//! ```text
//! (1)  f + b = m a / 2        f - b = β m a / 2         so  f = (1 + β) m a / 4,  b = (1 - β) m a / 4
//! (2)  M a = F - n f          so  a = F / (M + n (1 + β) m / 4)
//! (3)  holds while f <= μ₁ M g / n  and  b <= μ₂ (M / n + m) g
//! ```
//!
//! (3) assumes that the plate's weight is shared equally by all balls. A rigid plate on more than three rigid balls
//! leaves this undetermined; it is the limit of compliant balls as their stiffness grows.

use super::form::{Form, FormInput, FormParameter};
use super::touching::{FreeStart, push, surface};
use veracity_measure::{CannotTell, Quantity, TruthChannel};
use veracity_model::Shape;

pub(super) const FORM: Form = Form {
    name: "rolling_plate",
    text: "a plate pushed over balls that roll without slip",
    parameters: &[
        FormParameter { name: "body", text: "the plate", required: true },
        FormParameter { name: "ground", text: "what the balls roll on", required: true },
        FormParameter {
            name: "force_n",
            text: "force of the controllers on the plate, world axes [N]",
            required: true,
        },
    ],
    work_out,
};

fn work_out(input: &FormInput<'_>) -> Result<Vec<TruthChannel>, CannotTell> {
    let (name, ground) = (input.name("body")?, input.name("ground")?);
    let plate = FreeStart::at_rest(input, name)?;
    let force = push(input)?;
    let mut balls = Vec::new();
    let kept = [input.layout.body(name), input.layout.body(ground)];
    let others = input.layout.bodies.iter().enumerate().filter(|(slot, _)| !kept.contains(&Some(*slot)));
    for other in others.map(|(_, body)| body.name.as_str()) {
        balls.push((FreeStart::at_rest(input, other)?, radius(input, other)?, surface(input, other)?.friction[0]));
    }
    let Some((ball, r, of_balls)) = balls.first().map(|(b, r, mu)| (b.inertia, *r, *mu)) else {
        return Err(CannotTell("the closed form does not hold: there are no balls".to_string()));
    };
    let (m, moment) = (ball.mass, ball.tensor[(0, 0)]);
    let same = |(b, radius, mu): &(FreeStart<'_>, f64, f64)| b.inertia == ball && *radius == r && *mu == of_balls;
    if !balls.iter().all(same) {
        return Err(CannotTell("the closed form does not hold: the balls are not equal".to_string()));
    }
    let (count, beta) = (balls.len() as f64, moment / (m * r * r));
    let acceleration = force / (plate.inertia.mass + count * (1.0 + beta) * m / 4.0);
    let g = input.world.gravity.norm();
    let [top, bottom] = [1.0 + beta, 1.0 - beta].map(|share| share * m * acceleration.norm() / 4.0);
    // However an engine combines two coefficients, the result lies between them, or it is their product, which is not
    // assumed here.
    let holds = |a: f64, b: f64| a.min(b);
    let (above, below) = (plate.inertia.mass * g / count, (plate.inertia.mass / count + m) * g);
    let (mu_top, mu_bottom) =
        (holds(surface(input, name)?.friction[0], of_balls), holds(surface(input, ground)?.friction[0], of_balls));
    if top > mu_top * above || bottom > mu_bottom * below {
        return Err(CannotTell("the closed form does not hold: balls slip (3); push less".to_string()));
    }
    let rounding = |size: f64| move |t: f64| 8.0 * f64::EPSILON * (size + acceleration.norm() * t * t);
    let mut channels = Vec::new();
    for (body, share) in [(&plate, 1.0)].into_iter().chain(balls.iter().map(|(b, ..)| (b, 0.5))) {
        let (body_slot, point, a) = (body.slot, body.inertia.com.into(), acceleration * share);
        let times = || input.times.iter().copied();
        let place = times().map(|t| (body.place + a * (0.5 * t * t)).into());
        let doubt = rounding(body.place.norm());
        channels.push(input.channel(Quantity::Point { body: body_slot, point }, place, doubt));
        let speed = times().map(|t| (a * t).into());
        channels.push(input.channel(Quantity::PointVelocity { body: body_slot, point }, speed, rounding(0.0)));
    }
    Ok(channels)
}

fn radius(input: &FormInput<'_>, name: &str) -> Result<f64, CannotTell> {
    let slot = input.layout.body(name).ok_or_else(|| CannotTell(format!("there is no body '{name}'")))?;
    let body_slot = &input.layout.bodies[slot];
    let model = &input.world.placements[body_slot.placement].model;
    let shapes = &model.body(body_slot.body).shapes;
    match shapes.iter().find(|s| s.collides).map(|s| &s.shape) {
        Some(Shape::Sphere { radius }) => Ok(*radius),
        _ => Err(CannotTell(format!("the closed form does not hold: '{name}' is not a ball"))),
    }
}
