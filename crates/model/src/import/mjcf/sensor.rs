//! `<sensor>`: sensors with an equivalent in the model are converted; the rest is kept verbatim.

use super::assemble::Assembled;
use super::context::Context;
use super::node::Node;
use crate::builder::ModelBuilder;
use crate::geometry::{Pose, Vec3, quat_about};
use crate::model::{BodyId, JointId};
use crate::sensor::{Sensor, SensorKind};
use std::collections::BTreeSet;
use std::f64::consts::FRAC_PI_2;

/// The parts a sensor may name.
pub(super) struct Parts<'a> {
    /// What was built.
    pub assembled: &'a Assembled,
    /// Names of all geoms of the file, also of those that were left out.
    pub geoms: BTreeSet<String>,
}

impl<'a> Parts<'a> {
    /// Those of a document.
    pub fn new(root: &Node, assembled: &'a Assembled) -> Self {
        fn collect(node: &Node, into: &mut BTreeSet<String>) {
            into.extend(node.given_name().filter(|_| node.name == "geom").map(str::to_string));
            node.children.iter().for_each(|child| collect(child, into));
        }
        let mut geoms = BTreeSet::new();
        root.children.iter().filter(|section| section.name == "worldbody").for_each(|tree| collect(tree, &mut geoms));
        Self { assembled, geoms }
    }
}

/// Reads one `<sensor>`.
pub(super) fn read(node: &Node, parts: &Parts<'_>, builder: &mut ModelBuilder, ctx: &mut Context<'_>) {
    for child in &node.children {
        let Some((kind, body, body_from_sensor)) = kind_and_place(child, parts, ctx) else { continue };
        let count = builder.so_far().sensors().len();
        let name = child.given_name().map_or_else(|| format!("{}#{count}", child.name), str::to_string);
        let period = child.list("interval", ctx.findings).and_then(|list| list.first().copied());
        if child.number("delay", ctx.findings).unwrap_or(0.0) > 0.0 {
            ctx.unsupported(child, "a sensor with a delay", "give the controller the latency instead");
        }
        builder.add_sensor(Sensor {
            name,
            kind,
            body,
            body_from_sensor,
            rate_hz: period.filter(|period| *period > 0.0).map(|period| 1.0 / period),
            noise_std: child.number("noise", ctx.findings).unwrap_or(0.0),
            source: Some(child.source.clone()),
        });
    }
}

type Placed = (SensorKind, Option<BodyId>, Pose);

fn kind_and_place(node: &Node, parts: &Parts<'_>, ctx: &mut Context<'_>) -> Option<Placed> {
    let assembled = parts.assembled;
    match node.name.as_str() {
        "jointpos" | "jointvel" => {
            let name = node.attribute("joint").unwrap_or("");
            let Some(place) = assembled.joints.get(name) else {
                ctx.error(node, "reference", format!("<{}> names joint '{name}', which does not exist", node.name));
                return None;
            };
            Some((SensorKind::Encoder { joint: place.id }, Some(BodyId(place.id.0)), Pose::identity()))
        }
        "accelerometer" | "gyro" => at_site(node, "site", SensorKind::Imu, assembled, ctx),
        "touch" => {
            let text = "touch sensors measure the whole body, not only the part inside their site";
            ctx.note(node, "touch", text);
            at_site(node, "site", SensorKind::Contact, assembled, ctx)
        }
        "force" | "torque" => {
            let (_, body, place) = at_site(node, "site", SensorKind::Pose, assembled, ctx)?;
            match body {
                // The force between a body and its parent acts through the joint that carries it.
                Some(BodyId(i)) => Some((SensorKind::ForceTorque { joint: JointId(i) }, body, place)),
                None => Some((carried(node), body, place)),
            }
        }
        "rangefinder" if node.has("site") => {
            let cutoff = node.number("cutoff", ctx.findings).filter(|cutoff| *cutoff > 0.0);
            let kind = SensorKind::Range { max: cutoff.unwrap_or(f64::INFINITY) };
            let (kind, body, place) = at_site(node, "site", kind, assembled, ctx)?;
            // MuJoCo measures along the site's z, a range sensor of the model along its x.
            let x_along_z = Pose::from_parts(Vec3::zeros().into(), quat_about(&Vec3::y(), -FRAC_PI_2));
            Some((kind, body, place * x_along_z))
        }
        "framepos" | "framequat" | "framelinvel" | "frameangvel" if !node.has("refname") => {
            match node.attribute("objtype") {
                Some("site") => at_site(node, "objname", SensorKind::Pose, assembled, ctx),
                Some("xbody") => {
                    let name = node.attribute("objname").unwrap_or("");
                    match assembled.bodies.get(name) {
                        Some(body) => Some((SensorKind::Pose, *body, Pose::identity())),
                        None => {
                            ctx.error(
                                node,
                                "reference",
                                format!("<{}> names body '{name}', which does not exist", node.name),
                            );
                            None
                        }
                    }
                }
                _ => unplaced(node, parts, ctx),
            }
        }
        _ => unplaced(node, parts, ctx),
    }
}

/// A sensor without an equivalent, if everything it names exists; MuJoCo rejects the file otherwise.
fn unplaced(node: &Node, parts: &Parts<'_>, ctx: &mut Context<'_>) -> Option<Placed> {
    let assembled = parts.assembled;
    let mut missing = Vec::new();
    for (attribute, name) in &node.attributes {
        let kind = match attribute.as_str() {
            "objname" => node.attribute("objtype").unwrap_or(""),
            "refname" => node.attribute("reftype").unwrap_or(""),
            other => other.trim_end_matches(['1', '2']),
        };
        let exists = match kind {
            "joint" => assembled.joints.contains_key(name),
            "site" => assembled.sites.contains_key(name),
            "body" | "xbody" => assembled.bodies.contains_key(name),
            "geom" => parts.geoms.contains(name),
            _ => continue,
        };
        if !exists {
            missing.push(format!("{} '{name}'", kind.trim_start_matches('x')));
        }
    }
    if missing.is_empty() {
        return Some((carried(node), None, Pose::identity()));
    }
    let text = format!("<{}> names {}, which does not exist", node.name, missing.join(" and "));
    ctx.error(node, "reference", text);
    None
}

fn carried(node: &Node) -> SensorKind {
    SensorKind::Other { kind: node.name.clone(), attributes: node.attributes.clone() }
}

/// A sensor at the site that `attribute` names.
fn at_site(
    node: &Node,
    attribute: &str,
    kind: SensorKind,
    assembled: &Assembled,
    ctx: &mut Context<'_>,
) -> Option<Placed> {
    let name = node.attribute(attribute).unwrap_or("");
    match assembled.sites.get(name) {
        Some((body, place)) => Some((kind, *body, *place)),
        None => {
            ctx.error(node, "reference", format!("<{}> names site '{name}', which does not exist", node.name));
            None
        }
    }
}
