//! Cube tosses: many short recordings in one table, with velocities.
//!
//! Columns `toss,t,x,y,z,qw,qx,qy,qz,vx,vy,vz,wx,wy,wz` (from DAIRLab/contact-nets, in SI units): the cube's centre,
//! `world_from_body`, linear velocity in world axes, angular velocity in **body** axes, 148 samples a second, table at
//! z = 0. Tracked lengths carry a scale of about 0.978; the data are not changed here, and the record's log says so.

use crate::notes::Notes;
use crate::readers::lines::Lines;
use crate::readers::numbers::comma_separated;
use crate::report::StepReport;
use crate::steps::differences::BodyVelocity;
use crate::stream::Sample;
use crate::to_record::{Motions, Target, ToRecordError, to_record};
use crate::turns::rotate;
use std::fs::File;
use std::path::Path;
use std::sync::Arc;
use veracity_model::{Body, Inertia, Joint, JointKind, Material, ModelBuilder, Placement, Pose, Shape, Vec3, World};
use veracity_record::{FileError, Record};

/// Samples a second [Hz].
pub const RATE_HZ: f64 = 148.0;
/// Half the cube's width [m].
pub const HALF_WIDTH: f64 = 0.0524;
/// [kg]
pub const MASS: f64 = 0.37;
/// About every axis [kg m²].
pub const MOMENT: f64 = 8.1e-4;
/// Measured by tilting.
pub const FRICTION: f64 = 0.18;
/// Approximately.
pub const RESTITUTION: f64 = 0.125;

const HEAD: &[u8] = b"toss,t,x,y,z,qw,qx,qy,qz,vx,vy,vz,wx,wy,wz";
/// 570 tosses were recorded; a file with more samples than this is of another kind.
const MOST_SAMPLES: usize = 4_000_000;

/// One toss.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Toss {
    /// Number in the file.
    pub number: i64,
    /// [s], from its first sample.
    pub times_s: Vec<f64>,
    /// Poses of the cube's centre.
    pub samples: Vec<Sample>,
    /// Velocities as recorded, in world axes.
    pub motion: Vec<BodyVelocity>,
}

/// Reads all tosses of a table.
pub fn read(path: &Path) -> Result<(Vec<Toss>, Notes), FileError> {
    let mut lines = Lines::<File>::open(path)?;
    let mut notes = Notes::default();
    if !lines.advance()? || lines.text() != HEAD {
        return Err(lines.error(format!("a table of tosses begins with `{}`", String::from_utf8_lossy(HEAD))));
    }
    let mut tosses: Vec<Toss> = Vec::new();
    let mut count = 0;
    while lines.advance()? {
        if lines.text().is_empty() {
            continue;
        }
        let Some(row) = comma_separated::<15>(lines.text()) else {
            return Err(lines.error(format!("`{}` does not have fifteen numbers", lines.shown())));
        };
        count += 1;
        if count > MOST_SAMPLES {
            return Err(lines.error(format!("there are more than {MOST_SAMPLES} samples")));
        }
        let line = lines.number();
        let [number, time, x, y, z, qw, qx, qy, qz, vx, vy, vz, wx, wy, wz] = row;
        if !number.is_finite() || !time.is_finite() {
            return Err(lines.error("toss and time must be numbers"));
        }
        if tosses.last().is_none_or(|t| t.number != number as i64) {
            if tosses.iter().any(|t| t.number == number as i64) {
                return Err(lines.error(format!("toss {number} starts a second time")));
            }
            tosses.push(Toss { number: number as i64, ..Toss::default() });
        }
        let Some(toss) = tosses.last_mut() else { continue };
        if toss.times_s.last().is_some_and(|last| *last >= time) {
            return Err(lines.error(format!("time {time} is not after the previous one")));
        }
        let stamp_ns = (time * 1e9).round() as i64;
        let sample =
            crate::readers::checked(stamp_ns, [x, y, z], [qw, qx, qy, qz], || format!("line {line}"), &mut notes);
        let angular = rotate(&sample.orientation, &[wx, wy, wz]);
        toss.times_s.push(time);
        toss.samples.push(sample);
        toss.motion.push(BodyVelocity { linear: [vx, vy, vz], angular });
    }
    if tosses.is_empty() {
        return Err(lines.error("the file has no tosses"));
    }
    Ok((tosses, notes))
}

/// The cube and its table, with the measured friction.
pub fn world() -> Result<World, ToRecordError> {
    let fail = |why: veracity_model::Findings| ToRecordError::NoWorld { name: "cube".into(), why: why.to_string() };
    let surface =
        Material { name: "surface".into(), friction: [FRICTION; 2], restitution: RESTITUTION, ..Material::default() };
    let made = |name: &str, shape: Shape, inertia: Inertia, kind: JointKind| {
        let mut builder = ModelBuilder::new(name);
        let material = builder.add_material(surface.clone());
        let mut body = Body::new(name, inertia).with_shape(shape, Pose::identity());
        body.shapes.iter_mut().for_each(|s| s.material = Some(material));
        builder.add_body(body, Joint::new("base", kind), None);
        builder.build().map_err(fail)
    };
    let size = Vec3::repeat(2.0 * HALF_WIDTH);
    let inertia = Inertia::new(MASS, Vec3::zeros(), [MOMENT, MOMENT, MOMENT, 0.0, 0.0, 0.0]);
    let cube = made("cube", Shape::Box { size }, inertia, JointKind::Free)?;
    let table = made("table", Shape::Plane, Inertia::zero(), JointKind::Fixed)?;
    let mut world = World::with_model(cube);
    world.name = "cube toss".into();
    world.placements.push(Placement {
        name: "table".into(),
        model: Arc::new(table),
        world_from_model: Pose::identity(),
    });
    Ok(world)
}

impl Toss {
    /// The toss as a record in a world that has the cube as `body`.
    pub fn to_record(&self, target: &Target) -> Result<Record, ToRecordError> {
        let mut report = StepReport::new("cube toss");
        report.number("toss", "", self.number as f64);
        report.number("samples", "", self.samples.len() as f64);
        report.note("as-recorded", "poses and velocities are as recorded; tracked lengths carry a scale of about 0.978, and some tosses start in the hand");
        let missing = self.samples.iter().filter(|s| !s.is_known()).count();
        if missing > 0 {
            report.warn("missing", format!("{missing} samples have no pose"));
        }
        to_record(Motions {
            name: &format!("cube toss {}", self.number),
            target,
            times_s: &self.times_s,
            samples: &self.samples,
            motion: &self.motion,
            joint: None,
            step_s: 1.0 / RATE_HZ,
            signals: Vec::new(),
            reports: &[report],
        })
    }
}

/// Whether a file begins with the header of a table of tosses.
pub fn looks_like(path: &Path) -> bool {
    let Ok(mut lines) = Lines::<File>::open(path) else { return false };
    lines.advance().unwrap_or(false) && lines.text() == HEAD
}

/// Summary of a table of tosses.
pub fn report(tosses: &[Toss]) -> StepReport {
    let mut report = StepReport::new("tosses");
    let samples: Vec<usize> = tosses.iter().map(|t| t.samples.len()).collect();
    report.number("tosses", "", tosses.len() as f64);
    report.number("samples", "", samples.iter().sum::<usize>() as f64);
    report.number("shortest", "s", samples.iter().min().map_or(0.0, |n| *n as f64 / RATE_HZ));
    report.number("longest", "s", samples.iter().max().map_or(0.0, |n| *n as f64 / RATE_HZ));
    // A cube at rest lies on a face: its centre's height over half the width is the scale of the tracker.
    let mut heights: Vec<f64> = tosses.iter().filter_map(|t| Some(t.samples.last()?.position[2])).collect();
    heights.sort_by(f64::total_cmp);
    if let Some(middle) = heights.get(heights.len() / 2) {
        report.number("height at rest over half the width", "", middle / HALF_WIDTH);
    }
    report
}

/// Reads and summarises a table of tosses.
pub fn inspect(path: &Path) -> Result<StepReport, FileError> {
    let (tosses, notes) = read(path)?;
    Ok(report(&tosses).with_notes(&notes))
}
