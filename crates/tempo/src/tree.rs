//! The scheduler tree: inner nodes pick among children by policy, leaves are clients.
//!
//! ```text
//! (1)  progress of a leaf          p = executed + granted wait
//! (2)  progress of an inner node   the smallest of its children that have not ended
//! (3)  a node whose children share a processor has a clock g; after a child has run, g is that child's progress, and
//! the
//!      children that were able to run are granted the wait that advances them to g
//! ```
//!
//! No processes, no clocks. The coordinator reports what ran ([`Tree::ran`]) and grants the waits it is asked to grant.

use crate::policies::{Candidate, Policy};

/// A leaf as the tree sees it; owned by the coordinator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Leaf {
    /// Progress (1) [ns].
    pub progress_ns: i64,
    /// Virtual time executed [ns].
    pub executed_ns: i64,
    /// When it wakes [ns]; `None` while it computes.
    pub waits_until_ns: Option<i64>,
    /// Neither ended nor blocked.
    pub alive: bool,
}

impl Leaf {
    fn ready_ns(&self) -> i64 {
        self.waits_until_ns.unwrap_or(self.progress_ns).max(self.progress_ns)
    }
}

/// Kind of a node.
#[derive(Clone)]
pub enum Kind {
    /// A client, by its index.
    Leaf(usize),
    /// Picks among its children.
    Inner {
        /// How it picks.
        policy: &'static dyn Policy,
        /// Their indices in the tree.
        children: Vec<usize>,
        /// Clock of a shared processor [ns].
        clock_ns: i64,
    },
}

/// A node of the tree.
#[derive(Clone)]
pub struct Node {
    /// Leaf or inner.
    pub kind: Kind,
    /// Priority among its siblings.
    pub priority: i32,
    /// Its parent; `None` for the root.
    pub parent: Option<usize>,
}

/// The client to run next, and its time window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScheduledSlice {
    /// Index of the client.
    pub leaf: usize,
    /// Start [ns]: later than its progress if the processor was busy or it waits.
    pub from_ns: i64,
    /// Latest end [ns].
    pub until_ns: i64,
}

/// The scheduler tree; the root is node 0.
#[derive(Clone)]
pub struct Tree {
    nodes: Vec<Node>,
    node_of_leaf: Vec<usize>,
    /// The leaf that ran last.
    last: Option<usize>,
    /// Scratch for picking: the children's turns, and the same as a policy sees them.
    turns: Vec<ScheduledSlice>,
    seen: Vec<Candidate>,
}

impl Tree {
    /// A tree with a root of this policy.
    pub fn new(policy: &'static dyn Policy) -> Self {
        let kind = Kind::Inner { policy, children: Vec::new(), clock_ns: 0 };
        let nodes = vec![Node { kind, priority: 0, parent: None }];
        Self { nodes, node_of_leaf: Vec::new(), last: None, turns: Vec::new(), seen: Vec::new() }
    }

    /// Adds an inner node and returns its index.
    pub fn add_inner(&mut self, parent: usize, policy: &'static dyn Policy, priority: i32) -> usize {
        self.add(parent, Kind::Inner { policy, children: Vec::new(), clock_ns: 0 }, priority)
    }

    /// Adds the next client.
    pub fn add_leaf(&mut self, parent: usize, priority: i32) {
        let leaf = self.node_of_leaf.len();
        let node = self.add(parent, Kind::Leaf(leaf), priority);
        self.node_of_leaf.push(node);
    }

    fn add(&mut self, parent: usize, kind: Kind, priority: i32) -> usize {
        let node = self.nodes.len();
        self.nodes.push(Node { kind, priority, parent: Some(parent) });
        if let Kind::Inner { children, .. } = &mut self.nodes[parent].kind {
            children.push(node);
        }
        node
    }

    /// The client to run next before `end_ns`; `None` if there is none. A client within `least_ns` of the end is done.
    pub fn turn(&mut self, leaves: &[Leaf], end_ns: i64, least_ns: i64) -> Option<ScheduledSlice> {
        let (mut turns, mut seen) = (std::mem::take(&mut self.turns), std::mem::take(&mut self.seen));
        let turn = self.turn_of(0, leaves, (end_ns, least_ns), &mut turns, &mut seen);
        (self.turns, self.seen) = (turns, seen);
        turn.map(|(turn, _)| turn)
    }

    /// The turn of a node, and the time executed below it. Both lists are stacks, left as they were found.
    fn turn_of(
        &self,
        node: usize,
        leaves: &[Leaf],
        (end_ns, least_ns): (i64, i64),
        turns: &mut Vec<ScheduledSlice>,
        seen: &mut Vec<Candidate>,
    ) -> Option<(ScheduledSlice, i64)> {
        match &self.nodes[node].kind {
            Kind::Leaf(i) => {
                let leaf = &leaves[*i];
                let from_ns = leaf.ready_ns();
                // A client that waits is woken however near the end; one that computes carries a small remainder over.
                let room = if leaf.waits_until_ns.is_some() { 1 } else { least_ns };
                (leaf.alive && from_ns + room <= end_ns)
                    .then_some((ScheduledSlice { leaf: *i, from_ns, until_ns: end_ns }, leaf.executed_ns))
            }
            Kind::Inner { policy, children, clock_ns } => {
                let now = if policy.shares_processor() { *clock_ns } else { i64::MIN };
                // A shared processor that has reached the end has no time left.
                if now.saturating_add(least_ns) > end_ns {
                    return None;
                }
                let begin = turns.len();
                for child in children {
                    if let Some((turn, executed_ns)) = self.turn_of(*child, leaves, (end_ns, least_ns), turns, seen) {
                        turns.push(turn);
                        let priority = self.nodes[*child].priority;
                        let wakes = leaves[turn.leaf].waits_until_ns.is_some();
                        let ran_last = self.last == Some(turn.leaf);
                        seen.push(Candidate { ready_ns: turn.from_ns, priority, executed_ns, wakes, ran_last });
                    }
                }
                if turns.len() == begin {
                    return None;
                }
                let pick = policy.pick(&seen[begin..], now, end_ns);
                let turn = turns[begin + pick.child];
                let executed = seen[begin..].iter().map(|c| c.executed_ns).sum();
                turns.truncate(begin);
                seen.truncate(begin);
                let from_ns = turn.from_ns.max(now);
                let until_ns = turn.until_ns.min(pick.until_ns).max(from_ns + least_ns).min(end_ns);
                Some((ScheduledSlice { from_ns, until_ns, ..turn }, executed))
            }
        }
    }

    /// A leaf has run up to `progress_ns`: advances the clocks above it. Calls `grant(leaf, to_ns)` for every client
    /// that was able to run and had to wait on a shared processor.
    pub fn ran(&mut self, leaf: usize, progress_ns: i64, leaves: &[Leaf], mut grant: impl FnMut(usize, i64)) {
        self.last = Some(leaf);
        let mut node = self.node_of_leaf[leaf];
        while let Some(parent) = self.nodes[node].parent {
            let mut shares = false;
            if let Kind::Inner { policy, clock_ns, .. } = &mut self.nodes[parent].kind {
                shares = policy.shares_processor();
                *clock_ns = (*clock_ns).max(progress_ns);
            }
            if shares {
                for other in 0..leaves.len() {
                    let waits = leaves[other].waits_until_ns.is_some() || !leaves[other].alive;
                    if other != leaf
                        && !waits
                        && self.is_below(other, parent)
                        && leaves[other].progress_ns < progress_ns
                    {
                        grant(other, progress_ns);
                    }
                }
            }
            node = parent;
        }
    }

    fn is_below(&self, leaf: usize, ancestor: usize) -> bool {
        let mut node = Some(self.node_of_leaf[leaf]);
        while let Some(n) = node {
            if n == ancestor {
                return true;
            }
            node = self.nodes[n].parent;
        }
        false
    }

    /// Progress (2) of the root, over leaves that are alive; `None` if none is.
    pub fn progress_ns(leaves: &[Leaf]) -> Option<i64> {
        leaves.iter().filter(|l| l.alive).map(|l| l.progress_ns).min()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policies::{POLICIES, policy};

    fn leaf(progress_ns: i64, waits_until_ns: Option<i64>) -> Leaf {
        Leaf { progress_ns, executed_ns: 0, waits_until_ns, alive: true }
    }

    #[test]
    fn the_client_furthest_behind_runs_first_and_waiting_clients_wake_on_time() {
        let mut tree = Tree::new(policy("least_progress").unwrap());
        (0..3).for_each(|_| tree.add_leaf(0, 0));
        let us = 1000;
        let leaves = [leaf(500 * us, None), leaf(200 * us, None), leaf(0, Some(400 * us))];
        let turn = ScheduledSlice { leaf: 1, from_ns: 200 * us, until_ns: 1000 * us };
        assert_eq!(tree.turn(&leaves, 1000 * us, 30 * us), Some(turn));
        let leaves = [leaf(500 * us, None), leaf(990 * us, None), leaf(0, Some(400 * us))];
        let turn = ScheduledSlice { leaf: 2, from_ns: 400 * us, until_ns: 1000 * us };
        assert_eq!(tree.turn(&leaves, 1000 * us, 30 * us), Some(turn));
        // A client that wakes goes before one that is behind by no more than the carried amount.
        let leaves = [leaf(380 * us, None), leaf(990 * us, None), leaf(0, Some(400 * us))];
        assert_eq!(tree.turn(&leaves, 1000 * us, 30 * us), Some(turn));
        // A client that ran last goes before both, but not if it is ahead of them by more.
        tree.ran(0, 380 * us, &leaves, |_, _| ());
        assert_eq!(tree.turn(&leaves, 1000 * us, 30 * us).unwrap().leaf, 0);
        tree.ran(0, 480 * us, &leaves, |_, _| ());
        let leaves = [leaf(480 * us, None), leaf(990 * us, None), leaf(0, Some(400 * us))];
        assert_eq!(tree.turn(&leaves, 1000 * us, 30 * us).unwrap().leaf, 2);
        let done = [leaf(1000 * us, None), leaf(990 * us, None), leaf(0, Some(1000 * us))];
        assert_eq!(
            tree.turn(&done, 1000 * us, 30 * us),
            None,
            "a remainder below the shortest slice is carried over"
        );
    }

    #[test]
    fn on_a_shared_processor_the_planner_waits_while_the_controller_computes() {
        let mut tree = Tree::new(policy("least_progress").unwrap());
        let robot = tree.add_inner(0, policy("fixed_priority").unwrap(), 0);
        tree.add_leaf(robot, 1);
        tree.add_leaf(robot, 9);
        // The planner (0) computes; the controller (1) wakes at 400: the planner's slice ends there.
        let mut leaves = [leaf(0, None), leaf(0, Some(400))];
        assert_eq!(tree.turn(&leaves, 1000, 30), Some(ScheduledSlice { leaf: 0, from_ns: 0, until_ns: 400 }));
        leaves[0].progress_ns = 405;
        tree.ran(0, 405, &leaves, |_, _| panic!("a waiting controller is not granted more"));
        // The processor was busy until 405, so the controller begins then.
        assert_eq!(tree.turn(&leaves, 1000, 30), Some(ScheduledSlice { leaf: 1, from_ns: 405, until_ns: 1000 }));
        leaves[1] = leaf(450, Some(1400));
        let mut granted = Vec::new();
        tree.ran(1, 450, &leaves, |leaf, to| granted.push((leaf, to)));
        assert_eq!(granted, [(0, 450)]);
        leaves[0].progress_ns = 450;
        assert_eq!(tree.turn(&leaves, 1000, 30), Some(ScheduledSlice { leaf: 0, from_ns: 450, until_ns: 1000 }));
    }

    #[test]
    fn round_robin_runs_the_client_that_computed_least() {
        let mut tree = Tree::new(policy("round_robin").unwrap());
        (0..2).for_each(|_| tree.add_leaf(0, 0));
        let mut leaves = [leaf(7, None), leaf(7, None)];
        leaves[0].executed_ns = 5;
        assert_eq!(tree.turn(&leaves, 1000, 30).unwrap().leaf, 1);
    }

    #[test]
    fn names_are_unique_and_found() {
        for p in POLICIES {
            let same = POLICIES.iter().filter(|other| other.name() == p.name()).count();
            assert!(same == 1 && policy(p.name()).is_some_and(|found| found.about() == p.about()));
            assert!(!p.about().is_empty());
        }
        assert!(policy("fair").is_none());
    }
}
