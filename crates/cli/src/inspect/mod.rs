//! What `veracity inspect` shows: a state of a model in numbers, as the document and as text.

pub mod document;
pub mod print;
