//! Output of `veracity inspect`: a state of a model in numbers, as a JSON document and as text.

pub mod document;
pub mod print;
