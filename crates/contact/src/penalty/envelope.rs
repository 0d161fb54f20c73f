//! Triangular factors of a matrix of coupled blocks, stored in its envelope.
//!
//! Rows of the matrix are the velocities of the world, in blocks (trees). Blocks that touch are coupled. The blocks are
//! ordered so that neighbours are close (Cuthill and McKee 1969, reversed by George 1971), and each row stores the
//! entries from its first coupled block to the diagonal. Inside that envelope
//!
//! ```text
//! (1)  L_ij = (A_ij - Σ_k L_ik L_jk) / L_jj,   k from the later of the two beginnings
//! ```
//!
//! has no fill outside. Separate islands are independent: their envelopes do not overlap. Cost: Σ (row length)². A
//! nonsymmetric matrix stores its upper half in a second envelope of the same form and is factored, without row
//! exchanges, as
//!
//! ```text
//! (2)  L_ij = (A_ij - Σ_k L_ik U_kj) / U_jj,   U_ji = A_ji - Σ_k L_jk U_ki,   L_ii = 1
//! ```

/// The matrix, then its factor. Reused without allocation once the sizes have occurred.
#[derive(Clone, Debug, Default)]
pub struct Envelope {
    /// For each block: its size, and its first row in the new order.
    size: Vec<usize>,
    place: Vec<usize>,
    /// Row index in the new order of each old row.
    row: Vec<usize>,
    /// First column of each new row, and where its entries begin.
    first: Vec<usize>,
    start: Vec<usize>,
    values: Vec<f64>,
    /// Columns above the diagonal, where rows have their part below it; used for (2) only.
    upper: Vec<f64>,
    work: Vec<f64>,
    /// Scratch of the ordering: neighbours of each block, its degree, the queue.
    edges: Vec<(u32, u32)>,
    degree: Vec<u32>,
    queue: Vec<u32>,
    seen: Vec<bool>,
}

impl Envelope {
    /// Sets up the matrix for `blocks` (first row, size; contiguous, in order) coupled in `pairs`, and fills it with
    /// zeros.
    pub fn lay_out(&mut self, blocks: &[(usize, usize)], pairs: impl Iterator<Item = (usize, usize)>) {
        let count = blocks.len();
        self.edges.clear();
        for (a, b) in pairs {
            if a != b {
                self.edges.push((a as u32, b as u32));
                self.edges.push((b as u32, a as u32));
            }
        }
        self.edges.sort_unstable();
        self.edges.dedup();
        self.degree.clear();
        self.degree.resize(count, 0);
        for &(a, _) in &self.edges {
            self.degree[a as usize] += 1;
        }
        self.order(count);

        // Rows in the new order, then the first column of each.
        let rows = blocks.last().map_or(0, |b| b.0 + b.1);
        self.size.clear();
        self.size.extend(blocks.iter().map(|b| b.1));
        self.place.clear();
        self.place.resize(count, 0);
        let mut at = 0;
        for &block in self.queue.iter().rev() {
            self.place[block as usize] = at;
            at += self.size[block as usize];
        }
        self.row.clear();
        self.row.resize(rows, 0);
        self.first.clear();
        self.first.resize(rows, 0);
        for (block, &(old, size)) in blocks.iter().enumerate() {
            let new = self.place[block];
            let mut first = new;
            let from = self.edges.partition_point(|e| (e.0 as usize) < block);
            for &(a, b) in &self.edges[from..] {
                if a as usize != block {
                    break;
                }
                first = first.min(self.place[b as usize]);
            }
            for k in 0..size {
                self.row[old + k] = new + k;
                self.first[new + k] = first;
            }
        }
        self.start.clear();
        let mut total = 0;
        for (row, &first) in self.first.iter().enumerate() {
            self.start.push(total);
            total += row + 1 - first;
        }
        self.values.clear();
        self.values.resize(total, 0.0);
    }

    /// Breadth first from a block of least degree, neighbours by degree; the caller reverses the order.
    fn order(&mut self, count: usize) {
        self.queue.clear();
        self.seen.clear();
        self.seen.resize(count, false);
        let mut head = 0;
        while self.queue.len() < count {
            let unseen = (0..count).filter(|&b| !self.seen[b]);
            let Some(root) = unseen.min_by_key(|&b| self.degree[b]) else { return };
            self.seen[root] = true;
            self.queue.push(root as u32);
            while head < self.queue.len() {
                let block = self.queue[head];
                head += 1;
                let begin = self.queue.len();
                let from = self.edges.partition_point(|e| e.0 < block);
                for &(a, b) in &self.edges[from..] {
                    if a != block {
                        break;
                    }
                    if !std::mem::replace(&mut self.seen[b as usize], true) {
                        self.queue.push(b);
                    }
                }
                let degree = &self.degree;
                self.queue[begin..].sort_unstable_by_key(|&b| (degree[b as usize], b));
            }
        }
    }

    /// Sets every entry to zero; the layout stays.
    pub fn clear(&mut self) {
        self.values.fill(0.0);
    }

    /// Adds `u uᵀ` for a vector on one or two blocks, given by its parts.
    #[inline]
    pub fn add_square(&mut self, a: (usize, &[f64]), b: Option<(usize, &[f64])>) {
        self.add_own(a);
        let Some(b) = b else { return };
        self.add_own(b);
        let (low, high) = if self.place[a.0] < self.place[b.0] { (a, b) } else { (b, a) };
        let column = self.place[low.0];
        for (k, &x) in high.1.iter().enumerate() {
            let row = self.place[high.0] + k;
            let at = self.start[row] + column - self.first[row];
            for (value, y) in self.values[at..at + low.1.len()].iter_mut().zip(low.1) {
                *value += x * y;
            }
        }
    }

    fn add_own(&mut self, (block, u): (usize, &[f64])) {
        let column = self.place[block];
        for (k, &x) in u.iter().enumerate() {
            let row = column + k;
            let at = self.start[row] + column - self.first[row];
            for (value, y) in self.values[at..=at + k].iter_mut().zip(u) {
                *value += x * y;
            }
        }
    }

    /// Adds a symmetric matrix (row-major, lower half read) to a block.
    pub fn add_block(&mut self, block: usize, matrix: &[f64]) {
        let (column, n) = (self.place[block], self.size[block]);
        for k in 0..n {
            let at = self.start[column + k] + column - self.first[column + k];
            for (value, y) in self.values[at..=at + k].iter_mut().zip(&matrix[k * n..]) {
                *value += y;
            }
        }
    }

    /// Copies the lower half to the upper one, so that [`Envelope::add_outer`] may make them differ.
    pub fn mirror(&mut self) {
        self.upper.clear();
        self.upper.extend_from_slice(&self.values);
    }

    /// Adds `x yᵀ` for vectors on the same one or two blocks, after [`Envelope::mirror`].
    pub fn add_outer(&mut self, blocks: [Option<usize>; 2], x: [&[f64]; 2], y: [&[f64]; 2]) {
        for (a, x) in blocks.iter().zip(x) {
            for (b, y) in blocks.iter().zip(y) {
                let (Some(a), Some(b)) = (*a, *b) else { continue };
                for (i, &xi) in x.iter().enumerate() {
                    for (j, &yj) in y.iter().enumerate() {
                        let (row, column) = (self.place[a] + i, self.place[b] + j);
                        let entry = |low: usize, high: usize| self.start[high] + low - self.first[high];
                        if row >= column {
                            self.values[entry(column, row)] += xi * yj;
                        }
                        if row <= column {
                            self.upper[entry(row, column)] += xi * yj;
                        }
                    }
                }
            }
        }
    }

    /// (2) in place, after [`Envelope::mirror`]. Returns `false` if a pivot is not positive: row exchanges would be
    /// needed.
    pub fn factor_coupled(&mut self) -> bool {
        for i in 0..self.first.len() {
            let (first, start) = (self.first[i], self.start[i]);
            for j in first..i {
                let (other_first, other) = (self.first[j], self.start[j]);
                let from = first.max(other_first);
                let own = start + from - first..start + j - first;
                let its = other + from - other_first..other + j - other_first;
                let below = dot(&self.values[own.clone()], &self.upper[its.clone()]);
                let above = dot(&self.upper[own], &self.values[its]);
                self.values[start + j - first] =
                    (self.values[start + j - first] - below) / self.upper[other + j - other_first];
                self.upper[start + j - first] -= above;
            }
            let row = start..start + i - first;
            let pivot = self.upper[start + i - first] - dot(&self.values[row.clone()], &self.upper[row]);
            if pivot.is_nan() || pivot <= 0.0 {
                return false;
            }
            self.upper[start + i - first] = pivot;
        }
        true
    }

    /// `x ← A⁻¹ x` with the factors (2), in the old order.
    pub fn solve_coupled(&mut self, x: &mut [f64]) {
        let n = self.first.len();
        let mut y = std::mem::take(&mut self.work);
        y.clear();
        y.resize(n, 0.0);
        for (old, &new) in self.row.iter().enumerate() {
            y[new] = x[old];
        }
        for i in 0..n {
            let (first, row) = (self.first[i], &self.values[self.start[i]..]);
            y[i] -= dot(&row[..i - first], &y[first..i]);
        }
        for i in (0..n).rev() {
            let (first, column) = (self.first[i], &self.upper[self.start[i]..]);
            y[i] /= column[i - first];
            let yi = y[i];
            for (j, value) in (first..i).zip(column) {
                y[j] -= value * yi;
            }
        }
        for (old, &new) in self.row.iter().enumerate() {
            x[old] = y[new];
        }
        self.work = y;
    }

    /// (1) in place. `Err` names the old row whose pivot is not positive.
    pub fn factor(&mut self) -> Result<(), usize> {
        for i in 0..self.first.len() {
            let first = self.first[i];
            let (above, rest) = self.values.split_at_mut(self.start[i]);
            let row = &mut rest[..i + 1 - first];
            for j in first..i {
                let other_first = self.first[j];
                let other = &above[self.start[j]..self.start[j] + j + 1 - other_first];
                let from = first.max(other_first);
                let sum = dot(&row[from - first..j - first], &other[from - other_first..j - other_first]);
                row[j - first] = (row[j - first] - sum) / other[j - other_first];
            }
            let pivot = row[i - first] - dot(&row[..i - first], &row[..i - first]);
            if pivot.is_nan() || pivot <= 0.0 {
                return Err(self.row.iter().position(|&r| r == i).unwrap_or(0));
            }
            row[i - first] = pivot.sqrt();
        }
        Ok(())
    }

    /// `x ← A⁻¹ x` with the factor, in the old order.
    pub fn solve(&mut self, x: &mut [f64]) {
        let n = self.first.len();
        let mut y = std::mem::take(&mut self.work);
        y.clear();
        y.resize(n, 0.0);
        for (old, &new) in self.row.iter().enumerate() {
            y[new] = x[old];
        }
        for i in 0..n {
            let row = &self.values[self.start[i]..];
            let sum = dot(&row[..i - self.first[i]], &y[self.first[i]..i]);
            y[i] = (y[i] - sum) / row[i - self.first[i]];
        }
        for i in (0..n).rev() {
            let (first, row) = (self.first[i], &self.values[self.start[i]..]);
            y[i] /= row[i - first];
            let yi = y[i];
            for (j, value) in (first..i).zip(row) {
                y[j] -= value * yi;
            }
        }
        for (old, &new) in self.row.iter().enumerate() {
            x[old] = y[new];
        }
        self.work = y;
    }
}

/// In four partial sums: a fixed order that the compiler may still vectorise.
#[inline]
fn dot(a: &[f64], b: &[f64]) -> f64 {
    let mut sums = [0.0; 4];
    let (whole_a, rest_a) = a.split_at(a.len() & !3);
    let (whole_b, rest_b) = b.split_at(whole_a.len());
    for (x, y) in whole_a.chunks_exact(4).zip(whole_b.chunks_exact(4)) {
        for k in 0..4 {
            sums[k] += x[k] * y[k];
        }
    }
    let tail: f64 = rest_a.iter().zip(rest_b).map(|(x, y)| x * y).sum();
    (sums[0] + sums[1]) + (sums[2] + sums[3]) + tail
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra as na;
    use proptest::prelude::*;

    proptest! {
        /// Blocks of any size and coupling: the solution agrees with that of a dense factor.
        #[test]
        fn agrees_with_a_dense_factor(
            sizes in proptest::collection::vec(0usize..5, 1..9),
            couplings in proptest::collection::vec((0usize..9, 0usize..9, -1.0f64..1.0), 0..14),
        ) {
            let mut blocks = Vec::new();
            let mut at = 0;
            for s in &sizes {
                blocks.push((at, *s));
                at += s;
            }
            let n = at;
            let pairs: Vec<_> = couplings.iter().filter(|c| c.0 < sizes.len() && c.1 < sizes.len()).collect();
            let mut envelope = Envelope::default();
            let mut dense = na::DMatrix::<f64>::identity(n, n);
            // Twice, to show that the memory of an earlier layout does no harm.
            for _ in 0..2 {
                envelope.lay_out(&blocks, pairs.iter().map(|c| (c.0, c.1)));
            }
            for (block, &(_, size)) in blocks.iter().enumerate() {
                let identity: Vec<f64> = (0..size * size).map(|i| f64::from(i % (size + 1) == 0)).collect();
                envelope.add_block(block, &identity);
            }
            for &&(a, b, strength) in &pairs {
                // A row that couples both blocks adds its outer product.
                let part = |block: usize| -> Vec<f64> { (0..sizes[block]).map(|k| strength + 0.1 * k as f64).collect() };
                let mut row = na::DVector::<f64>::zeros(n);
                let (of_a, of_b) = (part(a), part(b));
                row.rows_mut(blocks[a].0, blocks[a].1).copy_from_slice(&of_a);
                row.rows_mut(blocks[b].0, blocks[b].1).copy_from_slice(&of_b);
                dense += &row * row.transpose();
                envelope.add_square((a, &of_a), (a != b).then_some((b, &of_b)));
            }
            let right = na::DVector::from_fn(n, |i, _| 1.0 + i as f64);
            let mut x: Vec<f64> = right.iter().copied().collect();
            prop_assert!(envelope.factor().is_ok());
            envelope.solve(&mut x);
            let residual = &dense * na::DVector::from_vec(x) - &right;
            // Eigenvalues between 1 and some hundreds: rounding stays far below this.
            prop_assert!(residual.amax() < 1e-10 * (1.0 + right.amax()));

            // The same matrix with a nonsymmetric part.
            envelope.clear();
            for (block, &(_, size)) in blocks.iter().enumerate() {
                let ten: Vec<f64> = (0..size * size).map(|i| 10.0 * f64::from(i % (size + 1) == 0)).collect();
                envelope.add_block(block, &ten);
            }
            let mut dense = na::DMatrix::<f64>::identity(n, n) * 10.0;
            envelope.mirror();
            for &&(a, b, strength) in &pairs {
                let part = |block: usize, t: f64| -> Vec<f64> { (0..sizes[block]).map(|k| t + 0.1 * k as f64).collect() };
                let (x, y) = ([part(a, strength), part(b, 0.3)], [part(a, 0.2), part(b, strength)]);
                let second = (a != b).then_some(b);
                envelope.add_outer([Some(a), second], [&x[0], &x[1]], [&y[0], &y[1]]);
                let whole = |p: &[Vec<f64>; 2]| {
                    let mut v = na::DVector::<f64>::zeros(n);
                    v.rows_mut(blocks[a].0, blocks[a].1).copy_from_slice(&p[0]);
                    if a != b {
                        v.rows_mut(blocks[b].0, blocks[b].1).copy_from_slice(&p[1]);
                    }
                    v
                };
                dense += whole(&x) * whole(&y).transpose();
            }
            if envelope.factor_coupled() {
                let mut x: Vec<f64> = right.iter().copied().collect();
                envelope.solve_coupled(&mut x);
                let residual = &dense * na::DVector::from_vec(x.clone()) - &right;
                // Without row exchanges a small pivot may cost some digits.
                let size = x.iter().fold(1.0_f64, |a, b| a.max(b.abs()));
                prop_assert!(residual.amax() < 1e-7 * size * (1.0 + right.amax()), "{}", residual.amax());
            }
        }
    }

    #[test]
    fn a_pivot_that_is_not_positive_is_named() {
        let mut envelope = Envelope::default();
        envelope.lay_out(&[(0, 1), (1, 1)], [(0, 1)].into_iter());
        envelope.add_block(0, &[1.0]);
        envelope.add_block(1, &[0.0]);
        assert_eq!(envelope.factor(), Err(1));
    }
}
