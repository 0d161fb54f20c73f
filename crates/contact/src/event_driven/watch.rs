//! Possible events, as functions of the state that fall to zero when they occur.

use super::EventDriven;
use super::log::Site;
use super::sites;
use veracity_collide::GuardedNumber;
use veracity_dynamics::integrate::State;
use veracity_dynamics::{Efforts, Trouble, kinematics};
use veracity_model::Pose;

/// A contact that has just opened counts as open until it is this deep [m]: rounding error of a gap.
pub(super) const SLACK: f64 = 1e-11;

/// Search distance for a lasting contact's feature [m]: farther than any drift.
const FEATURE_LIMIT: f64 = 1e-3;

/// A possible event.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Watch {
    /// Two shapes touch, with a tolerance for rounding of contacts that have just opened.
    Gap(u32),
    /// Two shapes touch, to the last digit.
    Meeting(u32),
    /// A joint reaches the end of its range.
    Range(usize, bool),
    /// A lasting contact's force vanishes.
    Force(usize),
    /// A sticking contact's friction reaches its limit.
    Cone(usize),
    /// A sliding contact stops.
    Stop(usize),
    /// A creeping contact speeds up.
    Creep(usize),
    /// A lasting contact's feature is no longer where its shapes touch.
    Feature(usize),
    /// The condition of a contact pair changes.
    Guard(usize),
}

impl EventDriven {
    /// The smallest gap of a pair over points that are not lasting contacts. One that has just opened counts as open
    /// until it is deeper than rounding. Points beyond `limit` are not searched.
    pub(super) fn open_gap(&mut self, watch: Watch, pair: u32, poses: &[Pose], limit: f64) -> f64 {
        let mut least = f64::INFINITY;
        let slack = if watch == Watch::Gap(pair) { SLACK } else { 0.0 };
        self.held.world.scene.points_of(pair, poses, limit, &mut self.search.spots);
        for p in &self.search.spots {
            let site = Site::Point { pair, feature: p.feature };
            if self.held.contacts.iter().any(|c| c.site == site) {
                continue;
            }
            let opened = self.memory.open.iter().find(|(s, _)| *s == site).map(|(_, depth)| *depth);
            least = least.min(above(p.gap, opened, slack));
        }
        least
    }

    /// A watched function at a state: positive until the event.
    pub(super) fn value(&mut self, efforts: &mut dyn Efforts, watch: Watch, state: &State) -> Result<f64, Trouble> {
        let of_contacts =
            matches!(watch, Watch::Force(_) | Watch::Cone(_) | Watch::Stop(_) | Watch::Creep(_) | Watch::Feature(_));
        if of_contacts {
            self.held.forces_at(efforts, state.time, (&state.q, &state.v))?;
        }
        Ok(self.value_evaluated(watch, state))
    }

    /// The same if the forces of the lasting contacts have been solved at that state.
    pub(super) fn value_evaluated(&mut self, watch: Watch, state: &State) -> f64 {
        let (q, v) = (&state.q, &state.v);
        match watch {
            Watch::Gap(pair) | Watch::Meeting(pair) => {
                kinematics::positions(&self.system, &mut self.ws, q);
                let mut poses = std::mem::take(&mut self.search.poses);
                self.held.world.poses(&self.ws, &mut poses);
                let gap = self.open_gap(watch, pair, &poses, f64::INFINITY);
                self.search.poses = poses;
                gap
            }
            Watch::Range(i, upper) => {
                let limit = self.held.world.limits[i];
                let gap = sites::limit_frame(&self.held.world, &limit, upper, (q, v)).gap;
                let site = Site::Limit { dof: limit.v as u32, upper };
                let opened = self.memory.open.iter().find(|(s, _)| *s == site).map(|(_, depth)| *depth);
                above(gap, opened, SLACK)
            }
            Watch::Force(i) => self.held.contacts[i].force[0] + self.held.contacts[i].slack[0],
            Watch::Cone(i) => self.held.contacts[i].left_of_cone() + self.held.contacts[i].slack[1],
            Watch::Stop(i) => self.held.headway(i),
            Watch::Creep(i) => self.held.speed_to_creep_end(i),
            Watch::Feature(i) => {
                let Site::Point { pair, feature } = self.held.contacts[i].site else { return 1.0 };
                let super::held::Held { world, bodies, .. } = &mut self.held;
                // A lasting point is where its shapes touch.
                world.scene.points_of(pair, &bodies.poses, FEATURE_LIMIT, &mut self.search.spots);
                if self.search.spots.iter().any(|s| s.feature == feature) { 1.0 } else { -1.0 }
            }
            Watch::Guard(g) => {
                let guard = &self.held.world.scene.guards()[g];
                let inside = guard.numbers.iter().map(|n| inside(n, q, v)).fold(f64::INFINITY, f64::min);
                // The ends belong to the interval: a pair is live until the number is beyond them.
                match guard.live {
                    true if inside == 0.0 => f64::MIN_POSITIVE,
                    true => inside,
                    false => -inside,
                }
            }
        }
    }
}

/// A gap, measured from its value when it opened if that was negative, and open until it is deeper than rounding.
fn above(gap: f64, opened: Option<f64>, slack: f64) -> f64 {
    let Some(depth) = opened else { return gap };
    let gap = gap - depth.min(0.0);
    if gap <= 0.0 && gap > -slack { f64::MIN_POSITIVE } else { gap }
}

/// Distance of a number from the ends of its interval; negative outside.
fn inside(number: &GuardedNumber, q: &[f64], v: &[f64]) -> f64 {
    match *number {
        GuardedNumber::Position { index, above, below } => (q[index] - above).min(below - q[index]),
        GuardedNumber::Velocity { index, above, below } => (v[index] - above).min(below - v[index]),
    }
}
