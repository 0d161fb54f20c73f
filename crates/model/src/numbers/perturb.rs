//! Perturbed inertias that stay physically possible.
//!
//! With the pseudo-inertia `J = U Uᵀ` of [`crate::inertia`] a perturbation is
//!
//! ```text
//! (1)  J' = U E Eᵀ Uᵀ,     E = e^a | e^b1  c12  c13  t1 |
//!                                  |  0   e^b2  c23  t2 |
//!                                  |  0    0   e^b3  t3 |
//!                                  |  0    0    0     1 |
//! ```
//!
//! for ten free numbers `[a, b1, b2, b3, c12, c23, c13, t1, t2, t3]`, all zero for no change. `U` carries the body's
//! own units, so the ten are dimensionless ratios: mass changes by the factor e^2a, the radii of gyration by about `b`,
//! and the centre of mass moves by about `t` radii of gyration, independent of the size of the body. `U E` is upper
//! triangular with a positive diagonal for all values of the ten: the result is always physically possible.

use super::assign::{no_such_number, refuse};
use super::overrides::Overrides;
use super::path::escape;
use crate::finding::Findings;
use crate::inertia::LOG_CHOLESKY_NAMES;
use crate::model::Model;
use nalgebra::Matrix4;

impl Model {
    /// Overrides that change the mass distribution of a body by the ten ratios of (1). Fails if the body does not exist
    /// or its inertia is not inside the physical set.
    pub fn perturbed_inertia(&self, body: &str, ratios: &[f64; 10]) -> Result<Overrides, Findings> {
        let prefix = format!("bodies/{}/inertia/log_cholesky", escape(body));
        let nominal = self.body_named(body).and_then(|id| self.body(id).inertia.to_log_cholesky());
        let Some(nominal) = nominal else {
            let mut problems = Findings::new();
            let text = no_such_number(&mut self.clone(), &format!("{prefix}/alpha"));
            refuse(&mut problems, "override-path", &prefix, text);
            return Err(problems);
        };
        let product = upper_triangle(&nominal.theta) * upper_triangle(ratios);
        let scale = product[(3, 3)];
        let n = product / scale;
        let theta = [
            libm::log(scale),
            libm::log(n[(0, 0)]),
            libm::log(n[(1, 1)]),
            libm::log(n[(2, 2)]),
            n[(0, 1)],
            n[(1, 2)],
            n[(0, 2)],
            n[(0, 3)],
            n[(1, 3)],
            n[(2, 3)],
        ];
        Ok(LOG_CHOLESKY_NAMES.iter().zip(theta).map(|(name, value)| (format!("{prefix}/{name}"), value)).collect())
    }
}

/// The matrix of (1) for ten numbers in the order of [`LOG_CHOLESKY_NAMES`].
fn upper_triangle([a, b1, b2, b3, c12, c23, c13, t1, t2, t3]: &[f64; 10]) -> Matrix4<f64> {
    let e = |x: &f64| libm::exp(*x);
    let rows = [[e(b1), *c12, *c13, *t1], [0.0, e(b2), *c23, *t2], [0.0, 0.0, e(b3), *t3], [0.0, 0.0, 0.0, 1.0]];
    Matrix4::from_fn(|row, column| rows[row][column]) * e(a)
}
