//! A tool on straight lines from waypoint to waypoint, and a gripper: reach, grasp, lift.
//!
//! ```text
//! (1)  x*(t)   constant speed along each line, a wait at its end; orientation by spherical interpolation
//! (2)  q*      damped least squares towards x*, from the q* of the activation before
//! (3)  a = kp (q* - q) + kd (J⁺ ẋ* - q̇);   τ = a, or with inverse dynamics τ = M a + g of the expected robot
//! ```
//!
//! The first line begins where the observed joints put the expected tool when the path begins.

use super::gravity::GravityCompensation;
use super::{Built, ControllerKind, ControllerSite};
use crate::address::dof_named;
use crate::config::{ControllerConfig, PathConfig};
use crate::controller::{Controller, ControllerError};
use crate::error::ControlError;
use crate::kinematics::{LeastSquares, Limb, RobotPose};
use crate::port::Port;
use crate::signal_layout::{Command, Observation};
use nalgebra::DMatrix;
use veracity_model::geometry::quat_from_rpy;
use veracity_model::{Quat, Vec3};

pub(super) const KIND: ControllerKind = ControllerKind {
    name: "path",
    text: "moves a tool along straight lines from waypoint to waypoint by inverse kinematics, and opens and closes a gripper",
    keys: &["path"],
    build,
};

/// Steps of inverse kinematics at an activation, and errors that are small enough [m or rad].
const IK_STEPS: usize = 10;
const IK_NEAR: f64 = 1e-7;

struct Waypoint {
    place: Vec3,
    turn: Option<Quat>,
    speed: f64,
    wait_s: f64,
    close: Option<bool>,
}

struct Finger {
    q: usize,
    v: usize,
    open: f64,
    closed: f64,
}

struct Path {
    name: String,
    robot: RobotPose,
    limb: Limb,
    q: Vec<usize>,
    v: Vec<usize>,
    waypoints: Vec<Waypoint>,
    fingers: Vec<Finger>,
    /// Speed, kp and kd of the gripper.
    grip: [f64; 3],
    gains: [f64; 2],
    start_s: f64,
    /// The expected robot and the accelerations that it gets, where inverse dynamics is used.
    dynamics: Option<(GravityCompensation, Vec<f64>)>,
    measured: Vec<f64>,
    /// q*; NaN before the first activation.
    wanted: Vec<f64>,
    /// Where the path begins.
    from: (Vec3, Quat),
    jacobian: DMatrix<f64>,
    change: Vec<f64>,
    squares: [LeastSquares; 2],
}

/// What is wanted at a time.
struct Wanted {
    place: Vec3,
    velocity: Vec3,
    turn: Option<Quat>,
    /// Since when the gripper closes; `None` while it is open or opens.
    closes_at: Option<f64>,
    opens_at: Option<f64>,
}

impl Path {
    /// (1)
    fn at(&self, t: f64) -> Wanted {
        let (mut clock, mut from) = (self.start_s, self.from);
        let (mut closes_at, mut opens_at) = (None, None);
        for waypoint in &self.waypoints {
            let line = waypoint.place - from.0;
            let takes = line.norm() / waypoint.speed;
            let turn = waypoint.turn;
            if t < clock + takes {
                let share = ((t - clock) / takes).max(0.0);
                let turn = turn.map(|to| from.1.try_slerp(&to, share, 1e-9).unwrap_or(to));
                let velocity = if t < clock { Vec3::zeros() } else { line / takes };
                return Wanted { place: from.0 + line * share, velocity, turn, closes_at, opens_at };
            }
            clock += takes;
            match waypoint.close {
                Some(true) => (closes_at, opens_at) = (Some(clock), None),
                Some(false) => (closes_at, opens_at) = (None, Some(clock)),
                None => {}
            }
            clock += waypoint.wait_s;
            from = (waypoint.place, turn.unwrap_or(from.1));
            if t < clock {
                break;
            }
        }
        let turn = self.waypoints.last().and_then(|w| w.turn).map(|_| from.1);
        Wanted { place: from.0, velocity: Vec3::zeros(), turn, closes_at, opens_at }
    }

    /// (2); returns the number of rows that count: 3 without an orientation, else 6.
    fn inverse(&mut self, wanted: &Wanted) -> usize {
        for _ in 0..IK_STEPS {
            self.robot.set(&self.limb, &self.wanted);
            self.robot.update();
            self.robot.jacobian(&self.limb, &mut self.jacobian);
            let pose = self.robot.pose(&self.limb);
            let off = wanted.place - pose.translation.vector;
            // At most two centimetres or a tenth of a radian at once.
            let off = off * (0.02 / off.norm().max(1e-300)).min(1.0);
            match wanted.turn {
                None => {
                    if off.norm() < IK_NEAR {
                        break;
                    }
                    self.squares[0].solve(&self.jacobian, off.as_slice(), &mut self.change);
                }
                Some(turn) => {
                    let turned = (turn * pose.rotation.inverse()).scaled_axis();
                    let turned = turned * (0.1 / turned.norm().max(1e-300)).min(1.0);
                    if off.norm() < IK_NEAR && turned.norm() < IK_NEAR {
                        break;
                    }
                    let error = [turned.x, turned.y, turned.z, off.x, off.y, off.z];
                    self.squares[1].solve(&self.jacobian, &error, &mut self.change);
                }
            }
            self.wanted.iter_mut().zip(&self.change).for_each(|(x, change)| *x += change);
        }
        if wanted.turn.is_some() { 6 } else { 3 }
    }
}

impl Controller for Path {
    fn reset(&mut self) -> Result<(), ControllerError> {
        self.wanted.fill(f64::NAN);
        Ok(())
    }

    fn activate(&mut self, time_ns: i64, seen: &Observation, command: &mut Command) -> Result<(), ControllerError> {
        for (x, channel) in self.measured.iter_mut().zip(&self.q) {
            *x = seen.values[*channel];
        }
        if self.measured.iter().any(|x| x.is_nan()) {
            return Ok(());
        }
        let t = time_ns as f64 / 1e9;
        if self.wanted[0].is_nan() || t <= self.start_s {
            if self.wanted[0].is_nan() {
                self.wanted.copy_from_slice(&self.measured);
            }
            self.robot.set(&self.limb, &self.wanted);
            self.robot.update();
            let pose = self.robot.pose(&self.limb);
            self.from = (pose.translation.vector, pose.rotation);
        }
        let wanted = self.at(t);
        let (mut velocity, mut rows) = ([0.0; 6], 3);
        if t > self.start_s {
            rows = self.inverse(&wanted);
        } else {
            self.robot.jacobian(&self.limb, &mut self.jacobian);
        }
        velocity[3..].copy_from_slice(wanted.velocity.as_slice());
        let squares = &mut self.squares[usize::from(rows == 6)];
        squares.solve(&self.jacobian, &velocity[6 - rows..], &mut self.change);
        let [kp, kd] = self.gains;
        // (3)
        for i in 0..self.q.len() {
            let feedback = kp * (self.wanted[i] - self.measured[i]) + kd * (self.change[i] - seen.values[self.v[i]]);
            match &mut self.dynamics {
                Some((_, accelerations)) => accelerations[self.limb.dofs[i]] = feedback,
                None => command.values[i] = feedback,
            }
        }
        if let Some((robot, accelerations)) = &mut self.dynamics {
            let Some(efforts) = robot.efforts_for(seen, accelerations) else { return Ok(()) };
            self.limb.dofs.iter().enumerate().for_each(|(i, dof)| command.values[i] = efforts[*dof]);
        }
        let [speed, kp, kd] = self.grip;
        for (i, finger) in self.fingers.iter().enumerate() {
            let (q, v) = (seen.values[finger.q], seen.values[finger.v]);
            if q.is_nan() || v.is_nan() {
                continue;
            }
            let stroke = finger.closed - finger.open;
            let moved = |since: f64| (speed * (t - since)).min(stroke.abs()) * stroke.signum();
            let target = match (wanted.closes_at, wanted.opens_at) {
                (Some(since), _) => finger.open + moved(since),
                (None, Some(since)) => finger.closed - moved(since),
                (None, None) => finger.open,
            };
            command.values[self.q.len() + i] = kp * (target - q) - kd * v;
        }
        Ok(())
    }

    fn snapshot(&self, out: &mut Vec<u8>) {
        let (place, turn) = &self.from;
        let from = [place.x, place.y, place.z, turn.w, turn.i, turn.j, turn.k];
        self.wanted.iter().chain(&from).for_each(|x| out.extend_from_slice(&x.to_le_bytes()));
    }

    fn restore(&mut self, bytes: &[u8]) -> Result<(), ControllerError> {
        let (numbers, rest) = bytes.as_chunks::<8>();
        if numbers.len() != self.wanted.len() + 7 || !rest.is_empty() {
            let what = format!("the snapshot has {} bytes for its {} numbers", bytes.len(), self.wanted.len() + 7);
            return Err(ControllerError { controller: self.name.clone(), what });
        }
        let number = |i: usize| f64::from_le_bytes(numbers[i]);
        let n = self.wanted.len();
        self.wanted.iter_mut().enumerate().for_each(|(i, x)| *x = number(i));
        let turn = nalgebra::Quaternion::new(number(n + 3), number(n + 4), number(n + 5), number(n + 6));
        self.from = (Vec3::new(number(n), number(n + 1), number(n + 2)), Quat::new_unchecked(turn));
        Ok(())
    }
}

fn build(config: &ControllerConfig, site: &ControllerSite<'_>) -> Result<Built, ControlError> {
    let place = format!("{}/path", site.place);
    let Some(path) = &config.path else {
        return Err(ControlError::new(place, "a path needs its table: body, joints, waypoints"));
    };
    check(path, &place)?;
    let robot = RobotPose::new(site)?;
    let limb = Limb::new(site, &robot.system, &place, path.frame.as_deref(), &path.body, path.point_m, &path.joints)?;
    let mut ports: Vec<Port> = limb.dofs.iter().map(|dof| Port::Effort { dof: *dof }).collect();
    let mut fingers = Vec::new();
    for (name, [open, closed]) in path.gripper.iter().flat_map(|g| &g.joints) {
        let at = format!("{place}/gripper/joints/{name}");
        let dof = dof_named(site.setup.layout, name).map_err(|what| ControlError::new(&at, what))?;
        let Some(position) = site.setup.layout.dof_position[dof] else {
            return Err(ControlError::new(at, "it has no single position; name a joint that has"));
        };
        ports.push(Port::Effort { dof });
        let (q, v) = (site.sensing.position_channels()[position], site.sensing.velocity_channels()[dof]);
        fingers.push(Finger { q, v, open: *open, closed: *closed });
    }
    let waypoints = path.waypoints.iter().map(|w| Waypoint {
        place: w.position_m.into(),
        turn: w.rpy_rad.map(|[r, p, y]| quat_from_rpy(r, p, y)),
        speed: w.speed_m_s,
        wait_s: w.wait_s,
        close: w.close,
    });
    let count = limb.dofs.len();
    let dynamics = if path.inverse_dynamics {
        let robot = GravityCompensation::new(site)?;
        let at_rest = vec![0.0; robot.dof_count()];
        Some((robot, at_rest))
    } else {
        None
    };
    let controller = Path {
        name: config.name.clone(),
        q: limb.positions.iter().map(|at| site.sensing.position_channels()[*at]).collect(),
        v: limb.dofs.iter().map(|dof| site.sensing.velocity_channels()[*dof]).collect(),
        waypoints: waypoints.collect(),
        fingers,
        grip: path.gripper.as_ref().map_or([0.0; 3], |g| [g.speed, g.kp, g.kd]),
        gains: [path.kp, path.kd],
        start_s: path.start_s,
        dynamics,
        measured: vec![f64::NAN; count],
        wanted: vec![f64::NAN; count],
        from: (Vec3::zeros(), Quat::identity()),
        jacobian: limb.matrix(),
        change: vec![0.0; count],
        squares: [LeastSquares::new(3), LeastSquares::new(6)],
        robot,
        limb,
    };
    Ok(Built { controller: Box::new(controller), ports })
}

fn check(path: &PathConfig, place: &str) -> Result<(), ControlError> {
    let wrong = |key: &str, what: &str| Err(ControlError::new(format!("{place}/{key}"), what));
    if path.waypoints.is_empty() {
        return wrong("waypoints", "name at least one place to go to");
    }
    for (i, waypoint) in path.waypoints.iter().enumerate() {
        let numbers = waypoint.position_m.iter().chain(waypoint.rpy_rad.iter().flatten()).chain([&waypoint.wait_s]);
        if !(waypoint.speed_m_s.is_finite() && waypoint.speed_m_s > 0.0) {
            return wrong(&format!("waypoints/{i}/speed_m_s"), "it must be a positive speed");
        }
        if numbers.into_iter().any(|x| !x.is_finite()) || waypoint.wait_s < 0.0 {
            return wrong(&format!("waypoints/{i}"), "its numbers must be finite, and its wait not negative");
        }
        if waypoint.close.is_some() && path.gripper.is_none() {
            return wrong(&format!("waypoints/{i}/close"), "there is no gripper; add its table or remove this key");
        }
    }
    if path.gripper.as_ref().is_some_and(|g| !(g.speed > 0.0 && g.speed.is_finite())) {
        return wrong("gripper/speed", "it must be a positive speed");
    }
    if [path.kp, path.kd, path.start_s].iter().any(|x| !x.is_finite()) {
        return wrong("kp", "kp, kd and start_s must be finite numbers");
    }
    Ok(())
}
