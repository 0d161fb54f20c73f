//! The cycle of a scenario with changed numbers, followed from the cycle of the scenario as written.
//!
//! Newton's method from the original start may fail or land on another cycle when the change is large. All changed
//! numbers move together on a straight line, `p(s) = p₀ + s (p₁ - p₀)` with `s` from 0 to 1, and the cycle is continued
//! along it ([`crate::continuation`]).

use crate::continuation::{Lost, follow};
use crate::map::NoReturn;
use crate::newton::{NoCycle, Search};
use crate::spectrum::eigenvalues;
use crate::walker::Walker;
use veracity_contact::event_driven::EventDrivenSettings;
use veracity_model::Overrides;
use veracity_scenario::Scenario;

/// Smallest number of continuation steps; each is halved where Newton's method fails.
const STEPS: u32 = 4;

/// A state on the cycle of the changed scenario, and the number of steps to it.
#[derive(Clone, Debug)]
pub struct Followed {
    /// A state of [`crate::StrideMap`].
    pub state: Vec<f64>,
    /// Number of cycles computed in the continuation.
    pub steps: usize,
    /// Largest modulus of the multipliers of two strikes, from the differences of the search: to about 1e-6.
    pub stride_radius: f64,
    /// From strike to the strike of the same foot [s].
    pub stride_s: f64,
}

/// Follows the cycle of `base` to that of `base.with(changes)`. `None` where `base` itself has no cycle, or where a
/// changed number has no finite value to start from.
pub fn follow_changes(
    base: &Scenario,
    changes: &Overrides,
    settings: &EventDrivenSettings,
    search: &Search,
) -> Option<Result<Followed, NoCycle>> {
    let numbers = base.numbers();
    let from = |path: &str| {
        let listed = numbers.iter().find(|(p, _)| p == path).map(|(_, x)| *x);
        listed.or_else(|| base.world.number(path)).filter(|x| x.is_finite())
    };
    let line: Option<Vec<(&str, f64, f64)>> =
        changes.iter().map(|(path, to)| Some((path, from(path)?, to))).collect();
    let line = line?;
    let mut family = |s: f64| {
        let at: Overrides = line.iter().map(|(path, from, to)| (*path, between(*from, *to, s))).collect();
        let trouble = |text: String| NoReturn::Trouble(text);
        let scenario = base
            .with(&at)
            .map_err(|findings| trouble(findings.iter().map(|f| f.text.clone()).collect::<Vec<_>>().join("; ")))?;
        Walker::new(&scenario, settings).map_err(|e| trouble(e.to_string()))
    };
    match follow(&mut family, 0.0, 1.0, &Walker::start(base), STEPS, search) {
        Ok(mut path) => {
            let steps = path.len() - 1;
            let last = path.pop()?.fixed_point;
            let radius = eigenvalues(&last.jacobian)?.iter().map(|x| x.norm()).fold(0.0, f64::max);
            let strikes = base.with(changes).ok().and_then(|s| Walker::new(&s, settings).ok())?.strikes();
            // Renamed after one strike: two of these are a stride.
            let twice = |x: f64, power: f64| if strikes == 1 { power } else { x };
            Some(Ok(Followed {
                steps,
                stride_radius: twice(radius, radius * radius),
                stride_s: twice(last.stride.time_s, 2.0 * last.stride.time_s),
                state: last.state,
            }))
        }
        Err(Lost { failed_at: 0.0, .. }) => None,
        Err(Lost { last_at, failed_at, why }) => {
            Some(Err(NoCycle::LostOnTheWay { last: last_at, failed: failed_at, why: Box::new(why) }))
        }
    }
}

/// Linear interpolation, exact at both ends, so that the last walker is bit for bit the requested one.
fn between(from: f64, to: f64, s: f64) -> f64 {
    if s == 1.0 { to } else { from + s * (to - from) }
}
