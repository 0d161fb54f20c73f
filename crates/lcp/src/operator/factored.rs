//! `A = J Jᵀ + C`: each row touches the velocities of one tree or of two.
//!
//! ```text
//! (1)  u = Jᵀ λ                   change of all velocities
//! (2)  w - b = J u + C λ          C diagonal: the rows' compliance
//! ```
//!
//! Velocities are in coordinates in which the mass matrix is the identity: with `M = Sᵀ S`, `u = S v`, and a row `j` over `v`
//! is `S⁻ᵀ j` over `u`. `A` is then symmetric to the last bit, and gathering (2) and scattering (1) read the same numbers: a
//! sweep reads memory once, from front to back.

use super::{Operator, kernels};
use crate::Real;

/// The part of one row that acts on the velocities of one tree.
#[derive(Clone, Copy, Debug)]
pub struct Segment<'a, T> {
    /// Index of the tree's first velocity.
    pub start: usize,
    /// `J`: velocity of the row per velocity of the tree, and change of the tree's velocities per impulse of the row.
    pub jacobian: &'a [T],
}

/// Position of a row's numbers. Uses `u32` to halve its size: a sweep reads one for every row.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Head {
    /// Into `values`: `J` of both segments.
    offset: u32,
    start: [u32; 2],
    len: [u32; 2],
    /// Whether it has the segments of the row before.
    same: bool,
    /// Whether the three rows that begin here are one contact of free bodies. Set once, when the last of them is added, because
    /// a sweep reads it for every contact.
    triple: Triple,
}

impl Head {
    /// Index of its first number.
    #[inline(always)]
    fn offset(&self) -> usize {
        self.offset as usize
    }

    /// Indices of the first velocities of its segments.
    #[inline(always)]
    pub fn start(&self) -> [usize; 2] {
        [self.start[0] as usize, self.start[1] as usize]
    }

    /// Numbers of velocities of its segments.
    #[inline(always)]
    pub fn len(&self) -> [usize; 2] {
        [self.len[0] as usize, self.len[1] as usize]
    }

    /// Count of its numbers.
    #[inline(always)]
    fn width(&self) -> usize {
        (self.len[0] + self.len[1]) as usize
    }
}

/// Three rows with the segments of one free body, or of two.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Triple {
    One,
    Two,
    #[default]
    Other,
}

/// The operator of a contact problem.
#[derive(Clone, Debug, Default)]
pub struct Factored<T> {
    velocities: usize,
    pub(crate) heads: Vec<Head>,
    pub(crate) values: Vec<T>,
    pub(crate) compliance: Vec<T>,
}

impl<T: Real> Factored<T> {
    /// An operator without rows over this many velocities.
    pub fn new(velocities: usize) -> Factored<T> {
        Factored { velocities, heads: Vec::new(), values: Vec::new(), compliance: Vec::new() }
    }

    /// Removes the rows, keeps the memory.
    pub fn clear(&mut self, velocities: usize) {
        self.velocities = velocities;
        self.heads.clear();
        self.values.clear();
        self.compliance.clear();
    }

    /// Reserves memory for the rows of another operator: pushing no more than those allocates nothing.
    pub fn reserve_for(&mut self, other: &Factored<T>) {
        self.heads.reserve(other.heads.len().saturating_sub(self.heads.len()));
        self.values.reserve(other.values.len().saturating_sub(self.values.len()));
        self.compliance.reserve(other.compliance.len().saturating_sub(self.compliance.len()));
    }

    /// Adds a row with a `compliance` [m/s per N s]. Up to two segments, which must not overlap.
    pub fn push(&mut self, compliance: T, segments: &[Segment<T>]) {
        assert!(segments.len() <= 2, "a row touches at most two trees; this one {}", segments.len());
        let mut head = Head { offset: short(self.values.len()), ..Head::default() };
        for (k, segment) in segments.iter().enumerate() {
            assert!(segment.start + segment.jacobian.len() <= self.velocities, "segment beyond the velocities");
            head.start[k] = short(segment.start);
            head.len[k] = short(segment.jacobian.len());
            self.values.extend_from_slice(segment.jacobian);
        }
        self.push_head(head, compliance);
    }

    /// Adds rows that all have the same segments (first velocity and number of velocities), the first with a `compliance`.
    /// Returns their numbers, row by row and zero, for the caller to fill in.
    pub fn push_block(&mut self, rows: usize, compliance: T, segments: &[(usize, usize)]) -> &mut [T] {
        assert!(segments.len() <= 2, "a row touches at most two trees; these {}", segments.len());
        let mut head = Head::default();
        for (k, &(start, len)) in segments.iter().enumerate() {
            assert!(start + len <= self.velocities, "segment beyond the velocities");
            (head.start[k], head.len[k]) = (short(start), short(len));
        }
        let begin = self.values.len();
        let end = begin + rows * head.width();
        short(end);
        for row in 0..rows {
            head.offset = (begin + row * head.width()) as u32;
            self.push_head(head, if row == 0 { compliance } else { T::ZERO });
        }
        self.values.resize(end, T::ZERO);
        &mut self.values[begin..]
    }

    #[inline]
    fn push_head(&mut self, mut head: Head, compliance: T) {
        head.same = self.heads.last().is_some_and(|last| last.start == head.start && last.len == head.len);
        if let [.., first, second] = &mut self.heads[..]
            && second.same
            && head.same
        {
            first.triple = match head.len {
                [6, 6] => Triple::Two,
                [6, 0] => Triple::One,
                _ => Triple::Other,
            };
        }
        self.heads.push(head);
        self.compliance.push(compliance);
    }

    /// Adds rows of another operator, one block of them; the velocities of their segments begin at `start(theirs)` here.
    pub fn push_copy(&mut self, other: &Factored<T>, rows: std::ops::Range<usize>, start: impl Fn(usize) -> usize) {
        let heads = &other.heads[rows.clone()];
        let (Some(first), Some(last)) = (heads.first(), heads.last()) else { return };
        let (begin, theirs) = (short(self.values.len()), first.offset);
        // Rows are stored one after another: their numbers are one slice.
        self.values.extend_from_slice(&other.values[first.offset()..last.offset() + last.width()]);
        short(self.values.len());
        let mut starts = [0; 2];
        for (k, from) in heads.iter().enumerate() {
            // Rows of a contact have the segments of the first.
            if k == 0 || !from.same {
                starts = [0; 2];
                for side in (0..2).filter(|side| from.len[*side] > 0) {
                    starts[side] = short(start(from.start()[side]));
                    let end = starts[side] as usize + from.len()[side];
                    assert!(end <= self.velocities, "segment beyond the velocities");
                }
            }
            let offset = begin + (from.offset - theirs);
            let head = Head { offset, start: starts, len: from.len, ..Head::default() };
            self.push_head(head, other.compliance[rows.start + k]);
        }
    }

    /// Indices of the first velocities of a row's segments: none, one or two.
    pub fn segment_starts(&self, row: usize) -> impl Iterator<Item = usize> {
        let (start, len) = (self.heads[row].start(), self.heads[row].len());
        (0..2).filter(move |k| len[*k] > 0).map(move |k| start[k])
    }

    /// Sets the compliance of a row [m/s per N s].
    pub fn set_compliance(&mut self, row: usize, compliance: T) {
        self.compliance[row] = compliance;
    }

    /// Copies another operator, rounded to this precision.
    pub fn cast_from<S: Real>(&mut self, other: &Factored<S>) {
        self.clear(other.velocities);
        self.heads.extend_from_slice(&other.heads);
        self.values.extend(other.values.iter().map(|x| T::of(x.f64())));
        self.compliance.extend(other.compliance.iter().map(|x| T::of(x.f64())));
    }

    /// `J` of a row's segments, and the indices of their first velocities.
    #[inline]
    pub(crate) fn row(&self, row: usize) -> [(usize, &[T]); 2] {
        let head = &self.heads[row];
        let (start, len) = (head.start(), head.len());
        let (first, second) = self.values[head.offset()..head.offset() + head.width()].split_at(len[0]);
        [(start[0], first), (start[1], second)]
    }

    /// Three rows from `first`, if they are one contact of free bodies.
    #[inline(always)]
    fn gather_contact(&self, u: &[T], lambda: [T; 3], first: usize) -> Option<[T; 3]> {
        let head = &self.heads[first];
        let [x, y, z] = match head.triple {
            Triple::Two => kernels::gather(self.three(head, 12), &kernels::twelve(u, head.start())),
            Triple::One => kernels::gather(self.three(head, 6), &kernels::six(u, head.start()[0])),
            Triple::Other => return None,
        };
        let (c, l) = (&self.compliance[first..first + 3], lambda);
        Some([x + c[0] * l[0], y + c[1] * l[1], z + c[2] * l[2]])
    }

    /// `J u` of all rows.
    pub fn velocities(&self, u: &[T], out: &mut Vec<T>) {
        out.clear();
        out.reserve(self.heads.len());
        while out.len() < self.heads.len() {
            let row = out.len();
            match self.gather_contact(u, [T::ZERO; 3], row) {
                Some(three) => out.extend_from_slice(&three),
                None => out.push(self.gather_one(u, T::ZERO, row)),
            }
        }
    }

    /// Contact by contact, and row by row elsewhere.
    fn gather_rows(&self, u: &[T], lambda: &[T], first: usize, out: &mut [T]) {
        let mut at = 0;
        while at < out.len() {
            let row = first + at;
            if out.len() - at >= 3
                && let Some(three) = self.gather_contact(u, three_of(lambda, row), row)
            {
                out[at..at + 3].copy_from_slice(&three);
                at += 3;
            } else {
                out[at] = self.gather_one(u, lambda[row], row);
                at += 1;
            }
        }
    }

    #[inline]
    fn gather_one(&self, u: &[T], lambda: T, row: usize) -> T {
        let head = &self.heads[row];
        let sum = self.compliance[row] * lambda;
        // A loose body held by a finger on one joint, or by nothing that moves: lengths known to the compiler.
        match head.len {
            [6, 1] => sum + self.dot_at::<6>(head, 0, u) + self.dot_at::<1>(head, 1, u),
            [1, 6] => sum + self.dot_at::<1>(head, 0, u) + self.dot_at::<6>(head, 1, u),
            _ => self.row(row).into_iter().fold(sum, |sum, (start, j)| sum + dot(j, &u[start..start + j.len()])),
        }
    }

    /// `J u` of one segment of `N` velocities.
    #[inline(always)]
    fn dot_at<const N: usize>(&self, head: &Head, side: usize, u: &[T]) -> T {
        let begin = head.offset() + if side == 0 { 0 } else { head.len()[0] };
        let start = head.start()[side];
        let j: &[T; N] = self.values[begin..begin + N].try_into().expect("a segment of that length");
        let u: &[T; N] = u[start..start + N].try_into().expect("velocities of that segment");
        dot(j, u)
    }

    /// Handles three rows from `first` if they are one contact of free bodies; returns whether they are.
    #[inline(always)]
    fn scatter_contact(&self, first: usize, change: [T; 3], u: &mut [T]) -> bool {
        let head = &self.heads[first];
        match head.triple {
            Triple::Two => {
                let start = head.start();
                let mut both = kernels::twelve(u, start);
                kernels::scatter(self.three(head, 12), change, &mut both);
                u[start[0]..start[0] + 6].copy_from_slice(&both[..6]);
                u[start[1]..start[1] + 6].copy_from_slice(&both[6..]);
            }
            Triple::One => {
                let start = head.start()[0];
                let mut six = kernels::six(u, start);
                kernels::scatter(self.three(head, 6), change, &mut six);
                u[start..start + 6].copy_from_slice(&six);
            }
            Triple::Other => return false,
        }
        true
    }

    /// Contact by contact, and row by row elsewhere.
    fn scatter_rows(&self, first: usize, change: &[T], u: &mut [T]) {
        let mut at = 0;
        while at < change.len() {
            if let Some(&[x, y, z]) = change[at..].first_chunk()
                && self.scatter_contact(first + at, [x, y, z], u)
            {
                at += 3;
            } else {
                self.scatter_each(first + at, &change[at..at + 1], u);
                at += 1;
            }
        }
    }

    fn scatter_each(&self, first: usize, change: &[T], u: &mut [T]) {
        for (row, &change) in (first..).zip(change) {
            if change == T::ZERO {
                continue;
            }
            for (start, j) in self.row(row) {
                let u = &mut u[start..start + j.len()];
                if let (Ok(u), Ok(j)) = (<&mut [T; 6]>::try_from(&mut *u), <&[T; 6]>::try_from(j)) {
                    (0..6).for_each(|k| u[k] += j[k] * change);
                } else {
                    u.iter_mut().zip(j).for_each(|(u, &j)| *u += j * change);
                }
            }
        }
    }

    fn square(&self, first: usize, n: usize, out: &mut [T]) {
        for i in 0..n {
            for j in 0..=i {
                let a = self.entry(first + i, first + j);
                (out[i * n + j], out[j * n + i]) = (a, a);
            }
        }
    }

    /// The numbers of three rows from this one, all over `n` velocities.
    #[inline(always)]
    fn three(&self, first: &Head, n: usize) -> &[T] {
        &self.values[first.offset()..first.offset() + 3 * n]
    }

    /// Whether two rows share a velocity.
    pub(crate) fn touch(&self, row: usize, column: usize) -> bool {
        let (of, with) = (&self.heads[row], &self.heads[column]);
        let end = |head: &Head, k: usize| head.start[k] + head.len[k];
        (0..2).any(|i| (0..2).any(|j| of.start[i].max(with.start[j]) < end(of, i).min(end(with, j))))
    }

    /// Whether a row has the segments of the row before.
    pub(crate) fn continues(&self, row: usize) -> bool {
        self.heads[row].same
    }

    /// Sets the running vector of the trees that a row touches to zero.
    pub(crate) fn clear_running(&self, row: usize, u: &mut [T]) {
        let (start, len) = (self.heads[row].start(), self.heads[row].len());
        (0..2).for_each(|k| u[start[k]..start[k] + len[k]].fill(T::ZERO));
    }

    /// Whether all rows of a block have the same segments.
    pub(crate) fn is_uniform(&self, first: usize, rows: usize) -> bool {
        self.heads[first + 1..first + rows].iter().all(|head| head.same)
    }

    /// `A` between the rows of one block and those of another, both uniform; row by row, each `stride` after the last.
    pub(crate) fn product(
        &self,
        (of, rows): (usize, usize),
        (with, columns): (usize, usize),
        stride: usize,
        out: &mut [T],
    ) {
        let (a, b) = (self.heads[of], self.heads[with]);
        // The overlap of segments: offset in each, and length. Rows of one width are contiguous.
        let mut overlaps = [(0, 0, 0); 4];
        let mut count = 0;
        if a.start == b.start && a.len == b.len {
            overlaps[0] = (0, 0, a.width());
            count = 1;
        } else {
            let ((a_start, a_len), (b_start, b_len)) = ((a.start(), a.len()), (b.start(), b.len()));
            for i in 0..2 {
                for j in 0..2 {
                    let from = a_start[i].max(b_start[j]);
                    let to = (a_start[i] + a_len[i]).min(b_start[j] + b_len[j]);
                    if from < to {
                        let skip = |len: [usize; 2], k: usize| if k == 0 { 0 } else { len[0] };
                        overlaps[count] =
                            (skip(a_len, i) + from - a_start[i], skip(b_len, j) + from - b_start[j], to - from);
                        count += 1;
                    }
                }
            }
        }
        let (n, m) = (a.width(), b.width());
        let (a_offset, b_offset) = (a.offset(), b.offset());
        if (rows, columns) == (3, 3) {
            // Two contacts: nine products at once.
            let mut sums = [[T::ZERO; 3]; 3];
            for &(i, j, len) in &overlaps[..count] {
                let row = |r: usize| &self.values[a_offset + r * n + i..][..len];
                let column = |c: usize| &self.values[b_offset + c * m + j..][..len];
                kernels::add_products([row(0), row(1), row(2)], [column(0), column(1), column(2)], &mut sums);
            }
            for r in 0..3 {
                if of == with {
                    sums[r][r] += self.compliance[of + r];
                }
                out[r * stride..r * stride + 3].copy_from_slice(&sums[r]);
            }
            return;
        }
        for r in 0..rows {
            let row = &self.values[a_offset + r * n..a_offset + (r + 1) * n];
            for c in 0..columns {
                let column = &self.values[b_offset + c * m..b_offset + (c + 1) * m];
                let mut sum = if of + r == with + c { self.compliance[of + r] } else { T::ZERO };
                for &(i, j, len) in &overlaps[..count] {
                    sum += dot(&row[i..i + len], &column[j..j + len]);
                }
                out[r * stride + c] = sum;
            }
        }
    }

    /// `A` between two rows.
    pub(crate) fn entry(&self, row: usize, column: usize) -> T {
        let mut sum = if row == column { self.compliance[row] } else { T::ZERO };
        let (of, with) = (&self.heads[row], &self.heads[column]);
        if of.start == with.start && of.len == with.len {
            let n = of.width();
            let numbers = |head: &Head| &self.values[head.offset()..head.offset() + n];
            return sum + dot(numbers(of), numbers(with));
        }
        for (start, j) in self.row(row) {
            for (other, k) in self.row(column) {
                // The overlap of [start, start + len) with [other, other + len).
                let from = start.max(other);
                let to = (start + j.len()).min(other + k.len());
                if from < to {
                    sum += dot(&j[from - start..to - start], &k[from - other..to - other]);
                }
            }
        }
        sum
    }
}

fn short(x: usize) -> u32 {
    u32::try_from(x).expect("the operator has fewer than 2^32 numbers")
}

/// Three numbers from `first`.
#[inline(always)]
fn three_of<T: Real>(numbers: &[T], first: usize) -> [T; 3] {
    numbers[first..first + 3].try_into().expect("three numbers")
}

/// Four partial sums, then their sum: a single sum would wait for each addition.
#[inline(always)]
fn dot<T: Real>(a: &[T], b: &[T]) -> T {
    let mut sums = [T::ZERO; 4];
    let (fours, others) = (a.chunks_exact(4), b.chunks_exact(4));
    let rest = fours.remainder().iter().zip(others.remainder()).fold(T::ZERO, |sum, (&a, &b)| sum + a * b);
    for (a, b) in fours.zip(others) {
        for k in 0..4 {
            sums[k] += a[k] * b[k];
        }
    }
    (sums[0] + sums[2]) + (sums[1] + sums[3]) + rest
}

impl<T: Real> Operator<T> for Factored<T> {
    fn rows(&self) -> usize {
        self.heads.len()
    }

    fn running_len(&self) -> usize {
        self.velocities
    }

    fn diagonal(&self, first: usize, n: usize, out: &mut [T]) {
        let head = &self.heads[first];
        let square = match head.triple {
            Triple::Two if n == 3 => kernels::square::<T, 12>(self.three(head, 12)),
            Triple::One if n == 3 => kernels::square::<T, 6>(self.three(head, 6)),
            _ => return self.square(first, n, out),
        };
        out[..9].copy_from_slice(&square);
        for i in 0..3 {
            out[4 * i] += self.compliance[first + i];
        }
    }

    fn diagonal_entries(&self, out: &mut [T]) {
        for ((out, head), &compliance) in out.iter_mut().zip(&self.heads).zip(&self.compliance) {
            let j = &self.values[head.offset()..head.offset() + head.width()];
            *out = compliance + dot(j, j);
        }
    }

    fn dense(&self, out: &mut [T]) {
        self.square(0, self.rows(), out);
    }

    fn running(&self, lambda: &[T], u: &mut [T]) {
        u.fill(T::ZERO);
        self.scatter(0, lambda, u);
    }

    #[inline(always)]
    fn gather(&self, u: &[T], lambda: &[T], first: usize, out: &mut [T]) {
        if let [x, y, z] = out
            && let Some(three) = self.gather_contact(u, three_of(lambda, first), first)
        {
            [*x, *y, *z] = three;
            return;
        }
        self.gather_rows(u, lambda, first, out);
    }

    #[inline(always)]
    fn gather_three(&self, u: &[T], lambda: &[T], first: usize) -> [T; 3] {
        self.gather_contact(u, three_of(lambda, first), first).unwrap_or_else(|| {
            let mut out = [T::ZERO; 3];
            self.gather_rows(u, lambda, first, &mut out);
            // Element by element: a value that is rarely read from memory must not be forced into memory in all cases.
            let [x, y, z] = out;
            [x, y, z]
        })
    }

    #[inline(always)]
    fn gather_unloaded(&self, u: &[T], row: usize) -> T {
        let head = &self.heads[row];
        let values = &self.values[head.offset()..];
        match head.len {
            [6, 6] => kernels::gather_first(values, &kernels::twelve(u, head.start())),
            [6, 0] => kernels::gather_first(values, &kernels::six(u, head.start()[0])),
            _ => self.row(row).into_iter().fold(T::ZERO, |sum, (start, j)| sum + dot(j, &u[start..start + j.len()])),
        }
    }

    #[inline(always)]
    fn scatter(&self, first: usize, change: &[T], u: &mut [T]) {
        if let &[x, y, z] = change
            && self.scatter_contact(first, [x, y, z], u)
        {
            return;
        }
        self.scatter_rows(first, change, u);
    }

    fn factored(&self) -> Option<&Factored<T>> {
        Some(self)
    }
}
