//! States on the section: their tangent space, and projection onto the section.
//!
//! ```text
//! (1)  C = ∂c/∂x        central differences of order 4 of the constraints c
//! (2)  T = basis of { d : C d = 0, d = 0 along cyclic coordinates },  Tᵀ T = 1
//! (3)  x ← x ⊕ -C⁺ c(x)  until the constraints hold to rounding
//! ```
//!
//! Redundant or zero rows of C (the sideways velocity of a walker that moves in a plane) do no harm: C⁺ leaves out
//! singular values below 1e-9 of the largest.

use crate::map::{NoReturn, Place, StrideMap};
use nalgebra::DMatrix;

/// Step of (1). Constraints are lengths and speeds of order one: truncation and rounding are both below 1e-12.
const STEP: f64 = 1e-3;
/// Singular values of C below this fraction of the largest are treated as zero: true ones are of order one, the others
/// are rounding of the differences.
const RANK: f64 = 1e-9;

/// Constraint Jacobian (1), one row per constraint.
pub fn constraint_jacobian<M: StrideMap + ?Sized>(
    map: &mut M,
    state: &[f64],
    place: Place,
) -> Result<DMatrix<f64>, NoReturn> {
    let n = map.size();
    let (mut by, mut moved, mut value) = (vec![0.0; n], Vec::new(), Vec::new());
    map.constraints(state, place, &mut value)?;
    let mut out = DMatrix::zeros(value.len(), n);
    for column in 0..n {
        for (offset, weight) in [(1.0, 8.0), (-1.0, -8.0), (2.0, -1.0), (-2.0, 1.0)] {
            by[column] = offset * STEP;
            map.displace(state, &by, &mut moved);
            value.clear();
            map.constraints(&moved, place, &mut value)?;
            for (row, c) in value.iter().enumerate() {
                out[(row, column)] += weight * c / (12.0 * STEP);
            }
        }
        by[column] = 0.0;
    }
    Ok(out)
}

/// Tangent basis (2), one column per direction.
pub fn tangent<M: StrideMap + ?Sized>(map: &mut M, state: &[f64], place: Place) -> Result<DMatrix<f64>, NoReturn> {
    let constraints = constraint_jacobian(map, state, place)?;
    let n = map.size();
    let cyclic = map.cyclic();
    // At least square, so that the decomposition has all of V.
    let mut rows = DMatrix::zeros(n.max(constraints.nrows() + cyclic.len()), n);
    rows.rows_mut(0, constraints.nrows()).copy_from(&constraints);
    for (i, c) in cyclic.iter().enumerate() {
        rows[(constraints.nrows() + i, *c)] = 1.0;
    }
    let svd = rows.svd(false, true);
    let Some(v) = svd.v_t else {
        return Err(NoReturn::Trouble("has constraints without a singular value decomposition".to_string()));
    };
    let largest = svd.singular_values.max();
    let free: Vec<usize> = (0..n).filter(|i| svd.singular_values[*i] <= RANK * largest).collect();
    Ok(DMatrix::from_fn(n, free.len(), |row, column| v[(free[column], row)]))
}

/// Projects a state onto the section by (3).
pub fn settle<M: StrideMap + ?Sized>(map: &mut M, state: &mut Vec<f64>, place: Place) -> Result<(), NoReturn> {
    let (mut value, mut moved) = (Vec::new(), Vec::new());
    map.constraints(state, place, &mut value)?;
    if value.is_empty() {
        return Ok(());
    }
    let inverse = constraint_jacobian(map, state, place)?
        .pseudo_inverse(RANK)
        .map_err(|e| NoReturn::Trouble(format!("has constraints that cannot be solved: {e}")))?;
    let mut last = size(&value);
    // The pseudoinverse at the first state is used throughout: convergence depends on the distance moved, and distances
    // are small.
    for _ in 0..50 {
        let by = -(&inverse * DMatrix::from_column_slice(value.len(), 1, &value));
        map.displace(state, by.as_slice(), &mut moved);
        value.clear();
        map.constraints(&moved, place, &mut value)?;
        let now = size(&value);
        // At the level of rounding it no longer shrinks; the better of the two is kept.
        if now >= last {
            return if last < 1e-9 {
                Ok(())
            } else {
                Err(NoReturn::Trouble(format!("has feet that cannot be brought to the ground: residual {last:.1e}")))
            };
        }
        std::mem::swap(state, &mut moved);
        if now == 0.0 {
            return Ok(());
        }
        last = now;
    }
    Ok(())
}

/// The largest absolute value.
pub(crate) fn size(values: &[f64]) -> f64 {
    values.iter().fold(0.0, |most: f64, x| most.max(x.abs()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::map::Stride;

    /// A point on the unit circle, with a third number that is unconstrained.
    struct Circle;

    impl StrideMap for Circle {
        fn size(&self) -> usize {
            3
        }
        fn names(&self) -> Vec<String> {
            vec![String::new(); 3]
        }
        fn cyclic(&self) -> &[usize] {
            &[2]
        }
        fn constraints(&mut self, s: &[f64], _: Place, out: &mut Vec<f64>) -> Result<(), NoReturn> {
            // The second constraint repeats the first, the third is empty.
            out.extend([s[0].hypot(s[1]) - 1.0, 2.0 * (s[0].hypot(s[1]) - 1.0), 0.0]);
            Ok(())
        }
        fn stride(&mut self, _: &[f64], _: &mut Vec<f64>) -> Result<Stride, NoReturn> {
            Ok(Stride::default())
        }
    }

    #[test]
    fn the_tangent_of_a_circle_is_along_it() {
        let tangent = tangent(&mut Circle, &[0.6, 0.8, 3.0], Place::Start).unwrap();
        assert_eq!(tangent.ncols(), 1);
        let along = tangent[(0, 0)] * 0.6 + tangent[(1, 0)] * 0.8;
        // The differences are accurate to 1e-12.
        assert!(along.abs() < 1e-11 && tangent[(2, 0)].abs() < 1e-14);
    }

    #[test]
    fn settle_projects_onto_the_circle() {
        let mut state = vec![0.65, 0.83, 3.0];
        settle(&mut Circle, &mut state, Place::Start).unwrap();
        assert!((state[0].hypot(state[1]) - 1.0).abs() < 4e-16 && state[2] == 3.0, "{state:?}");
    }
}
