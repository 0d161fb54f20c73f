//! The ancestors of each degree of freedom, as ranges of consecutive indices.
//!
//! A factor of the mass matrix has entries between a degree of freedom and its ancestors on the path to the root. Limbs are
//! numbered from base to tip, so that path is one range per limb; a foot's is two: its leg and the floating base. Products
//! along it run over slices instead of following parents.

/// The ranges of all degrees of freedom.
#[derive(Clone, Debug, Default)]
pub(crate) struct Branches {
    /// For each degree of freedom the start of its ranges; one more entry at the end.
    starts: Vec<usize>,
    /// First and one past the last index; the nearest range first.
    runs: Vec<(usize, usize)>,
}

impl Branches {
    /// From the parent of each degree of freedom, `usize::MAX` at a root.
    pub fn new(dof_parent: &[usize]) -> Self {
        let mut made = Self { starts: vec![0], runs: Vec::new() };
        for first in dof_parent {
            let begin = made.runs.len();
            let mut at = *first;
            while at != usize::MAX {
                match made.runs[begin..].last_mut() {
                    Some(run) if run.0 == at + 1 => run.0 = at,
                    _ => made.runs.push((at, at + 1)),
                }
                at = dof_parent[at];
            }
            made.starts.push(made.runs.len());
        }
        made
    }

    /// The ancestors of a degree of freedom, without itself.
    #[inline(always)]
    pub fn above(&self, dof: usize) -> &[(usize, usize)] {
        &self.runs[self.starts[dof]..self.starts[dof + 1]]
    }

    /// `Σ lⱼ xⱼ` over the ancestors of `dof`; `l` and `x` are over the degrees of freedom from `first` on.
    #[inline(always)]
    pub fn dot(&self, dof: usize, first: usize, l: &[f64], x: &[f64]) -> f64 {
        let mut sum = 0.0;
        for &(from, to) in self.above(dof) {
            let (l, x) = (&l[from - first..to - first], &x[from - first..to - first]);
            // Even and odd places separately: a single sum would wait for each addition.
            let (pairs, others) = (l.chunks_exact(2), x.chunks_exact(2));
            let rest = pairs.remainder().iter().zip(others.remainder()).fold(0.0, |sum, (l, x)| sum + l * x);
            let (mut even, mut odd) = (0.0, 0.0);
            for (l, x) in pairs.zip(others) {
                even += l[0] * x[0];
                odd += l[1] * x[1];
            }
            sum += (even + odd) + rest;
        }
        sum
    }

    /// `xⱼ ← xⱼ - lⱼ y` for the ancestors of `dof`.
    #[inline(always)]
    pub fn subtract(&self, dof: usize, first: usize, l: &[f64], y: f64, x: &mut [f64]) {
        for &(from, to) in self.above(dof) {
            let (l, x) = (&l[from - first..to - first], &mut x[from - first..to - first]);
            x.iter_mut().zip(l).for_each(|(x, l)| *x -= l * y);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limbs_are_runs() {
        // A base 0 1, a leg 2 3 4 on it, an arm 5 6 on 1, a finger 7 on 5.
        let none = usize::MAX;
        let branches = Branches::new(&[none, 0, 1, 2, 3, 1, 5, 5]);
        assert_eq!(branches.above(0), []);
        assert_eq!(branches.above(4), [(0, 4)]);
        assert_eq!(branches.above(6), [(5, 6), (0, 2)]);
        assert_eq!(branches.above(7), [(5, 6), (0, 2)]);
        let l = [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0];
        assert_eq!(branches.dot(7, 0, &l, &[1.0; 8]), 35.0);
        let mut x = [0.0; 8];
        branches.subtract(4, 0, &l, 2.0, &mut x);
        assert_eq!(x, [-2.0, -4.0, -8.0, -16.0, 0.0, 0.0, 0.0, 0.0]);
    }
}
