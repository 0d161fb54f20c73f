//! DART 6.12 behind the engine contract: a worker process.
//!
//! Coordinates are those of joints; a step is semi-implicit Euler, then impulses of a boxed complementarity problem
//! (`solver=dantzig`, or `pgs`). Contacts come from one of four detectors.
//!
//! Known properties, left as they are:
//! - DART uses the smaller of two frictions and the product of two restitutions, which cannot be changed. The world's
//!   rules are implemented by the coefficients given to shapes; where no coefficients of single shapes give them, a
//!   shape has several copies.
//! - Friction is a pyramid of two directions; there is no torsional or rolling friction.
//! - Damping and springs of joints are DART's own, and implicit. Drives, drag and springs between points are efforts of
//!   the state at the step's beginning.
//! - Loops and couplings are not supported: DART takes their frames from the positions at which they are created.
//! - `collision=bullet` and `fcl` keep points from step to step that cannot be saved: there are no snapshots with
//!   these. `collision=dart` has only balls and boxes.
//! - A non-finite state fails an assertion inside DART, which ends the worker with that message.
//! - The parameters `contact_erp` and so on are global to the process in DART; they are set again before every step.

mod settings;

veracity_worker::shim_main!(
    "dart",
    "DART: joint coordinates, contact as a boxed complementarity problem, four collision detectors",
    settings::SETTINGS
);
