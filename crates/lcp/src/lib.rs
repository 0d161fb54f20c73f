//! Complementarity problems of contact and friction, and a family of solvers for them.
//!
//! The problem is `w = A λ + b` with constraint rows in blocks, each under a [`Law`]: the relation between `λ` (impulses
//! [N s]) and `w` (velocities [m/s]) of the block. Every solver starts from the given `λ` (a warm start, or zeros) and
//! returns a [`SolveReport`]: its status, the number of iterations, and how far the result is from the laws ([`residual`]).
//!
//! ```
//! use veracity_lcp::{Cone, Dense, Law, Options, Problem, solver};
//!
//! // A mass of 2 kg falls on the ground at 3 m/s and slides at 1 m/s; friction 0.5.
//! let operator = Dense::from_rows(3, &[0.5, 0.0, 0.0, 0.0, 0.5, 0.0, 0.0, 0.0, 0.5]);
//! let laws = [Law::Friction { mu: [0.5, 0.5] }];
//! let problem = Problem { operator: &operator, b: &[-3.0, 1.0, 0.0], laws: &laws, cone: Cone::Exact };
//! let mut lambda = [0.0; 3];
//! let outcome = (solver("nsgs").unwrap().make)().solve(&problem, &Options::default(), &mut lambda);
//! assert!(outcome.converged());
//! assert_eq!(lambda, [6.0, -2.0, 0.0]);
//! ```
//!
//! Deliberately absent: bodies, shapes and time.

pub mod checked;
pub mod cone;
pub mod fixtures;
pub mod held;
mod islands;
pub mod law;
mod linear;
pub mod local;
mod newton;
pub mod operator;
pub mod problem;
pub mod real;
pub mod report;
pub mod residual;
pub mod solvers;

pub use checked::Checked;
pub use held::Held;
pub use law::Law;
pub use operator::{Dense, Factored, Operator, Segment};
pub use problem::{Cone, Problem};
pub use real::Real;
pub use report::{Options, SolveReport, Status};
pub use residual::{Measure, measure};
pub use solvers::{SOLVERS, Solver, SolverEntry, solver};
