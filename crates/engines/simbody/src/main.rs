//! Simbody 3.7 behind the engine contract: a worker process.
//!
//! Coordinates are those of joints; the integrators are Simbody's own, of fixed step (`semi_explicit_euler`) or with error
//! control within each step (`rkm`, `rk3`, `verlet`). Every step begins anew: an integrator carries nothing from one to the
//! next, so that snapshots go on to the bit.
//!
//! Known of it, and left as it is:
//! - Bodies do not touch here: Simbody's contact is compliant and, for boxes, a mesh of springs that at a millisecond explodes
//!   or takes minutes; a world that wants contact is refused.
//! - Limits are Simbody's compliant stops (`limit_stiffness`, `limit_dissipation`).
//! - Dry friction, armature and couplings are refused. Drives and drag are efforts of the state at the step's beginning.

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
    let about = "Simbody: joint coordinates, its own integrators with accuracy, no contact";
    veracity_worker::serve(&ShimEngine { name: "simbody", about, settings: settings::SETTINGS, shim: table::shim() })
}
