//! Our own multibody dynamics behind the engine contract.
