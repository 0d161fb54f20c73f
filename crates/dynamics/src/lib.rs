//! Smooth multibody dynamics in joint coordinates.
