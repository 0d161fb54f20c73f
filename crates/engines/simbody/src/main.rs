//! Simbody 3.7 behind the engine contract: a worker process.
//!
//! Coordinates are those of joints; the integrators are Simbody's own, of fixed step (`semi_explicit_euler`) or with
//! error control within each step (`rkm`, `rk3`, `verlet`). The integrator is initialised at every step and carries
//! nothing from one to the next, so that snapshots continue to the bit.
//!
//! Contact is Simbody's compliant contact (`surfaces.hpp` has the equations): Hertz between spheres, ellipsoids and
//! planes, a spring at each corner of a box on a plane, Hunt and Crossley's dissipation, friction that rises with the
//! speed of sliding. A World's surfaces are rigid; their stiffness here is a setting. The defaults, and the reasons:
//! - `modulus_pa=1e9`, a hard plastic: a ball of 1 kg and 0.1 m radius rests 0.016 mm deep and rebounds at 1 m/s within
//!   2 ms, which a step of a millisecond still resolves.
//! - `corner_stiffness_n_per_m=1e6`: 10 kg on four corners rest 0.05 mm deep, half of what is acceptable for a robot's
//!   foot; 1 kg rebounds within 2 ms.
//! - `transition_speed_m_s=1e-3`: a held body creeps by less than a millimetre per second. Simbody's own 0.01 gives a
//!   centimetre.
//! - `restitution_speed_m_s=1`: a fall from 5 cm, as in a step of a walking robot.
//! - `rebound_speed_m_s=0.01`: a body that should not bounce rises by 5 µm.
//!
//! Known properties, left as they are:
//! - Boxes touch planes and nothing else, and only with the corners of the face that points down most. Meshes, convex
//!   hulls, capsules, cylinders and height fields are refused: Simbody has no law for them, or for meshes only springs
//!   at the centres of triangles, so that a box of twelve triangles stands as if on a line.
//! - Restitution is exact at one speed. Simbody combines friction to `2 m1 m2 / (m1 + m2)` and uses the mean of
//!   dissipations: both surfaces of a pair are given the pair's number by the world's rules.
//! - Limits are Simbody's compliant stops (`limit_stiffness`, `limit_dissipation`).
//! - Dry friction, armature and couplings are refused. Drives and drag are efforts of the state at the step's
//!   beginning.

mod settings;

veracity_worker::shim_main!(
    "simbody",
    "Simbody: joint coordinates, its own integrators with accuracy, compliant contact",
    settings::SETTINGS
);
