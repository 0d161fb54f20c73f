//! The native engine behind the protocol: a whole worker.

fn main() -> std::process::ExitCode {
    veracity_worker::serve(&veracity_engine_native::ENGINE)
}
