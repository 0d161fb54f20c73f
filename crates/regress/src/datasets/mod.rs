//! Public data sets: their tables and their protocols.
//!
//! Everything that holds for one data set only is here; splits, maps, tests and verdicts know no data set. One folder
//! each.

pub mod tosses;
pub mod weazelball;
