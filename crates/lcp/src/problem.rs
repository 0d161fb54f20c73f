//! The problem: `w = A λ + b`, rows in blocks, each block under a law.

use crate::{Law, Operator, Real};

/// The set a contact's two tangential impulses may lie in, for a normal impulse of one and coefficients of one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Cone {
    /// The disc: Coulomb's law (an ellipse where the two coefficients differ).
    #[default]
    Exact,
    /// The square whose sides touch the disc, `|λ₁| <= μ₁ λₙ` and `|λ₂| <= μ₂ λₙ`: each tangent separately. Along the
    /// diagonal it allows `√2` times too much friction.
    Box,
    /// The regular polygon with so many corners on the disc, the first on the first tangent: what Stewart and Trinkle
    /// linearise to. Half-way between two corners it allows `cos(π/sides)` of the true friction.
    Pyramid {
        /// Corners, at least three.
        sides: u32,
    },
}

/// A problem to be solved for `λ`.
#[derive(Clone, Copy)]
pub struct Problem<'a, T: Real> {
    /// `A`: response of velocities [m/s] to impulses [N s]. Symmetric and positive semidefinite for problems of rigid bodies.
    pub operator: &'a dyn Operator<T>,
    /// `b`: the velocities without the impulses [m/s].
    pub b: &'a [T],
    /// The blocks' laws, in the order of their rows; together they cover all rows.
    pub laws: &'a [Law],
    /// The shape of the friction cones.
    pub cone: Cone,
}

impl<'a, T: Real> Problem<'a, T> {
    /// The blocks with the number of their first row.
    pub fn blocks(&self) -> impl Iterator<Item = (usize, &'a Law)> + use<'a, T> {
        let mut next = 0;
        self.laws.iter().map(move |law| {
            let first = next;
            next += law.rows();
            (first, law)
        })
    }

    /// Rows of the problem.
    pub fn rows(&self) -> usize {
        self.b.len()
    }

    /// Panics with the sizes if operator, `b`, laws and a vector of impulses do not match: that is a bug of the caller.
    pub fn assert_fits(&self, lambda: &[T]) {
        let rows: usize = self.laws.iter().map(Law::rows).sum();
        assert!(
            rows == self.b.len() && rows == self.operator.rows() && rows == lambda.len(),
            "the laws have {rows} rows, b {}, the operator {}, the impulses {}",
            self.b.len(),
            self.operator.rows(),
            lambda.len()
        );
    }
}
