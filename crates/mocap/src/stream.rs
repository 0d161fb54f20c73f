//! What a reader gives: samples of one rigid body, or of loose markers.
//!
//! Metres, z up, quaternions w x y z, `capture_from_body`. A sample whose pose is unknown has NaN for its place, so that
//! the count of samples, on which a time base rests, is never changed by trouble in one of them.

use crate::notes::Notes;

/// A quaternion, w x y z.
pub type Turn = [f64; 4];

/// One sample of a rigid body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sample {
    /// When it was stamped, in the recording's own clock [ns].
    pub stamp_ns: i64,
    /// The body's origin in the capture frame [m]; NaN where unknown.
    pub position: [f64; 3],
    /// `capture_from_body`, of norm one; the sign is arbitrary. NaN where unknown.
    pub orientation: Turn,
}

impl Sample {
    /// A sample without a pose.
    pub fn missing(stamp_ns: i64) -> Self {
        Self { stamp_ns, position: [f64::NAN; 3], orientation: [f64::NAN; 4] }
    }

    /// Whether it has a pose.
    pub fn is_known(&self) -> bool {
        // One look is enough: readers make a sample wholly known or wholly missing.
        !self.position[0].is_nan()
    }
}

/// A rigid body over time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PoseStream {
    /// What the file calls the body, or the file's own name.
    pub subject: String,
    /// Samples a second, where the file says so [Hz].
    pub rate_hz: Option<f64>,
    /// In the order of the file.
    pub samples: Vec<Sample>,
    /// What the reader had to say.
    pub notes: Notes,
}

/// Loose markers at one instant.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MarkerFrame {
    /// In the recording's own clock [ns].
    pub stamp_ns: i64,
    /// In the order of the names [m]; NaN where a marker was not seen.
    pub markers: Vec<[f64; 3]>,
}

/// Loose markers over time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MarkerStream {
    /// Names, in the order of every frame.
    pub names: Vec<String>,
    /// Frames a second [Hz].
    pub rate_hz: f64,
    /// In the order of the file.
    pub frames: Vec<MarkerFrame>,
    /// What the reader had to say.
    pub notes: Notes,
}
