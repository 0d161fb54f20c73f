//! Commands of a client: those that wait for their time, and the one in force.

use std::collections::VecDeque;

/// Commands in the order of their stamps.
#[derive(Clone, Debug, Default)]
pub struct CommandQueue {
    /// The command in force.
    pub acting: Vec<f64>,
    /// Stamps of pending commands [ns].
    stamps: VecDeque<i64>,
    /// Values of pending commands, one row per stamp.
    rows: VecDeque<f64>,
    last_stamp_ns: i64,
}

impl CommandQueue {
    /// No pending command; zeros are in force.
    pub fn new(width: usize) -> Self {
        Self { acting: vec![0.0; width], last_stamp_ns: i64::MIN, ..Self::default() }
    }

    /// Number of values in a command.
    pub fn width(&self) -> usize {
        self.acting.len()
    }

    /// The stamp a command gets: stamps must not decrease, whatever the client writes.
    pub fn stamp(&mut self, ns: i64) -> i64 {
        self.last_stamp_ns = self.last_stamp_ns.max(ns);
        self.last_stamp_ns
    }

    /// Adds a command; rejected if it contains NaN or infinity. Returns whether it was accepted.
    pub fn push(&mut self, stamp_ns: i64, row: impl Iterator<Item = f64> + Clone) -> bool {
        let finite = row.clone().all(f64::is_finite);
        if finite {
            self.stamps.push_back(stamp_ns);
            self.rows.extend(row);
        }
        finite
    }

    /// Replaces the last command's stamp by the recorded one, in a replay.
    pub fn restamp_last(&mut self, ns: i64) {
        if let Some(last) = self.stamps.back_mut() {
            *last = ns;
        }
    }

    /// Puts the commands into force that are due.
    pub fn apply_until(&mut self, now_ns: i64) {
        while self.stamps.front().is_some_and(|s| *s <= now_ns) {
            self.stamps.pop_front();
            for value in &mut self.acting {
                *value = self.rows.pop_front().unwrap_or(0.0);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_acts_from_its_stamp_on_and_nan_never() {
        let mut queue = CommandQueue::new(2);
        assert!(queue.push(10, [1.0, 2.0].into_iter()));
        assert!(!queue.push(11, [f64::NAN, 2.0].into_iter()));
        assert!(queue.push(20, [3.0, 4.0].into_iter()));
        queue.apply_until(9);
        assert_eq!(queue.acting, [0.0, 0.0]);
        queue.apply_until(19);
        assert_eq!(queue.acting, [1.0, 2.0]);
        queue.restamp_last(30);
        queue.apply_until(29);
        assert_eq!(queue.acting, [1.0, 2.0]);
        queue.apply_until(30);
        assert_eq!(queue.acting, [3.0, 4.0]);
        assert_eq!((queue.stamp(5), queue.stamp(3), queue.stamp(8)), (5, 5, 8));
    }
}
