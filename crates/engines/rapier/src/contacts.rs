//! Points where bodies touched, with their impulses.
//!
//! Rapier's normal points from the first collider to the second; ours from the second body to the first. Normal
//! impulses are those of the whole step. So are tangential ones under `friction=coulomb` and on multibodies; under
//! `friction=simplified` Rapier keeps only the last substep's, one for a whole patch: it is multiplied by the number of
//! substeps and shared evenly.

use crate::build::Sets;
use crate::convert::from_vector;
use crate::plan::Plan;
use rapier3d_f64::dynamics::{FrictionModel, IntegrationParameters};
use rapier3d_f64::geometry::{ColliderHandle, ContactManifold, ContactPair, NEW_CONTACT_BIT};
use rapier3d_f64::math::Vector;
use rapier3d_f64::utils::OrthonormalBasis;
use veracity_record::ContactSample;

/// Writes all touching points, in Rapier's order, which is the same in every run.
pub fn contacts(
    plan: &Plan,
    sets: &Sets,
    parameters: &IntegrationParameters,
    time: f64,
    out: &mut Vec<ContactSample>,
) {
    look(plan, sets, parameters, time, |sample, touched| {
        if touched {
            out.push(sample);
        }
    });
}

/// Visits all points of the solver, with whether each touched or was only predicted.
pub fn look(
    plan: &Plan,
    sets: &Sets,
    parameters: &IntegrationParameters,
    time: f64,
    mut show: impl FnMut(ContactSample, bool),
) {
    for pair in sets.narrow_phase.contact_pairs() {
        for manifold in pair.solver_manifolds() {
            show_manifold(plan, sets, parameters, time, pair, manifold, &mut show);
        }
    }
}

fn show_manifold(
    plan: &Plan,
    sets: &Sets,
    parameters: &IntegrationParameters,
    time: f64,
    pair: &ContactPair,
    manifold: &ContactManifold,
    show: &mut impl FnMut(ContactSample, bool),
) {
    let slot = |collider: ColliderHandle| {
        plan.collider_bodies.get(sets.colliders[collider].user_data as usize).map(|b| *b as u32)
    };
    let in_multibody = |collider: ColliderHandle| {
        let parent = sets.colliders[collider].parent();
        parent.is_some_and(|body| sets.multibody_joints.rigid_body_link(body).is_some())
    };
    let per_point = parameters.friction_model == FrictionModel::Coulomb
        || in_multibody(pair.collider1)
        || in_multibody(pair.collider2);
    // Towards the first body.
    let towards_first = -manifold.data.normal;
    let tangent = towards_first.orthonormal_vector();
    let across = towards_first.cross(tangent);
    let share = parameters.num_solver_iterations as f64 / manifold.data.solver_contacts.len().max(1) as f64;
    for solved in &manifold.data.solver_contacts {
        let (on_first, on_second) = manifold.data.solver_contact_world_points(solved, &sets.bodies);
        let gap = (on_second - on_first).dot(manifold.data.normal);
        let Some(point) = manifold.points.get((solved.contact_id[0] & !NEW_CONTACT_BIT) as usize) else { continue };
        let data = &point.data;
        let touched = data.impulse != 0.0 || gap <= 0.0;
        let sideways: Vector = if per_point {
            tangent * data.tangent_impulse.x + across * data.tangent_impulse.y
        } else {
            data.warmstart_tangent_world * share
        };
        let sample = ContactSample {
            time,
            body_a: slot(pair.collider1),
            body_b: slot(pair.collider2),
            point: from_vector((on_first + on_second) * 0.5).into(),
            normal: from_vector(towards_first).into(),
            gap,
            impulse: from_vector(towards_first * data.impulse + sideways).into(),
        };
        show(sample, touched);
    }
}
