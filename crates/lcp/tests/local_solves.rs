//! One block, solved exactly: for every block the residual of the law is at rounding.

use proptest::prelude::*;
use veracity_lcp::local::Block;
use veracity_lcp::residual::block_residual;
use veracity_lcp::{Cone, Law};

const CONES: [Cone; 5] =
    [Cone::Exact, Cone::Box, Cone::Pyramid { sides: 3 }, Cone::Pyramid { sides: 4 }, Cone::Pyramid { sides: 8 }];

/// `G Gᵀ` of a random `n x m` matrix: singular when `m < n`.
fn gram(n: usize, m: usize, values: &[f64], scale: &[f64]) -> Vec<f64> {
    let mut d = vec![0.0; n * n];
    for i in 0..n {
        for j in 0..n {
            d[n * i + j] = (0..m).map(|k| values[m * i + k] * values[m * j + k]).sum::<f64>() * scale[i] * scale[j];
        }
    }
    d
}

/// The residual after solving, over the size of the velocities that cancel in it.
fn relative_residual(law: &Law, cone: Cone, d: &[f64], q: &[f64], start: &[f64], repeats: usize) -> f64 {
    let n = law.rows();
    let mut turning = Vec::new();
    let block = Block::<f64>::new(law, d, &mut turning);
    let mut lambda = start.to_vec();
    let velocities = |lambda: &[f64]| -> Vec<f64> {
        (0..n).map(|i| q[i] + (0..n).map(|j| d[n * i + j] * lambda[j]).sum::<f64>()).collect()
    };
    for _ in 0..repeats {
        let w = velocities(&lambda);
        block.solve(&turning, cone, &w, &mut lambda);
    }
    let w = velocities(&lambda);
    let mut r = vec![0.0; n];
    let diagonal: Vec<f64> = (0..n).map(|i| d[n * i + i]).collect();
    block_residual(law, cone, &diagonal, &lambda, &w, &mut r);
    let size = (0..n)
        .map(|i| q[i].abs() + (0..n).map(|j| (d[n * i + j] * lambda[j]).abs()).sum::<f64>())
        .fold(1e-300, f64::max);
    r.iter().fold(0.0, |most: f64, r| most.max(r.abs())) / size
}

fn numbers(n: usize) -> impl Strategy<Value = Vec<f64>> {
    prop::collection::vec(-1.0..1.0f64, n)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4000, failure_persistence: None, ..ProptestConfig::default() })]

    /// Coefficients up to the onset of strong coupling; blocks with a common scale from 1e-8 to 1e8.
    #[test]
    fn friction(values in numbers(9), q in numbers(3), start in numbers(3), mu in 0.0..1.5f64, ratio in 0.2..1.0f64,
                scale in -8.0..8.0f64, cone in 0..5usize) {
        let d = gram(3, 3, &values, &[10f64.powf(scale / 2.0); 3]);
        let law = Law::Friction { mu: [mu, mu * ratio] };
        // Two calls: the second compensates the proximal term (1e-13 of its size) of a nearly singular block.
        // Conditioning enters: the impulses of a nearly singular block are large and their rounding with them, which is in
        // the size that the residual is compared with.
        let r = relative_residual(&law, CONES[cone], &d, &q, &start, 2);
        prop_assert!(r < 1e-9, "{r:e}");
    }

    /// A block of rank two, as that of a point that cannot move one way: solvable when q is in the range.
    #[test]
    fn singular_block(values in numbers(6), v in numbers(2), mu in 0.01..1.0f64) {
        let d = gram(3, 2, &values, &[1.0; 3]);
        let q: Vec<f64> = (0..3).map(|i| values[2 * i] * v[0] + values[2 * i + 1] * v[1]).collect();
        let law = Law::Friction { mu: [mu, mu] };
        let r = relative_residual(&law, Cone::Exact, &d, &q, &[0.0; 3], 4);
        // Rounding over the proximal term of a singular block: 2e-16 / 1e-9.
        prop_assert!(r < 3e-7, "{r:e}");
    }

    /// From no friction to the 1e8 of the grasping literature.
    #[test]
    fn any_coefficient(values in numbers(9), q in numbers(3), exponent in -12.0..8.0f64) {
        let mu = 10f64.powf(exponent);
        let mut d = gram(3, 3, &values, &[1.0; 3]);
        for i in 0..3 { d[4 * i] += 0.3; }
        let law = Law::Friction { mu: [mu, mu] };
        let r = relative_residual(&law, Cone::Exact, &d, &q, &[0.0; 3], 2);
        prop_assert!(r < 1e-12, "{r:e}");
    }

    #[test]
    fn torsion_and_rolling(values in numbers(36), q in numbers(6), mu in 0.0..1.0f64, torsion in 0.0..0.2f64, rolling in 0.0..0.2f64) {
        let mut d = gram(6, 6, &values, &[1.0; 6]);
        for i in 0..6 { d[7 * i] += 1.0; }
        let law = Law::Rolling { mu: [mu, mu], torsion, rolling };
        // Sub-blocks in turn, until they converge: to rounding for blocks this well conditioned.
        let r = relative_residual(&law, Cone::Exact, &d, &q, &[0.0; 6], 3);
        prop_assert!(r < 1e-10, "{r:e}");
        let four: Vec<f64> = (0..16).map(|k| d[6 * (k / 4) + k % 4]).collect();
        let law = Law::Torsion { mu: [mu, mu], torsion };
        let r = relative_residual(&law, Cone::Exact, &four, &q[..4], &[0.0; 4], 3);
        prop_assert!(r < 1e-10, "{r:e}");
    }
}

#[test]
fn a_block_that_nothing_moves_gets_no_impulse() {
    let law = Law::Friction { mu: [0.5, 0.5] };
    let block = Block::<f64>::new(&law, &[0.0; 9], &mut Vec::new());
    let mut lambda = [1.0, 0.2, 0.1];
    block.solve(&[], Cone::Exact, &[-1.0, 0.5, 0.0], &mut lambda);
    assert_eq!(lambda, [0.0; 3]);
}
