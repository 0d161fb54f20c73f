//! `<option>`: gravity is physics; the rest is kept verbatim for MuJoCo.

use super::context::Context;
use super::node::Node;
use crate::geometry::Vec3;
use crate::world::DEFAULT_GRAVITY;

/// The settings of `<option>` that the model uses.
#[derive(Clone, Copy, Debug)]
pub(super) struct Options {
    /// Gravitational acceleration as written [m/s²].
    pub gravity: Vec3,
    /// Whether a flag disables gravity.
    pub gravity_off: bool,
    /// Whether a body may touch its parent body.
    pub parents_collide: bool,
    /// Whether a flag disables contact: shapes are then only drawn.
    pub contact_off: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self { gravity: DEFAULT_GRAVITY, gravity_off: false, parents_collide: false, contact_off: false }
    }
}

/// Flags that disable a part of the physics, and the part.
const PHYSICS_FLAGS: [(&str, &str); 8] = [
    ("constraint", "joint limits, contacts, dry friction and equality constraints"),
    ("equality", "equality constraints"),
    ("frictionloss", "dry friction"),
    ("limit", "joint limits"),
    ("spring", "joint and tendon springs"),
    ("damper", "joint and tendon damping"),
    ("clampctrl", "the ranges of commands"),
    ("actuation", "actuators"),
];

/// Reads one `<option>`, overriding earlier ones.
pub(super) fn read(node: &Node, options: &mut Options, ctx: &mut Context<'_>) {
    ctx.check_attributes(node, "option");
    ctx.check_children(node, &["flag"]);
    for (name, value) in &node.attributes {
        if name != "gravity" {
            ctx.engine_settings.push((name.clone(), value.clone()));
        }
    }
    if let Some(gravity) = node.vector("gravity", ctx.findings) {
        options.gravity = gravity;
    }
    for name in ["density", "viscosity", "wind"] {
        let given = node.list(name, ctx.findings).unwrap_or_default();
        if given.iter().any(|x| *x != 0.0) {
            let what = format!("option {name} (forces of a surrounding fluid)");
            ctx.unsupported(
                node,
                &what,
                "the bodies move as in a vacuum; use joint damping if that is what is meant",
            );
        }
    }
    if node.has("actuatorgroupdisable") {
        ctx.unsupported(node, "option actuatorgroupdisable", "all actuators act; remove those that should not");
    }
    for flag in node.children.iter().filter(|child| child.name == "flag") {
        ctx.check_attributes(flag, "flag");
        for (name, value) in &flag.attributes {
            ctx.engine_settings.push((format!("flag/{name}"), value.clone()));
            let disabled = value == "disable";
            match name.as_str() {
                "gravity" => options.gravity_off = disabled,
                "filterparent" => options.parents_collide = disabled,
                "contact" => options.contact_off = disabled,
                _ => {}
            }
            if let Some((_, what)) = PHYSICS_FLAGS.iter().find(|(flag, _)| flag == name)
                && disabled
            {
                let text = format!("flag {name}=\"disable\" (without {what})");
                ctx.unsupported(flag, &text, "the model keeps them; remove them from the file to be without");
            }
        }
    }
}
