//! House-keeping commands: `cargo xtask test`, `acceptance`, `bench`.
fn main() {}
