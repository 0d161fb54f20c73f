//! The grasp study for a robot of the user's own: every engine, twenty start states of the object in the hand, the time of
//! the loss, and whether a stronger squeeze slips less.

use super::tasks::{number, quoted};
use std::fmt::Write;
use veracity_model::Pose;
use veracity_model::geometry::rpy_from_quat;

/// Offset of the object in the hand [m], and its turn [rad]: those of the grasp study.
const OFFSETS: (f64, f64) = (2e-4, 0.008_726_646_259_971_648);

/// Engines that run where they are installed.
const GUESTS: [&str; 7] = [
    "ode",
    "ode:solver=quick,iters=500,sor=1",
    "bullet",
    "dart",
    "mujoco:integrator=implicitfast,cone=elliptic,impratio=100",
    "physx",
    "simbody",
];

/// The study file of the scenario `name`, whose object starts at a pose and is squeezed with efforts by joint.
pub(super) fn text(name: &str, world_from_object: &Pose, squeeze: &[(String, f64)]) -> String {
    let escaped = |joint: &str| joint.replace('~', "~0").replace('/', "~1");
    let doubled: Vec<String> = squeeze
        .iter()
        .map(|(joint, effort)| {
            format!(
                "{} = {}",
                quoted(&format!("controllers/squeeze/efforts/{}", escaped(joint))),
                number(2.0 * effort)
            )
        })
        .collect();
    let mut out = format!(
        "#:schema schema/study.json\n\
         # The grasp study with your hand: change the scenario for another arm, motion or object, and run this file.\n\
         schema = 1\nname = \"{name}_study\"\ntitle = \"Which engine can hold the object?\"\nsamples = 20\ncpu_cap_s = 600\n\
         show = [\"held\", \"not dropped\", \"slip\"]\nscenarios = [\n    \"{name}.toml\",\n    \
         {{ scenario = \"{name}.toml\", name = \"twice_the_force\", set = {{ {} }} }},\n]\nengines = [\n    \"native\",\n    \
         \"native:solver=pgs,iters=50\",\n    \"rapier:multibody\",\n",
        doubled.join(", ")
    );
    for guest in GUESTS {
        let _ = writeln!(out, "    {{ spec = \"{guest}\", if_present = true }},");
    }
    out += "]\n";
    let place = world_from_object.translation.vector;
    let [roll, pitch, yaw] = rpy_from_quat(&world_from_object.rotation);
    let mut vary = |axis: &str, middle: f64, reach: f64| {
        let _ = write!(
            out,
            "\n[[vary]]\npath = \"start/q/block/world_joint/{axis}\"\nname = \"{axis}\"\ndistribution = \"uniform\"\nlow = {}\nhigh = {}\n",
            middle - reach,
            middle + reach
        );
    };
    for (axis, middle) in [("x", place.x), ("y", place.y), ("z", place.z)] {
        vary(axis, middle, OFFSETS.0);
    }
    // Upright, roll and yaw are one turn: they are left out.
    if pitch.abs() < 1.5 {
        for (axis, middle) in [("roll", roll), ("pitch", pitch), ("yaw", yaw)] {
            vary(axis, middle, OFFSETS.1);
        }
    }
    let _ = write!(
        out,
        "\n[[hypotheses]]\nname = \"force\"\ntext = \"twice the force slips less\"\ncontrol = {{ scenario = \"{name}\" }}\n\
         change = {{ scenario = \"twice_the_force\" }}\ncheck = \"slip\"\nsays = \"better\"\nfactor = 1.1\n\n\
         [[hypotheses]]\nname = \"solver\"\ntext = \"50 sweeps slip as much as a solve to rounding\"\n\
         control = {{ engine = \"native\" }}\nchange = {{ engine = \"native:solver=pgs,iters=50\" }}\ncheck = \"slip\"\nsays = \"same\"\nfactor = 1.1\n"
    );
    out
}
