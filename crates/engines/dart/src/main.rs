//! DART 6.12 behind the engine contract: a worker process.
//!
//! Coordinates are those of joints; a step is semi-implicit Euler, then impulses of a boxed complementarity problem
//! (`solver=dantzig`, or `pgs`). Contacts come from one of four detectors.
//!
//! Known of it, and left as it is:
//! - DART takes the smaller of two frictions and the product of two restitutions, which cannot be chosen. The world's rules are
//!   kept by the numbers that shapes are given; where no numbers of single shapes give them, a shape has several copies.
//! - Friction is a pyramid of two directions; there is no torsional or rolling friction.
//! - Damping and springs of joints are DART's own, and implicit. Drives, drag and springs between points are efforts of the
//!   state at the step's beginning.
//! - Loops and couplings are not offered: DART takes their frames from the positions at which they are made.
//! - `collision=bullet` and `fcl` remember points from step to step where no snapshot reaches them: there are none with these.
//!   `collision=dart` has only balls and boxes.
//! - A state that is no longer a number fails an assertion inside DART: the worker ends, and says so.
//! - The numbers `contact_erp` and so on are one for the whole process in DART; they are set anew before every step.

mod settings;

use std::process::ExitCode;
use veracity_foreign::ShimEngine;

/// The table of `shim.cpp`.
#[allow(unsafe_code)]
mod table {
    use veracity_foreign::{Api, Shim};

    unsafe extern "C" {
        fn vs_shim() -> *const Api;
    }

    pub fn shim() -> Shim {
        // SAFETY: the table is the one of shim.cpp, which keeps the promises of veracity_shim.h.
        unsafe { Shim::new(vs_shim()) }
    }
}

fn main() -> ExitCode {
    let about = "DART: joint coordinates, contact as a boxed complementarity problem, four collision detectors";
    veracity_worker::serve(&ShimEngine { name: "dart", about, settings: settings::SETTINGS, shim: table::shim() })
}
