//! Bullet 3.24 in double precision behind the engine contract: a worker process.
//!
//! `coordinates=multibody` (the default): joint coordinates by Featherstone's algorithm, semi-implicit Euler.
//! `coordinates=maximal`: bodies, with joints as constraints between them. Bullet's implicit choices are set to what
//! the World specifies: its damping (0.04) is zero, sleeping is off, joint speeds (100) and limit impulses (100) are
//! not capped, stops of hinges do not bounce (by default they do, fully), margins do not change sizes, and surfaces are
//! combined by the world's rule.
//!
//! Known properties, left as they are:
//! - A body that spins by more than an eighth of a turn in a step is turned by an eighth, with a warning.
//! - Contact points are kept from step to step, up to four for a pair, and cannot be saved in a snapshot; with
//!   `contact_cache=dropped` they are found again in each step, and snapshots are exact.
//! - Two convex shapes find one point in a step, and collect four over several; boxes find all at once.
//! - Damping, springs, drives and drag are efforts of the state at the step's beginning. There is no armature.
//! - Multibodies have hinges, sliders, balls and free roots, and no loops; meshes and planes are supported on the
//!   ground only.

mod settings;

veracity_worker::shim_main!(
    "bullet",
    "Bullet in double precision: Featherstone multibodies or maximal coordinates, contact by sweeps",
    settings::SETTINGS
);
