//! PhysX 5.1.3 behind the engine contract: a worker process. Optional: `cargo xtask engines physx` compiles it from
//! source.
//!
//! Bodies are maximal: every joint is a D6 constraint between two of them, solved by sweeps of TGS or PGS. Everything
//! is in single precision. PhysX's implicit choices are set to what the World specifies (PhysX's default in brackets):
//! damping (0.05 1/s of the spin) is zero, sleeping and the caps on speeds (100 rad/s) are off, gyroscopic torques are
//! on (off), a bounce begins at 0.01 m/s (2 m/s), friction of a patch with two anchors counts once (twice), a rod of
//! given length has that length (to 25 mm), and surfaces are combined by the world's rule.
//!
//! Known properties, left as they are:
//! - A number is rounded to a fraction of 6e-8 of itself in each step: a body a metre from the origin that is slower
//!   than 6e-5 m/s at steps of a millisecond does not move.
//! - Contact points and the anchors of friction are kept from step to step and cannot be saved in a snapshot; with
//!   `contact_cache=dropped` each step is taken in a new scene, and snapshots are exact.
//! - Contacts are reported with the impulse along their normal: PhysX does not report that of friction.
//! - There are no cylinders, screws, couplings or armature, no torsional or rolling friction; height fields would be
//!   rounded to sixteen bits. All of these are refused.
//! - Damping, springs, drives and drag are efforts of the state at the step's beginning.

mod settings;

veracity_worker::shim_main!(
    "physx",
    "PhysX in single precision: maximal coordinates, joints and contacts by sweeps (TGS or PGS)",
    settings::SETTINGS
);
