//! Islands: groups of trees that are coupled by constraint rows.
//!
//! Blocks of different islands share no velocity, so each island is a separate problem. Found by union of the velocities
//! that a row touches; a matrix is one island.

use crate::{Factored, Problem, Real};

/// Blocks sorted by island.
#[derive(Clone, Debug, Default)]
pub(crate) struct Islands {
    parent: Vec<u32>,
    /// Island of each block.
    of_block: Vec<u32>,
    /// For each island, the start of its blocks in `blocks`; one more entry at the end.
    starts: Vec<u32>,
    /// Blocks by island, coupled ones near each other.
    blocks: Vec<u32>,
    names: Vec<u32>,
    level: Vec<u32>,
    efforts: Vec<f64>,
    tight: Vec<bool>,
}

/// Level not set.
const FAR: u32 = u32::MAX;

impl Islands {
    /// Finds the islands of a problem.
    pub fn find<T: Real>(&mut self, problem: &Problem<T>) {
        let velocities = problem.operator.running_len();
        self.parent.clear();
        self.parent.extend(0..velocities as u32 + 1);
        self.of_block.clear();
        if let Some(operator) = problem.operator.factored() {
            self.names.clear();
            self.names.resize(velocities, 0);
            for (first, law) in problem.blocks() {
                let mut whole = None;
                for row in first..first + law.rows() {
                    let (starts, len) = (operator.heads[row].start(), operator.heads[row].len());
                    for (start, len) in [(starts[0], len[0]), (starts[1], len[1])] {
                        if len == 0 {
                            continue;
                        }
                        // A tree's velocities are joined when the tree is first seen.
                        if (self.names[start] as usize) < len {
                            let mut root = self.root(start as u32);
                            for v in start + self.names[start] as usize..start + len {
                                if self.parent[v] == v as u32 {
                                    // Not seen yet.
                                    self.parent[v] = root;
                                } else {
                                    self.join(v as u32, start as u32);
                                    root = self.root(start as u32);
                                }
                            }
                            self.names[start] = len as u32;
                        }
                        let with = *whole.get_or_insert(start as u32);
                        if with != start as u32 {
                            self.join(start as u32, with);
                        }
                    }
                    if operator.is_uniform(first, law.rows()) {
                        break;
                    }
                }
                // Blocks without velocities form one group with an index that no velocity has.
                self.of_block.push(whole.unwrap_or(velocities as u32));
            }
            for k in 0..self.of_block.len() {
                self.of_block[k] = self.root(self.of_block[k]);
            }
        } else {
            self.of_block.resize(problem.laws.len(), 0);
        }

        // Islands numbered by their first block; blocks by counting.
        self.names.clear();
        self.names.resize(velocities + 1, u32::MAX);
        let mut count = 0;
        for of in &mut self.of_block {
            let name = &mut self.names[*of as usize];
            if *name == u32::MAX {
                *name = count;
                count += 1;
            }
            *of = *name;
        }
        self.starts.clear();
        self.starts.resize(count as usize + 1, 0);
        for &of in &self.of_block {
            self.starts[of as usize + 1] += 1;
        }
        for k in 0..count as usize {
            self.starts[k + 1] += self.starts[k];
        }
        self.blocks.clear();
        self.blocks.resize(self.of_block.len(), 0);
        self.names.clear();
        self.names.extend_from_slice(&self.starts);
        for (block, &of) in self.of_block.iter().enumerate() {
            let place = &mut self.names[of as usize];
            self.blocks[*place as usize] = block as u32;
            *place += 1;
        }
        self.tight.clear();
        self.tight.resize(self.len(), problem.operator.factored().is_none());
        if let Some(operator) = problem.operator.factored() {
            for ((first, _), &of) in problem.blocks().zip(&self.of_block) {
                self.tight[of as usize] |= operator.continues(first);
            }
        }
        self.efforts.clear();
        self.efforts.resize(self.len(), f64::NAN);
        // For `order`, which leaves them unchanged.
        self.level.clear();
        self.level.resize(velocities, FAR);
        self.names.clear();
        self.names.resize(velocities, 0);
    }

    /// Number of islands.
    pub fn len(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    /// The blocks of one island, coupled ones near each other.
    pub fn blocks(&self, island: usize) -> &[u32] {
        &self.blocks[self.starts[island] as usize..self.starts[island + 1] as usize]
    }

    /// Whether two blocks of an island, one after the other in the list, are between the same two trees: points of one patch,
    /// limits and friction of one robot. Such blocks are strongly coupled, or share a load that the law leaves undetermined.
    pub fn is_tight(&self, island: usize) -> bool {
        self.tight[island]
    }

    /// Multiplications of an elimination over an island's rows, whose blocks it sorts on the first call; `first` has
    /// the first row of each block. Infinite for an island of more rows than `most_rows`.
    pub fn effort<T: Real>(&mut self, problem: &Problem<T>, first: &[usize], island: usize, most_rows: usize) -> f64 {
        if self.efforts[island].is_nan() {
            let rows: usize = self.blocks(island).iter().map(|&k| problem.laws[k as usize].rows()).sum();
            self.efforts[island] = match problem.operator.factored() {
                _ if rows > most_rows => f64::INFINITY,
                Some(operator) => self.order(problem, operator, first, island),
                None => (rows * rows) as f64 * rows as f64,
            };
        }
        self.efforts[island]
    }

    /// Sorts the blocks of an island so that coupled ones are near each other and elimination is cheap: trees
    /// by their distance (in contacts) from a peripheral one, blocks by their trees. Returns the effort.
    fn order<T: Real>(
        &mut self,
        problem: &Problem<T>,
        operator: &Factored<T>,
        first: &[usize],
        island: usize,
    ) -> f64 {
        let Islands { starts, blocks, level, names, .. } = self;
        // Per first velocity of a tree: its level, and the position of the last block that touches it.
        let trees = |block: u32| {
            let head = &operator.heads[first[block as usize]];
            let (start, len) = (head.start(), head.len());
            (0..2).filter(move |&k| len[k] > 0).map(move |k| start[k])
        };
        let blocks = &mut blocks[starts[island] as usize..starts[island + 1] as usize];
        // From any tree to the farthest one, and from there again.
        let Some(mut outermost) = blocks.iter().find_map(|&block| trees(block).next()) else { return 0.0 };
        for _ in 0..2 {
            blocks.iter().for_each(|&block| trees(block).for_each(|tree| level[tree] = FAR));
            level[outermost] = 0;
            let mut at = 0;
            loop {
                let mut last = None;
                for &block in blocks.iter() {
                    if trees(block).any(|tree| level[tree] == at) {
                        for tree in trees(block) {
                            if level[tree] == FAR {
                                level[tree] = at + 1;
                                last = Some(tree);
                            }
                        }
                    }
                }
                let Some(tree) = last else { break };
                outermost = tree;
                at += 1;
            }
        }
        let key = |block: u32| {
            let (mut near, mut far) = (FAR, 0);
            trees(block).for_each(|tree| (near, far) = (near.min(level[tree]), far.max(level[tree])));
            (far, near, block)
        };
        blocks.sort_unstable_by_key(|&block| key(block));
        // Extent of a row's elimination.
        let mut row = 0;
        for &block in blocks.iter() {
            row += problem.laws[block as usize].rows() as u32;
            trees(block).for_each(|tree| names[tree] = row);
        }
        let (mut row, mut effort, mut reach) = (0, 0.0, 0);
        for &block in blocks.iter() {
            trees(block).for_each(|tree| reach = reach.max(names[tree]));
            let rows = problem.laws[block as usize].rows() as u32;
            effort += f64::from(rows) * f64::from(reach - row) * f64::from(reach - row);
            row += rows;
        }
        effort
    }

    fn root(&mut self, mut v: u32) -> u32 {
        while self.parent[v as usize] != v {
            self.parent[v as usize] = self.parent[self.parent[v as usize] as usize];
            v = self.parent[v as usize];
        }
        v
    }

    fn join(&mut self, a: u32, b: u32) {
        let (a, b) = (self.root(a), self.root(b));
        // The smaller is the root: the result does not depend on the order of rows.
        let (a, b) = (a.min(b), a.max(b));
        self.parent[b as usize] = a;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::bodies::Scene;
    use crate::{Cone, Law};

    #[test]
    fn two_separate_stacks_are_two_islands_and_the_ground_couples_nothing() {
        let mut scene = Scene::new(1e-3);
        let law = Law::Unilateral;
        let bodies: Vec<usize> = (0..4).map(|_| scene.cube([0.0; 3], 0.1, 1.0, 9.81)).collect();
        // 0 on the ground, 2 on 0; 1 on the ground, 3 on 1: blocks of both stacks alternate.
        for (a, b) in [(0, None), (1, None), (2, Some(0)), (3, Some(1))] {
            scene.touch(bodies[a], b.map(|b: usize| bodies[b]), [0.0; 3], [0.0, 0.0, 1.0], 0.0, 0.0, law);
        }
        let stepped = scene.problem();
        let problem = Problem { operator: &stepped.operator, b: &stepped.b, laws: &stepped.laws, cone: Cone::Exact };
        let mut islands = Islands::default();
        islands.find(&problem);
        assert_eq!(islands.len(), 2);
        assert!(!islands.is_tight(0) && !islands.is_tight(1));
        let sorted = |island: usize| {
            let mut blocks = islands.blocks(island).to_vec();
            blocks.sort_unstable();
            blocks
        };
        assert_eq!(sorted(0), [0, 2]);
        assert_eq!(sorted(1), [1, 3]);
    }

    #[test]
    fn a_shuffled_chain_is_eliminated_like_a_chain() {
        let mut scene = Scene::new(1e-3);
        let bodies: Vec<usize> = (0..20).map(|_| scene.cube([0.0; 3], 0.1, 1.0, 9.81)).collect();
        for k in 0..19 {
            // 0, 7, 14, 2, …: far from the chain's order.
            let link = (k * 7) % 19;
            scene.touch(bodies[link + 1], Some(bodies[link]), [0.0; 3], [0.0, 0.0, 1.0], 0.0, 0.0, Law::Unilateral);
        }
        let stepped = scene.problem();
        let problem = Problem { operator: &stepped.operator, b: &stepped.b, laws: &stepped.laws, cone: Cone::Exact };
        let first: Vec<usize> = problem.blocks().map(|(first, _)| first).collect();
        let mut islands = Islands::default();
        islands.find(&problem);
        // Each row reaches only the next: two per row, and one for the last.
        assert_eq!(islands.effort(&problem, &first, 0, 100), 18.0 * 4.0 + 1.0);
    }
}
