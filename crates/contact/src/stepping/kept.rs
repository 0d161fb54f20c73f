//! Data a contact keeps for the next step: its impulse, as the start of the next solve, and its anchor.
//!
//! An anchor is one material point on each body, at the same place in the world when the contact began to stick. Their
//! distance across the normal is the drift
//!
//! ```text
//! (1)  s = (1 - n nᵀ) (x_a - x_b)
//! ```
//!
//! which the position pass removes (`projection`). Drift comes from the position update even if the velocities along
//! the surface are equal: a free body moves along the tangent of its path, a body on a joint along its arc,
//!
//! ```text
//! (2)  |s| = ½ ω² R h² = ½ (ω h) (ω R h)       in a step, at the angular rate ω about a point at the distance R
//! ```
//!
//! A contact that slips or opens loses its anchor. A point that joins a patch which already sticks inherits the drift
//! of that patch: an anchor without it would hold the patch where it had drifted to. With `ρ` the positions of the
//! patch's anchored points about their mean, the drift at `x` is that of the rigid motion nearest to theirs,
//!
//! ```text
//! (3)  s(x) = s̄ + φ n × (x - x̄),      φ = Σ n · (ρ × s) / Σ |ρ|²
//! ```
//!
//! A rolling contact moves away from its material points without slipping: when it has moved by [`ROLLED`] more than it
//! has drifted, it gets a new anchor without drift. A drift beyond [`Anchor::largest_drift`] is not caused by (2): the
//! bodies were moved from outside, and the contact gets a new anchor too.

use veracity_model::{Pose, Vec3};

/// How far a contact may move from its material points before it gets new ones [m]. Over this distance on a radius of a
/// centimetre, the material points of a rolling contact part by 2e-11 m.
pub const ROLLED: f64 = 1e-5;
/// Largest drift that is removed from bodies at rest [m]: errors of the solves, of which
/// [`super::projection::WORTH_IT`] and more is corrected.
pub const DRIFTED: f64 = 2e-6;
/// Largest angle `ω h` of (2) [rad]. A step that turns a joint further is not small, and bodies that were moved from
/// outside are usually moved further than half of this times the path of a step.
pub const TURNED: f64 = 0.1;

/// One contact of the last step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Kept {
    /// The pair of shapes.
    pub pair: u32,
    /// The point of the pair.
    pub feature: u64,
    /// Force impulse, world axes [N s].
    pub linear: Vec3,
    /// Torque impulse, world axes [N m s].
    pub angular: Vec3,
    /// Where it began to stick.
    pub anchor: Option<Anchor>,
}

/// Two material points.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Anchor {
    /// In the first body's frame.
    pub on_a: Vec3,
    /// In the second body's frame.
    pub on_b: Vec3,
}

/// Number of values per entry in a snapshot.
const WIDTH: usize = 3 + 6 + 1 + 6;

impl Anchor {
    /// An anchor where the two bodies touch now.
    pub fn new(a: &Pose, b: &Pose, at: &Vec3) -> Self {
        let local = |pose: &Pose| pose.inverse_transform_point(&(*at).into()).coords;
        Self { on_a: local(a), on_b: local(b) }
    }

    /// An anchor that already has the drift `s`: `on_b` is where the first body's point would be without it.
    pub fn drifted(a: &Pose, b: &Pose, at: &Vec3, s: &Vec3) -> Self {
        Self { on_b: Self::new(a, b, &(at - s)).on_b, ..Self::new(a, b, at) }
    }

    /// Upper limit of (2) for bodies whose points move this far in a step, plus the limit at rest [m].
    pub fn largest_drift(path_a: f64, path_b: f64) -> f64 {
        DRIFTED + 0.5 * TURNED * (path_a + path_b)
    }

    /// The drift (1) at a contact that is now at `at`, and the anchor to continue with; no drift and a new anchor if
    /// the drift exceeds `largest` or the contact rolled.
    pub fn drift(&self, a: &Pose, b: &Pose, at: &Vec3, normal: &Vec3, largest: f64) -> (Vec3, Anchor) {
        let across = |x: Vec3| x - normal * normal.dot(&x);
        let (on_a, on_b) = ((a * na(self.on_a)).coords, (b * na(self.on_b)).coords);
        let drift = across(on_a - on_b);
        let size = drift.norm();
        let rolled = |from: Vec3| across(at - from).norm() > ROLLED + size;
        // The second is seldom evaluated: a contact that sticks is near both of its material points.
        if rolled(on_b) && rolled(on_a) || size > largest {
            return (Vec3::zeros(), Anchor::new(a, b, at));
        }
        (drift, *self)
    }
}

/// (3): the drift at `at` of a patch with these anchored points and their drifts; `None` without any.
pub fn drift_of_patch(points: impl Iterator<Item = (Vec3, Vec3)> + Clone, normal: &Vec3, at: &Vec3) -> Option<Vec3> {
    let count = points.clone().count();
    if count == 0 {
        return None;
    }
    let (mut mean, mut shift) = (Vec3::zeros(), Vec3::zeros());
    for (x, s) in points.clone() {
        mean += x / count as f64;
        shift += s / count as f64;
    }
    let (mut moment, mut spread) = (0.0, 0.0);
    for (x, s) in points {
        let arm = x - mean;
        moment += normal.dot(&arm.cross(&s));
        spread += arm.norm_squared();
    }
    let turn = if spread > 0.0 { moment / spread } else { 0.0 };
    Some(shift + normal.cross(&(at - mean)) * turn)
}

fn na(v: Vec3) -> nalgebra::Point3<f64> {
    v.into()
}

/// Finds the entry of a contact; both lists are in order of pairs, so `from` only grows.
pub fn find(list: &[Kept], from: &mut usize, pair: u32, feature: u64) -> Option<usize> {
    while *from < list.len() && list[*from].pair < pair {
        *from += 1;
    }
    let same = list[*from..].iter().take_while(|k| k.pair == pair);
    same.enumerate().find(|(_, k)| k.feature == feature).map(|(i, _)| *from + i)
}

/// Appends the list as numbers.
pub fn save(list: &[Kept], out: &mut Vec<f64>) {
    out.push(list.len() as f64);
    for k in list {
        // Halves of 32 bits are exact as f64 and survive every number format.
        out.extend([f64::from(k.pair), (k.feature >> 32) as f64, (k.feature & 0xffff_ffff) as f64]);
        out.extend(k.linear.iter().chain(k.angular.iter()));
        out.push(if k.anchor.is_some() { 1.0 } else { 0.0 });
        let anchor = k.anchor.unwrap_or(Anchor { on_a: Vec3::zeros(), on_b: Vec3::zeros() });
        out.extend(anchor.on_a.iter().chain(anchor.on_b.iter()));
    }
}

/// Reads the list back; returns the remaining numbers.
pub fn load<'a>(list: &mut Vec<Kept>, numbers: &'a [f64]) -> Option<&'a [f64]> {
    let (count, rest) = numbers.split_first()?;
    let count = *count as usize;
    if rest.len() < count.checked_mul(WIDTH)? {
        return None;
    }
    list.clear();
    for x in rest[..count * WIDTH].chunks_exact(WIDTH) {
        let three = |i: usize| Vec3::new(x[i], x[i + 1], x[i + 2]);
        list.push(Kept {
            pair: x[0] as u32,
            feature: ((x[1] as u64) << 32) | x[2] as u64,
            linear: three(3),
            angular: three(6),
            anchor: (x[9] != 0.0).then(|| Anchor { on_a: three(10), on_b: three(13) }),
        });
    }
    Some(&rest[count * WIDTH..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_saved_is_loaded() {
        let anchor = Anchor { on_a: Vec3::x(), on_b: Vec3::y() };
        let kept = |pair, anchor| Kept {
            pair,
            feature: 0xfedc_ba98_7654_3210,
            linear: Vec3::new(1.0, 2.0, 3.0),
            angular: Vec3::zeros(),
            anchor,
        };
        let list = vec![kept(3, None), kept(7, Some(anchor))];
        let mut numbers = Vec::new();
        save(&list, &mut numbers);
        numbers.push(42.0);
        let mut back = Vec::new();
        assert_eq!(load(&mut back, &numbers), Some(&[42.0][..]));
        assert_eq!(back, list);
        assert_eq!(find(&list, &mut 0, 7, list[1].feature), Some(1));
        assert_eq!(find(&list, &mut 0, 7, 1), None);
        assert_eq!(load(&mut back, &numbers[..10]), None);
    }

    #[test]
    fn a_ball_that_rolls_has_not_drifted_and_a_block_that_slid_has() {
        let (ground, normal, r) = (Pose::identity(), Vec3::z(), 0.1);
        let at = |x: f64| {
            Pose::from_parts(Vec3::new(x, 0.0, r).into(), veracity_model::geometry::quat_about(&Vec3::y(), x / r))
        };
        let mut anchor = Anchor::new(&at(0.0), &ground, &Vec3::zeros());
        let mut drift = Vec3::zeros();
        for step in 1..1000 {
            let x = 1e-6 * f64::from(step);
            (drift, anchor) = anchor.drift(&at(x), &ground, &Vec3::new(x, 0.0, 0.0), &normal, DRIFTED);
        }
        // A hundred times the third-order term of 1e-5 m on 0.1 m, 2e-14 m.
        assert!(drift.norm() < 1e-11, "{drift}");
        let slid = Pose::translation(1e-6, 0.0, r);
        let (drift, _) =
            Anchor::new(&at(0.0), &ground, &Vec3::zeros()).drift(&slid, &ground, &Vec3::zeros(), &normal, DRIFTED);
        assert!((drift.x - 1e-6).abs() < 1e-16);
    }

    /// Drift may exceed the rolling threshold if the bodies are fast; a drift that no motion explains is dropped.
    #[test]
    fn drift_of_fast_bodies_is_kept_and_an_outside_move_is_not() {
        let (ground, normal) = (Pose::identity(), Vec3::z());
        let anchor = Anchor::new(&ground, &ground, &Vec3::x());
        let moved = Pose::translation(3e-5, 0.0, 0.0);
        // The contact is between an edge of each body: it has moved with both of them, half the distance.
        let at = Vec3::new(1.0 + 1.5e-5, 0.0, 0.0);
        let (drift, kept) = anchor.drift(&moved, &ground, &at, &normal, Anchor::largest_drift(5e-3, 0.0));
        assert!((drift.x - 3e-5).abs() < 1e-15 && kept == anchor, "{drift}");
        let (drift, kept) = anchor.drift(&moved, &ground, &at, &normal, Anchor::largest_drift(0.0, 0.0));
        assert!(drift == Vec3::zeros() && kept != anchor, "{drift}");
    }

    #[test]
    fn a_new_point_inherits_shift_and_turn_of_its_patch() {
        let (normal, shift, turn) = (Vec3::z(), Vec3::new(1e-6, -2e-6, 0.0), 1e-4);
        let rigid = |x: &Vec3| shift + normal.cross(x) * turn;
        let places = [Vec3::new(0.1, 0.0, 0.0), Vec3::new(-0.1, 0.2, 0.0), Vec3::new(0.3, -0.1, 0.0)];
        let patch = places.iter().map(|x| (*x, rigid(x)));
        let at = Vec3::new(0.2, 0.2, 0.0);
        let s = drift_of_patch(patch, &normal, &at).unwrap();
        // Rounding errors of numbers around 1e-5.
        assert!((s - rigid(&at)).norm() < 1e-19, "{s}");
        let (a, b) = (Pose::translation(0.3, 0.1, 0.2), Pose::identity());
        let (drift, _) = Anchor::drifted(&a, &b, &at, &s).drift(&a, &b, &at, &normal, 1e-3);
        assert!((drift - s).norm() < 1e-16, "{drift}");
        assert_eq!(drift_of_patch(places[..0].iter().map(|x| (*x, *x)), &normal, &at), None);
    }
}
