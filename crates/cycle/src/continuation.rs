//! One cycle followed through a family of walkers.
//!
//! From a known cycle at one value of a parameter to the value wanted: each new cycle is guessed from the last two on a
//! straight line, and the step is halved where Newton's method fails. A cycle that is lost is a result: the last value at
//! which it was there, and why the next one failed.

use crate::map::{NoReturn, StrideMap};
use crate::newton::{FixedPoint, NoCycle, Search, find};

/// A cycle at one value of the parameter.
#[derive(Clone, Debug)]
pub struct Along {
    /// The parameter.
    pub at: f64,
    /// The cycle there.
    pub fixed_point: FixedPoint,
}

/// Where the way ended too soon.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("the cycle is lost beyond {last_at}: at {failed_at} {why}")]
pub struct Lost {
    /// The last value with a cycle.
    pub last_at: f64,
    /// The nearest value tried without.
    pub failed_at: f64,
    /// Why.
    pub why: NoCycle,
}

/// Follows the cycle from `from` (where `guess` is near it) to `to` in at least `steps` steps. `family` gives the walker at
/// a value of the parameter.
pub fn follow<M: StrideMap>(
    family: &mut dyn FnMut(f64) -> Result<M, NoReturn>,
    from: f64,
    to: f64,
    guess: &[f64],
    steps: u32,
    search: &Search,
) -> Result<Vec<Along>, Lost> {
    let lost = |last_at: f64, failed_at: f64, why: NoCycle| Lost { last_at, failed_at, why };
    let mut map = family(from).map_err(|e| lost(from, from, NoCycle::GuessFails(e)))?;
    let first = find(&mut map, guess, search).map_err(|why| lost(from, from, why))?;
    let mut way = vec![Along { at: from, fixed_point: first }];
    let full = (to - from) / f64::from(steps.max(1));
    let mut step = full;
    loop {
        let here = way[way.len() - 1].at;
        if here == to {
            return Ok(way);
        }
        let next = if (to - here).abs() <= step.abs() * (1.0 + 1e-9) { to } else { here + step };
        let mut map = family(next).map_err(|e| lost(here, next, NoCycle::GuessFails(e)))?;
        let guess = predicted(&map, &way, next);
        match find(&mut map, &guess, search) {
            Ok(found) => {
                way.push(Along { at: next, fixed_point: found });
                step = if (2.0 * step).abs() > full.abs() { full } else { 2.0 * step };
            }
            // A fold is not passed by smaller steps; six halvings tell where it is to a per cent or two of a step.
            Err(_) if step.abs() > full.abs() / 64.0 => step *= 0.5,
            Err(why) => return Err(lost(here, next, why)),
        }
    }
}

/// On the line through the last two, or the last alone.
fn predicted<M: StrideMap>(map: &M, way: &[Along], at: f64) -> Vec<f64> {
    let last = &way[way.len() - 1];
    let Some(before) = way.len().checked_sub(2).map(|i| &way[i]) else { return last.fixed_point.state.clone() };
    let mut by = vec![0.0; map.size()];
    map.difference(&before.fixed_point.state, &last.fixed_point.state, &mut by);
    let ahead = (at - last.at) / (last.at - before.at);
    by.iter_mut().for_each(|x| *x *= ahead);
    let mut out = Vec::new();
    map.displace(&last.fixed_point.state, &by, &mut out);
    out
}
