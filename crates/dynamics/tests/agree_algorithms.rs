//! Three algorithms that share no recursion must give the same motion: articulated bodies (forward), composite bodies
//! with a sparse factor (forward), Newton-Euler (inverse). On random trees with every kind of joint.

mod support;

use support::{Stream, multiply, norm, random_state, random_tree};
use veracity_dynamics::{System, Workspace, aba, crba, energy, jacobian, kinematics, rnea};
use veracity_model::{BodyId, Vec3};

/// A stable O(n) recursion of depth 60 loses a few bits for each level; 1e-13 is 500 roundings.
const BACKWARD_ERROR: f64 = 1e-13;

fn cases() -> impl Iterator<Item = (System, Vec<f64>, Vec<f64>, Vec<f64>)> {
    let trees = if std::env::var_os("VERACITY_FULL").is_some() { 400 } else { 60 };
    (0..trees).map(|k| {
        let count = 9 + (k as usize * 7) % 52;
        let model = random_tree(count, 1000 + k);
        let system = System::from_model(&model, Vec3::new(1.0, -2.0, -9.81)).unwrap();
        let (q, v) = random_state(&system, 5000 + k);
        let mut s = Stream(9000 + k);
        let tau = (0..system.dof_count()).map(|_| s.uniform(-5.0, 5.0)).collect();
        (system, q, v, tau)
    })
}

/// |M a + h - tau| / (|M| |a| + |h| + |tau|).
fn backward_error(mass: &[f64], a: &[f64], bias: &[f64], tau: &[f64]) -> f64 {
    let residual: Vec<f64> = multiply(mass, a).iter().zip(bias).zip(tau).map(|((m, h), t)| m + h - t).collect();
    norm(&residual) / (norm(mass) * norm(a) + norm(bias) + norm(tau))
}

#[test]
fn forward_and_inverse_dynamics_agree_on_random_trees() {
    let mut worst = [0.0f64; 3];
    for (system, q, v, tau) in cases() {
        let n = system.dof_count();
        let mut ws = Workspace::new(&system);
        let (mut mass, mut bias) = (vec![0.0; n * n], vec![0.0; n]);
        kinematics::velocities(&system, &mut ws, &q, &v);
        crba::mass_matrix(&system, &mut ws, &mut mass);
        rnea::bias_efforts(&system, &mut ws, &mut bias);

        let mut by_aba = vec![0.0; n];
        aba::accelerations(&system, &mut ws, &tau, &mut by_aba);
        worst[0] = worst[0].max(backward_error(&mass, &by_aba, &bias, &tau));

        let mut by_crba = vec![0.0; n];
        crba::accelerations(&system, &mut ws, &tau, &mut by_crba).unwrap();
        worst[1] = worst[1].max(backward_error(&mass, &by_crba, &bias, &tau));

        let mut back = vec![0.0; n];
        rnea::inverse_dynamics(&system, &mut ws, &by_aba, &mut back);
        let difference: Vec<f64> = back.iter().zip(&tau).map(|(a, b)| a - b).collect();
        worst[2] = worst[2].max(norm(&difference) / (norm(&mass) * norm(&by_aba) + norm(&bias) + norm(&tau)));
    }
    println!(
        "ACCEPT random-trees: backward error ABA {:.1e}, CRBA {:.1e}, RNEA {:.1e}",
        worst[0], worst[1], worst[2]
    );
    assert!(worst.iter().all(|w| *w <= BACKWARD_ERROR), "{worst:?}");
}

#[test]
fn kinetic_energy_is_the_mass_matrix_form_and_its_power_balances() {
    let mut worst = [0.0f64; 2];
    for (system, q, v, tau) in cases() {
        let n = system.dof_count();
        let mut ws = Workspace::new(&system);
        let mut mass = vec![0.0; n * n];
        kinematics::velocities(&system, &mut ws, &q, &v);
        crba::mass_matrix(&system, &mut ws, &mut mass);
        let form = 0.5 * multiply(&mass, &v).iter().zip(&v).map(|(p, v)| p * v).sum::<f64>();
        let kinetic = energy::energy(&system, &mut ws, &q, &v).kinetic;
        worst[0] = worst[0].max((form - kinetic).abs() / kinetic);

        // d(energy)/dt = tau·v, term by term over the links.
        let mut a = vec![0.0; n];
        kinematics::velocities(&system, &mut ws, &q, &v);
        aba::accelerations(&system, &mut ws, &tau, &mut a);
        let rates = energy::rates(&system, &mut ws, &q, &v, &a);
        let power: f64 = tau.iter().zip(&v).map(|(t, v)| t * v).sum();
        worst[1] = worst[1].max((rates.kinetic + rates.gravity - power).abs() / rates.power_scale);
    }
    println!("ACCEPT energy-balance: form {:.1e}, power {:.1e}", worst[0], worst[1]);
    assert!(worst.iter().all(|w| *w <= BACKWARD_ERROR), "{worst:?}");
}

#[test]
fn momentum_of_a_free_tree_changes_by_its_weight_alone() {
    let mut worst = 0.0f64;
    for k in 0..40u64 {
        // A floating base: whatever the internal joints do, total momentum obeys p' = m g and L' = c × m g.
        let mut s = Stream(k);
        let mut builder = veracity_model::ModelBuilder::new("floating");
        let tree = random_tree(20, 77 + k);
        for (i, (body, joint)) in tree.bodies().iter().zip(tree.joints()).enumerate() {
            let mut joint = joint.clone();
            if i == 0 {
                joint.kind = veracity_model::JointKind::Free;
                joint.dofs = vec![veracity_model::Dof::default(); 6];
            }
            // Armature is inertia relative to the parent and would add momentum.
            joint.dofs.iter_mut().for_each(|d| d.armature = 0.0);
            let parent = joint.parent;
            builder.add_body(body.clone(), joint, parent);
        }
        let gravity = Vec3::new(0.5, 1.0, -9.81);
        let system = System::from_model(&builder.build().unwrap(), gravity).unwrap();
        let (q, v) = random_state(&system, k);
        let n = system.dof_count();
        let mut tau: Vec<f64> = (0..n).map(|_| s.uniform(-5.0, 5.0)).collect();
        tau[..6].fill(0.0);
        let mut ws = Workspace::new(&system);
        let mut a = vec![0.0; n];
        kinematics::velocities(&system, &mut ws, &q, &v);
        aba::accelerations(&system, &mut ws, &tau, &mut a);
        let rates = energy::rates(&system, &mut ws, &q, &v, &a);
        let (mass, com) = energy::centre_of_mass(&system, &mut ws, &q);
        let weight = gravity * mass;
        let moment = Vec3::from(com).cross(&weight);
        let linear = (Vec3::from(rates.momentum.linear) - weight).norm() / rates.momentum_scale[0];
        let angular = (Vec3::from(rates.momentum.angular) - moment).norm() / rates.momentum_scale[1];
        worst = worst.max(linear).max(angular);
    }
    println!("ACCEPT momentum-balance: {worst:.1e}");
    assert!(worst <= BACKWARD_ERROR, "{worst:e}");
}

#[test]
fn jacobians_are_the_velocities_they_stand_for() {
    for (system, q, v, _) in cases().take(20) {
        let n = system.dof_count();
        let mut ws = Workspace::new(&system);
        kinematics::velocities(&system, &mut ws, &q, &v);
        let place = system.place(0, BodyId(8));
        let motion = veracity_dynamics::observe::body_motion(&ws, place);
        let mut j = vec![0.0; 6 * n];
        jacobian::body_jacobian(&system, &ws, place, &mut j);
        let twist = multiply(&j, &v);
        for k in 0..3 {
            // A sum of at most 60 terms of size 10.
            assert!((twist[k] - motion.angular_velocity[k]).abs() < 1e-12);
            assert!((twist[k + 3] - motion.linear_velocity[k]).abs() < 1e-12);
        }
    }
}

#[test]
fn a_wrong_inertia_is_detected() {
    // The mutation that must break the agreement: the same motion, one tensor entry off by 1e-6.
    let model = random_tree(20, 1);
    let entry = "bodies/b7/inertia/ixx";
    let ixx = model.body(BodyId(7)).inertia.tensor[(0, 0)];
    let mut builder = veracity_model::ModelBuilder::new("wrong");
    for (i, (body, joint)) in model.bodies().iter().zip(model.joints()).enumerate() {
        let mut body = body.clone();
        if i == 7 {
            body.inertia.tensor[(0, 0)] = ixx * (1.0 + 1e-6);
        }
        builder.add_body(body, joint.clone(), joint.parent);
    }
    let right = System::from_model(&model, Vec3::z()).unwrap();
    let wrong = System::from_model(&builder.build().unwrap(), Vec3::z()).unwrap();
    let (q, v) = random_state(&right, 3);
    let n = right.dof_count();
    let tau = vec![1.0; n];
    let mut a = vec![0.0; n];
    let mut ws = Workspace::new(&wrong);
    kinematics::velocities(&wrong, &mut ws, &q, &v);
    aba::accelerations(&wrong, &mut ws, &tau, &mut a);
    let mut ws = Workspace::new(&right);
    let (mut mass, mut bias) = (vec![0.0; n * n], vec![0.0; n]);
    kinematics::velocities(&right, &mut ws, &q, &v);
    crba::mass_matrix(&right, &mut ws, &mut mass);
    rnea::bias_efforts(&right, &mut ws, &mut bias);
    let error = backward_error(&mass, &a, &bias, &tau);
    assert!(error > 10.0 * BACKWARD_ERROR, "{entry}: {error:e}");
}
