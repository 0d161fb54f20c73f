//! Bullet 3.24 in double precision behind the engine contract: a worker process.
//!
//! `coordinates=multibody` (the default): joint coordinates by Featherstone's algorithm, semi-implicit Euler.
//! `coordinates=maximal`: bodies, with joints as constraints between them. What Bullet decides in silence is set to what the
//! World says: its damping (0.04) is zero, sleeping is off, no speed of a joint is capped (100), no impulse of a limit (100),
//! stops of hinges do not bounce (they would, fully), margins do not change sizes, and two surfaces make one by a setting.
//!
//! Known of it, and left as it is:
//! - A body that spins by more than an eighth of a turn in a step is turned by an eighth: a warning says so.
//! - Contact points are kept from step to step, up to four for a pair, where no snapshot reaches them; with
//!   `contact_cache=dropped` they are found anew in each step, and snapshots are exact.
//! - Two convex shapes find one point in a step, and gather four over several; boxes find all at once.
//! - Damping, springs, drives and drag are efforts of the state at the step's beginning. There is no armature.
//! - Multibodies have hinges, sliders, balls and free roots, and no loops; meshes and planes belong to the ground.

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
    let about = "Bullet in double precision: Featherstone multibodies or maximal coordinates, contact by sweeps";
    veracity_worker::serve(&ShimEngine { name: "bullet", about, settings: settings::SETTINGS, shim: table::shim() })
}
