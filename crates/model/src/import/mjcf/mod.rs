//! Reads MJCF, MuJoCo's format.
//!
//! The meaning of a file is defined by MuJoCo 4; the tests compare masses, frames, joints, shapes and actuators with
//! its compiled model. The mapping:
//!
//! | MJCF | model |
//! |---|---|
//! | body with several joints | a chain; all but the last joint carry a massless body `BODY#JOINT` |
//! | hinge (without range), slide, ball, free | revolute (continuous), prismatic, ball, free |
//! | `qpos` | our `q`, number for number: `ref` is in the joint frames, a free joint is relative to the world |
//! | `qvel` | our `v`; a free joint has its angular part first |
//! | the initial configuration (`qpos0`) | [`crate::Model::initial_positions`] |
//! | `<attach>` | the other model's bodies and what refers to them, with the prefix before every name |
//! | a mesh in an OBJ file | the triangles MuJoCo makes of its first object |
//! | geoms of the world | shapes of a fixed body `world` |
//! | `contype`, `conaffinity` | group and mask |
//! | `friction`, `condim` | material; spin and roll friction only where `condim` lets them act; the world combines two surfaces by `max` |
//! | connect, weld, joint equalities | loop joints and couplings, exact instead of soft |
//! | spatial tendon of two sites | spring |
//! | motor, position, velocity, general | actuator with an effort, position, velocity or affine drive |
//! | `<option>`, solver settings of elements | engine settings of the world, verbatim |
//!
//! Everything else is reported: `unsupported` if it would affect the motion, otherwise a note.

mod actuator;
mod actuator_law;
mod assemble;
mod asset;
mod attach;
mod compiler;
mod contact;
mod context;
mod defaults;
mod equality;
mod fit;
mod geom;
mod include;
mod inertial;
mod joint;
mod keyframe;
mod kinematics;
mod mesh_inertia;
mod node;
mod option;
mod pose;
mod replicate;
mod schema;
mod sensor;
mod settle;
mod shell_inertia;
mod tendon;
mod tree;

use super::resources::Resources;
use super::xml::Element;
use crate::builder::ModelBuilder;
use crate::combination::CombineRule;
use crate::finding::Findings;
use crate::geometry::Vec3;
use crate::world::World;
use context::Context;
use node::Node;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// Reads the document; `None` if an error prevents a model.
pub fn read(root: Element<'_>, resources: &Resources, findings: &mut Findings) -> Option<World> {
    let root = include::assemble(root, resources, findings)?;
    let (root, files) = attach::expand(root, resources, findings);
    let world = build(&root, files, resources, findings);
    // An error may have lost a body or a joint, so no partial world is returned.
    world.filter(|_| !super::is_fatal(findings))
}

/// Sections that do not affect the motion.
const WITHOUT_EFFECT: [&str; 4] = ["size", "statistic", "visual", "custom"];

fn build(root: &Node, files: Vec<PathBuf>, resources: &Resources, findings: &mut Findings) -> Option<World> {
    let mut ctx = Context::new(findings, resources, files);
    let ctx = &mut ctx;
    ctx.check_attributes(root, "mujoco");
    let sections = |name: &'static str| root.children.iter().filter(move |child| child.name == name);

    sections("compiler").for_each(|node| compiler::read(node, ctx));
    let mut options = option::Options::default();
    sections("option").for_each(|node| option::read(node, &mut options, ctx));
    sections("default").for_each(|node| defaults::read(node, ctx));
    let expanded;
    let root = if replicate::is_used(root) {
        expanded = replicate::expand(root, ctx);
        &expanded
    } else {
        root
    };
    let sections = |name: &'static str| root.children.iter().filter(move |child| child.name == name);
    let mut assets = asset::Assets::default();
    sections("asset").for_each(|node| asset::read(node, &mut assets, ctx));
    let trees: Vec<&Node> = sections("worldbody").collect();
    let drafts = tree::read(&trees, root, &assets, ctx);
    ctx.report_unread_assets();
    report_other_sections(root, ctx);

    let name = root.attribute("model").filter(|name| !name.is_empty()).unwrap_or("mujoco");
    let mut builder = ModelBuilder::new(name);
    let assembled = assemble::add_tree(&drafts, &mut builder, ctx);
    contact::exclude_neighbours(&drafts, &assembled, &options, &mut builder, ctx);
    sections("contact").for_each(|node| contact::read(node, &assembled, &mut builder, ctx));

    let rest_poses = kinematics::poses(builder.so_far(), &assembled.spring_rest);
    let mut tendons = BTreeMap::new();
    for node in sections("tendon") {
        tendon::read(node, &assembled, &rest_poses, &mut tendons, &mut builder, ctx);
    }
    let poses = kinematics::poses(builder.so_far(), &assembled.initial);
    let scene = equality::Scene { assembled: &assembled, tendons: &tendons, poses: &poses };
    sections("equality").for_each(|node| equality::read(node, &scene, &mut builder, ctx));
    let mut pending = actuator::Pending::default();
    for node in sections("actuator") {
        actuator::read(node, &assembled, &tendons, &mut pending, &mut builder, ctx);
    }
    settle::settle(&assembled, &pending, &poses, root, &mut builder, ctx);
    let parts = sensor::Parts::new(root, &assembled);
    sections("sensor").for_each(|node| sensor::read(node, &parts, &mut builder, ctx));
    sections("keyframe").for_each(|node| keyframe::read(node, &assembled, &pending, &mut builder, ctx));
    if assembled.initial != builder.so_far().neutral_positions() {
        builder.start_at(assembled.initial);
    }

    ctx.finish(root.source.clone());
    let engine_settings = std::mem::take(&mut ctx.engine_settings);
    let model = match builder.build() {
        Ok(model) => model,
        Err(problems) => {
            ctx.findings.extend(problems);
            return None;
        }
    };
    let mut world = World::with_model(model);
    // MuJoCo uses the larger friction of two geoms, element by element.
    world.combination.friction = CombineRule::Max;
    world.contact = !options.contact_off;
    world.gravity = if options.gravity_off { Vec3::zeros() } else { options.gravity };
    world.engine_settings =
        engine_settings.into_iter().map(|(key, value)| ("mujoco".to_string(), key, value)).collect();
    Some(world)
}

/// Reports the sections that are not read.
fn report_other_sections(root: &Node, ctx: &mut Context<'_>) {
    const READ: [&str; 11] = [
        "compiler",
        "option",
        "default",
        "asset",
        "worldbody",
        "contact",
        "tendon",
        "equality",
        "actuator",
        "sensor",
        "keyframe",
    ];
    for child in &root.children {
        match child.name.as_str() {
            name if READ.contains(&name) => {}
            name if WITHOUT_EFFECT.contains(&name) => ctx.has_no_effect(&format!("<{name}>")),
            "extension" => ctx.unsupported(child, "<extension>", "plugins run inside MuJoCo only"),
            "deformable" => ctx.unsupported(child, "<deformable>", "the model has rigid bodies only"),
            other => {
                let what = format!("<{other}> in <mujoco>");
                ctx.unsupported(child, &what, "check its spelling");
            }
        }
    }
}
