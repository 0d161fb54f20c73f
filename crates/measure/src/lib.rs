//! Metrics, statistics and verdicts from records.
