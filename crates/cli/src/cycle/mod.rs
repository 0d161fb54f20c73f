//! What `veracity cycle` prints, and which engine it asks for.

pub mod json;
pub mod print;
pub mod spec;
