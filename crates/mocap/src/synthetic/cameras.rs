//! Markers of a moving body as a ring of cameras sees them.
//!
//! A camera sees a marker on its own side of the body: the direction from the body's centre to the marker and that from
//! the marker to the camera are less than [`GRAZING`] apart. Two cameras determine a position; more cameras reduce the
//! noise.

use crate::steps::rigid::MarkerModel;
use crate::stream::{MarkerFrame, MarkerStream, Sample};
use crate::turns::{minus, norm, plus, rotate, times};
use veracity_engine::random::{Purpose, Stream};

/// Beyond this angle a marker on a round body is too oblique to be seen [rad].
pub const GRAZING: f64 = 1.3;

/// Cameras on a circle, looking inwards.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ring {
    /// Number of cameras.
    pub cameras: usize,
    /// Radius of the circle [m].
    pub radius: f64,
    /// Height over the floor [m].
    pub height: f64,
    /// Noise of a marker seen by two cameras, each axis [m]; with n cameras the root of 2/n of it.
    pub noise: f64,
    /// Frames a second [Hz].
    pub rate_hz: f64,
}

impl Default for Ring {
    fn default() -> Self {
        Self { cameras: 8, radius: 2.5, height: 2.2, noise: 3e-4, rate_hz: 100.0 }
    }
}

/// The markers that the ring sees of a motion of the body's centre. The markers are given in the body's frame, whose
/// origin is off the centre by `-centre`.
pub fn see(motion: &[Sample], model: &MarkerModel, centre: &[f64; 3], ring: &Ring, seed: u64) -> MarkerStream {
    let stream = Stream::new(seed, 0, 3, Purpose::SensorNoise);
    let cameras: Vec<[f64; 3]> = (0..ring.cameras)
        .map(|i| {
            let (s, c) = libm::sincos(std::f64::consts::TAU * i as f64 / ring.cameras as f64);
            [ring.radius * c, ring.radius * s, ring.height]
        })
        .collect();
    let frames = motion.iter().enumerate().map(|(k, sample)| {
        let markers = model.points.iter().enumerate().map(|(j, point)| {
            let arm = rotate(&sample.orientation, &minus(point, centre));
            let place = plus(&sample.position, &arm);
            let facing = |camera: &&[f64; 3]| {
                let sight = minus(camera, &place);
                let cosine = (0..3).map(|i| arm[i] * sight[i]).sum::<f64>() / (norm(&arm) * norm(&sight));
                cosine > libm::cos(GRAZING)
            };
            let seen_by = cameras.iter().filter(facing).count();
            if seen_by < 2 {
                return [f64::NAN; 3];
            }
            let sigma = ring.noise * (2.0 / seen_by as f64).sqrt();
            let lane = 4 * j as u32;
            plus(&place, &times(&[0, 1, 2].map(|i| stream.normal(k as u64, lane + i)), sigma))
        });
        MarkerFrame { stamp_ns: (k as f64 * 1e9 / ring.rate_hz).round() as i64, markers: markers.collect() }
    });
    MarkerStream {
        names: model.names.clone(),
        rate_hz: ring.rate_hz,
        frames: frames.collect(),
        notes: Default::default(),
    }
}

/// Markers spread evenly over a ball of radius `radius` [m], in a frame in which the ball's centre is `centre`.
pub fn markers_on_ball(count: usize, radius: f64, centre: &[f64; 3]) -> MarkerModel {
    let golden = std::f64::consts::PI * (3.0 - 5f64.sqrt());
    let point = |i: usize| {
        let z = 1.0 - (2.0 * i as f64 + 1.0) / count as f64;
        // Slightly uneven: an even body looks the same after some rotations.
        let (s, c) = libm::sincos(golden * i as f64 + 0.3 * (i * i % 7) as f64);
        let r = (1.0 - z * z).sqrt();
        plus(centre, &times(&[r * c, r * s, z], radius))
    };
    MarkerModel { names: (0..count).map(|i| format!("m{i}")).collect(), points: (0..count).map(point).collect() }
}
