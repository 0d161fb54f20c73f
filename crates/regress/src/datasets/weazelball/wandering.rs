//! Synthetic rows of the published shape, for tests and benchmarks without third-party data.
//!
//! ```text
//! (1)  x_f(t) = Σ_h  (0.3 + a_fh) sin( (0.5 + 5 b_fh) (1 + 0.02 k) h t + φ_fhk ),     h = 1, 2, 3
//! ```
//!
//! with `a`, `b` uniform and the same for all of the nine offsets `k`, and phases of each run's own. Runs of different
//! offsets pass through the same positions at slightly different speeds: as with the real ones, a row carries little
//! information and its change a little more. Neighbouring rows are about as near as in the published sets (a squared
//! distance of a tenth or two once scaled), later ones are far apart, so a shuffled split leaks here too.

use super::published::{OFFSET_STEP_M, STATE, pair_names};
use crate::rows::Rows;
use veracity_engine::random::{Purpose, Stream};

/// Nine runs of `rows_per_run` rows.
pub fn wandering(rows_per_run: usize, seed: u64) -> Rows {
    let mut rows = Rows::new(pair_names());
    let shared = Stream::new(seed, 0, 0, Purpose::Sampling);
    for k in -4..=4i32 {
        let own = Stream::new(seed, (k + 5) as u64, 0, Purpose::Sampling);
        let draw = |f: u64, h: u32| {
            let [a, b] = shared.uniform_pair(f, h);
            [a, b, own.uniform(f, h)]
        };
        let draws: Vec<[[f64; 3]; 3]> =
            (0..STATE.len() as u64).map(|f| std::array::from_fn(|h| draw(f, h as u32))).collect();
        let state = |t: usize| {
            let t = t as f64 * 0.01;
            let wave = |draws: &[[f64; 3]; 3]| {
                let one = |h: usize| {
                    let [a, b, phase] = draws[h];
                    let omega = (0.5 + 5.0 * b) * (1.0 + 0.02 * f64::from(k)) * (h + 1) as f64;
                    (0.3 + a) * libm::sin(omega * t + std::f64::consts::TAU * phase)
                };
                one(0) + one(1) + one(2)
            };
            draws.iter().map(wave).collect::<Vec<f64>>()
        };
        let states: Vec<Vec<f64>> = (0..=rows_per_run).map(state).collect();
        let values: Vec<f64> = states.windows(2).flat_map(|pair| pair.concat()).collect();
        rows.push(&format!("wandering {k:+}"), &[f64::from(k) * OFFSET_STEP_M], &values);
    }
    rows
}
