//! MuJoCo behind the engine contract: a worker process, built against the library of its wheel. Several versions may be
//! installed side by side: `mujoco` is 4.0.1, `mujoco@4.0.0` and `mujoco@3.17` are others. In 4.0.0 the sparse solver
//! is broken (mujoco#3767): from 60 degrees of freedom on it does not converge and the motion is wrong.
//!
//! Coordinates are those of joints. MuJoCo's implicit choices are set to what the World specifies or are settings:
//! masses come from the model, never from shapes; parents and children touch only if the World allows it; a non-finite
//! state ends the run instead of being reset.
//!
//! Known properties, left as they are:
//! - Contacts and limits are soft (`solref_…`, `solimp_…`): bodies sink in, and bodies held by friction creep. There is
//!   no coefficient of restitution; a world with one is refused.
//! - Damping of joints is implicit under `integrator=euler` unless `eulerdamp=off`, which is MuJoCo's default.
//! - Drives and drag of bodies are efforts of the state at the step's beginning.
//! - Meshes collide as their convex hulls; a mesh that is not declared convex is refused.
//! - Contacts and their impulses are those of the step's beginning.

mod settings;

veracity_worker::shim_main!(
    "mujoco",
    "MuJoCo: joint coordinates, soft contacts solved as one convex problem",
    settings::SETTINGS
);
