//! Clean motion as a record, like that of any trial.
//!
//! The recorded body is stored in the flat arrays of a world: its pose and twist, and the coordinates of its joint if
//! that is a free joint to the world. What was not measured is NaN, as in every record of reality. The steps' notes are
//! stored in the record's log.

use crate::report::StepReport;
use crate::steps::differences::BodyVelocity;
use crate::stream::Sample;
use crate::turns::{conjugate, product, rotate};
use std::sync::Arc;
use veracity_model::{Body, Inertia, Joint, JointKind, Layout, ModelBuilder, Pose, Quat, Shape, Vec3, World};
use veracity_record::track::{POSE, TWIST};
use veracity_record::{Head, Host, LogEntry, Outcome, Record, Signal, Track};

/// Why motion cannot be stored for a world.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ToRecordError {
    /// The world has no such body.
    #[error("the world has no body {name}; it has: {known}")]
    NoBody {
        /// The name requested.
        name: String,
        /// The bodies there are.
        known: String,
    },
    /// The world has no such joint of one degree of freedom.
    #[error("the world has no joint {name} of one degree of freedom; it has: {known}")]
    NoJoint {
        /// The name requested.
        name: String,
        /// The joints there are.
        known: String,
    },
    /// A stand-in world could not be made.
    #[error("cannot build a world for {name}: {why}")]
    NoWorld {
        /// The body.
        name: String,
        /// Findings.
        why: String,
    },
}

/// The world and body that a motion is stored for.
#[derive(Clone, Debug)]
pub struct Target {
    /// The world.
    pub world: Arc<World>,
    /// `placement/body`, or `body` in a world of one model.
    pub body: String,
}

/// A world of one free ball of 1 kg, for a recording whose model was not given.
pub fn stand_in(subject: &str, radius: f64) -> Result<Target, ToRecordError> {
    // Names of bodies are paths: a blank or a slash would change the path.
    let clean = |c: char| if c.is_ascii_alphanumeric() || c == '-' || c == '.' { c } else { '_' };
    let name: String = subject.chars().map(clean).collect();
    let name = if name.is_empty() { "body".to_string() } else { name };
    let body = Body::new("body", Inertia::solid_sphere(1.0, radius));
    let body = body.with_shape(Shape::Sphere { radius }, Pose::identity());
    let mut builder = ModelBuilder::new(name.clone());
    builder.add_body(body, Joint::new("free", JointKind::Free), None);
    let model = builder.build().map_err(|findings| ToRecordError::NoWorld { name, why: findings.to_string() })?;
    Ok(Target { world: Arc::new(World::with_model(model)), body: "body".to_string() })
}

/// Angle and rate of a joint with one degree of freedom.
#[derive(Clone, Copy, Debug)]
pub struct JointMotion<'a> {
    /// `placement/joint`, or `joint` in a world of one model.
    pub name: &'a str,
    /// [rad or m]; NaN where unknown.
    pub positions: &'a [f64],
    /// [rad/s or m/s]; NaN where unknown.
    pub velocities: &'a [f64],
}

/// The content of a record.
pub struct Motions<'a> {
    /// Name of the record.
    pub name: &'a str,
    /// World and body.
    pub target: &'a Target,
    /// [s]
    pub times_s: &'a [f64],
    /// `world_from_body`; missing ones become NaN.
    pub samples: &'a [Sample],
    /// World axes.
    pub motion: &'a [BodyVelocity],
    /// A joint that was measured in addition to the body.
    pub joint: Option<JointMotion<'a>>,
    /// Nominal step [s].
    pub step_s: f64,
    /// Further columns.
    pub signals: Vec<Signal>,
    /// Reports of the steps, for the log.
    pub reports: &'a [StepReport],
}

/// Makes the record.
pub fn to_record(motions: Motions) -> Result<Record, ToRecordError> {
    let Motions { name, target, times_s, samples, motion, joint: measured, step_s, signals, reports } = motions;
    let world = target.world.clone();
    let layout = Layout::new(&world);
    let slot = layout.body(&target.body).ok_or_else(|| ToRecordError::NoBody {
        name: target.body.clone(),
        known: layout.bodies.iter().map(|b| b.name.as_str()).collect::<Vec<_>>().join(", "),
    })?;
    let rows = samples.len();
    let (nq, nv, bodies, pairs) =
        (layout.position_count, layout.dof_count(), layout.bodies.len(), layout.pairs.len());
    let nothing = |width: usize| vec![f64::NAN; rows * width];
    // Filled row by row, so that hours of recording are written once, not twice.
    let (mut all_q, mut all_v) = (Vec::with_capacity(rows * nq), Vec::with_capacity(rows * nv));
    let (mut poses, mut twists) =
        (Vec::with_capacity(rows * bodies * POSE), Vec::with_capacity(rows * bodies * TWIST));
    let joint = &layout.joints[slot];
    let free = (matches!(joint.kind, JointKind::Free) && layout.bodies[slot].parent.is_none())
        .then(|| FreeJoint::new(&world, &layout, slot));
    let fill = |all: &mut Vec<f64>, before: usize, own: &[f64], width: usize| {
        all.extend(std::iter::repeat_n(f64::NAN, before));
        all.extend_from_slice(own);
        all.extend(std::iter::repeat_n(f64::NAN, width - before - own.len()));
    };
    for row in 0..rows {
        let (Sample { position: x, orientation: t, .. }, BodyVelocity { linear: l, angular: a }) =
            (&samples[row], &motion[row]);
        fill(&mut poses, slot * POSE, &[x[0], x[1], x[2], t[0], t[1], t[2], t[3]], bodies * POSE);
        fill(&mut twists, slot * TWIST, &[a[0], a[1], a[2], l[0], l[1], l[2]], bodies * TWIST);
        match &free {
            Some(free) => {
                let (q, v) = free.coordinates(x, t, l, a);
                fill(&mut all_q, joint.q, &q, nq);
                fill(&mut all_v, joint.v, &v, nv);
            }
            None => {
                fill(&mut all_q, 0, &[], nq);
                fill(&mut all_v, 0, &[], nv);
            }
        }
    }
    let mut track = Track {
        times: times_s.to_vec(),
        q: all_q,
        v: all_v,
        efforts: nothing(nv),
        poses,
        twists,
        gaps: nothing(pairs),
        least_gaps: vec![f64::NAN; pairs],
        signals,
        ..Track::new(nq, nv, bodies, pairs, 0)
    };
    if let Some(JointMotion { name, positions, velocities }) = measured {
        let single = |joint: &&veracity_model::layout::JointSlot| joint.kind.dof_count() == 1;
        let joint = layout.joint(name).map(|slot| &layout.joints[slot]).filter(single);
        let joint = joint.ok_or_else(|| ToRecordError::NoJoint {
            name: name.to_string(),
            known: layout.joints.iter().filter(single).map(|j| j.name.as_str()).collect::<Vec<_>>().join(", "),
        })?;
        for row in 0..rows {
            track.q[row * nq + joint.q] = positions[row];
            track.v[row * nv + joint.v] = velocities[row];
        }
    }
    let mut log = Vec::new();
    for report in reports {
        log.extend(report.lines.iter().map(|line| LogEntry {
            time: 0.0,
            warning: line.warning,
            text: format!("{}: {}", report.step, line.text),
        }));
        log.extend(report.numbers.iter().map(|n| {
            let sigma = n.sigma.map(|s| format!(" ± {s}")).unwrap_or_default();
            let text = format!("{}: {} = {}{sigma} {}", report.step, n.name, n.value, n.unit);
            LogEntry { time: 0.0, warning: false, text: text.trim_end().to_string() }
        }));
    }
    let head = Head {
        schema: veracity_record::head::SCHEMA,
        scenario: name.to_string(),
        key: None,
        engine: String::new(),
        engine_version: String::new(),
        veracity_version: env!("CARGO_PKG_VERSION").to_string(),
        step_s,
        duration_s: times_s.last().copied().unwrap_or(0.0),
        seed: 0,
        overrides: Vec::new(),
        world: world.digest(),
        events: None,
    };
    let (contacts, events, outcome, host) = (Vec::new(), Vec::new(), Outcome::Finished, Host::default());
    Ok(Record { head, world, track, contacts, events, log, outcome, host })
}

/// Coordinates of a free joint between the world and a body.
struct FreeJoint {
    /// `parent joint frame from world`.
    parent_turn: [f64; 4],
    parent_shift: [f64; 3],
    /// `body_from_joint` of the child.
    plain: bool,
    child: Pose,
}

impl FreeJoint {
    fn new(world: &World, layout: &Layout, slot: usize) -> Self {
        let place = &world.placements[layout.bodies[slot].placement];
        let joint = &place.model.joints()[layout.bodies[slot].body.0];
        let world_from_joint = place.world_from_model * joint.parent_from_joint;
        let inverse = world_from_joint.inverse();
        let turn = |q: &Quat| [q.w, q.i, q.j, q.k];
        let identity = Pose::identity();
        let plain = world_from_joint == identity && joint.child_from_joint == identity;
        Self {
            parent_turn: turn(&inverse.rotation),
            parent_shift: inverse.translation.vector.into(),
            plain,
            child: joint.child_from_joint,
        }
    }

    fn coordinates(&self, x: &[f64; 3], q: &[f64; 4], v: &[f64; 3], w: &[f64; 3]) -> ([f64; 7], [f64; 6]) {
        if self.plain {
            let own = rotate(&conjugate(q), w);
            return ([x[0], x[1], x[2], q[0], q[1], q[2], q[3]], [own[0], own[1], own[2], v[0], v[1], v[2]]);
        }
        // The child's joint frame in the world, and its velocity there.
        let shift: [f64; 3] = self.child.translation.vector.into();
        let c = &self.child.rotation;
        let arm = rotate(q, &shift);
        let joint_q = product(q, &[c.w, c.i, c.j, c.k]);
        let joint_x = crate::turns::plus(x, &arm);
        let whirl: [f64; 3] = Vec3::from(*w).cross(&Vec3::from(arm)).into();
        let joint_v = crate::turns::plus(v, &whirl);
        let p = crate::turns::plus(&rotate(&self.parent_turn, &joint_x), &self.parent_shift);
        let t = product(&self.parent_turn, &joint_q);
        let own = rotate(&conjugate(&joint_q), w);
        let slide = rotate(&self.parent_turn, &joint_v);
        ([p[0], p[1], p[2], t[0], t[1], t[2], t[3]], [own[0], own[1], own[2], slide[0], slide[1], slide[2]])
    }
}
