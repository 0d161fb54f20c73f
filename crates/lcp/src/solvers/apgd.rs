//! The convex relaxation, by accelerated projected gradients with restart.
//!
//! ```text
//! (1)  min ½ λᵀ A λ + bᵀ λ,  λ in K                               K: the friction cones, bounds
//! (2)  λ' = P(ν - τ D⁻¹ (A ν + b)),   ν = λ' + θ (λ' - λ)           Nesterov; restart θ where the step goes uphill
//! ```
//!
//! (1) makes friction associated: a contact that slides at `v` also lifts off at `μ v` (Anitescu and Tasora). For contacts
//! that stick, and without friction, it is the exact law; for those that slide it is wrong by that much, at any step size. It
//! is convex: it has a solution whenever impulses can separate the bodies, and a unique value. Where (1) is solved and
//! Coulomb's law is not, the status says so, and the residual, which is always that of the law, says by how much.
//!
//! In the coordinates of `cone` the projection on a contact's cone has a closed form; `D` is one number per block so that the
//! projection is the nearest point. `τ` comes from the power method, and is halved where the residual grows a hundredfold.

use super::jacobi::largest_eigenvalue;
use super::{Common, Solver, SolverEntry, refused};
use crate::cone::Scaled;
use crate::{Cone, Law, Options, Problem, Real, SolveReport, Status};

pub(super) const ENTRY: SolverEntry = SolverEntry {
    name: "apgd",
    text: "the convex relaxation of friction, by accelerated projected gradients",
    guarantees: "Converges for every symmetric positive semidefinite A whose relaxed problem has a solution, as one over \
                 the square of the iterations or better. The solution is that of the law without friction and where \
                 contacts stick; contacts that slide lift by their coefficient times their speed, and the residual says \
                 so.",
    refuses: |law, cone| match (law, cone) {
        (Law::Torsion { .. } | Law::Rolling { .. }, _) => {
            Some("torsion and rolling cones have no closed-form projection: choose a sweeping or Newton solver")
        }
        (Law::Friction { .. }, Cone::Box | Cone::Pyramid { .. }) => Some("the relaxation needs the exact cone"),
        _ => None,
    },
    relaxes: false,
    pivots: false,
    promises: super::sweeps_promise,
    make: || Box::new(Apgd::<f64>::default()),
    make_f32: || Box::new(Apgd::<f32>::default()),
};

/// The solver with its scratch.
#[derive(Clone, Debug, Default)]
pub struct Apgd<T> {
    common: Common<T>,
    metric: Vec<T>,
    ahead: Vec<T>,
    next: Vec<T>,
    gradient: Vec<T>,
    scratch: Vec<T>,
}

/// Iterations between two measurements.
const EVERY: u32 = 10;

impl<T: Real> Apgd<T> {
    /// `gradient = A ahead + b`.
    fn gradient(&mut self, problem: &Problem<T>) {
        problem.operator.multiply(&self.ahead, &mut self.common.u, &mut self.gradient);
        self.gradient.iter_mut().zip(problem.b).for_each(|(g, &b)| *g += b);
    }

    /// `next = P(ahead - τ D⁻¹ gradient)`.
    fn step(&mut self, problem: &Problem<T>, tau: T) {
        for (first, law) in problem.blocks() {
            let by = if self.metric[first] > T::ZERO { tau / self.metric[first] } else { T::ZERO };
            let free = |i: usize| self.ahead[first + i] - by * self.gradient[first + i];
            match law {
                Law::Equal => self.next[first] = free(0),
                Law::Unilateral => self.next[first] = free(0).max(T::ZERO),
                Law::Between { lowest, highest } => {
                    self.next[first] = free(0).max(T::of(*lowest)).min(T::of(*highest));
                }
                Law::Friction { mu } | Law::Torsion { mu, .. } | Law::Rolling { mu, .. } => {
                    let scale = Scaled::<T>::new(*mu);
                    let now = scale.scaled([self.ahead[first + 1], self.ahead[first + 2]]);
                    let t = [0, 1].map(|i| now[i] - by * scale.share[i] * self.gradient[first + 1 + i]);
                    let [n, t0, t1] = project_cone(scale.mu, [free(0), t[0], t[1]]);
                    self.next[first] = n;
                    self.next[first + 1] = scale.share[0] * t0;
                    self.next[first + 2] = scale.share[1] * t1;
                }
            }
        }
    }

    /// The relaxation's own residual [m/s]: how far a full step would move the impulses, times the metric.
    fn relaxed_residual(&mut self, problem: &Problem<T>, lambda: &[T]) -> T {
        self.scratch.clear();
        self.scratch.extend_from_slice(&self.ahead);
        self.ahead.copy_from_slice(lambda);
        self.gradient(problem);
        self.step(problem, T::ONE);
        let mut largest = T::ZERO;
        for i in 0..lambda.len() {
            largest = largest.max(((self.next[i] - lambda[i]) * self.metric[i]).abs());
        }
        self.ahead.copy_from_slice(&self.scratch);
        largest
    }
}

/// The point of `|t| <= μ n` nearest to `(n, t)`.
fn project_cone<T: Real>(mu: T, x: [T; 3]) -> [T; 3] {
    let [n, a, b] = x;
    let length = (a * a + b * b).sqrt();
    if length <= mu * n {
        return x;
    }
    if mu * length <= -n {
        return [T::ZERO; 3];
    }
    let normal = (n + mu * length) / (T::ONE + mu * mu);
    let factor = if length > T::ZERO { mu * normal / length } else { T::ZERO };
    [normal, a * factor, b * factor]
}

impl<T: Real> Solver<T> for Apgd<T> {
    fn solve(&mut self, problem: &Problem<T>, options: &Options, lambda: &mut [T]) -> SolveReport {
        if let Some(outcome) = refused(&ENTRY, problem) {
            return outcome;
        }
        if let Err(outcome) = self.common.begin(problem, options, lambda) {
            return outcome;
        }
        let n = lambda.len();
        // One number per block, the largest of its diagonal.
        self.metric.clear();
        self.metric.resize(n, T::ZERO);
        for (first, law) in problem.blocks() {
            let rows = first..first + law.rows();
            let largest = self.common.diagonal[rows.clone()].iter().fold(T::ZERO, |most, &d| most.max(d));
            self.metric[rows].fill(largest);
        }
        let largest = largest_eigenvalue(problem, &mut self.next, &mut self.gradient, &mut self.scratch);
        let mut tau = T::ONE / largest;
        self.ahead.clear();
        self.ahead.extend_from_slice(lambda);
        self.next.copy_from_slice(lambda);
        let mut theta = T::ONE;
        let mut relaxed = false;
        let mut done = 0;
        let mut least = T::ONE / T::ZERO;
        while done < options.iterations {
            done += 1;
            self.gradient(problem);
            self.step(problem, tau);
            // Uphill: the momentum is dropped.
            let mut uphill = T::ZERO;
            for i in 0..n {
                uphill += self.metric[i] * (self.ahead[i] - self.next[i]) * (self.next[i] - lambda[i]);
            }
            let grown = (T::ONE + (T::ONE + T::of(4.0) * theta * theta).sqrt()) * T::of(0.5);
            let momentum = if uphill > T::ZERO { T::ZERO } else { (theta - T::ONE) / grown };
            theta = if uphill > T::ZERO { T::ONE } else { grown };
            for i in 0..n {
                self.ahead[i] = self.next[i] + momentum * (self.next[i] - lambda[i]);
            }
            lambda.copy_from_slice(&self.next);
            if done % EVERY == 0 || done == options.iterations {
                let residual = self.relaxed_residual(problem, lambda);
                if residual.f64() <= 0.5 * options.tolerance {
                    relaxed = true;
                    break;
                }
                // The residual should fall; where it has grown this much, the eigenvalue of the power method was too small.
                if residual > T::of(100.0) * least {
                    tau *= T::of(0.5);
                    theta = T::ONE;
                    least = residual;
                }
                least = least.min(residual);
            }
        }
        let status = if relaxed { Status::Relaxed } else { Status::IterationLimit };
        self.common.end(problem, options, done, status, lambda)
    }
}
