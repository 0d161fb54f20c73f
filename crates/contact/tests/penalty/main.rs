//! The compliant paradigm against closed forms and against what no physics allows.

mod bounce;
mod joints;
mod rest;
mod shipped;
mod slide;
mod worlds;
