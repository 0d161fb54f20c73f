//! The rates of energy and momentum are the derivatives of energy and momentum: by differences along the motion.

mod support;

use support::{random_state, random_tree};
use veracity_dynamics::{System, Workspace, aba, energy, kinematics};
use veracity_model::Vec3;

#[test]
fn rates_are_the_derivatives_of_energy_and_momentum() {
    for k in 0..20 {
        let system = System::from_model(&random_tree(15, k), Vec3::new(1.0, 2.0, -9.81)).unwrap();
        let (q, v) = random_state(&system, k);
        let n = system.dof_count();
        let mut ws = Workspace::new(&system);
        let mut a = vec![0.0; n];
        kinematics::velocities(&system, &mut ws, &q, &v);
        aba::accelerations(&system, &mut ws, &vec![1.0; n], &mut a);
        let rates = energy::rates(&system, &mut ws, &q, &v, &a);
        let dt = 1e-6;
        let mut at = |t: f64| {
            let mut q1 = q.clone();
            let mid: Vec<f64> = v.iter().zip(&a).map(|(v, a)| v + 0.5 * t * a).collect();
            kinematics::advance(&system, &mut q1, &mid, t);
            let v1: Vec<f64> = v.iter().zip(&a).map(|(v, a)| v + t * a).collect();
            let e = energy::energy(&system, &mut ws, &q1, &v1);
            (e, energy::momentum(&system, &mut ws, &q1, &v1))
        };
        let ((e1, p1), (e0, p0)) = (at(dt), at(-dt));
        // Rounding of the energies over dt, 1e-13 / 1e-6, and dt² times their third derivative: both below 1e-5.
        let close = |x: f64, y: f64, scale: f64| (x - y).abs() < 1e-5 * scale;
        assert!(close((e1.kinetic - e0.kinetic) / (2.0 * dt), rates.kinetic, rates.power_scale));
        assert!(close((e1.gravity - e0.gravity) / (2.0 * dt), rates.gravity, rates.power_scale));
        for i in 0..3 {
            let linear = (p1.linear[i] - p0.linear[i]) / (2.0 * dt);
            let angular = (p1.angular[i] - p0.angular[i]) / (2.0 * dt);
            assert!(close(linear, rates.momentum.linear[i], rates.momentum_scale[0]));
            assert!(close(angular, rates.momentum.angular[i], rates.momentum_scale[1]));
        }
    }
}
