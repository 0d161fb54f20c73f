//! Islands: trees that contacts or joints couple, as a union-find over the blocks of a system.
//!
//! `of[block]` is a block of the same island with a number no larger; the smallest stands for the island.

/// The block that stands for the island of a block.
pub(crate) fn root(of: &[usize], mut block: usize) -> usize {
    while of[block] != block {
        block = of[block];
    }
    block
}

/// Makes two islands one.
pub(crate) fn join(of: &mut [usize], a: usize, b: usize) {
    let (a, b) = (root(of, a), root(of, b));
    of[a.max(b)] = a.min(b);
}

/// Makes every block point at the one that stands for its island: no path is longer than one.
pub(crate) fn flatten(of: &mut [usize]) {
    for block in 0..of.len() {
        // Smaller numbers point at their root already.
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
