//! What a contact leaves for the next step: its impulse, to start the next solve from, and its anchor.
//!
//! An anchor is one material point on each body, the same place in the world when the contact began to stick. Their distance
//! across the normal is the drift
//!
//! ```text
//! (1)  s = (1 - n nᵀ) (x_a - x_b)
//! ```
//!
//! of which the position pass rids the contact. It begins anew when the contact slips or opens. A rolling contact moves on
//! from its material points without slipping: when it has moved [`ROLLED`] from them the anchor is taken up at the new
//! place. A drift beyond [`DRIFTED`] is none that a sticking contact can have: something else moved the bodies, and leading
//! them back would be work out of nothing.

use veracity_model::{Pose, Vec3};

/// How far a contact may move from its material points before they are taken anew [m]. Over this distance on a radius of a
/// centimetre, the material points of a rolling contact part by 2e-11 m.
pub const ROLLED: f64 = 1e-5;
/// Largest drift that is led back [m]: what turning at 2 rad/s about a point 1 m away makes in a step of 1 ms.
pub const DRIFTED: f64 = 2e-6;

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

/// Numbers of one entry in a snapshot.
const WIDTH: usize = 3 + 6 + 1 + 6;

impl Anchor {
    /// Where the two bodies meet now.
    pub fn new(a: &Pose, b: &Pose, at: &Vec3) -> Self {
        let local = |pose: &Pose| pose.inverse_transform_point(&(*at).into()).coords;
        Self { on_a: local(a), on_b: local(b) }
    }

    /// The drift (1) at a contact that is now at `at`, and the anchor to go on with.
    pub fn drift(&self, a: &Pose, b: &Pose, at: &Vec3, normal: &Vec3) -> (Vec3, Anchor) {
        let across = |x: Vec3| x - normal * normal.dot(&x);
        let (on_a, on_b) = ((a * na(self.on_a)).coords, (b * na(self.on_b)).coords);
        let moved = across(at - on_b).norm().min(across(at - on_a).norm());
        let drift = across(on_a - on_b);
        if moved > ROLLED || drift.norm() > DRIFTED {
            return (Vec3::zeros(), Anchor::new(a, b, at));
        }
        (drift, *self)
    }
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
        // Halves of 32 bits are exact as numbers and survive every way of writing numbers down.
        out.extend([f64::from(k.pair), (k.feature >> 32) as f64, (k.feature & 0xffff_ffff) as f64]);
        out.extend(k.linear.iter().chain(k.angular.iter()));
        out.push(if k.anchor.is_some() { 1.0 } else { 0.0 });
        let anchor = k.anchor.unwrap_or(Anchor { on_a: Vec3::zeros(), on_b: Vec3::zeros() });
        out.extend(anchor.on_a.iter().chain(anchor.on_b.iter()));
    }
}

/// Reads the list back; the numbers left over.
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
            (drift, anchor) = anchor.drift(&at(x), &ground, &Vec3::new(x, 0.0, 0.0), &normal);
        }
        // A hundred times the third-order term of 1e-5 m on 0.1 m, 2e-14 m.
        assert!(drift.norm() < 1e-11, "{drift}");
        let slid = Pose::translation(1e-6, 0.0, r);
        let (drift, _) =
            Anchor::new(&at(0.0), &ground, &Vec3::zeros()).drift(&slid, &ground, &Vec3::zeros(), &normal);
        assert!((drift.x - 1e-6).abs() < 1e-16);
    }
}
