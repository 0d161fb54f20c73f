//! Engines in separate processes.
//!
//! [`serve()`] puts any engine behind the protocol: a worker is an executable whose `main` calls it. [`shim_main`] is that
//! `main` for an engine behind a shim. [`WorkerEngine`]
//! is the other side: it starts such executables, talks to them over shared memory, supervises them, and implements the
//! engine contract. A worker that crashes, hangs or exceeds its memory ends its own trial, with the reason, and is
//! restarted for the next.
//!
//! Controllers and sensors of a trial are sent there as well, as tables, so that many steps with a controller at each
//! are one request.
//!
//! The protocol is in `docs/workers.md`, byte for byte; workers in other languages follow it.
//!
//! Deliberately absent: any particular engine, and anything that no call of the contract needs. `unsafe` is confined to
//! the mapping of the memory (`shared`) and the set-up of a new process (`host/family.rs`).
//!
//! The executable of a worker:
//!
//! ```no_run
//! fn main() -> std::process::ExitCode {
//!     veracity_worker::serve(&veracity_engine_native::ENGINE)
//! }
//! ```

mod channel;
mod held;
mod host;
mod looped;
mod message;
mod serve;
mod shared;
mod wire;

pub use host::{Limits, WorkerEngine, find};
pub use serve::serve;

/// What [`shim_main`] names.
pub mod shim {
    pub use veracity_foreign::{Api, Shim, ShimEngine};
}

/// The whole `main` of a worker over a shim: declares the table of its `shim.cpp` and serves the engine.
///
/// ```ignore
/// veracity_worker::shim_main!("ode", "ODE in double precision", settings::SETTINGS);
/// ```
#[macro_export]
macro_rules! shim_main {
    ($name:expr, $about:expr, $settings:expr $(,)?) => {
        fn main() -> std::process::ExitCode {
            #[allow(unsafe_code)]
            fn shim() -> $crate::shim::Shim {
                unsafe extern "C" {
                    fn vs_shim() -> *const $crate::shim::Api;
                }
                // SAFETY: the table is the one of shim.cpp, which obeys the contract of veracity_shim.h.
                unsafe { $crate::shim::Shim::new(vs_shim()) }
            }
            let (name, about, settings) = ($name, $about, $settings);
            $crate::serve(&$crate::shim::ShimEngine { name, about, settings, shim: shim() })
        }
    };
}

/// Version of the protocol.
pub const PROTOCOL: u64 = 2;
