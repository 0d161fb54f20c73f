//! Search for the first event inside a step.
//!
//! Every event is the zero of a function of the state that falls to zero. Forces, friction, headway, conditions and
//! joint ranges are sampled at eight instants of a step. Gaps need more care, because two bodies may touch and separate
//! between two samples; but a gap changes no faster than its bodies move relative to each other. With `L` a bound of
//! that speed, two samples `a < b` prove that a gap is open all the time between them when
//!
//! ```text
//! (1)  g(a) + g(b) > L (b - a),   L = 5/4 (max |u| + |Δu| + r_A |ω_A| + r_B |ω_B|),  u = v_A - v_B at the step's ends
//! ```
//!
//! and the interval is halved otherwise, so that a pair that is far apart costs one or two samples and one that grazes
//! a dozen. Bodies that fall next to each other do not approach each other, however fast they fall. Pairs that cannot
//! touch are not sampled: the broad phase knows how far each body may have moved.
//!
//! Inside an accepted step of an integrator with dense output the samples use its interpolant; the instant itself is
//! found by repeating the step with other sizes, so that it has the accuracy of the integrator: the interpolant gives
//! the instant to ten digits and the slope `f'` there, and a few Newton steps, `t - f(t) / f'`, with `f` from the
//! repeated step and that slope, correct the instant. Where that does not converge at once, the Illinois rule is used.

use super::EventDriven;
use super::held::WithContacts;
use super::lasting::Mode;
use super::log::Site;
use super::watch::{SLACK, Watch};
use veracity_collide::ContactPoint;
use veracity_dynamics::integrate::State;
use veracity_dynamics::observe::body_motion;
use veracity_dynamics::{Efforts, Trouble, kinematics};
use veracity_model::{Pose, Vec3};

/// Samples in a step for everything except gaps.
const LOOKS: usize = 8;
/// Gaps are sampled at intervals no shorter than the step divided by this (a power of two).
pub(super) const FINEST: u32 = 4096;
/// A collision is narrowed to this multiple of the finest interval before its zero is located: a pair that touches,
/// separates and touches again in less is treated as touching once.
const COARSE: u32 = FINEST / 64;
/// A pair that already touches is sampled no finer than this multiple of the finest interval: a shorter graze of
/// another of its features is a rounding error of the motion, and a body that rocks on two of its corners would have
/// the others sampled thousands of times.
const TOUCHING: u32 = FINEST / 16;
/// Speeds inside a step may exceed those at its ends by this factor.
const SPEED_MARGIN: f64 = 1.25;

/// Bracket of an event: two fractions of the step.
#[derive(Clone, Copy, Debug)]
pub(super) struct Found {
    pub watch: Watch,
    low: f64,
    high: f64,
    /// Slope of the function near its zero, per fraction of the step; not finite if unknown.
    slope: f64,
}

/// Scratch for the search.
#[derive(Default)]
pub(super) struct Scratch {
    points: Vec<ContactPoint>,
    pub spots: Vec<ContactPoint>,
    pairs: Vec<(u32, f64)>,
    watches: Vec<Watch>,
    values: Vec<f64>,
    next_values: Vec<f64>,
    /// Poses at the sampled instants of a step, and the index of each instant.
    looks: Vec<Vec<Pose>>,
    looks_used: usize,
    look_index: Vec<u32>,
    pieces: Vec<(u32, u32, f64, f64)>,
    pub poses: Vec<Pose>,
    speeds: Vec<f64>,
    /// Velocities of bodies at both ends of a step, and the speed of their outermost points relative to them.
    slides: Vec<(Vec3, Vec3, f64)>,
    reach: Vec<f64>,
}

impl EventDriven {
    /// The first event inside the step just taken, which ends in `self.piece.end`; `None` if there is none.
    pub(super) fn first_event(&mut self, efforts: &mut dyn Efforts, taken: f64) -> Result<Option<Found>, Trouble> {
        self.search.look_index.clear();
        self.search.look_index.resize(FINEST as usize + 1, u32::MAX);
        self.search.looks_used = 0;
        let pairs = self.candidates(taken)?;
        self.list_watches();
        if !pairs && self.search.watches.is_empty() {
            return Ok(None);
        }
        let mut outside = WithContacts { outside: &mut *efforts, held: &mut self.held };
        self.piece.dense =
            self.integrator.prepare_dense(&self.system, &mut self.ws, &mut outside, &self.piece.end)?;
        let mut found = self.first_other(efforts)?;
        for i in 0..self.search.pairs.len() {
            let (pair, speed) = self.search.pairs[i];
            let until = found.map_or(1.0, |f| f.high);
            if let Some((low, high)) = self.first_meeting(efforts, pair, speed * taken, until)? {
                let found_here = self.meeting(efforts, pair, low, high)?;
                let this = self.narrow(efforts, found_here)?;
                if found.is_none_or(|f| this.high < f.high) {
                    found = Some(this);
                }
            }
        }
        Ok(found)
    }

    /// Repeats the step up to the event. Leaves the state there and returns the width of the last bracket [s].
    pub(super) fn locate(
        &mut self,
        efforts: &mut dyn Efforts,
        found: &Found,
        taken: f64,
        state: &mut State,
    ) -> Result<f64, Trouble> {
        let resolution = 4.0 * f64::EPSILON * self.piece.before.time.abs().max(taken);
        if let Some(width) = self.locate_near(efforts, found, taken, resolution, state)? {
            return Ok(width);
        }
        let (mut low, mut high) = (found.low * taken, found.high * taken);
        let mut value_high = self.exact_value(efforts, found.watch, high, state)?;
        let mut value_low = self.exact_value(efforts, found.watch, low, state)?;
        // The interpolant and the step itself may disagree on the zero by their errors.
        let mut widen = (high - low).max(1e-9 * taken);
        while value_high > 0.0 && high < taken {
            high = (high + widen).min(taken);
            widen *= 8.0;
            value_high = self.exact_value(efforts, found.watch, high, state)?;
        }
        let mut widen = (high - low).max(1e-9 * taken);
        while value_low <= 0.0 && low > 0.0 {
            (high, value_high) = (low, value_low);
            low = (low - widen).max(0.0);
            widen *= 8.0;
            value_low = self.exact_value(efforts, found.watch, low, state)?;
        }
        let mut side = 0;
        for iteration in 0..100 {
            if high - low <= resolution || value_high == 0.0 || value_low <= 0.0 || value_high > 0.0 {
                break;
            }
            let secant = high - value_high * (high - low) / (value_high - value_low);
            let inside = secant > low && secant < high;
            let size = if iteration < 60 && inside { secant } else { 0.5 * (low + high) };
            let value = self.exact_value(efforts, found.watch, size, state)?;
            if value <= 0.0 {
                (high, value_high) = (size, value);
                if side == 1 {
                    value_low *= 0.5;
                }
                side = 1;
            } else {
                (low, value_low) = (size, value);
                if side == -1 {
                    value_high *= 0.5;
                }
                side = -1;
            }
        }
        self.exact_value(efforts, found.watch, high, state)?;
        Ok(if value_high == 0.0 { 0.0 } else { high - low })
    }

    /// The same by a few Newton steps from the zero of the interpolant. `None` where these do not end just past the
    /// zero: near functions that graze it or jump.
    fn locate_near(
        &mut self,
        efforts: &mut dyn Efforts,
        found: &Found,
        taken: f64,
        resolution: f64,
        state: &mut State,
    ) -> Result<Option<f64>, Trouble> {
        let slope = found.slope / taken;
        if !self.piece.dense || !slope.is_finite() || slope >= 0.0 {
            return Ok(None);
        }
        let mut size = found.high * taken;
        for _ in 0..4 {
            if size <= 0.0 || size > taken {
                return Ok(None);
            }
            let value = self.exact_value(efforts, found.watch, size, state)?;
            let past = value / slope;
            if value <= 0.0 && past <= 2.0 * resolution {
                return Ok(Some(past.max(resolution)));
            }
            // Beyond the possible error of the interpolant: its slope is not valid there.
            if !value.is_finite() || past.abs() > 1e-6 * taken {
                return Ok(None);
            }
            size = size - past + resolution;
        }
        Ok(None)
    }

    /// A watched function after a step of this size from the beginning of the step; leaves the state there.
    fn exact_value(
        &mut self,
        efforts: &mut dyn Efforts,
        watch: Watch,
        size: f64,
        state: &mut State,
    ) -> Result<f64, Trouble> {
        state.clone_from(&self.piece.before);
        if size > 0.0 {
            self.exact_step(efforts, size, state)?;
        }
        self.value(efforts, watch, state)
    }

    /// A step of exactly this size from `state`.
    pub(super) fn exact_step(
        &mut self,
        efforts: &mut dyn Efforts,
        size: f64,
        state: &mut State,
    ) -> Result<(), Trouble> {
        self.integrator.set_memory(&self.piece.memory);
        let mut outside = WithContacts { outside: efforts, held: &mut self.held };
        let report = self.integrator.exact_step(&self.system, &mut self.ws, &mut outside, state, size)?;
        self.counts.evaluations += u64::from(report.evaluations);
        Ok(())
    }

    /// Computes the state at a fraction of the step into `probe`.
    fn look_at(&mut self, efforts: &mut dyn Efforts, fraction: f64) -> Result<(), Trouble> {
        if fraction == 1.0 {
            self.piece.probe.clone_from(&self.piece.end);
        } else if fraction == 0.0 {
            self.piece.probe.clone_from(&self.piece.before);
        } else if self.piece.dense {
            self.integrator.interpolate(&self.system, fraction, &mut self.piece.probe);
        } else {
            let mut probe =
                std::mem::replace(&mut self.piece.probe, State { time: 0.0, q: Vec::new(), v: Vec::new() });
            probe.clone_from(&self.piece.before);
            let size = fraction * (self.piece.end.time - self.piece.before.time);
            let outcome = self.exact_step(efforts, size, &mut probe);
            self.piece.probe = probe;
            outcome?;
        }
        Ok(())
    }

    /// Collects the pairs that may have collided in the step, with bounds of their approach speed. Returns `false` if
    /// there are none.
    fn candidates(&mut self, taken: f64) -> Result<bool, Trouble> {
        let time = self.piece.before.time;
        let world = &mut self.held.world;
        self.search.speeds.clear();
        kinematics::velocities(&self.system, &mut self.ws, &self.piece.end.q, &self.piece.end.v);
        let speed = |m: veracity_dynamics::BodyMotion, radius: f64| {
            m.linear_velocity.norm() + radius * m.angular_velocity.norm()
        };
        let ends = world.places.iter().zip(&world.radii);
        self.search.slides.clear();
        for (p, r) in ends.clone() {
            let m = body_motion(&self.ws, *p);
            self.search.speeds.push(speed(m, *r));
            self.search.slides.push((m.linear_velocity, m.linear_velocity, *r * m.angular_velocity.norm()));
        }
        kinematics::velocities(&self.system, &mut self.ws, &self.piece.before.q, &self.piece.before.v);
        for ((s, slide), (p, r)) in self.search.speeds.iter_mut().zip(&mut self.search.slides).zip(ends) {
            let m = body_motion(&self.ws, *p);
            *s = SPEED_MARGIN * s.max(speed(m, *r));
            *slide = (m.linear_velocity, slide.1, slide.2.max(*r * m.angular_velocity.norm()));
        }
        world.poses(&self.ws, &mut self.search.poses);
        self.search.reach.clear();
        self.search.reach.extend(self.search.speeds.iter().map(|s| s * taken));
        let outcome = world.scene.find(&self.search.poses, &self.search.reach, SLACK, &mut self.search.points);
        outcome.map_err(|bad| Trouble::NotFinite { dof: bad.body, time })?;
        self.search.pairs.clear();
        for p in &self.search.points {
            if self.search.pairs.last().is_none_or(|(pair, _)| *pair != p.pair) {
                let [a, b] = [p.body_a as usize, p.body_b as usize];
                let ((va, wa, ra), (vb, wb, rb)) = (self.search.slides[a], self.search.slides[b]);
                let (first, last) = (va - vb, wa - wb);
                let closing = first.norm().max(last.norm()) + (last - first).norm() + ra + rb;
                self.search
                    .pairs
                    .push((p.pair, (SPEED_MARGIN * closing).min(self.search.speeds[a] + self.search.speeds[b])));
            }
        }
        Ok(!self.search.pairs.is_empty())
    }

    /// Lists all watched functions except gaps.
    fn list_watches(&mut self) {
        self.search.watches.clear();
        for (i, contact) in self.held.contacts.iter().enumerate() {
            self.search.watches.push(Watch::Force(i));
            if contact.has_friction() {
                self.search.watches.push(if contact.mode == Mode::Stick { Watch::Cone(i) } else { Watch::Stop(i) });
                if contact.mode == Mode::Slide && contact.creeps {
                    self.search.watches.push(Watch::Creep(i));
                }
            }
            if matches!(contact.site, Site::Point { .. }) {
                self.search.watches.push(Watch::Feature(i));
            }
        }
        let is_held = |v: usize, upper: bool| {
            let site = Site::Limit { dof: v as u32, upper };
            self.held.contacts.iter().any(|c| c.site == site)
        };
        for (i, limit) in self.held.world.limits.iter().enumerate() {
            for (upper, end) in [(false, limit.lower), (true, limit.upper)] {
                if end.is_finite() && !is_held(limit.v, upper) {
                    self.search.watches.push(Watch::Range(i, upper));
                }
            }
        }
        self.search.watches.extend((0..self.held.world.scene.guards().len()).map(Watch::Guard));
    }

    /// The first event that is not a gap.
    fn first_other(&mut self, efforts: &mut dyn Efforts) -> Result<Option<Found>, Trouble> {
        if self.search.watches.is_empty() {
            return Ok(None);
        }
        self.watched_at(efforts, 0.0)?;
        std::mem::swap(&mut self.search.values, &mut self.search.next_values);
        for look in 1..=LOOKS {
            let (low, high) = ((look - 1) as f64 / LOOKS as f64, look as f64 / LOOKS as f64);
            self.watched_at(efforts, high)?;
            if 2 * look == LOOKS && self.piece.dense {
                self.piece.middle.clear();
                self.piece.middle.extend(self.held.contacts.iter().map(|c| c.force));
            }
            let mut found: Option<Found> = None;
            for i in 0..self.search.watches.len() {
                if self.search.values[i] > 0.0 && self.search.next_values[i] <= 0.0 {
                    let this =
                        self.narrow(efforts, Found { watch: self.search.watches[i], low, high, slope: f64::NAN })?;
                    if found.is_none_or(|f| this.high < f.high) {
                        found = Some(this);
                    }
                }
            }
            if found.is_some() {
                return Ok(found);
            }
            std::mem::swap(&mut self.search.values, &mut self.search.next_values);
        }
        Ok(None)
    }

    /// Evaluates all watched functions at a fraction of the step; the forces are solved once.
    fn watched_at(&mut self, efforts: &mut dyn Efforts, fraction: f64) -> Result<(), Trouble> {
        self.look_at(efforts, fraction)?;
        let probe = std::mem::replace(&mut self.piece.probe, State { time: 0.0, q: Vec::new(), v: Vec::new() });
        let evaluated = self.held.forces_at(efforts, probe.time, (&probe.q, &probe.v));
        self.search.next_values.clear();
        for i in 0..self.search.watches.len() {
            let value = self.value_evaluated(self.search.watches[i], &probe);
            self.search.next_values.push(value);
        }
        self.piece.probe = probe;
        evaluated.map(|_| ())
    }

    /// The first two samples between which a pair collides, no later than `until`; `reach` is `L` times the step.
    /// Samples are at binary fractions of the step, so that all pairs share them.
    fn first_meeting(
        &mut self,
        efforts: &mut dyn Efforts,
        pair: u32,
        reach: f64,
        until: f64,
    ) -> Result<Option<(f64, f64)>, Trouble> {
        let touches = |site: &Site| matches!(site, Site::Point { pair: p, .. } if *p == pair);
        let touching = self.held.contacts.iter().any(|c| touches(&c.site))
            || self.memory.open.iter().any(|(site, _)| touches(site));
        let (finest, coarse) = if touching { (TOUCHING, TOUCHING) } else { (1, COARSE) };
        self.search.pieces.clear();
        self.search.pieces.push((0, FINEST, f64::NAN, f64::NAN));
        let part = |at: u32| f64::from(at) / f64::from(FINEST);
        while let Some((low, high, before, after)) = self.search.pieces.pop() {
            if part(low) >= until {
                return Ok(None);
            }
            let change = reach * (part(high) - part(low));
            // Gaps larger than (1) needs are returned as infinite.
            let limit = change.max(SLACK) * (1.0 + 1e-9);
            let before = if before.is_nan() { self.gap_at(efforts, pair, low, limit)? } else { before };
            if before > limit {
                continue;
            }
            let after = if after.is_nan() { self.gap_at(efforts, pair, high, limit)? } else { after };
            // A pair in contact all the time does not collide; a pair that opens may collide again.
            if before <= 0.0 && (after <= 0.0 || high - low <= coarse) {
                continue;
            }
            let meets = before > 0.0 && after <= 0.0;
            if meets && high - low <= coarse {
                return Ok(Some((part(low), part(high))));
            }
            if before > 0.0 && !meets && (before + after > change || change < SLACK || high - low <= finest) {
                continue;
            }
            let middle = low + (high - low) / 2;
            self.search.pieces.push((middle, high, f64::NAN, after));
            self.search.pieces.push((low, middle, before, f64::NAN));
        }
        Ok(None)
    }

    /// The gap of a pair at a shared sample; infinite beyond `limit`.
    fn gap_at(&mut self, efforts: &mut dyn Efforts, pair: u32, at: u32, limit: f64) -> Result<f64, Trouble> {
        let index = match self.search.look_index[at as usize] {
            u32::MAX => {
                let index = self.new_look(efforts, f64::from(at) / f64::from(FINEST))?;
                self.search.look_index[at as usize] = index;
                index
            }
            index => index,
        };
        let poses = std::mem::take(&mut self.search.looks[index as usize]);
        let gap = match self.held.world.scene.least_gap_of(pair, &poses) > limit {
            true => f64::INFINITY,
            false => self.open_gap(Watch::Gap(pair), pair, &poses, limit),
        };
        self.search.looks[index as usize] = poses;
        Ok(gap)
    }

    /// The bracket of a collision, from where the gap is clearly open: the gap of a contact that has just opened starts
    /// at zero, and the next zero is required.
    fn meeting(&mut self, efforts: &mut dyn Efforts, pair: u32, low: f64, high: f64) -> Result<Found, Trouble> {
        let mut open = low;
        for halving in 1..50 {
            if self.value_at(efforts, Watch::Meeting(pair), open)? > 0.0 {
                return Ok(Found { watch: Watch::Meeting(pair), low: open, high, slope: f64::NAN });
            }
            open = low + (high - low) * libm::scalbn(1.0, -halving);
        }
        // The zero may lie just before the sample at which the pair was still open within rounding.
        for halving in (0..40).rev() {
            let open = low - low * libm::scalbn(1.0, -halving);
            if open > 0.0 && self.value_at(efforts, Watch::Meeting(pair), open)? > 0.0 {
                return Ok(Found { watch: Watch::Meeting(pair), low: open, high: low, slope: f64::NAN });
            }
        }
        Ok(Found { watch: Watch::Gap(pair), low, high, slope: f64::NAN })
    }

    /// Narrows a bracket on the interpolant; without one, the step itself is repeated later anyway.
    fn narrow(&mut self, efforts: &mut dyn Efforts, found: Found) -> Result<Found, Trouble> {
        let Found { watch, mut low, mut high, .. } = found;
        let mut value_low = self.value_at(efforts, watch, low)?;
        let mut value_high = self.value_at(efforts, watch, high)?;
        // The last two values far enough apart for the slope between them to exceed rounding.
        let (mut last, mut slope) = ((low, value_low), f64::NAN);
        // The start of a gap that has just opened cannot be interpolated from: go back until it is open.
        let mut side = 0;
        for iteration in 0..80 {
            let secant = high - value_high * (high - low) / (value_high - value_low);
            if high - low <= 1e-13 || value_high == 0.0 || high - secant <= 1e-13 {
                break;
            }
            let inside = secant > low && secant < high;
            let at = if iteration < 40 && inside { secant } else { 0.5 * (low + high) };
            let value = self.value_at(efforts, watch, at)?;
            if (at - last.0).abs() > 1e-7 {
                slope = (value - last.1) / (at - last.0);
                last = (at, value);
            }
            if value <= 0.0 {
                (high, value_high) = (at, value);
                if side == 1 {
                    value_low *= 0.5;
                }
                side = 1;
            } else {
                (low, value_low) = (at, value);
                if side == -1 {
                    value_high *= 0.5;
                }
                side = -1;
            }
        }
        Ok(Found { watch, low, high, slope })
    }

    /// A watched function at a fraction of the step.
    fn value_at(&mut self, efforts: &mut dyn Efforts, watch: Watch, fraction: f64) -> Result<f64, Trouble> {
        self.look_at(efforts, fraction)?;
        let probe = std::mem::replace(&mut self.piece.probe, State { time: 0.0, q: Vec::new(), v: Vec::new() });
        let value = self.value(efforts, watch, &probe);
        self.piece.probe = probe;
        value
    }

    /// Poses at a fraction, shared with the other pairs of the step.
    fn new_look(&mut self, efforts: &mut dyn Efforts, fraction: f64) -> Result<u32, Trouble> {
        self.look_at(efforts, fraction)?;
        kinematics::positions(&self.system, &mut self.ws, &self.piece.probe.q);
        let index = self.search.looks_used;
        self.search.looks_used += 1;
        if self.search.looks.len() == index {
            self.search.looks.push(Vec::new());
        }
        self.held.world.poses(&self.ws, &mut self.search.looks[index]);
        Ok(index as u32)
    }
}
