//! The native engine in a process of its own, for the test that runs clients next to one.

fn main() -> std::process::ExitCode {
    veracity_worker::serve(&veracity_engine_native::ENGINE)
}
