//! Time stepping in maximal coordinates: every body is free and joints are constraint rows of the problem.
//!
//! The state at the contract stays `q` and `v` of the layout, so that controllers and records see no difference.
//! Internally the bodies have a separate state, in which joints may have come apart;
//! [`Stabilisation`](crate::stepping::Stabilisation) says how that is corrected. A step starts from the internal state
//! if it is given the joint coordinates that the last step returned, and from the joint coordinates otherwise.
//!
//! [`loosen()`] builds the world, [`coordinates`] converts between the two states, [`rows`] applies what acts on
//! joints.

pub mod coordinates;
pub mod loosen;
pub mod rows;

pub use loosen::loosen;

use crate::paradigm::{Paradigm, Touch};
use crate::stepping::extra::Extra;
use crate::stepping::{Stepping, SteppingSettings};
use crate::world::ContactError;
use coordinates::{JointFrame, joint_frames};
use rows::{JointEfforts, add_rows};
use veracity_dynamics::integrate::{State, StepReport};
use veracity_dynamics::observe::body_motion;
use veracity_dynamics::{
    BodyMotion, BodyPlace, BodyWrench, Efforts, System, Trouble, Workspace, constraint, forces, kinematics,
};
use veracity_lcp::Law;
use veracity_model::{JointKind, Layout, Pose, Vec3, World};

/// The coordinates in which time stepping moves a world.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Coordinates {
    /// Joint coordinates: what the model calls `q`. Joints cannot come apart.
    #[default]
    Reduced,
    /// Six for each body; joints are constraint rows of the problem.
    Maximal,
}

impl Coordinates {
    /// Both, with the names used in settings.
    pub const ALL: &[(&str, Coordinates)] = &[("reduced", Coordinates::Reduced), ("maximal", Coordinates::Maximal)];

    /// Creates time stepping of a world in these coordinates. On failure, lists everything that is not supported.
    pub fn stepping(self, world: &World, settings: SteppingSettings) -> Result<Box<dyn Paradigm>, Vec<ContactError>> {
        Ok(match self {
            Coordinates::Reduced => Box::new(Stepping::new(world, settings)?),
            Coordinates::Maximal => Box::new(Maximal::new(world, settings)?),
        })
    }
}

/// Time stepping with every body free.
pub struct Maximal {
    stepping: Stepping,
    /// The world in joint coordinates, passed to [`Efforts`].
    system: System,
    ws: Workspace,
    layout: Layout,
    places: Vec<BodyPlace>,
    frames: Vec<JointFrame>,
    /// The model frame of each body's placement.
    bases: Vec<Pose>,
    /// Bodies that are free internally, and where their entries begin.
    loose: Vec<(usize, usize, usize)>,
    inner: State,
    inner_ws: Workspace,
    motions: Vec<BodyMotion>,
    efforts: JointEfforts,
    extra: Vec<Extra>,
    wrenches: BodyWrenches,
    /// The state the last step returned; empty before the first.
    given: State,
    end: State,
}

/// Wrenches on the free bodies.
#[derive(Default)]
struct BodyWrenches(Vec<BodyWrench>);

impl Efforts for BodyWrenches {
    fn add(&mut self, _: &System, _: f64, _: &[f64], _: &[f64], _: &mut [f64]) {}

    fn wrenches(&self) -> &[BodyWrench] {
        &self.0
    }
}

impl Maximal {
    /// Compiles a world. On failure, lists everything that is not supported.
    pub fn new(world: &World, settings: SteppingSettings) -> Result<Self, Vec<ContactError>> {
        let loosened = loosen(world)?;
        // The joints' rows are added during steps: check here whether the solver supports their laws.
        let laws = [Law::Equal, Law::Unilateral, Law::Between { lowest: -1.0, highest: 1.0 }];
        let refusal = |law: &Law| (veracity_lcp::solver(&settings.solver)?.refuses)(law, settings.cone);
        if let Some((law, why)) = laws.iter().find_map(|law| Some((law, refusal(law)?))) {
            return Err(vec![ContactError::Unsupported {
                subject: format!("solver {} in maximal coordinates", settings.solver),
                what: format!("{law:?}"),
                hint: why.to_string(),
            }]);
        }
        let system = System::new(world).map_err(|e| vec![ContactError::from(e)])?;
        let stepping = Stepping::new(&loosened, settings)?;
        let layout = Layout::new(world);
        let inside = &stepping.world().layout;
        let loose =
            (inside.joints.iter().filter(|j| j.kind == JointKind::Free)).map(|j| (j.body, j.q, j.v)).collect();
        let n = layout.dof_count();
        let nothing = State { time: 0.0, q: Vec::new(), v: Vec::new() };
        Ok(Self {
            ws: Workspace::new(&system),
            places: layout.bodies.iter().map(|b| system.place(b.placement, b.body)).collect(),
            frames: joint_frames(world, &layout),
            bases: layout.bodies.iter().map(|b| world.placements[b.placement].world_from_model).collect(),
            loose,
            inner: State {
                time: 0.0,
                q: stepping.world().system.neutral_positions().to_vec(),
                v: vec![0.0; inside.dof_count()],
            },
            inner_ws: Workspace::new(&stepping.world().system),
            motions: Vec::new(),
            efforts: JointEfforts { effort: vec![0.0; n], stiffness: vec![0.0; n], damping: vec![0.0; n] },
            extra: Vec::new(),
            wrenches: BodyWrenches::default(),
            given: nothing.clone(),
            end: nothing,
            stepping,
            system,
            layout,
        })
    }

    /// The time stepping of the free bodies.
    pub fn stepping(&self) -> &Stepping {
        &self.stepping
    }

    /// The actual motion of each body, by slots; joints may have come apart.
    pub fn motions(&self) -> &[BodyMotion] {
        &self.motions
    }

    /// How far each joint has come apart after the last step: the distance between the origins of its frames in the
    /// directions it does not allow [m], and the angle between the directions it keeps aligned [rad].
    pub fn joint_gaps(&self) -> Vec<(f64, f64)> {
        self.frames.iter().map(|frame| frame.gap(&frame.place(&self.motions))).collect()
    }

    /// Sets the internal state from the joint coordinates.
    fn enter(&mut self, state: &State) {
        kinematics::velocities(&self.system, &mut self.ws, &state.q, &state.v);
        for &(slot, q, v) in &self.loose {
            let motion = body_motion(&self.ws, self.places[slot]);
            let base = self.bases[slot];
            let pose = base.inv_mul(&motion.world_from_body);
            let r = pose.rotation;
            self.inner.q[q..q + 3].copy_from_slice(pose.translation.vector.as_slice());
            self.inner.q[q + 3..q + 7].copy_from_slice(&[r.w, r.i, r.j, r.k]);
            let turning = motion.world_from_body.rotation.inverse() * motion.angular_velocity;
            let sliding: Vec3 = base.rotation.inverse() * motion.linear_velocity;
            self.inner.v[v..v + 3].copy_from_slice(turning.as_slice());
            self.inner.v[v + 3..v + 6].copy_from_slice(sliding.as_slice());
        }
        self.inner.time = state.time;
    }

    /// Computes the motions of all bodies at the internal state.
    fn look(&mut self) {
        let world = self.stepping.world();
        kinematics::velocities(&world.system, &mut self.inner_ws, &self.inner.q, &self.inner.v);
        self.motions.clear();
        self.motions.extend(world.places.iter().map(|place| body_motion(&self.inner_ws, *place)));
    }

    /// Collects the rows of what acts on the joints, and the wrenches on the bodies.
    fn gather(&mut self, efforts: &mut dyn Efforts, state: &State, h: f64) {
        let JointEfforts { effort, stiffness, damping } = &mut self.efforts;
        let (system, q, v) = (&self.system, &state.q, &state.v);
        effort.fill(0.0);
        stiffness.fill(0.0);
        damping.fill(0.0);
        efforts.add(system, state.time, q, v, effort);
        forces::add_smooth_joint_forces(system, q, v, effort);
        efforts.add_gains(system, state.time, q, v, stiffness, damping);
        for (i, dof) in self.layout.dofs.iter().enumerate() {
            damping[i] += dof.damping;
            if self.layout.dof_position[i].is_some() {
                stiffness[i] += dof.stiffness;
            }
        }
        self.extra.clear();
        for frame in &self.frames {
            let place = frame.place(&self.motions);
            add_rows(frame, &place, &self.layout, (q, v), &self.efforts, h, &mut self.extra);
        }
        let inside = &self.stepping.world().places;
        self.wrenches.0.clear();
        for wrench in efforts.wrenches() {
            let moved = self.places.iter().zip(inside).find_map(|(from, to)| wrench.rehung(*from, *to));
            self.wrenches.0.extend(moved);
        }
    }
}

impl Paradigm for Maximal {
    fn step(&mut self, efforts: &mut dyn Efforts, state: &mut State, h: f64) -> Result<StepReport, Trouble> {
        if (&state.q, &state.v) != (&self.given.q, &self.given.v) {
            self.enter(state);
        }
        self.inner.time = state.time;
        self.look();
        self.gather(efforts, state, h);
        self.stepping.set_extra(&self.extra);
        // A failed step leaves the caller's state as it was; the internal state is set again from it.
        self.given.q.clear();
        let mut report = self.stepping.step(&mut self.wrenches, &mut self.inner, h)?;
        self.look();
        self.end.clone_from(state);
        for frame in &self.frames {
            let place = frame.place(&self.motions);
            frame.read(&place, &mut self.end.q, &mut self.end.v);
        }
        self.end.time = self.inner.time;
        if let Some(dof) = self.end.v.iter().chain(&self.end.q).position(|x| !x.is_finite()) {
            return Err(Trouble::NotFinite { dof: dof.min(self.end.v.len().saturating_sub(1)), time: state.time });
        }
        let inside = self.stepping.world();
        report.constraint_residual = constraint::violation(&inside.system, &mut self.inner_ws, &self.inner.q);
        state.clone_from(&self.end);
        self.given.clone_from(state);
        Ok(report)
    }

    fn touches(&self) -> &[Touch] {
        self.stepping.touches()
    }

    fn motions(&self) -> Option<&[BodyMotion]> {
        Some(&self.motions)
    }

    fn memory(&self, out: &mut Vec<f64>) {
        out.push(if self.given.q.is_empty() { 0.0 } else { 1.0 });
        if !self.given.q.is_empty() {
            for part in [&self.given.q, &self.given.v, &self.inner.q, &self.inner.v] {
                out.extend(part);
            }
        }
        self.stepping.memory(out);
    }

    fn set_memory(&mut self, memory: &[f64]) -> bool {
        let Some((&begun, rest)) = memory.split_first() else { return false };
        let [q, v] = [self.layout.position_count, self.layout.dof_count()];
        let sizes = [q, v, self.inner.q.len(), self.inner.v.len()];
        let own = if begun == 1.0 { sizes.iter().sum() } else { 0 };
        if (begun != 0.0 && begun != 1.0) || rest.len() < own || !self.stepping.set_memory(&rest[own..]) {
            return false;
        }
        self.given.q.clear();
        self.given.v.clear();
        if begun == 1.0 {
            let (given_q, rest) = rest.split_at(sizes[0]);
            let (given_v, rest) = rest.split_at(sizes[1]);
            let (inner_q, rest) = rest.split_at(sizes[2]);
            self.given.q.extend_from_slice(given_q);
            self.given.v.extend_from_slice(given_v);
            self.inner.q.copy_from_slice(inner_q);
            self.inner.v.copy_from_slice(&rest[..sizes[3]]);
        }
        true
    }
}
