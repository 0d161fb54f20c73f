//! Energy of a row, from the poses and twists of the bodies and the recorded world.
//!
//! ```text
//! (1)  T = Σ ½ m v_c·v_c + ½ ω·(R I Rᵀ) ω  +  Σ ½ armature q'²
//! (2)  V = -Σ m γ g·p_c  +  Σ ½ k (x - x₀)²  +  Σ ½ k (length - rest)²
//! (3)  P = -Σ damping q'² - Σ friction q'² / √(q'² + v_s²) - Σ drag - Σ damping (d length/dt)²
//! ```
//!
//! with `γ` a body's gravity scale and joint positions `x` computed from the poses. Nothing here relies on `q`: if
//! joints come apart, the energy is that of the bodies. Only the rotors, which have no pose, use the speed from `v`.

use crate::machine::Machine;
use crate::metric::{CannotTell, Subject};
use crate::rows::{BodyRow, need_joints, need_twists};
use veracity_dynamics::Energy;
use veracity_dynamics::system::DEFAULT_FRICTION_SPEED;
use veracity_model::{JointKind, Pose, Spring, Vec3};

/// Data for computing the energy of a record's rows.
pub struct EnergyOfRows<'a> {
    subject: Subject<'a>,
    machine: Machine<'a>,
    springs: Vec<PlacedSpring<'a>>,
}

struct PlacedSpring<'a> {
    spring: &'a Spring,
    a: Option<usize>,
    b: Option<usize>,
    world_from_model: Pose,
}

/// Energy of a row and its terms.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct EnergyRow {
    /// The energy [J].
    pub energy: Energy,
    /// Sum of the absolute values of all terms [J]: the scale of rounding.
    pub terms: f64,
    /// Power of damping, friction and drag, negative [W].
    pub losses: f64,
}

impl<'a> EnergyOfRows<'a> {
    /// For a record with poses, twists and joint velocities.
    pub fn new(subject: &Subject<'a>) -> Result<Self, CannotTell> {
        need_twists(subject)?;
        need_joints(subject)?;
        let machine = Machine::new(subject);
        let mut springs = Vec::new();
        let mut first = 0;
        for placement in &subject.record.world.placements {
            for spring in placement.model.springs() {
                springs.push(PlacedSpring {
                    spring,
                    a: spring.body_a.map(|b| first + b.0),
                    b: spring.body_b.map(|b| first + b.0),
                    world_from_model: placement.world_from_model,
                });
            }
            first += placement.model.bodies().len();
        }
        Ok(Self { subject: *subject, machine, springs })
    }

    /// The bodies.
    pub fn machine(&self) -> &Machine<'a> {
        &self.machine
    }

    /// Whether the world itself dissipates energy.
    pub fn has_losses(&self) -> bool {
        let dof = |d: &veracity_model::Dof| d.damping != 0.0 || d.friction != 0.0;
        let moving = || self.machine.bodies.iter().filter(|b| b.moves);
        moving().any(|b| b.joint.dofs.iter().any(dof))
            || moving().any(|b| b.body.linear_damping != 0.0 || b.body.angular_damping != 0.0)
            || self.springs.iter().any(|s| s.spring.damping != 0.0)
    }

    /// (1), (2) and (3) of a row.
    pub fn row(&self, row: usize) -> EnergyRow {
        let track = &self.subject.record.track;
        let mut sum = EnergyRow::default();
        for (slot, inertia) in self.machine.moving() {
            let body = self.machine.bodies[slot].body;
            let motion = BodyRow::read(track, row, slot);
            let velocity = motion.point_velocity(&inertia.com);
            let spin = motion.world_from_body.rotation.inverse() * motion.spin;
            let turning = spin.dot(&(inertia.tensor * spin));
            let sliding = inertia.mass * velocity.norm_squared();
            let height = -inertia.mass * body.gravity_scale * self.machine.gravity.dot(&motion.point(&inertia.com));
            sum.energy.kinetic += 0.5 * (sliding + turning);
            sum.energy.gravity += height;
            sum.terms += 0.5 * (sliding + turning) + height.abs();
            sum.losses -= body.linear_damping * sliding + body.angular_damping * turning;
        }
        for slot in 0..self.machine.bodies.len() {
            self.add_joint(row, slot, &mut sum);
        }
        for spring in &self.springs {
            self.add_spring(row, spring, &mut sum);
        }
        sum
    }

    fn add_joint(&self, row: usize, slot: usize, sum: &mut EnergyRow) {
        let track = &self.subject.record.track;
        let b = &self.machine.bodies[slot];
        for (k, dof) in b.joint.dofs.iter().enumerate() {
            let speed = track.v(row)[b.v + k];
            let rotor = 0.5 * dof.armature * speed * speed;
            sum.energy.kinetic += rotor;
            sum.losses -= dof.damping * speed * speed;
            if dof.friction != 0.0 {
                let smooth = (speed * speed + DEFAULT_FRICTION_SPEED * DEFAULT_FRICTION_SPEED).sqrt();
                sum.losses -= dof.friction * speed * speed / smooth;
            }
            // Coordinates inside quaternions have no spring.
            let position = (dof.stiffness != 0.0).then(|| self.position(row, slot, k)).flatten();
            let stretch = position.map_or(0.0, |x| x - dof.spring_reference);
            let elastic = 0.5 * dof.stiffness * stretch * stretch;
            sum.energy.elastic += elastic;
            sum.terms += rotor + elastic;
        }
    }

    /// Position of one degree of freedom: from the poses where possible, else as recorded.
    fn position(&self, row: usize, slot: usize, dof: usize) -> Option<f64> {
        let track = &self.subject.record.track;
        let b = &self.machine.bodies[slot];
        match b.joint.kind {
            JointKind::Ball => None,
            JointKind::Free => (dof >= 3).then(|| self.machine.joint_pose(track, row, slot).offset[dof - 3]),
            JointKind::Universal { .. } | JointKind::Planar { .. } => Some(track.q(row)[b.q + dof]),
            _ => self.machine.joint_position(track, row, slot),
        }
    }

    fn add_spring(&self, row: usize, placed: &PlacedSpring<'_>, sum: &mut EnergyRow) {
        let (spring, track) = (placed.spring, &self.subject.record.track);
        let end = |slot: Option<usize>, point: &Vec3| match slot {
            Some(slot) => {
                let motion = BodyRow::read(track, row, slot);
                (motion.point(point), motion.point_velocity(point))
            }
            None => ((placed.world_from_model * nalgebra::Point3::from(*point)).coords, Vec3::zeros()),
        };
        let ((a, a_speed), (b, b_speed)) = (end(placed.a, &spring.point_a), end(placed.b, &spring.point_b));
        let length = (b - a).norm();
        let stretch = length - spring.rest_length;
        let elastic = 0.5 * spring.stiffness * stretch * stretch;
        sum.energy.elastic += elastic;
        sum.terms += elastic;
        if length > 0.0 {
            let rate = (b_speed - a_speed).dot(&(b - a)) / length;
            sum.losses -= spring.damping * rate * rate;
        }
    }
}
