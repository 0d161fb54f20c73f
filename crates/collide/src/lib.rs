//! Gaps between shapes.
