//! The list of metrics of several records: one file and one line each.

pub mod difference;
pub mod order_of_convergence;
pub mod self_consistency;
pub mod split_point;

use crate::comparison::ComparisonEntry;

/// Every metric of several records, in display order.
pub const COMPARISONS: &[ComparisonEntry] =
    &[difference::ENTRY, split_point::ENTRY, order_of_convergence::ENTRY, self_consistency::ENTRY];

/// The comparison with this name.
pub fn find(name: &str) -> Option<&'static ComparisonEntry> {
    COMPARISONS.iter().find(|c| c.name == name)
}
