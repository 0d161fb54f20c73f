//! Foot trajectories of a walking robot, in the frame of its body.
//!
//! ```text
//! (1)  φ_i = (t - t_0) / T - touchdown_i  (mod 1);  foot i stands for φ < duty, else it swings
//! (2)  stance   p ← exp(-u Δt) p                     the ground moves against the commanded twist u = (v_x, v_y, ω)
//! (3)  goal     g = exp(u · duty T / 2) home         so that the foot is at home in the middle of its next stance
//! (4)  swing    C² cubic spline through p, p + h ẑ, g + h ẑ, g at equal times, with the ground's velocity at both ends
//! ```
//!
//! A foot that would be in the middle of its swing when walking begins stands until its next swing.

use veracity_model::Vec3;

/// The commanded motion: forward, left [m/s], rate of turning [rad/s].
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Twist {
    pub forward: f64,
    pub left: f64,
    pub turn: f64,
}

impl Twist {
    /// `exp(u t) p`: a point fixed in the body's frame after the motion, in the frame before it.
    pub fn carry(&self, t: f64, p: Vec3) -> Vec3 {
        let angle = self.turn * t;
        let (sin, cos) = (libm::sin(angle), libm::cos(angle));
        // sin(a)/a and (1 - cos(a))/a, by their series near zero.
        let (a, b) = if angle.abs() < 1e-6 {
            (1.0 - angle * angle / 6.0, angle / 2.0)
        } else {
            (sin / angle, (1.0 - cos) / angle)
        };
        let (x, y) = (self.forward * t, self.left * t);
        Vec3::new(cos * p.x - sin * p.y + a * x - b * y, sin * p.x + cos * p.y + b * x + a * y, p.z)
    }

    /// Velocity of the ground at a point, in the frame of the body.
    pub fn ground(&self, p: Vec3) -> Vec3 {
        Vec3::new(-self.forward + self.turn * p.y, -self.left - self.turn * p.x, 0.0)
    }
}

/// The timing of a gait.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Rhythm {
    pub period_s: f64,
    pub duty: f64,
    pub step_height_m: f64,
    pub start_s: f64,
}

/// One foot with its memory.
#[derive(Clone, Debug)]
pub(crate) struct Foot {
    pub home: Vec3,
    pub touchdown: f64,
    /// Where it should be.
    pub target: Vec3,
    /// Where its swing began.
    from: Vec3,
    /// Whether it has stood since walking began.
    stood: bool,
    /// Whether it stands.
    pub stands: bool,
}

/// Numbers of a foot's memory.
pub(crate) const MEMORY: usize = 8;

impl Foot {
    pub fn new(home: Vec3, touchdown: f64) -> Self {
        Self { home, touchdown, target: home, from: home, stood: false, stands: true }
    }

    pub fn reset(&mut self) {
        *self = Self::new(self.home, self.touchdown);
    }

    /// The target at a time, `dt` after the last call, and its velocity.
    pub fn follow(&mut self, t: f64, dt: f64, twist: &Twist, rhythm: &Rhythm) -> Vec3 {
        let since = t - rhythm.start_s;
        if since < 0.0 {
            return Vec3::zeros();
        }
        // (1)
        let phase = since / rhythm.period_s - self.touchdown;
        let phase = phase - phase.floor();
        // (3)
        let goal = twist.carry(0.5 * rhythm.duty * rhythm.period_s, self.home);
        if phase < rhythm.duty || !self.stood {
            self.stood |= phase < rhythm.duty;
            // (2); a foot that touched down since the last call has been carried from its goal.
            self.target =
                if self.stands { twist.carry(-dt, self.target) } else { twist.carry(-phase * rhythm.period_s, goal) };
            self.stands = true;
            self.target.z = self.home.z;
            return twist.ground(self.target);
        }
        if self.stands {
            // It left the ground since the last call, where the ground had carried it until then.
            let carried_s = (dt - (phase - rhythm.duty) * rhythm.period_s).max(0.0);
            (self.from, self.stands) = (twist.carry(-carried_s, self.target), false);
        }
        // (4)
        let swing_s = (1.0 - rhythm.duty) * rhythm.period_s;
        let up = Vec3::new(0.0, 0.0, rhythm.step_height_m);
        let points = [self.from, self.from + up, goal + up, goal];
        let ends = [twist.ground(self.from), twist.ground(goal)];
        let (target, velocity) = spline(points, ends, swing_s, (phase - rhythm.duty) / (1.0 - rhythm.duty) * swing_s);
        self.target = target;
        velocity
    }

    pub fn save(&self) -> [f64; MEMORY] {
        let flags = f64::from(u8::from(self.stood)) + 2.0 * f64::from(u8::from(self.stands));
        let (p, f) = (self.target, self.from);
        [p.x, p.y, p.z, f.x, f.y, f.z, flags, 0.0]
    }

    pub fn load(&mut self, memory: &[f64]) {
        self.target = Vec3::new(memory[0], memory[1], memory[2]);
        self.from = Vec3::new(memory[3], memory[4], memory[5]);
        let flags = memory[6] as u8;
        (self.stood, self.stands) = (flags & 1 != 0, flags & 2 != 0);
    }
}

/// Position and velocity at `t` of the C² spline through four points at equal times over `duration`, with given velocities at
/// the ends. The slopes at the inner points solve `m_{i-1} + 4 m_i + m_{i+1} = 3 (p_{i+1} - p_{i-1}) / h`.
fn spline(p: [Vec3; 4], ends: [Vec3; 2], duration: f64, t: f64) -> (Vec3, Vec3) {
    let h = duration / 3.0;
    let first = (p[2] - p[0]) * (3.0 / h) - ends[0];
    let second = (p[3] - p[1]) * (3.0 / h) - ends[1];
    let slopes = [ends[0], (first * 4.0 - second) / 15.0, (second * 4.0 - first) / 15.0, ends[1]];
    let at = ((t / h) as usize).min(2);
    let s = (t / h - at as f64).clamp(0.0, 1.0);
    let (a, b, ma, mb) = (p[at], p[at + 1], slopes[at] * h, slopes[at + 1] * h);
    // Cubic Hermite.
    let (s2, s3) = (s * s, s * s * s);
    let place =
        a * (2.0 * s3 - 3.0 * s2 + 1.0) + ma * (s3 - 2.0 * s2 + s) + b * (3.0 * s2 - 2.0 * s3) + mb * (s3 - s2);
    let rate = a * (6.0 * s2 - 6.0 * s)
        + ma * (3.0 * s2 - 4.0 * s + 1.0)
        + b * (6.0 * s - 6.0 * s2)
        + mb * (3.0 * s2 - 2.0 * s);
    (place, rate / h)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TURN: Twist = Twist { forward: 0.1, left: 0.02, turn: -0.5 };

    #[test]
    fn a_standing_foot_does_not_move_over_the_ground() {
        // The body moves by exp(u t): carried back into the first frame, the foot stays.
        let rhythm = Rhythm { period_s: 0.6, duty: 0.75, step_height_m: 0.03, start_s: 0.0 };
        let mut foot = Foot::new(Vec3::new(0.15, 0.07, -0.16), 0.0);
        let (first, dt) = (foot.target, 1e-3);
        for k in 1..=440 {
            let t = f64::from(k) * dt;
            let velocity = foot.follow(t, dt, &TURN, &rhythm);
            // 440 rotations by rounding errors of 1e-16.
            assert!((TURN.carry(t, foot.target) - first).norm() < 1e-13, "{t}");
            assert!((velocity - TURN.ground(foot.target)).norm() < 1e-15);
        }
    }

    #[test]
    fn a_foot_is_at_home_in_the_middle_of_its_stance_and_lifted_in_its_swing() {
        let rhythm = Rhythm { period_s: 0.6, duty: 0.75, step_height_m: 0.03, start_s: 0.2 };
        let mut foot = Foot::new(Vec3::new(0.15, -0.07, -0.16), 0.75);
        let dt = 1e-4;
        let (mut highest, mut before, mut fastest) = (f64::NEG_INFINITY, foot.target, 0.0f64);
        let mut nearest = f64::INFINITY;
        for k in 1..=30_000 {
            let t = f64::from(k) * dt;
            let velocity = foot.follow(t, dt, &TURN, &rhythm);
            // Targets have no jumps, and velocities are those of the targets: differences over 1e-4 s, accelerations below 300 m/s².
            assert!(((foot.target - before) / dt - velocity).norm() < 0.03, "{t}: {velocity:?}");
            (before, highest) = (foot.target, highest.max(foot.target.z));
            fastest = fastest.max(velocity.norm());
            let phase = ((t - 0.2) / 0.6 - 0.75).rem_euclid(1.0);
            if t > 1.5 && (phase - 0.375).abs() < 1e-4 {
                nearest = nearest.min((foot.target - foot.home).norm());
            }
        }
        // The C² spline through 0, h, h, 0 at equal times with level ends is 5/4 h high in the middle. Samples 1e-4 s apart
        // miss the top by less than 1e-6 m.
        assert!((highest + 0.16 - 1.25 * 0.03).abs() < 1e-6, "{highest}");
        assert!(nearest < 1e-4, "{nearest}");
        assert!(fastest > 0.3);
    }
}
