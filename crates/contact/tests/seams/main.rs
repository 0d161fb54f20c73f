//! Internal edges: a body that slides from one tile to the next is not affected, in every paradigm; real edges are
//! kept.

mod flat;
mod floors;
mod true_edges;
