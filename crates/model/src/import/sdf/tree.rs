//! Chooses a spanning tree of a graph of links and joints.
//!
//! SDF joins links by an arbitrary graph; a [`crate::Model`] is a tree with loop-closing joints. The rules, in order:
//!
//! 1. Links of static models are attached to the world. So are links that a joint connects to the world.
//! 2. From the attached links, joints are followed breadth first in file order, from parent to child.
//! 3. When that ends, the first joint whose child is attached and whose parent is not is followed backwards, and (2)
//!    continues.
//! 4. The remaining links float. Each connected part gets one free joint, on its first link that is not a child of any
//!    joint (the canonical link's part first, the canonical link itself if it is not a child), and (2), (3) continue
//!    from there.
//! 5. Unused joints close loops.
//!
//! Cost: linear in links and joints.

use std::collections::VecDeque;

/// A joint as an edge; `None` is the world.
#[derive(Clone, Copy, Debug)]
pub(super) struct Edge {
    pub parent: Option<usize>,
    pub child: Option<usize>,
    /// The file requires this joint to close a loop.
    pub must_be_loop: bool,
}

/// What carries a link.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Carrier {
    /// A joint of the file, from its parent to its child or backwards.
    Joint { edge: usize, reversed: bool },
    /// A free joint.
    Free,
    /// The world, because its model is static.
    World,
}

/// The tree.
#[derive(Debug, Default, PartialEq)]
pub(super) struct SpanningTree {
    /// Links and what carries them, carriers first.
    pub carried: Vec<(usize, Carrier)>,
    /// Joints that close loops, in file order.
    pub loops: Vec<usize>,
    /// Joints between bodies that cannot move, in file order.
    pub idle: Vec<usize>,
}

/// Spans `is_static.len()` links. The `canonical` link takes precedence.
pub(super) fn span(is_static: &[bool], edges: &[Edge], canonical: Option<usize>) -> SpanningTree {
    let mut walk = Walk::new(is_static, edges);
    // (1)
    for link in (0..is_static.len()).filter(|l| is_static[*l]) {
        walk.stand(link, Carrier::World);
    }
    for (index, edge) in edges.iter().enumerate() {
        if let (None, Some(child)) = (edge.parent, edge.child) {
            walk.follow(index, child, false);
        }
    }
    for (index, edge) in edges.iter().enumerate() {
        if let (Some(parent), None) = (edge.parent, edge.child) {
            walk.follow(index, parent, true);
        }
    }
    walk.go_on();

    // (4)
    let parts = walk.parts();
    let is_child = walk.is_child();
    let canonical_part = canonical.filter(|l| !walk.stands[*l]).map(|l| parts[l]);
    let mut roots: Vec<Option<usize>> = vec![None; is_static.len()];
    let preferred = canonical.into_iter().chain(0..is_static.len());
    for link in preferred.clone().filter(|l| !is_child[*l]).chain(preferred) {
        roots[parts[link]].get_or_insert(link);
    }
    let order = canonical_part.into_iter().chain((0..is_static.len()).map(|l| parts[l]));
    for part in order {
        if let Some(root) = roots[part].filter(|root| !walk.stands[*root]) {
            walk.stand(root, Carrier::Free);
            walk.go_on();
        }
    }
    walk.finish()
}

struct Walk<'e> {
    edges: &'e [Edge],
    is_static: &'e [bool],
    /// Joints by parent link, and by child link.
    from: Vec<Vec<usize>>,
    onto: Vec<Vec<usize>>,
    stands: Vec<bool>,
    used: Vec<bool>,
    carried: Vec<(usize, Carrier)>,
    /// Attached links whose children have not been visited.
    queue: VecDeque<usize>,
    /// Number of entries of `carried` visited backwards, and number of joints visited of the next entry.
    looked_back: (usize, usize),
}

impl<'e> Walk<'e> {
    fn new(is_static: &'e [bool], edges: &'e [Edge]) -> Self {
        let n = is_static.len();
        let mut walk = Self {
            edges,
            is_static,
            from: vec![Vec::new(); n],
            onto: vec![Vec::new(); n],
            stands: vec![false; n],
            used: vec![false; edges.len()],
            carried: Vec::with_capacity(n),
            queue: VecDeque::new(),
            looked_back: (0, 0),
        };
        for (index, edge) in edges.iter().enumerate().filter(|(_, e)| !e.must_be_loop) {
            if let Some(parent) = edge.parent {
                walk.from[parent].push(index);
            }
            if let Some(child) = edge.child {
                walk.onto[child].push(index);
            }
        }
        walk
    }

    fn stand(&mut self, link: usize, carrier: Carrier) {
        self.stands[link] = true;
        self.carried.push((link, carrier));
        self.queue.push_back(link);
    }

    fn follow(&mut self, edge: usize, to: usize, reversed: bool) {
        if !self.stands[to] && !self.edges[edge].must_be_loop {
            self.used[edge] = true;
            self.stand(to, Carrier::Joint { edge, reversed });
        }
    }

    /// Applies rules (2) and (3) until no further link is attached.
    fn go_on(&mut self) {
        loop {
            while let Some(link) = self.queue.pop_front() {
                for i in 0..self.from[link].len() {
                    let index = self.from[link][i];
                    if let Some(child) = self.edges[index].child {
                        self.follow(index, child, false);
                    }
                }
            }
            // A joint whose parent is attached when visited is never needed backwards, so one pass is enough.
            let (place, joint) = self.looked_back;
            let Some(&(link, _)) = self.carried.get(place) else { return };
            match self.onto[link].get(joint) {
                Some(&index) => {
                    self.looked_back.1 += 1;
                    if let Some(parent) = self.edges[index].parent {
                        self.follow(index, parent, true);
                    }
                }
                None => self.looked_back = (place + 1, 0),
            }
        }
    }

    /// For each link, the first link of its connected part.
    fn parts(&self) -> Vec<usize> {
        let n = self.is_static.len();
        let mut part: Vec<Option<usize>> = vec![None; n];
        for start in 0..n {
            let mut stack = vec![start];
            while let Some(link) = stack.pop() {
                if part[link].is_some() {
                    continue;
                }
                part[link] = Some(start);
                stack.extend(self.from[link].iter().filter_map(|i| self.edges[*i].child));
                stack.extend(self.onto[link].iter().filter_map(|i| self.edges[*i].parent));
            }
        }
        part.into_iter().enumerate().map(|(link, p)| p.unwrap_or(link)).collect()
    }

    fn is_child(&self) -> Vec<bool> {
        self.onto.iter().map(|joints| !joints.is_empty()).collect()
    }

    fn finish(self) -> SpanningTree {
        let immovable = |end: Option<usize>| end.is_none_or(|link| self.is_static[link]);
        let unused = (0..self.edges.len()).filter(|i| !self.used[*i]);
        let (idle, loops) = unused.partition(|i| immovable(self.edges[*i].parent) && immovable(self.edges[*i].child));
        SpanningTree { carried: self.carried, loops, idle }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn edge(parent: impl Into<Option<usize>>, child: impl Into<Option<usize>>) -> Edge {
        Edge { parent: parent.into(), child: child.into(), must_be_loop: false }
    }

    #[test]
    fn a_joint_is_followed_backwards_only_where_nothing_else_reaches() {
        // world -> 1; 0 -> 1: link 0 is attached to 1, against the direction of the file.
        let tree = span(&[false, false], &[edge(0, 1), edge(None, 1)], Some(0));
        let expected =
            vec![(1, Carrier::Joint { edge: 1, reversed: false }), (0, Carrier::Joint { edge: 0, reversed: true })];
        assert_eq!(tree, SpanningTree { carried: expected, loops: vec![], idle: vec![] });
    }

    #[test]
    fn a_floating_tree_floats_by_its_root_whatever_the_order_of_the_file() {
        // 2 -> 1 -> 0, canonical 0: the root is 2.
        let tree = span(&[false; 3], &[edge(1, 0), edge(2, 1)], Some(0));
        assert_eq!(tree.carried[0], (2, Carrier::Free));
        assert!(tree.carried[1..].iter().all(|(_, c)| matches!(c, Carrier::Joint { reversed: false, .. })));
    }

    #[test]
    fn the_canonical_part_comes_first_and_a_ring_starts_at_the_canonical_link() {
        let tree = span(&[false; 4], &[edge(1, 2), edge(2, 3), edge(3, 1)], Some(2));
        assert_eq!(tree.carried[0], (2, Carrier::Free));
        assert_eq!(tree.loops, vec![0]);
        assert_eq!(tree.carried[3], (0, Carrier::Free));
    }

    #[test]
    fn a_joint_that_must_be_cut_is_cut() {
        let cut = Edge { must_be_loop: true, ..edge(0, 1) };
        let tree = span(&[false; 2], &[edge(None, 0), cut], None);
        assert_eq!(tree.carried[1], (1, Carrier::Free));
        assert_eq!(tree.loops, vec![1]);
    }

    proptest! {
        #[test]
        fn every_link_is_carried_once_after_its_carrier_and_every_joint_is_accounted_for(
            is_static in prop::collection::vec(prop::bool::weighted(0.1), 1..20),
            ends in prop::collection::vec((0usize..22, 0usize..22, prop::bool::weighted(0.1)), 0..40),
            canonical in 0usize..20,
        ) {
            let n = is_static.len();
            let end = |i: usize| (i < n).then_some(i);
            let edges: Vec<Edge> = ends
                .iter()
                .map(|&(a, b, must_be_loop)| Edge { parent: end(a), child: end(b), must_be_loop })
                .filter(|e| e.parent != e.child)
                .collect();
            let tree = span(&is_static, &edges, end(canonical));
            let mut stands = vec![false; n];
            let mut seen = vec![0; edges.len()];
            for &(link, carrier) in &tree.carried {
                prop_assert!(!stands[link]);
                if let Carrier::Joint { edge, reversed } = carrier {
                    let e = edges[edge];
                    let (on, carried) = if reversed { (e.child, e.parent) } else { (e.parent, e.child) };
                    prop_assert_eq!(carried, Some(link));
                    prop_assert!(on.is_none_or(|l| stands[l]));
                    prop_assert!(!e.must_be_loop);
                    seen[edge] += 1;
                }
                prop_assert_eq!(carrier == Carrier::World, is_static[link]);
                stands[link] = true;
            }
            prop_assert!(stands.iter().all(|s| *s));
            tree.loops.iter().chain(&tree.idle).for_each(|i| seen[*i] += 1);
            prop_assert!(seen.iter().all(|count| *count == 1));
        }
    }
}
