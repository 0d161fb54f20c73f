//! The `veracity` command.
fn main() {}
