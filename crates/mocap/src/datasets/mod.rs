//! Public sets of recordings: their file layouts, their published constants and what their authors marked by hand.
//!
//! Everything that holds for one set only is here; readers and steps know no data set. One file each.

pub mod tosses;
pub mod weazelball;
