//! Runs trials and studies in parallel; the results store; stepping on demand.
