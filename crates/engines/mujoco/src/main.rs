//! MuJoCo behind the engine contract: a worker process, built against the library of its wheel. Several versions may stand
//! beside each other: `mujoco` is 4.0.1, `mujoco@4.0.0` and `mujoco@3.17` are others. In 4.0.0 the sparse solver is broken
//! (mujoco#3767): from 60 degrees of freedom on it does not converge and the motion is another.
//!
//! Coordinates are those of joints. What MuJoCo decides in silence is set to what the World says or is a setting: masses come
//! from the model, never from shapes; parents and children touch only if the World lets them; a state that is no longer a
//! number ends the run instead of being reset.
//!
//! Known of it, and left as it is:
//! - Contacts and limits are soft (`solref_…`, `solimp_…`): bodies sink in, and what friction holds creeps. There is no
//!   coefficient of restitution; a world with one is refused.
//! - Damping of joints is implicit under `integrator=euler` unless `eulerdamp=off`, as MuJoCo has it by default.
//! - Drives and drag of bodies are efforts of the state at the step's beginning.
//! - Meshes collide as their convex hulls; a mesh that is not said to be convex is refused.
//! - Contacts and their impulses are those of the step's beginning.

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
    let about = "MuJoCo: joint coordinates, soft contacts solved as one convex problem";
    veracity_worker::serve(&ShimEngine { name: "mujoco", about, settings: settings::SETTINGS, shim: table::shim() })
}
