//! Walking of a robot with legs: foot trajectories of [`crate::gait_plan`], followed by the expected robot's legs.
//!
//! ```text
//! (1)  foot    τ = Jᵀ (kp (p* - p) + kd (ṗ* - J q̇) - f)
//! (2)  joint   τ = kp (q* - q) + kd (J⁺ ṗ* - q̇) - Jᵀ f,   q* with p(q*) = p*
//! (3)  f       forces of least norm on the standing feet that balance weight and its moment about the horizontal axes
//! ```
//!
//! Everything is computed with the expected model and the observed joint positions: the planner does not see the true robot.

use super::{Built, ControllerKind, ControllerSite};
use crate::config::{ControllerConfig, GaitConfig, GaitSpace};
use crate::controller::{Controller, ControllerError};
use crate::error::ControlError;
use crate::gait_plan::{Foot, MEMORY, Rhythm, Twist};
use crate::kinematics::{LeastSquares, Limb, RobotPose, masses_of};
use crate::port::Port;
use crate::signal_layout::{Command, Observation};
use nalgebra::{DMatrix, Matrix3};
use veracity_dynamics::BodyPlace;
use veracity_model::Vec3;

pub(super) const KIND: ControllerKind = ControllerKind {
    name: "gait",
    text: "walks a robot with any number of legs: footholds from a commanded speed, feet on splines, followed on feet or joints",
    keys: &["gait"],
    build,
};

/// Steps of inverse kinematics at an activation, and the distance that is near enough [m].
const IK_STEPS: usize = 20;
const IK_NEAR: f64 = 1e-7;

struct Leg {
    limb: Limb,
    foot: Foot,
    /// Channels of the observation.
    q: Vec<usize>,
    v: Vec<usize>,
    jacobian: DMatrix<f64>,
    measured: Vec<f64>,
    /// q* of (2); NaN before the first activation.
    wanted: Vec<f64>,
    velocity: Vec3,
    place: Vec3,
    support: Vec3,
    change: Vec<f64>,
}

struct Gait {
    name: String,
    robot: RobotPose,
    legs: Vec<Leg>,
    twist: Twist,
    rhythm: Rhythm,
    space: GaitSpace,
    kp: f64,
    kd: f64,
    masses: Option<Vec<(BodyPlace, f64, Vec3)>>,
    gravity: f64,
    period_ns: i64,
    squares: LeastSquares,
}

impl Controller for Gait {
    fn reset(&mut self) -> Result<(), ControllerError> {
        for leg in &mut self.legs {
            leg.foot.reset();
            leg.wanted.fill(f64::NAN);
        }
        Ok(())
    }

    fn activate(&mut self, time_ns: i64, seen: &Observation, command: &mut Command) -> Result<(), ControllerError> {
        let (t, dt) = (time_ns as f64 / 1e9, self.period_ns as f64 / 1e9);
        for leg in &mut self.legs {
            for (x, channel) in leg.measured.iter_mut().zip(&leg.q) {
                *x = seen.values[*channel];
            }
            leg.velocity = leg.foot.follow(t, dt, &self.twist, &self.rhythm);
            self.robot.set(&leg.limb, &leg.measured);
        }
        if self.legs.iter().any(|leg| leg.measured.iter().any(|x| x.is_nan())) {
            // The configuration is not known yet: the command stays.
            return Ok(());
        }
        self.robot.update();
        for leg in &mut self.legs {
            leg.place = self.robot.pose(&leg.limb).translation.vector;
            self.robot.jacobian(&leg.limb, &mut leg.jacobian);
        }
        self.carry_weight();
        let mut channel = 0;
        for i in 0..self.legs.len() {
            let speeds = |leg: &Leg, k: usize| seen.values[leg.v[k]];
            let leg = &self.legs[i];
            let count = leg.q.len();
            match self.space {
                GaitSpace::Foot => {
                    let moving = Vec3::from_fn(|row, _| {
                        (0..count).map(|k| leg.jacobian[(3 + row, k)] * speeds(leg, k)).sum::<f64>()
                    });
                    // (1)
                    let force =
                        (leg.foot.target - leg.place) * self.kp + (leg.velocity - moving) * self.kd - leg.support;
                    for k in 0..count {
                        command.values[channel + k] = column_dot(&leg.jacobian, k, &force);
                    }
                }
                GaitSpace::Joint => {
                    // The Jacobian at the measured positions, before inverse kinematics moves the expected robot.
                    for k in 0..count {
                        command.values[channel + k] = -column_dot(&leg.jacobian, k, &leg.support);
                    }
                    self.inverse(i);
                    let leg = &self.legs[i];
                    for k in 0..count {
                        // (2); `change` holds J⁺ ṗ*.
                        let error = leg.wanted[k] - leg.measured[k];
                        command.values[channel + k] += self.kp * error + self.kd * (leg.change[k] - speeds(leg, k));
                    }
                }
            }
            channel += count;
        }
        Ok(())
    }

    fn snapshot(&self, out: &mut Vec<u8>) {
        for leg in &self.legs {
            let memory = leg.foot.save();
            memory.iter().chain(&leg.wanted).for_each(|x| out.extend_from_slice(&x.to_le_bytes()));
        }
    }

    fn restore(&mut self, bytes: &[u8]) -> Result<(), ControllerError> {
        let (numbers, rest) = bytes.as_chunks::<8>();
        let length: usize = self.legs.iter().map(|leg| MEMORY + leg.wanted.len()).sum();
        if numbers.len() != length || !rest.is_empty() {
            let what = format!("the snapshot has {} bytes for its {length} numbers", bytes.len());
            return Err(ControllerError { controller: self.name.clone(), what });
        }
        let mut numbers = numbers.iter().map(|b| f64::from_le_bytes(*b));
        for leg in &mut self.legs {
            let memory: [f64; MEMORY] = std::array::from_fn(|_| numbers.next().unwrap_or_default());
            leg.foot.load(&memory);
            leg.wanted.iter_mut().for_each(|x| *x = numbers.next().unwrap_or_default());
        }
        Ok(())
    }
}

impl Gait {
    /// (3)
    fn carry_weight(&mut self) {
        let Some(masses) = &self.masses else { return };
        let (mass, centre) = self.robot.weight(&self.legs[0].limb, masses);
        let weight = mass * self.gravity;
        let mut normal = Matrix3::zeros();
        for leg in self.legs.iter().filter(|leg| leg.foot.stands) {
            let row = Vec3::new(1.0, leg.place.x, leg.place.y);
            normal += row * row.transpose();
        }
        // Feet on one line cannot balance every moment: a metre is large against any foothold.
        normal += Matrix3::from_diagonal_element(1e-9);
        let wanted = Vec3::new(1.0, centre.x, centre.y) * weight;
        let Some(solution) = normal.try_inverse().map(|inverse| inverse * wanted) else { return };
        let share = |leg: &Leg| solution.dot(&Vec3::new(1.0, leg.place.x, leg.place.y)).max(0.0);
        let total: f64 = self.legs.iter().filter(|leg| leg.foot.stands).map(share).sum();
        for leg in &mut self.legs {
            let force = if leg.foot.stands && total > 0.0 { share(leg) * weight / total } else { 0.0 };
            // The ground pushes the foot up: the leg pushes down.
            leg.support = Vec3::new(0.0, 0.0, force);
        }
    }

    /// Moves q* of a leg until its foot is at the target, and leaves J⁺ ṗ* in `change`.
    fn inverse(&mut self, i: usize) {
        let leg = &mut self.legs[i];
        if leg.wanted[0].is_nan() {
            leg.wanted.copy_from_slice(&leg.measured);
        }
        for _ in 0..IK_STEPS {
            self.robot.set(&leg.limb, &leg.wanted);
            self.robot.update();
            let error = leg.foot.target - self.robot.pose(&leg.limb).translation.vector;
            self.robot.jacobian(&leg.limb, &mut leg.jacobian);
            if error.norm() < IK_NEAR {
                break;
            }
            // At most a centimetre at once: far from the target the Jacobian changes.
            let error = error * (0.01 / error.norm()).min(1.0);
            self.squares.solve(&leg.jacobian, error.as_slice(), &mut leg.change);
            leg.wanted.iter_mut().zip(&leg.change).for_each(|(x, change)| *x += change);
        }
        self.squares.solve(&leg.jacobian, leg.velocity.as_slice(), &mut leg.change);
        self.robot.set(&leg.limb, &leg.measured);
    }
}

fn column_dot(jacobian: &DMatrix<f64>, column: usize, force: &Vec3) -> f64 {
    (0..3).map(|row| jacobian[(3 + row, column)] * force[row]).sum()
}

fn build(config: &ControllerConfig, site: &ControllerSite<'_>) -> Result<Built, ControlError> {
    let place = format!("{}/gait", site.place);
    let Some(gait) = &config.gait else {
        return Err(ControlError::new(place, "a gait needs its table: body, period_s, duty, legs"));
    };
    check(gait, &place)?;
    let robot = RobotPose::new(site)?;
    let (mut legs, mut ports) = (Vec::new(), Vec::new());
    for (i, leg) in gait.legs.iter().enumerate() {
        let at = format!("{place}/legs/{i}");
        let limb = Limb::new(site, &robot.system, &at, Some(&gait.body), &leg.body, leg.point_m, &leg.joints)?;
        ports.extend(limb.dofs.iter().map(|dof| Port::Effort { dof: *dof }));
        let count = limb.dofs.len();
        legs.push(Leg {
            q: limb.positions.iter().map(|at| site.sensing.position_channels()[*at]).collect(),
            v: limb.dofs.iter().map(|dof| site.sensing.velocity_channels()[*dof]).collect(),
            jacobian: limb.matrix(),
            measured: vec![f64::NAN; count],
            wanted: vec![f64::NAN; count],
            change: vec![0.0; count],
            foot: Foot::new(leg.home_m.into(), leg.touchdown),
            velocity: Vec3::zeros(),
            place: Vec3::zeros(),
            support: Vec3::zeros(),
            limb,
        });
    }
    let masses = gait.support.then(|| masses_of(site, &robot.system, &gait.body));
    let controller = Gait {
        name: config.name.clone(),
        robot,
        legs,
        twist: Twist { forward: gait.forward_m_s, left: gait.left_m_s, turn: gait.turn_rad_s },
        rhythm: Rhythm {
            period_s: gait.period_s,
            duty: gait.duty,
            step_height_m: gait.step_height_m,
            start_s: gait.start_s,
        },
        space: gait.space,
        kp: gait.kp,
        kd: gait.kd,
        masses,
        gravity: site.setup.world.gravity.norm(),
        period_ns: site.timing.period_ns,
        squares: LeastSquares::new(3),
    };
    Ok(Built { controller: Box::new(controller), ports })
}

fn check(gait: &GaitConfig, place: &str) -> Result<(), ControlError> {
    let wrong = |key: &str, what: String| Err(ControlError::new(format!("{place}/{key}"), what));
    if !(gait.period_s.is_finite() && gait.period_s > 0.0) {
        return wrong("period_s", format!("{} s must be a positive time", gait.period_s));
    }
    if !(gait.duty > 0.0 && gait.duty < 1.0) {
        return wrong(
            "duty",
            format!("{} must be between 0 and 1: the share of a cycle that a foot stands", gait.duty),
        );
    }
    if gait.legs.is_empty() {
        return wrong("legs", "a gait needs legs".to_string());
    }
    let numbers = [
        ("step_height_m", gait.step_height_m),
        ("forward_m_s", gait.forward_m_s),
        ("left_m_s", gait.left_m_s),
        ("turn_rad_s", gait.turn_rad_s),
        ("start_s", gait.start_s),
        ("kp", gait.kp),
        ("kd", gait.kd),
    ];
    if let Some((key, x)) = numbers.into_iter().find(|(_, x)| !x.is_finite()) {
        return wrong(key, format!("{x} must be a finite number"));
    }
    for (i, leg) in gait.legs.iter().enumerate() {
        if !(0.0..1.0).contains(&leg.touchdown) {
            return wrong(
                &format!("legs/{i}/touchdown"),
                format!("{} must be at least 0 and below 1", leg.touchdown),
            );
        }
        if leg.home_m.iter().any(|x| !x.is_finite()) {
            return wrong(&format!("legs/{i}/home_m"), "it must be three finite numbers".to_string());
        }
    }
    Ok(())
}
