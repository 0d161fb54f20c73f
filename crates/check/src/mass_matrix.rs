//! The joint-space inertia matrix of a world at its start, stored by blocks.
//!
//! Separate trees attached to the world do not couple: `M` is block diagonal with one block for each tree
//! ([`veracity_dynamics::System::blocks`]). Ten thousand free bodies are ten thousand blocks of 6 x 6, not one matrix
//! of 60,000 x 60,000. The spectrum of a block-diagonal matrix is the union of the spectra of its blocks, so the
//! condition number is that of the whole matrix:
//!
//! ```text
//! (1)  cond(M) = max over blocks of λmax / min over blocks of λmin
//! ```

use nalgebra as na;
use std::sync::OnceLock;
use veracity_dynamics::{System, Workspace, crba};

/// The blocks, in the order of their degrees of freedom.
pub struct MassMatrix {
    blocks: Vec<MassBlock>,
    conditions: OnceLock<Conditions>,
}

/// The block of one tree.
pub struct MassBlock {
    /// Its first degree of freedom.
    pub first: usize,
    /// The full symmetric matrix.
    pub matrix: na::DMatrix<f64>,
}

/// Condition numbers; `None` unless positive definite.
#[derive(Clone, Copy)]
struct Conditions {
    raw: Option<f64>,
    scaled: Option<f64>,
}

impl MassMatrix {
    /// Computes the matrix of a system, after [`veracity_dynamics::kinematics::positions`].
    pub fn new(system: &System, ws: &mut Workspace) -> Self {
        let mut rows = Vec::new();
        let blocks = system.blocks().iter().enumerate().map(|(index, block)| {
            rows.resize(block.len * block.len, 0.0);
            crba::block_mass_matrix(system, ws, index, &mut rows);
            MassBlock { first: block.first, matrix: na::DMatrix::from_row_slice(block.len, block.len, &rows) }
        });
        Self { blocks: blocks.collect(), conditions: OnceLock::new() }
    }

    /// The blocks, one for each tree.
    pub fn blocks(&self) -> &[MassBlock] {
        &self.blocks
    }

    /// Number of stored entries: the cost of every pass over the matrix.
    pub fn stored(&self) -> usize {
        self.blocks.iter().map(|b| b.matrix.len()).sum()
    }

    /// Index of the block that contains a degree of freedom.
    pub fn block_of(&self, dof: usize) -> usize {
        self.blocks.partition_point(|b| b.first <= dof) - 1
    }

    /// The entry between two degrees of freedom.
    pub fn entry(&self, i: usize, j: usize) -> f64 {
        let block = &self.blocks[self.block_of(i)];
        let size = block.matrix.nrows();
        let inside = (block.first..block.first + size).contains(&j);
        if inside { block.matrix[(i - block.first, j - block.first)] } else { 0.0 }
    }

    /// The submatrix of some degrees of freedom.
    pub fn among(&self, dofs: &[usize]) -> na::DMatrix<f64> {
        na::DMatrix::from_fn(dofs.len(), dofs.len(), |i, j| self.entry(dofs[i], dofs[j]))
    }

    /// Condition number: ratio of the extreme eigenvalues, (1); `None` unless positive definite.
    pub fn condition(&self) -> Option<f64> {
        self.conditions().raw
    }

    /// Condition number of `D^-½ M D^-½`, D the diagonal.
    pub fn scaled_condition(&self) -> Option<f64> {
        self.conditions().scaled
    }

    /// Computed at the first call: the most expensive number of an inspection.
    fn conditions(&self) -> Conditions {
        *self.conditions.get_or_init(|| {
            let scaled = |m: &na::DMatrix<f64>| {
                let scale = m.diagonal().map(|x| 1.0 / x.sqrt());
                na::DMatrix::from_fn(m.nrows(), m.ncols(), |i, j| m[(i, j)] * scale[i] * scale[j])
            };
            Conditions {
                raw: ratio(self.blocks.iter().map(|b| extremes(&b.matrix))),
                scaled: ratio(self.blocks.iter().map(|b| extremes(&scaled(&b.matrix)))),
            }
        })
    }
}

/// Smallest and largest eigenvalue; `None` unless positive definite.
fn extremes(m: &na::DMatrix<f64>) -> Option<(f64, f64)> {
    if m.iter().any(|x| !x.is_finite()) {
        return None;
    }
    let eigenvalues = m.symmetric_eigenvalues();
    Some((eigenvalues.min(), eigenvalues.max())).filter(|(low, _)| *low > 0.0)
}

/// Equation (1); `None` without blocks or if one is not positive definite.
fn ratio(extremes: impl Iterator<Item = Option<(f64, f64)>>) -> Option<f64> {
    let mut whole: Option<(f64, f64)> = None;
    for of_block in extremes {
        let (low, high) = of_block?;
        whole = Some(whole.map_or((low, high), |(l, h)| (l.min(low), h.max(high))));
    }
    whole.map(|(low, high)| high / low)
}
