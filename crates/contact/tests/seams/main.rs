//! Internal edges: a body that slides from one tile to the next does not notice, in every paradigm; edges that are really
//! there are kept.

mod flat;
mod floors;
mod true_edges;
