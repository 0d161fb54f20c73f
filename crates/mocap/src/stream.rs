//! Samples of one rigid body, or of loose markers, as readers return them.
//!
//! Metres, z up, quaternions w x y z, `capture_from_body`. A sample whose pose is unknown has NaN for its position, so
//! that the number of samples, which defines the time base, does not depend on damaged ones.

use crate::notes::Notes;

/// A quaternion, w x y z.
pub type Quaternion = [f64; 4];

/// One sample of a rigid body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sample {
    /// Its stamp, in the recording's own clock [ns].
    pub stamp_ns: i64,
    /// The body's origin in the capture frame [m]; NaN where unknown.
    pub position: [f64; 3],
    /// `capture_from_body`, of norm one; the sign is arbitrary. NaN where unknown.
    pub orientation: Quaternion,
}

impl Sample {
    /// A sample without a pose.
    pub fn missing(stamp_ns: i64) -> Self {
        Self { stamp_ns, position: [f64::NAN; 3], orientation: [f64::NAN; 4] }
    }

    /// Whether it has a pose.
    pub fn is_known(&self) -> bool {
        // One component is enough: readers make a sample entirely known or entirely missing.
        !self.position[0].is_nan()
    }
}

/// A rigid body over time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PoseStream {
    /// The body's name in the file, or the file's own name.
    pub subject: String,
    /// Sample rate, where the file states it [Hz].
    pub rate_hz: Option<f64>,
    /// In the order of the file.
    pub samples: Vec<Sample>,
    /// Notes of the reader.
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
    /// Frame rate [Hz].
    pub rate_hz: f64,
    /// In the order of the file.
    pub frames: Vec<MarkerFrame>,
    /// Notes of the reader.
    pub notes: Notes,
}
