//! Three rows at once over the velocities of one free body or of two: the most frequent contacts.
//!
//! The rows' numbers are contiguous. Sums run over pairs of neighbouring velocities, which the compiler turns into
//! vector instructions; the order of additions is fixed.

use crate::Real;

/// Sums even and odd places separately, then adds both.
#[inline(always)]
fn dot<T: Real, const N: usize>(j: &[T; N], u: &[T; N]) -> T {
    let (mut even, mut odd) = (T::ZERO, T::ZERO);
    let mut k = 0;
    while k < N {
        even += j[k] * u[k];
        odd += j[k + 1] * u[k + 1];
        k += 2;
    }
    even + odd
}

/// The three rows of a slice of `3 N` numbers.
#[inline(always)]
fn rows<T: Real, const N: usize>(values: &[T]) -> [&[T; N]; 3] {
    let values = &values[..3 * N];
    let row = |k: usize| -> &[T; N] { values[k * N..(k + 1) * N].try_into().expect("a row of that length") };
    [row(0), row(1), row(2)]
}

/// `J u` of the first of the rows.
#[inline(always)]
pub(super) fn gather_first<T: Real, const N: usize>(values: &[T], u: &[T; N]) -> T {
    dot(values[..N].try_into().expect("a row of that length"), u)
}

/// `J u` of three rows of `N` velocities; `values` has `3 N` numbers.
#[inline(always)]
pub(super) fn gather<T: Real, const N: usize>(values: &[T], u: &[T; N]) -> [T; 3] {
    let [r0, r1, r2] = rows(values);
    [dot(r0, u), dot(r1, u), dot(r2, u)]
}

/// `u + Jᵀ x` of three rows of `N` velocities.
#[inline(always)]
pub(super) fn scatter<T: Real, const N: usize>(values: &[T], x: [T; 3], u: &mut [T; N]) {
    let [r0, r1, r2] = rows::<T, N>(values);
    for k in 0..N {
        u[k] += r0[k] * x[0] + r1[k] * x[1] + r2[k] * x[2];
    }
}

/// `J Jᵀ` between three rows: 3x3.
#[inline(always)]
pub(super) fn square<T: Real, const N: usize>(values: &[T]) -> [T; 9] {
    let [r0, r1, r2] = rows::<T, N>(values);
    let (a, b, c) = (dot(r0, r1), dot(r0, r2), dot(r1, r2));
    [dot(r0, r0), a, b, a, dot(r1, r1), c, b, c, dot(r2, r2)]
}

/// Adds the products of three rows with three others, all of one length: even and odd places separately, then both.
#[inline(always)]
pub(super) fn add_products<T: Real>(a: [&[T]; 3], b: [&[T]; 3], sums: &mut [[T; 3]; 3]) {
    let len = a[0].len();
    let (a, b) = (a.map(|a| &a[..len]), b.map(|b| &b[..len]));
    let mut parts = [[[T::ZERO; 2]; 3]; 3];
    let mut k = 0;
    while k + 1 < len {
        for r in 0..3 {
            for c in 0..3 {
                parts[r][c][0] += a[r][k] * b[c][k];
                parts[r][c][1] += a[r][k + 1] * b[c][k + 1];
            }
        }
        k += 2;
    }
    for r in 0..3 {
        for c in 0..3 {
            sums[r][c] += parts[r][c][0] + parts[r][c][1];
            if k < len {
                sums[r][c] += a[r][k] * b[c][k];
            }
        }
    }
}

/// Six velocities.
#[inline(always)]
pub(super) fn six<T: Real>(u: &[T], start: usize) -> [T; 6] {
    u[start..start + 6].try_into().expect("six velocities")
}

/// Six velocities of one body, then six of another.
#[inline(always)]
pub(super) fn twelve<T: Real>(u: &[T], start: [usize; 2]) -> [T; 12] {
    let mut both = [T::ZERO; 12];
    both[..6].copy_from_slice(&u[start[0]..start[0] + 6]);
    both[6..].copy_from_slice(&u[start[1]..start[1] + 6]);
    both
}
