//! The penalty paradigm against closed forms and against physical invariants.

mod bounce;
mod joints;
mod rest;
mod shipped;
mod slide;
mod worlds;
