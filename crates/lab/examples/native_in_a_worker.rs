//! Our own engine as a worker, for the test that runs controllers in the worker.

fn main() -> std::process::ExitCode {
    veracity_worker::serve(&veracity_engine_native::ENGINE)
}
