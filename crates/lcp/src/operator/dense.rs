//! `A` as a matrix, column by column: changing one impulse reads one column from front to back.

use super::Operator;
use crate::Real;

/// A square matrix.
#[derive(Clone, Debug, Default)]
pub struct Dense<T> {
    rows: usize,
    columns: Vec<T>,
}

impl<T: Real> Dense<T> {
    /// A matrix of zeros. Its memory is kept by later calls of [`Dense::clear`].
    pub fn new(rows: usize) -> Dense<T> {
        Dense { rows, columns: vec![T::ZERO; rows * rows] }
    }

    /// From rows.
    pub fn from_rows(rows: usize, values: &[T]) -> Dense<T> {
        assert_eq!(values.len(), rows * rows, "a square matrix");
        let mut made = Dense::new(rows);
        for i in 0..rows {
            for j in 0..rows {
                made.columns[j * rows + i] = values[i * rows + j];
            }
        }
        made
    }

    /// Resets to zeros of this size.
    pub fn clear(&mut self, rows: usize) {
        self.rows = rows;
        self.columns.clear();
        self.columns.resize(rows * rows, T::ZERO);
    }

    /// Copies another matrix, rounded to this precision.
    pub fn cast_from<S: Real>(&mut self, other: &Dense<S>) {
        self.rows = other.rows;
        self.columns.clear();
        self.columns.extend(other.columns.iter().map(|x| T::of(x.f64())));
    }

    /// An entry.
    pub fn get(&self, row: usize, column: usize) -> T {
        self.columns[column * self.rows + row]
    }

    /// Sets an entry.
    pub fn set(&mut self, row: usize, column: usize, value: T) {
        self.columns[column * self.rows + row] = value;
    }
}

impl<T: Real> Operator<T> for Dense<T> {
    fn rows(&self) -> usize {
        self.rows
    }

    fn running_len(&self) -> usize {
        self.rows
    }

    fn diagonal(&self, first: usize, n: usize, out: &mut [T]) {
        for i in 0..n {
            for j in 0..n {
                out[i * n + j] = self.get(first + i, first + j);
            }
        }
    }

    fn dense(&self, out: &mut [T]) {
        self.diagonal(0, self.rows, out);
    }

    fn running(&self, lambda: &[T], u: &mut [T]) {
        u.fill(T::ZERO);
        self.scatter(0, lambda, u);
    }

    fn gather(&self, u: &[T], _lambda: &[T], first: usize, out: &mut [T]) {
        out.copy_from_slice(&u[first..first + out.len()]);
    }

    fn gather_unloaded(&self, u: &[T], row: usize) -> T {
        u[row]
    }

    fn scatter(&self, first: usize, change: &[T], u: &mut [T]) {
        for (column, &change) in self.columns[first * self.rows..].chunks_exact(self.rows.max(1)).zip(change) {
            if change != T::ZERO {
                u.iter_mut().zip(column).for_each(|(u, &a)| *u += a * change);
            }
        }
    }
}
