//! Dense linear systems: Gaussian elimination with partial pivoting.

use crate::Real;

/// Scratch of [`solve`]: for each row one past its last nonzero entry, and for each column one past the last row that may
/// have a nonzero entry in it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Profile {
    ends: Vec<usize>,
    reach: Vec<usize>,
}

/// Solves `A x = b` for a row-major `A`, which it overwrites; `x` replaces `b`. `false` where a pivot is zero or NaN.
///
/// Contact couples neighbours, so only the entries between the first and the last nonzero of each row are processed, and of
/// each column only the rows that begin at it or before. Exchanging rows keeps both bounds: a row moves down no farther than
/// its column reaches, and columns to the right reach at least as far.
pub(crate) fn solve<T: Real>(n: usize, a: &mut [T], b: &mut [T], profile: &mut Profile) -> bool {
    let Profile { ends, reach } = profile;
    ends.clear();
    reach.clear();
    reach.resize(n, 0);
    for (i, row) in a.chunks_exact(n.max(1)).enumerate() {
        ends.push(row.iter().rposition(|x| *x != T::ZERO).map_or(0, |k| k + 1));
        if let Some(start) = row.iter().position(|x| *x != T::ZERO) {
            reach[start] = i + 1;
        }
    }
    let mut below = 0;
    for k in 0..n {
        below = below.max(reach[k]).max(k + 1);
        let mut pivot = k;
        for row in k + 1..below {
            if a[row * n + k].abs() > a[pivot * n + k].abs() {
                pivot = row;
            }
        }
        let largest = a[pivot * n + k];
        if largest == T::ZERO || !largest.is_finite() {
            return false;
        }
        if pivot != k {
            let (above, lower) = a.split_at_mut(pivot * n);
            above[k * n..(k + 1) * n].swap_with_slice(&mut lower[..n]);
            b.swap(k, pivot);
            ends.swap(k, pivot);
        }
        let (above, lower) = a[..below * n].split_at_mut((k + 1) * n);
        let end = ends[k].max(k + 1);
        let source = &above[k * n + k + 1..k * n + end];
        let inverse = T::ONE / largest;
        for (i, row) in lower.chunks_exact_mut(n).enumerate() {
            if row[k] != T::ZERO {
                let factor = row[k] * inverse;
                row[k + 1..end].iter_mut().zip(source).for_each(|(a, &s)| *a -= factor * s);
                let above = b[k];
                b[k + 1 + i] -= factor * above;
                ends[k + 1 + i] = ends[k + 1 + i].max(end);
            }
        }
    }
    for k in (0..n).rev() {
        let end = ends[k].max(k + 1);
        let row = &a[k * n..k * n + end];
        let sum = row[k + 1..].iter().zip(&b[k + 1..end]).fold(b[k], |sum, (&a, &x)| sum - a * x);
        b[k] = sum / row[k];
    }
    b[..n].iter().all(|x| x.is_finite())
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_system_that_needs_its_rows_exchanged() {
        let mut a = [0.0, 2.0, 1.0, 1.0, 1.0, 0.0, 2.0, 0.0, 3.0];
        let mut b = [7.0, 3.0, 11.0];
        assert!(super::solve(3, &mut a, &mut b, &mut super::Profile::default()));
        assert_eq!(b, [1.0, 2.0, 3.0]);
        assert!(!super::solve(2, &mut [1.0, 1.0, 1.0, 1.0], &mut [1.0, 2.0], &mut super::Profile::default()));
    }

    #[test]
    fn random_systems_with_holes() {
        // Few nonzeros at random places: all kinds of profiles, and pivots far from the diagonal.
        let mut random = crate::fixtures::random::Random::new(9);
        for n in 1..40 {
            let mut a: Vec<f64> =
                (0..n * n).map(|_| if random.unit() < 0.15 { random.symmetric() } else { 0.0 }).collect();
            for i in 0..n {
                // A permutation matrix added keeps it solvable.
                a[i * n + (i * 7 + 3) % n] += 3.0;
            }
            let b: Vec<f64> = (0..n).map(|_| random.symmetric()).collect();
            let (mut used, mut x) = (a.clone(), b.clone());
            let solved = super::solve(n, &mut used, &mut x, &mut super::Profile::default());
            if n % 7 != 0 {
                assert!(solved, "{n}");
            }
            if solved {
                for i in 0..n {
                    let sum: f64 = (0..n).map(|j| a[i * n + j] * x[j]).sum();
                    // Rounding times the growth of elimination and a condition number of hundreds.
                    assert!(
                        (sum - b[i]).abs() < 1e-10 * (1.0 + x.iter().fold(0.0, |m: f64, x| m.max(x.abs()))),
                        "{n}"
                    );
                }
            }
        }
    }
}
