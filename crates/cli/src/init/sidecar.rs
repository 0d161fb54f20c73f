//! The sidecar of a generated scenario: what the model's file says that would keep the task from being tried, changed
//! for this scenario only and in the open.

use super::robot::Robot;
use super::tasks::quoted;
use std::collections::BTreeMap;
use std::fmt::Write;
use veracity_collide::{Configuration, overlaps};
use veracity_model::{Material, Shape};

/// Overlaps up to this depth are touching [m], as for `veracity check`.
const TOUCHING: f64 = 1e-5;
/// Triangles of all collision meshes above which bodies of one robot are not tested against each other.
const MANY_TRIANGLES: usize = 20_000;

/// The text of the sidecar and a sentence for each change; `None` when nothing has to be changed.
pub fn text(robot: &Robot, model: &str) -> Option<(String, Vec<String>)> {
    let mut said = Vec::new();
    let (mut top, mut tables) = (String::new(), String::new());
    rigid_surfaces(robot, &mut tables, &mut said);
    sliding_friction_alone(robot, &mut tables, &mut said);
    if !self_collision_off(robot, &mut top, &mut said) {
        overlapping_pairs(robot, &mut tables, &mut said);
    }
    if said.is_empty() {
        return None;
    }
    let head = format!(
        "#:schema schema/sidecar.json\n\
         # What this scenario changes in {model}, which stays as it is. Remove an entry to get the file's own value.\n\
         schema = 1\n"
    );
    Some((head + &top + &tables, said))
}

/// A contact stiffness is meant for one engine's compliant contact; a rigid one cannot honour it.
fn rigid_surfaces(robot: &Robot, tables: &mut String, said: &mut Vec<String>) {
    let mut names = Vec::new();
    for material in robot.world.placements[0].model.materials() {
        if material.stiffness.is_some() || material.dissipation != 0.0 {
            let stiffness = material.stiffness.unwrap_or(f64::INFINITY);
            let _ = write!(
                tables,
                "\n# In the file: stiffness {stiffness:e} N/m, dissipation {:e} s/m. Rigid contact is what every engine can compute.\n\
                 [[material]]\nname = {}\nstiffness_n_per_m = inf\ndissipation_s_per_m = 0\n",
                material.dissipation,
                quoted(&material.name),
            );
            names.push(material.name.as_str());
        }
    }
    if let [first, ..] = names.as_slice() {
        let others = if names.len() > 1 { format!(" and {} more", names.len() - 1) } else { String::new() };
        said.push(format!("surface '{first}'{others}: rigid, without the stiffness in the file"));
    }
}

/// Friction against turning and rolling on the spot: few engines have it, and in different forms.
fn sliding_friction_alone(robot: &Robot, tables: &mut String, said: &mut Vec<String>) {
    let materials = robot.world.placements[0].model.materials();
    let more = |m: &&Material| m.torsional_friction != 0.0 || m.rolling_friction != 0.0;
    let mut count = 0;
    for material in materials.iter().filter(more) {
        let _ = write!(
            tables,
            "\n# In the file: torsional friction {:e} m, rolling friction {:e} m. Sliding friction is what every engine can compute.\n\
             [[material]]\nname = {}\ntorsional_friction_m = 0\nrolling_friction_m = 0\n",
            material.torsional_friction,
            material.rolling_friction,
            quoted(&material.name),
        );
        count += 1;
    }
    if count > 0 {
        let plural = if count == 1 { "surface" } else { "surfaces" };
        said.push(format!(
            "{count} {plural}: sliding friction only, without the torsional and rolling friction in the file"
        ));
    }
}

fn self_collision_off(robot: &Robot, top: &mut String, said: &mut Vec<String>) -> bool {
    let model = &robot.world.placements[0].model;
    let shapes = model.bodies().iter().flat_map(|b| &b.shapes).filter(|s| s.collides);
    let count = |shape: &Shape| match shape {
        Shape::Mesh(mesh) => mesh.triangles.len(),
        _ => 0,
    };
    let triangles: usize = shapes.map(|s| count(&s.shape)).sum();
    if triangles <= MANY_TRIANGLES {
        return false;
    }
    let _ = write!(
        top,
        "\n# The collision meshes have {triangles} triangles: testing them against each other would take most of the time.\n\
         # The robot touches everything else, but not itself.\nself_collide = false\n"
    );
    said.push(format!("no contact of the robot with itself: its collision meshes have {triangles} triangles"));
    true
}

/// Bodies that start inside each other are pushed apart by every engine, with a speed that means nothing.
fn overlapping_pairs(robot: &Robot, tables: &mut String, said: &mut Vec<String>) {
    let configuration = Configuration { q: vec![robot.q.clone()], world_from_body: vec![robot.poses.clone()] };
    let mut pairs: BTreeMap<_, f64> = BTreeMap::new();
    for overlap in overlaps(&robot.world, &configuration).found {
        let depth = pairs.entry((overlap.a.body, overlap.b.body)).or_insert(0.0);
        *depth = depth.max(overlap.gap.depth());
    }
    pairs.retain(|_, depth| *depth > TOUCHING);
    let model = &robot.world.placements[0].model;
    for ((a, b), depth) in &pairs {
        let [a, b] = [a, b].map(|body| quoted(&model.body(*body).name));
        let _ =
            write!(tables, "\n# Start inside each other by {:.1} mm.\n[[exclude]]\na = {a}\nb = {b}\n", 1e3 * depth);
    }
    if !pairs.is_empty() {
        let plural = if pairs.len() == 1 { "pair of bodies that starts" } else { "pairs of bodies that start" };
        said.push(format!("{} {plural} inside each other: excluded from contact", pairs.len()));
    }
}
