//! Whether numbers that were set by path leave a world that can exist.
//!
//! Files are inspected by `veracity check`, which reports and lets the user decide; a number that is set for one of a thousand
//! trials is never inspected, so it is an error. A mass must be positive, a tensor must belong to some solid, coefficients must lie in their
//! ranges. A body whose file already has an impossible tensor (a published one, rounded) keeps that freedom.

use veracity_model::numbers::escape;
use veracity_model::{Body, Findings, Overrides, Severity, World};

/// Coefficients and their ranges, by the end of the path: the collection, the name, the least and the largest value.
const RANGES: &[(&str, &str, f64, f64)] = &[
    ("materials", "friction", 0.0, f64::INFINITY),
    ("materials", "torsional_friction", 0.0, f64::INFINITY),
    ("materials", "rolling_friction", 0.0, f64::INFINITY),
    ("materials", "restitution", 0.0, 1.0),
    ("materials", "stiffness", 0.0, f64::INFINITY),
    ("materials", "dissipation", 0.0, f64::INFINITY),
    ("joints", "armature", 0.0, f64::INFINITY),
    ("joints", "velocity_limit", 0.0, f64::INFINITY),
    ("joints", "effort_limit", 0.0, f64::INFINITY),
];

/// What is impossible about `after`, which is `before` with these numbers set. With `raw`, tensors are not judged.
pub(crate) fn impossible(before: &World, after: &World, overrides: &Overrides, raw: bool, problems: &mut Findings) {
    for (path, value) in overrides.iter() {
        let mut words = path.strip_prefix("world/").unwrap_or(path).split('/').skip(1);
        let collection = words.next().unwrap_or_default();
        let found = RANGES.iter().find(|(c, name, ..)| *c == collection && words.clone().any(|w| w == *name));
        if let Some((_, name, least, most)) = found
            && !(*least..=*most).contains(&value)
        {
            let range = if most.is_finite() {
                format!("lies between {least} and {most}")
            } else {
                "is not negative".to_string()
            };
            let text = format!(
                "'{path}' is set to {value}: {} {range}; correct the value or reduce its spread",
                name.replace('_', " ")
            );
            problems.add(Severity::Error, "override-value", None, path, text);
        }
    }
    for (was, is) in before.placements.iter().zip(&after.placements) {
        for (old, new) in was.model.bodies().iter().zip(is.model.bodies()) {
            if old.inertia != new.inertia
                && let Some(what) = fault(old, new, raw)
            {
                let set = set_for(&was.name, new, overrides);
                let text = format!(
                    "body '{}/{}' would have {what}: {set}; correct the value or reduce its spread",
                    was.name, new.name
                );
                problems.add(
                    Severity::Error,
                    "override-value",
                    None,
                    format!("world/{}/bodies/{}", was.name, new.name),
                    text,
                );
            }
        }
    }
}

fn fault(old: &Body, new: &Body, raw: bool) -> Option<String> {
    let (before, after) = (&old.inertia, &new.inertia);
    if after.mass < 0.0 || after.mass == 0.0 && before.mass > 0.0 {
        return Some(format!("a mass of {} kg, which must be positive", after.mass));
    }
    // Values printed with six digits are wrong by up to 1e-6.
    let broken =
        |i: &veracity_model::Inertia| i.has_negative_moment() || i.triangle_violation_beyond_rounding() > 1e-6;
    if raw || broken(before) || !broken(after) {
        return None;
    }
    let [least, middle, most] = after.principal_moments();
    Some(format!(
        "an inertia that no solid has (principal moments {least:.3e}, {middle:.3e}, {most:.3e} kg m2; the largest is at most the sum of the \
         others); set 'inertia/log_cholesky/…' instead, which cannot leave the possible ones"
    ))
}

/// The numbers that were set and can have caused it.
fn set_for(placement: &str, body: &Body, overrides: &Overrides) -> String {
    let prefix = format!("world/{}/", escape(placement));
    let own = format!("bodies/{}/", escape(&body.name));
    let causes = |path: &str| {
        path.strip_prefix(prefix.as_str()).is_some_and(|rest| {
            rest.starts_with("parameters/") || rest.replacen("links/", "bodies/", 1).starts_with(&own)
        })
    };
    let named: Vec<String> =
        overrides.iter().filter(|(p, _)| causes(p)).map(|(p, x)| format!("'{p}' is set to {x}")).collect();
    named.join(", ")
}
