//! Rapier behind the engine contract.
