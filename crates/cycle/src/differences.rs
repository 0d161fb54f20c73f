//! The derivative of a stride by differences of whole strides.
//!
//! ```text
//! (1)  D P ≈ (f₁ - f₋₁) / 2h                                           error h²
//! (2)  D P ≈ (45 (f₁ - f₋₁) - 9 (f₂ - f₋₂) + (f₃ - f₋₃)) / 60h          error h⁶
//! ```
//!
//! with `f_m = Tᵀ (P(x ⊕ m h T e) ⊖ x)`, each displaced state settled onto the section.

use crate::manifold::settle;
use crate::map::{NoReturn, Place, StrideMap};
use nalgebra::DMatrix;

/// Stencil of a derivative.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stencil {
    /// (1)
    Second,
    /// (2)
    Sixth,
}

impl Stencil {
    /// Offsets and weights; their sum is divided by the step.
    pub fn weights(self) -> &'static [(f64, f64)] {
        const SECOND: [(f64, f64); 2] = [(1.0, 0.5), (-1.0, -0.5)];
        const SIXTH: [(f64, f64); 6] =
            [(1.0, 0.75), (-1.0, -0.75), (2.0, -0.15), (-2.0, 0.15), (3.0, 1.0 / 60.0), (-3.0, -1.0 / 60.0)];
        match self {
            Stencil::Second => &SECOND,
            Stencil::Sixth => &SIXTH,
        }
    }
}

/// Derivative of the map in the basis at `start`, with steps of size `step`.
pub fn stride_jacobian<M: StrideMap + ?Sized>(
    map: &mut M,
    start: &[f64],
    basis: &DMatrix<f64>,
    stencil: Stencil,
    step: f64,
) -> Result<DMatrix<f64>, NoReturn> {
    let (n, k) = basis.shape();
    let (mut moved, mut end, mut apart) = (Vec::new(), Vec::new(), vec![0.0; n]);
    let mut out = DMatrix::zeros(k, k);
    for column in 0..k {
        for (offset, weight) in stencil.weights() {
            let by: Vec<f64> = basis.column(column).iter().map(|x| x * offset * step).collect();
            map.displace(start, &by, &mut moved);
            settle(map, &mut moved, Place::Start)?;
            map.stride(&moved, &mut end)?;
            map.difference(start, &end, &mut apart);
            let image = basis.tr_mul(&DMatrix::from_column_slice(n, 1, &apart));
            for row in 0..k {
                out[(row, column)] += weight / step * image[row];
            }
        }
    }
    Ok(out)
}
