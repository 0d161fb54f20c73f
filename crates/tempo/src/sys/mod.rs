//! System calls without a safe wrapper: the CPU clock of another process, scheduling classes, signals, and the setup of
//! a child between fork and exec. All `unsafe` of this crate is below here, one call per block.

#[allow(unsafe_code)]
mod clock;
#[allow(unsafe_code)]
mod guard;
#[allow(unsafe_code)]
mod scheduling;
#[allow(unsafe_code)]
mod signals;
#[allow(unsafe_code)]
mod spawn;

pub use clock::{CpuClock, counter_hz, monotonic_ns, real_time_ns, thread_cpu_ns, time_stamp_counter};
pub use guard::set_subreaper;
pub use scheduling::{Class, set_class, stop_thread};
pub use signals::{SignalWatch, add_client, remove_client};
pub use spawn::{ChildSetup, Spawned, spawn};
