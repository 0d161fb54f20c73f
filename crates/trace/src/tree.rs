//! The behaviour tree: particles sorted by the sequence of their events, and where they split.
//!
//! ```text
//! (1)  node      a prefix of symbols; its particles are those whose sequence begins with it
//! (2)  the last symbol of every particle is its outcome, so that two runs with the same events and different outcomes
//!      are different behaviours
//! (3)  split     a node with two children, each of which holds at least two particles, or one whose symbol occurs nowhere else
//! (4)  re-joins  two nodes are compatible when no share of their futures differs by more than Hoeffding's bound
//!                √(½ ln(2/α)) (1/√n₁ + 1/√n₂), and so on for the children (ALERGIA, Carrasco and Oncina 1994).
//!                A branch re-joins when its future is compatible with that of the largest branch, with one event
//!                inserted, left out or replaced: a harmless graze. It does not when the shares of an outcome differ by Fisher's exact
//!                test, which sees a difference in fewer particles than the bound
//! ```

use crate::symbols::Symbol;
use std::sync::Arc;

/// Significance of the comparison of two futures.
pub const ALPHA: f64 = 0.05;

/// A prefix tree. Node 0 is the root.
#[derive(Clone, Debug)]
pub struct BehaviourTree {
    /// All nodes; a child comes after its parent.
    pub nodes: Vec<Prefix>,
}

/// One prefix.
#[derive(Clone, Debug)]
pub struct Prefix {
    /// The last symbol of the prefix; empty for the root.
    pub symbol: Arc<str>,
    /// Whether the symbol is an outcome: a leaf.
    pub is_outcome: bool,
    /// Children in order of their number of particles.
    pub children: Vec<usize>,
    /// Parent; the root is its own.
    pub parent: usize,
    /// Indices of the particles with this prefix.
    pub particles: Vec<u32>,
    /// Mean time of the last event [s].
    pub mean_s: f64,
}

/// A node at which behaviour divides.
#[derive(Clone, Debug, PartialEq)]
pub struct BranchPoint {
    /// The node.
    pub node: usize,
    /// Children, the largest first.
    pub branches: Vec<usize>,
    /// Mean time of the event before it; zero at the root [s].
    pub after_s: f64,
    /// For each branch but the first: whether its future re-joins that of the first.
    pub rejoins: Vec<bool>,
}

impl BranchPoint {
    /// Whether a branch never re-joins.
    pub fn is_lasting(&self) -> bool {
        self.rejoins.iter().any(|r| !r)
    }
}

impl BehaviourTree {
    /// The tree of sequences; each ends with the particle's outcome at a time [s].
    pub fn new(sequences: &[(&[Symbol], Arc<str>, f64)]) -> Self {
        Self::from_fn(sequences.len(), |i| {
            let (symbols, outcome, end_s) = &sequences[i];
            (symbols.to_vec(), outcome.clone(), *end_s)
        })
    }

    /// The same for `count` sequences that are made one at a time.
    pub fn from_fn(count: usize, sequence: impl Fn(usize) -> (Vec<Symbol>, Arc<str>, f64)) -> Self {
        let root = Prefix {
            symbol: "".into(),
            is_outcome: false,
            children: Vec::new(),
            parent: 0,
            particles: (0..count as u32).collect(),
            mean_s: 0.0,
        };
        let mut tree = Self { nodes: vec![root] };
        for particle in 0..count {
            let (symbols, outcome, end_s) = sequence(particle);
            let mut at = 0;
            let steps = symbols.iter().map(|s| (&s.name, s.at_s, false)).chain([(&outcome, end_s, true)]);
            for (name, time, is_outcome) in steps {
                at = tree.child(at, name, is_outcome);
                let node = &mut tree.nodes[at];
                node.particles.push(particle as u32);
                node.mean_s += (time - node.mean_s) / node.particles.len() as f64;
            }
        }
        for i in 0..tree.nodes.len() {
            let mut children = std::mem::take(&mut tree.nodes[i].children);
            // Largest first; equal ones in the order of their first particle.
            children.sort_by_key(|&c| (std::cmp::Reverse(tree.nodes[c].particles.len()), tree.nodes[c].particles[0]));
            tree.nodes[i].children = children;
        }
        tree
    }

    fn child(&mut self, at: usize, symbol: &Arc<str>, is_outcome: bool) -> usize {
        let nodes = &self.nodes;
        let fits = |&&c: &&usize| nodes[c].symbol == *symbol && nodes[c].is_outcome == is_outcome;
        if let Some(&found) = nodes[at].children.iter().find(fits) {
            return found;
        }
        let new = self.nodes.len();
        let (children, particles) = (Vec::new(), Vec::new());
        self.nodes.push(Prefix { symbol: symbol.clone(), is_outcome, children, parent: at, particles, mean_s: 0.0 });
        self.nodes[at].children.push(new);
        new
    }

    /// The leaves, largest first: one for each distinct behaviour.
    pub fn behaviours(&self) -> Vec<usize> {
        let mut out: Vec<usize> = (0..self.nodes.len()).filter(|&i| self.nodes[i].is_outcome).collect();
        out.sort_by_key(|&i| (std::cmp::Reverse(self.nodes[i].particles.len()), self.nodes[i].particles[0]));
        out
    }

    /// The symbols of a node's prefix, from the root.
    pub fn prefix(&self, mut node: usize) -> Vec<Arc<str>> {
        let mut out = Vec::new();
        while node != 0 {
            out.push(self.nodes[node].symbol.clone());
            node = self.nodes[node].parent;
        }
        out.reverse();
        out
    }

    /// (3), in order of time.
    pub fn splits(&self) -> Vec<BranchPoint> {
        let mut out: Vec<BranchPoint> = Vec::new();
        for (i, node) in self.nodes.iter().enumerate() {
            let branches: Vec<usize> = node.children.iter().copied().filter(|&c| self.counts(c)).collect();
            if branches.len() > 1 {
                let rejoins = branches[1..].iter().map(|&b| self.rejoins(branches[0], b)).collect();
                out.push(BranchPoint { node: i, branches, after_s: node.mean_s, rejoins });
            }
        }
        out.sort_by(|a, b| a.after_s.total_cmp(&b.after_s));
        out
    }

    /// Whether a branch is more than one odd particle with a common event.
    fn counts(&self, child: usize) -> bool {
        let node = &self.nodes[child];
        let novel = || self.nodes.iter().enumerate().all(|(i, n)| i == child || n.symbol != node.symbol);
        node.particles.len() >= 2 || novel()
    }

    /// (4)
    fn rejoins(&self, main: usize, branch: usize) -> bool {
        if self.nodes[branch].is_outcome || self.nodes[main].is_outcome {
            // One of them has ended: harmless only if both can end in one and the same outcome.
            let below = |node| self.outcomes_below(node);
            return match (&below(branch)[..], &below(main)[..]) {
                ([(one, _)], [(other, _)]) => one == other,
                _ => false,
            };
        }
        if !self.may_share_outcomes(branch, main) {
            return false;
        }
        // Replaced: as the main branch. Inserted: the future as if the event had not been. Left out: one ahead.
        let ahead = self.nodes[main].children.first().copied();
        self.compatible(branch, main)
            || self.same_outcomes(branch, main) && self.follows(main, branch)
            || ahead.is_some_and(|a| self.nodes[a].symbol == self.nodes[branch].symbol && self.compatible(branch, a))
    }

    /// Whether the branch continues with the main branch's event and its future: one event was inserted.
    fn follows(&self, main: usize, branch: usize) -> bool {
        let next = self.nodes[branch].children.iter().find(|&&c| self.nodes[c].symbol == self.nodes[main].symbol);
        next.is_some_and(|&c| self.compatible(c, main))
    }

    /// Whether the outcomes below two nodes may come from one distribution.
    fn may_share_outcomes(&self, a: usize, b: usize) -> bool {
        let (one, other) = (self.outcomes_below(a), self.outcomes_below(b));
        let of =
            |list: &[(Arc<str>, usize)], name: &Arc<str>| list.iter().find(|(n, _)| n == name).map_or(0, |x| x.1);
        let total = |list: &[(Arc<str>, usize)]| list.iter().map(|x| x.1 as u64).sum::<u64>();
        let mut names: Vec<&Arc<str>> = one.iter().chain(&other).map(|(name, _)| name).collect();
        names.sort();
        names.dedup();
        let level = ALPHA / names.len().max(1) as f64;
        names.iter().all(|name| {
            let (k, j) = (of(&one, name) as u64, of(&other, name) as u64);
            veracity_measure::statistics::fisher(k, total(&one), j, total(&other)) > level
        })
    }

    /// Shares of the outcomes below two nodes, compared like every other share.
    fn same_outcomes(&self, a: usize, b: usize) -> bool {
        let (one, other) = (self.outcomes_below(a), self.outcomes_below(b));
        let names: Vec<&Arc<str>> = one.iter().chain(&other).map(|(name, _)| name).collect();
        let of =
            |list: &[(Arc<str>, usize)], name: &Arc<str>| list.iter().find(|(n, _)| n == name).map_or(0, |x| x.1);
        let (n, m) = (self.nodes[a].particles.len(), self.nodes[b].particles.len());
        names.iter().all(|name| close(of(&one, name), n, of(&other, name), m))
    }

    fn outcomes_below(&self, node: usize) -> Vec<(Arc<str>, usize)> {
        let mut out: Vec<(Arc<str>, usize)> = Vec::new();
        let mut stack = vec![node];
        while let Some(i) = stack.pop() {
            let node = &self.nodes[i];
            if node.is_outcome {
                match out.iter_mut().find(|(name, _)| *name == node.symbol) {
                    Some((_, count)) => *count += node.particles.len(),
                    None => out.push((node.symbol.clone(), node.particles.len())),
                }
            }
            stack.extend(&node.children);
        }
        out
    }

    /// Whether no share of the futures of two nodes differs significantly.
    fn compatible(&self, a: usize, b: usize) -> bool {
        let mut stack = vec![(a, b)];
        while let Some((a, b)) = stack.pop() {
            let (one, other) = (&self.nodes[a], &self.nodes[b]);
            let (n, m) = (one.particles.len(), other.particles.len());
            let children = one.children.iter().chain(&other.children);
            for &child in children {
                let symbol = &self.nodes[child].symbol;
                let find = |node: &Prefix| node.children.iter().copied().find(|&c| self.nodes[c].symbol == *symbol);
                let (left, right) = (find(one), find(other));
                let count = |c: Option<usize>| c.map_or(0, |c| self.nodes[c].particles.len());
                if !close(count(left), n, count(right), m) {
                    return false;
                }
                if let (Some(left), Some(right)) = (left, right)
                    && (left == child)
                {
                    stack.push((left, right));
                }
            }
        }
        true
    }
}

/// Hoeffding's comparison of two shares in (4).
fn close(k: usize, n: usize, j: usize, m: usize) -> bool {
    if n == 0 || m == 0 {
        return true;
    }
    let (n, m) = (n as f64, m as f64);
    let bound = (0.5 * libm::log(2.0 / ALPHA)).sqrt() * (1.0 / n.sqrt() + 1.0 / m.sqrt());
    (k as f64 / n - j as f64 / m).abs() <= bound
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A tree of `(count, events, outcome)`.
    fn tree(groups: &[(usize, &[&str], &str)]) -> BehaviourTree {
        let symbols: Vec<(Vec<Symbol>, Arc<str>)> = groups
            .iter()
            .flat_map(|(count, names, outcome)| {
                let symbol = |(i, name): (usize, &&str)| Symbol { at_s: 1.0 + i as f64, name: Arc::from(*name) };
                let sequence: Vec<Symbol> = names.iter().enumerate().map(symbol).collect();
                std::iter::repeat_n((sequence, Arc::from(*outcome)), *count)
            })
            .collect();
        BehaviourTree::new(&symbols.iter().map(|(s, o)| (s.as_slice(), o.clone(), 9.0)).collect::<Vec<_>>())
    }

    #[test]
    fn the_published_curb_divides_before_the_fourth_event() {
        let clear: &[&str] = &["rh ground", "lh ground", "rf ground", "lf ground"];
        let strike: &[&str] = &["rh ground", "lh ground", "rf obstacle", "rf ground", "lf ground"];
        let found = tree(&[(14, clear, "ahead"), (10, strike, "turned")]);
        let splits = found.splits();
        assert_eq!(splits.len(), 1);
        assert_eq!(found.prefix(splits[0].node).join(","), "rh ground,lh ground");
        assert_eq!((splits[0].after_s, splits[0].is_lasting()), (2.0, true));
        let sizes: Vec<usize> = found.behaviours().iter().map(|&i| found.nodes[i].particles.len()).collect();
        assert_eq!(sizes, [14, 10]);
    }

    #[test]
    fn a_graze_with_the_same_future_rejoins() {
        let clear: &[&str] = &["a", "b", "c"];
        let graze: &[&str] = &["a", "edge", "b", "c"];
        assert!(!tree(&[(14, clear, "walks"), (10, graze, "walks")]).splits()[0].is_lasting());
        assert!(tree(&[(14, clear, "walks"), (10, graze, "falls")]).splits()[0].is_lasting());
        // Another event in the place of one, the same afterwards.
        let other: &[&str] = &["a", "x", "c"];
        assert!(!tree(&[(14, clear, "walks"), (10, other, "walks")]).splits()[0].is_lasting());
    }

    #[test]
    fn a_second_touch_with_the_same_end_rejoins() {
        assert!(!tree(&[(30, &["wall"], "strikes"), (2, &["wall", "wall"], "strikes")]).splits()[0].is_lasting());
        assert!(tree(&[(30, &["wall"], "strikes"), (2, &["wall", "wall"], "falls")]).splits()[0].is_lasting());
    }

    #[test]
    fn equal_sequences_are_one_behaviour() {
        let found = tree(&[(30, &["a", "b"], "walks")]);
        assert!(found.splits().is_empty() && found.behaviours().len() == 1);
        // One odd particle with a known event is not a split, one with a new event is.
        let odd: &[&str] = &["b"];
        assert!(tree(&[(30, &["a", "b"], "walks"), (1, odd, "walks")]).splits().is_empty());
        assert_eq!(tree(&[(30, &["a", "b"], "walks"), (1, &["new"], "walks")]).splits().len(), 1);
    }

    #[test]
    fn the_same_events_with_two_outcomes_divide_at_the_end() {
        let found = tree(&[(6, &["a"], "falls"), (6, &["a"], "walks")]);
        assert_eq!(found.splits().len(), 1);
        assert!(found.splits()[0].is_lasting());
    }
}
