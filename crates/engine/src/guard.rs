//! Guards: quantities whose crossing of a level stops an advance. Data instead of functions, so that a worker process
//! can watch them at every step.

use serde::{Deserialize, Serialize};

/// What is watched.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Watched {
    /// An entry of `q`.
    Position(usize),
    /// An entry of `v`.
    Speed(usize),
    /// A world coordinate (0 x, 1 y, 2 z) of a body's origin [m].
    BodyCoordinate {
        /// Slot of the body.
        body: usize,
        /// 0 x, 1 y, 2 z.
        axis: usize,
    },
    /// A world component of a body's angular velocity [rad/s].
    BodySpin {
        /// Slot of the body.
        body: usize,
        /// 0 x, 1 y, 2 z.
        axis: usize,
    },
    /// The gap of a named pair [m].
    Gap(usize),
}

/// A level and the crossings of it that count.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Guard {
    /// What is watched.
    pub watched: Watched,
    /// In the unit of what is watched.
    pub level: f64,
    /// +1 upwards, -1 downwards, 0 both.
    pub direction: i8,
}

/// A guard that was crossed. The simulation is on the far side of the crossing.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct GuardHit {
    /// Which guard, by its place in the list.
    pub guard: usize,
    /// Best estimate of when [s].
    pub time: f64,
    /// Half the width of the bracket around it [s].
    pub error: f64,
}

impl Guard {
    /// Whether going from `before` to `after` (of what is watched) crosses the level in a direction that counts.
    /// Leaving a level from exactly on it is not a crossing: the arrival was.
    pub fn crossed(&self, before: f64, after: f64) -> bool {
        let (a, b) = (before - self.level, after - self.level);
        (a < 0.0 && b >= 0.0 && self.direction >= 0) || (a > 0.0 && b <= 0.0 && self.direction <= 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_crossings_in_the_wanted_direction_count() {
        let guard = |direction| Guard { watched: Watched::Position(0), level: 1.0, direction };
        assert!(guard(1).crossed(0.5, 1.0) && !guard(-1).crossed(0.5, 1.0));
        assert!(guard(-1).crossed(1.5, 0.5) && guard(0).crossed(1.5, 0.5));
        assert!(!guard(0).crossed(1.0, 2.0), "leaving the level is not a crossing");
        assert!(!guard(0).crossed(f64::NAN, 2.0));
    }
}
