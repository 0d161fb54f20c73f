//! Energy, momentum and centre of mass, from positions and velocities.

use crate::spatial::*;
use crate::system::System;
use crate::workspace::Workspace;

/// Energy by kind [J].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Energy {
    /// Kinetic, rotors (armature) included.
    pub kinetic: f64,
    /// Potential energy of gravity, relative to the world's origin.
    pub gravity: f64,
    /// Potential energy of joint and point-to-point springs.
    pub elastic: f64,
}

impl Energy {
    /// The sum [J].
    pub fn total(&self) -> f64 {
        self.kinetic + self.gravity + self.elastic
    }
}

/// Linear momentum [kg m/s] and angular momentum about the world's origin [kg m²/s].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Momentum {
    /// [kg m/s]
    pub linear: V3,
    /// About the world's origin [kg m²/s].
    pub angular: V3,
}

/// Total energy at a state. Runs the kinematics itself.
pub fn energy(system: &System, ws: &mut Workspace, q: &[f64], v: &[f64]) -> Energy {
    crate::kinematics::velocities(system, ws, q, v);
    let mut e = Energy::default();
    for (link, s) in system.links.iter().zip(&ws.links[1..]) {
        let inertia = sym_rotate(&s.rot, &link.inertia);
        let vel = add(s.vel, cross(s.omega, rotate(&s.rot, link.com)));
        e.kinetic += 0.5 * (link.mass * dot(vel, vel) + dot(s.omega, sym_mul(&inertia, s.omega)));
        // Weight is mass plus the gravity deficit; both have their own first moment.
        let moment = add(s.moment, rotate(&s.rot, link.gravity_deficit_moment));
        let weight = link.mass + link.gravity_deficit;
        e.gravity -= dot(system.gravity, add_scaled(moment, link.world_position(s), weight));
    }
    for (i, dof) in system.dofs.iter().enumerate() {
        e.kinetic += 0.5 * dof.armature * v[i] * v[i];
        if let Some(p) = system.dof_position[i] {
            let x = q[p] - dof.spring_reference;
            e.elastic += 0.5 * dof.stiffness * x * x;
        }
    }
    for spring in &system.springs {
        let (a, b) = (&ws.links[spring.a], &ws.links[spring.b]);
        let pa = add(a.pos, rotate(&a.rot, spring.point_a));
        let pb = add(b.pos, rotate(&b.rot, spring.point_b));
        let x = norm(add(spring.origin_gap, sub(pb, pa))) - spring.rest_length;
        e.elastic += 0.5 * spring.stiffness * x * x;
    }
    e
}

/// Momentum at a state. Runs the kinematics itself.
pub fn momentum(system: &System, ws: &mut Workspace, q: &[f64], v: &[f64]) -> Momentum {
    crate::kinematics::velocities(system, ws, q, v);
    let mut sum = Momentum::default();
    for (link, s) in system.links.iter().zip(&ws.links[1..]) {
        let inertia = sym_rotate(&s.rot, &link.inertia);
        let com = rotate(&s.rot, link.com);
        let linear = scale(add(s.vel, cross(s.omega, com)), link.mass);
        let at = add(link.world_position(s), com);
        sum.linear = add(sum.linear, linear);
        sum.angular = add(sum.angular, add(sym_mul(&inertia, s.omega), cross(at, linear)));
    }
    sum
}

/// Rates of energy and momentum at a state under accelerations `a`, and the sum of absolute terms of each, as a scale for
/// the error of a balance.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Rates {
    /// Rate of kinetic energy, rotors included [W].
    pub kinetic: f64,
    /// Rate of potential energy of gravity [W].
    pub gravity: f64,
    /// Sum of the absolute values of all terms of the two above [W].
    pub power_scale: f64,
    /// Rate of linear and angular momentum (about the world's origin) [N, N m].
    pub momentum: Momentum,
    /// Sum of the lengths of all terms of the linear and angular rate [N, N m].
    pub momentum_scale: [f64; 2],
}

/// Rates of energy and momentum. Runs the kinematics itself.
pub fn rates(system: &System, ws: &mut Workspace, q: &[f64], v: &[f64], a: &[f64]) -> Rates {
    crate::kinematics::velocities(system, ws, q, v);
    crate::rnea::link_accelerations(system, ws, a);
    let mut r = Rates::default();
    for (link, s) in system.links.iter().zip(&ws.links[1..]) {
        let inertia = sym_rotate(&s.rot, &link.inertia);
        let alpha = add(s.alpha_bias, s.alpha);
        // The bias contains -g for every link: remove it.
        let acc = add(add(s.acc_bias, s.acc), system.gravity);
        let com = rotate(&s.rot, link.com);
        let vel_com = add(s.vel, cross(s.omega, com));
        let acc_com = add(add(acc, cross(alpha, com)), cross(s.omega, cross(s.omega, com)));
        let force = scale(acc_com, link.mass);
        let torque = add(sym_mul(&inertia, alpha), cross(s.omega, sym_mul(&inertia, s.omega)));
        let moment = cross(add(link.world_position(s), com), force);
        let weight = -dot(system.gravity, vel_com) * link.mass
            - dot(
                system.gravity,
                add_scaled(cross(s.omega, rotate(&s.rot, link.gravity_deficit_moment)), s.vel, link.gravity_deficit),
            );
        let (slide, turn) = (dot(force, vel_com), dot(torque, s.omega));
        r.kinetic += slide + turn;
        r.gravity += weight;
        r.power_scale += slide.abs() + turn.abs() + weight.abs();
        r.momentum.linear = add(r.momentum.linear, force);
        r.momentum.angular = add(r.momentum.angular, add(torque, moment));
        r.momentum_scale[0] += norm(force);
        r.momentum_scale[1] += norm(torque) + norm(moment);
    }
    for (i, dof) in system.dofs.iter().enumerate() {
        let rotor = dof.armature * v[i] * a[i];
        r.kinetic += rotor;
        r.power_scale += rotor.abs();
    }
    r
}

/// Total mass [kg] and centre of mass in the world [m] of all moving links. Runs the kinematics itself.
pub fn centre_of_mass(system: &System, ws: &mut Workspace, q: &[f64]) -> (f64, V3) {
    crate::kinematics::positions(system, ws, q);
    let mut mass = 0.0;
    let mut moment = [0.0; 3];
    for (link, s) in system.links.iter().zip(&ws.links[1..]) {
        mass += link.mass;
        moment = add(moment, add_scaled(s.moment, link.world_position(s), link.mass));
    }
    (mass, scale(moment, 1.0 / mass))
}
