//! Islands: trees that contacts or joints couple, as a union-find over the blocks of a system.
//!
//! `of[block]` is a block of the same island with an index no larger; the smallest index is the island's root.

/// The root block of a block's island.
pub(crate) fn root(of: &[usize], mut block: usize) -> usize {
    while of[block] != block {
        block = of[block];
    }
    block
}

/// Merges two islands.
pub(crate) fn join(of: &mut [usize], a: usize, b: usize) {
    let (a, b) = (root(of, a), root(of, b));
    of[a.max(b)] = a.min(b);
}

/// Points every block directly at the root of its island.
pub(crate) fn flatten(of: &mut [usize]) {
    for block in 0..of.len() {
        // Smaller indices point at their root already.
        of[block] = of[of[block]];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn joined_blocks_have_the_smallest_as_their_root() {
        let mut of: Vec<usize> = (0..6).collect();
        join(&mut of, 4, 2);
        join(&mut of, 5, 4);
        join(&mut of, 1, 5);
        flatten(&mut of);
        assert_eq!(of, [0, 1, 1, 3, 1, 1]);
    }
}
