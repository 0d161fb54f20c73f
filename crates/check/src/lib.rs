//! Audits of a model before any engine is blamed.
