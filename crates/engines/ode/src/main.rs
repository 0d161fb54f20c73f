//! ODE (Open Dynamics Engine 0.16) behind the engine contract: a worker process.
//!
//! Bodies are maximal: joints are constraints between them, softened by `erp` and `cfm`. ODE's implicit choices are set
//! to what the World specifies: sleeping (auto-disable) is off, so is damping; contact joints are created at every step
//! from the surfaces of the two shapes; correcting velocities are not capped unless `max_correction_m_s` sets a cap.
//!
//! Known properties, left as they are:
//! - Friction is a pyramid of two directions (`friction=pyramid`); there is no torsional or rolling friction.
//! - Damping, springs, drives and drag are efforts of the state at the step's beginning.
//! - `quick` sweeps constraints in an order that it shuffles with its own random generator; its seed is part of the
//!   state here, so that runs repeat and snapshots continue exactly.
//! - Contacts exist only where shapes overlap: a body at rest on the ground is some 1e-12 m deep in it.

mod settings;

veracity_worker::shim_main!(
    "ode",
    "ODE in double precision: maximal coordinates, Dantzig's direct solver or sweeps (quick)",
    settings::SETTINGS
);
