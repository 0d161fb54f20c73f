//! The motion, for display: bodies with their shapes and poses.

use super::numbers::{F32Array, Times, U32Array};
use crate::pack;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Numbers per pose in [`Track::poses`]: x y z, then the quaternion w x y z.
pub const POSE_NUMBERS: usize = 7;

/// Resolution of poses relative to the size of the scene: a hundredth of a pixel on a screen of 1300. A replay is for
/// display; measured values are in the tables.
pub const PART_OF_SCENE: f64 = 1.0 / 131_072.0;

/// Bodies, and one track per trial.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Replay {
    /// Duration of the motion [s].
    pub duration_s: f64,
    /// Positions are whole multiples of this [m]: each coordinate is accurate to half of it.
    pub position_step_m: f64,
    /// The quaternion's numbers are whole multiples of this.
    pub rotation_step: f64,
    /// Contact forces are whole multiples of this [N].
    #[serde(default = "one_newton")]
    pub force_step_n: f64,
    /// At most this many contact points are kept of each moment, the strongest; zero if none were recorded.
    #[serde(default)]
    pub contact_points: usize,
    /// The bodies, the same in every track.
    pub bodies: Vec<Body>,
    /// The poses, one track per trial.
    pub tracks: Vec<Track>,
}

/// A body and its appearance.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Body {
    /// Its name in the model.
    pub name: String,
    /// Never moves: drawn once, behind everything.
    pub fixed: bool,
    /// Its shapes; a body without one is drawn only if no body has any.
    pub shapes: Vec<PlacedShape>,
}

/// A shape on a body.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PlacedShape {
    /// Pose of the shape in the body's frame.
    pub body_from_shape: Pose,
    /// The shape itself.
    pub geometry: Geometry,
}

/// A position and orientation.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Pose {
    /// x y z [m].
    pub position_m: [f64; 3],
    /// Unit quaternion w x y z.
    pub rotation_wxyz: [f64; 4],
}

impl Pose {
    /// At the origin, not rotated.
    pub const IDENTITY: Self = Self { position_m: [0.0; 3], rotation_wxyz: [1.0, 0.0, 0.0, 0.0] };

    /// Translated, not rotated.
    pub const fn at(position_m: [f64; 3]) -> Self {
        Self { position_m, ..Self::IDENTITY }
    }
}

/// A solid or surface in its own frame, centred at the origin. A height field is given as a mesh.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Geometry {
    /// A box.
    Box {
        /// Full side lengths [m].
        size_m: [f64; 3],
    },
    /// A ball.
    Sphere {
        /// Radius [m].
        radius_m: f64,
    },
    /// An ellipsoid.
    Ellipsoid {
        /// Half axes [m].
        radii_m: [f64; 3],
    },
    /// A cylinder about z.
    Cylinder {
        /// Radius [m].
        radius_m: f64,
        /// Length along z [m]; zero for a disc.
        length_m: f64,
    },
    /// A cylinder about z with half-spheres on its ends.
    Capsule {
        /// Radius [m].
        radius_m: f64,
        /// Length of the cylindrical part [m].
        length_m: f64,
    },
    /// The half space z <= 0.
    Plane,
    /// Triangles.
    Mesh {
        /// x y z of each vertex [m].
        vertices_m: F32Array,
        /// Three indices per triangle.
        triangles: U32Array,
    },
}

impl Replay {
    /// Without tracks, for a scene of the given size [m].
    pub fn new(duration_s: f64, scene_m: f64, bodies: Vec<Body>) -> Self {
        let position_step_m =
            if scene_m.is_finite() && scene_m > 0.0 { scene_m * PART_OF_SCENE } else { PART_OF_SCENE };
        Self {
            duration_s,
            position_step_m,
            rotation_step: PART_OF_SCENE,
            force_step_n: one_newton(),
            contact_points: 0,
            bodies,
            tracks: Vec::new(),
        }
    }

    /// Adds a track: times [s], and for each the poses body by body, [`POSE_NUMBERS`] numbers each.
    pub fn push(
        &mut self,
        trial: Option<usize>,
        time_s: impl IntoIterator<Item = f64>,
        poses: impl IntoIterator<Item = f64>,
    ) {
        let steps = [self.position_step_m, self.rotation_step];
        let whole = |(at, number): (usize, f64)| Poses::whole(number / steps[usize::from(at % POSE_NUMBERS >= 3)]);
        let numbers: Vec<i64> = poses.into_iter().enumerate().map(whole).collect();
        let poses = Poses::new(self.bodies.len() * POSE_NUMBERS, &numbers);
        self.tracks.push(Track { trial, time_s: Times::from_s(time_s), poses, contacts: ContactPoints::default() });
    }

    /// Adds the contact points of a track: for each the index of its moment, where it is [m] and the force on the first body
    /// [N], both in the world; moments in increasing order.
    pub fn push_contacts(&mut self, track: usize, points: impl IntoIterator<Item = (usize, [f64; 3], [f64; 3])>) {
        let mut numbers = Vec::new();
        for (moment, point, force) in points {
            numbers.push(moment as i64);
            numbers.extend(point.map(|x| Poses::whole(x / self.position_step_m)));
            numbers.extend(force.map(|f| Poses::whole(f / self.force_step_n)));
        }
        if let Some(track) = self.tracks.get_mut(track).filter(|_| !numbers.is_empty()) {
            track.contacts = ContactPoints(pack::pack(&numbers, CONTACT_NUMBERS));
        }
    }
}

/// Poses of the bodies, in one trial or in the reference.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Track {
    /// Index into the scenario's trials; `None` for the reference.
    pub trial: Option<usize>,
    /// Times, increasing [s]. A track may end early if its engine failed.
    pub time_s: Times,
    /// world_from_body, frame by frame, in each frame body by body, [`POSE_NUMBERS`] numbers each.
    pub poses: Poses,
    /// Where bodies touched, and with which force.
    #[serde(default)]
    pub contacts: ContactPoints,
}

/// Numbers of a contact point: its moment, position and force.
const CONTACT_NUMBERS: usize = 7;

/// Contact points in rows of moment, x y z in [`Replay::position_step_m`] and the force in [`Replay::force_step_n`], packed;
/// empty text without any.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ContactPoints(String);

fn one_newton() -> f64 {
    1.0
}

/// Poses as whole multiples of [`Replay::position_step_m`] and [`Replay::rotation_step`], frame by frame. They are kept
/// packed: a report of every engine holds millions of these numbers, and this crate does not read them.
#[derive(Clone, Debug, PartialEq)]
pub struct Poses {
    columns: usize,
    count: usize,
    packed: String,
}

impl Poses {
    /// Marks a non-finite number; the page draws nothing there.
    pub const NOT_FINITE: i64 = -(1 << 40);
    /// Limit of what is drawn: ten million times the scene.
    pub const FARTHEST: i64 = 1 << 39;

    /// An incomplete frame is left out of the text, and [`crate::ReportData::check`] rejects it by the count.
    fn new(columns: usize, numbers: &[i64]) -> Self {
        let whole = numbers.len() - numbers.len() % columns.max(1);
        Self { columns, count: numbers.len(), packed: pack::pack(&numbers[..whole], columns) }
    }

    /// Numbers in a frame.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// Total count of numbers.
    pub fn count(&self) -> usize {
        self.count
    }

    fn whole(steps: f64) -> i64 {
        if steps.is_nan() { Self::NOT_FINITE } else { (steps.round() as i64).clamp(-Self::FARTHEST, Self::FARTHEST) }
    }
}

impl Serialize for Poses {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.packed)
    }
}

impl<'de> Deserialize<'de> for Poses {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let packed = String::deserialize(deserializer)?;
        let (columns, numbers) = pack::unpack(&packed).map_err(serde::de::Error::custom)?;
        Ok(Self { columns, count: numbers.len(), packed })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contact_points_are_rows_of_moment_position_and_force() {
        let mut replay = Replay::new(1.0, 2.0, vec![]);
        replay.force_step_n = 0.5;
        replay.push(Some(0), [0.0, 1.0], []);
        let step = replay.position_step_m;
        replay.push_contacts(0, [(1, [step, -2.0 * step, 0.0], [1.0, 0.0, -3.0])]);
        let (columns, numbers) = pack::unpack(&replay.tracks[0].contacts.0).unwrap();
        assert_eq!((columns, &numbers[..]), (CONTACT_NUMBERS, &[1, 1, -2, 0, 2, 0, -6][..]));
        // A report of an earlier version has none.
        let mut earlier = serde_json::to_value(&replay).unwrap();
        earlier["tracks"][0].as_object_mut().unwrap().remove("contacts");
        assert_eq!(serde_json::from_value::<Replay>(earlier).unwrap().tracks[0].contacts, ContactPoints::default());
    }

    #[test]
    fn poses_are_accurate_to_half_a_step_and_mark_non_finite_numbers() {
        let body = || Body { name: "b".into(), fixed: false, shapes: vec![] };
        let mut replay = Replay::new(1.0, 2.0, vec![body()]);
        let pose = [1.0 / 3.0, -1.0e30, f64::NAN, 0.8, 0.6, 0.0, -1e-9];
        replay.push(None, [0.25], pose);
        let (_, numbers) = pack::unpack(&replay.tracks[0].poses.packed).unwrap();
        assert_eq!(numbers[1..3], [-Poses::FARTHEST, Poses::NOT_FINITE]);
        assert!((numbers[0] as f64 * replay.position_step_m - pose[0]).abs() <= replay.position_step_m / 2.0);
        assert!((numbers[4] as f64 * replay.rotation_step - pose[4]).abs() <= replay.rotation_step / 2.0);
        let text = serde_json::to_string(&replay).unwrap();
        assert_eq!(serde_json::from_str::<Replay>(&text).unwrap(), replay);
    }
}
