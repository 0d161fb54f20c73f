//! A delay line: values come out in the order they went in, each at its own time.

use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// Rows of `width` numbers in transit. Has the capacity that its latency and the period of the entries need, so that it
/// does not allocate again.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Delay {
    width: usize,
    latency_ns: i64,
    entered_ns: VecDeque<i64>,
    due_ns: VecDeque<i64>,
    values: VecDeque<f64>,
}

impl Delay {
    pub fn new(width: usize, latency_ns: i64, period_ns: i64) -> Self {
        let rows = (latency_ns / period_ns + 2).clamp(2, 1 << 20) as usize;
        let values = VecDeque::with_capacity(rows * width);
        let times = || VecDeque::with_capacity(rows);
        Self { width, latency_ns, entered_ns: times(), due_ns: times(), values }
    }

    /// A row that comes out after the latency.
    pub fn push(&mut self, entered_ns: i64, row: &[f64]) {
        self.push_until(entered_ns, entered_ns + self.latency_ns, row);
    }

    /// A row that comes out at `due_ns`, or with the row before it if that is later.
    pub fn push_until(&mut self, entered_ns: i64, due_ns: i64, row: &[f64]) {
        self.entered_ns.push_back(entered_ns);
        self.due_ns.push_back(due_ns);
        self.values.extend(row);
    }

    /// When the next row comes out.
    pub fn next_ns(&self) -> Option<i64> {
        self.due_ns.front().copied()
    }

    /// Removes the next row if it is due; returns its time of entry.
    pub fn pop_due(&mut self, now_ns: i64, row: &mut [f64]) -> Option<i64> {
        if self.next_ns()? > now_ns {
            return None;
        }
        for x in row.iter_mut() {
            *x = self.values.pop_front()?;
        }
        self.due_ns.pop_front();
        self.entered_ns.pop_front()
    }

    pub fn clear(&mut self) {
        self.entered_ns.clear();
        self.due_ns.clear();
        self.values.clear();
    }

    /// Whether the other is consistent and has the same width and latency.
    pub fn fits(&self, other: &Self) -> bool {
        let rows = other.entered_ns.len();
        let whole = other.values.len() == rows * other.width && other.due_ns.len() == rows;
        whole && (self.width, self.latency_ns) == (other.width, other.latency_ns)
    }

    /// Copies the rows of the other, reusing its own memory.
    pub fn copy_from(&mut self, other: &Self) {
        self.clear();
        self.entered_ns.extend(&other.entered_ns);
        self.due_ns.extend(&other.due_ns);
        self.values.extend(&other.values);
    }
}
