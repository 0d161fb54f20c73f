//! Continuation: one cycle followed through a family of walkers.
//!
//! From a known cycle at one value of a parameter to the wanted value: each new cycle is predicted linearly from the
//! last two, and the step is halved where Newton's method fails. A lost cycle is a result: the last value at which it
//! was found, and why the next one failed.

use crate::map::{NoReturn, StrideMap};
use crate::newton::{FixedPoint, NoCycle, Search, find};

/// A cycle at one value of the parameter.
#[derive(Clone, Debug)]
pub struct CycleAt {
    /// Value of the parameter.
    pub at: f64,
    /// The cycle at this value.
    pub fixed_point: FixedPoint,
}

/// The continuation ended before the wanted value.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("cycle lost beyond {last_at}; at {failed_at}: {why}")]
pub struct Lost {
    /// The last value with a cycle.
    pub last_at: f64,
    /// The nearest value tried without a cycle.
    pub failed_at: f64,
    /// Why it failed.
    pub why: NoCycle,
}

/// Follows the cycle from `from` (where `guess` is near it) to `to` in at least `steps` steps. `family` returns the
/// walker at a value of the parameter.
pub fn follow<M: StrideMap>(
    family: &mut dyn FnMut(f64) -> Result<M, NoReturn>,
    from: f64,
    to: f64,
    guess: &[f64],
    steps: u32,
    search: &Search,
) -> Result<Vec<CycleAt>, Lost> {
    let lost = |last_at: f64, failed_at: f64, why: NoCycle| Lost { last_at, failed_at, why };
    let mut map = family(from).map_err(|e| lost(from, from, NoCycle::GuessFails(e)))?;
    let first = find(&mut map, guess, search).map_err(|why| lost(from, from, why))?;
    let mut path = vec![CycleAt { at: from, fixed_point: first }];
    let full = (to - from) / f64::from(steps.max(1));
    let mut step = full;
    loop {
        let here = path[path.len() - 1].at;
        if here == to {
            return Ok(path);
        }
        let next = if (to - here).abs() <= step.abs() * (1.0 + 1e-9) { to } else { here + step };
        let mut map = family(next).map_err(|e| lost(here, next, NoCycle::GuessFails(e)))?;
        let guess = predicted(&map, &path, next);
        match find(&mut map, &guess, search) {
            Ok(found) => {
                path.push(CycleAt { at: next, fixed_point: found });
                step = if (2.0 * step).abs() > full.abs() { full } else { 2.0 * step };
            }
            // Smaller steps do not pass a fold; six halvings locate it to one or two per cent of a step.
            Err(_) if step.abs() > full.abs() / 64.0 => step *= 0.5,
            Err(why) => return Err(lost(here, next, why)),
        }
    }
}

/// Linear prediction from the last two cycles, or the last one if there is only one.
fn predicted<M: StrideMap>(map: &M, path: &[CycleAt], at: f64) -> Vec<f64> {
    let last = &path[path.len() - 1];
    let Some(before) = path.len().checked_sub(2).map(|i| &path[i]) else { return last.fixed_point.state.clone() };
    let mut by = vec![0.0; map.size()];
    map.difference(&before.fixed_point.state, &last.fixed_point.state, &mut by);
    let ahead = (at - last.at) / (last.at - before.at);
    by.iter_mut().for_each(|x| *x *= ahead);
    let mut out = Vec::new();
    map.displace(&last.fixed_point.state, &by, &mut out);
    out
}
