//! Which bodies may touch: MuJoCo's own rule, `<exclude>` and `<pair>`.
//!
//! MuJoCo treats bodies without a joint between them as one. Two such groups do not touch if one is the parent of the
//! other, unless the parent is the world. The model expresses this as a list of pairs that never touch.

use super::assemble::Assembled;
use super::context::Context;
use super::defaults::{MAIN, class_of};
use super::node::Node;
use super::option::Options;
use super::tree::BodyDraft;
use crate::builder::ModelBuilder;
use crate::contact::ContactPair;
use crate::material::Material;
use crate::model::BodyId;

/// Maximum number of excluded pairs.
const MAX_PAIRS: usize = 1_000_000;
/// Friction of a `<pair>` that gives none: two slide directions, spin, two roll directions.
const PAIR_FRICTION: [f64; 5] = [1.0, 1.0, 0.005, 0.0001, 0.0001];

/// Adds MuJoCo's rule for parents and children as pairs that never touch.
pub(super) fn exclude_neighbours(
    drafts: &[BodyDraft],
    assembled: &Assembled,
    options: &Options,
    builder: &mut ModelBuilder,
    ctx: &mut Context<'_>,
) {
    // For each body, the first body of the group it is welded to.
    let mut group_of: Vec<usize> = Vec::with_capacity(drafts.len());
    for (index, draft) in drafts.iter().enumerate() {
        let own = index == 0 || !draft.joints.is_empty() || draft.mocap;
        group_of.push(if own { index } else { group_of[draft.parent] });
    }
    let mut members: Vec<Vec<BodyId>> = vec![Vec::new(); drafts.len()];
    for (index, draft) in drafts.iter().enumerate() {
        if let Some(id) = assembled.body_of[index].filter(|_| !draft.geoms.is_empty()) {
            members[group_of[index]].push(id);
        }
    }
    builder.adjacent_bodies_collide(true);
    let mut count = 0;
    for group in 0..drafts.len() {
        let own = &members[group];
        let below = group_of[drafts[group].parent];
        let hangs = group != 0 && group_of[group] == group && below != 0 && !options.parents_collide;
        let others: &[BodyId] = if hangs { &members[below] } else { &[] };
        count += own.len() * own.len().saturating_sub(1) / 2 + own.len() * others.len();
        if count > MAX_PAIRS {
            let hint = "bodies that hang on each other may touch in the model";
            ctx.unsupported(&drafts[group].node, "so many neighbouring bodies without contact", hint);
            return;
        }
        for (k, a) in own.iter().enumerate() {
            own[k + 1..].iter().chain(others).for_each(|b| builder.exclude_contact(*a, *b));
        }
    }
}

/// Reads one `<contact>`.
pub(super) fn read(node: &Node, assembled: &Assembled, builder: &mut ModelBuilder, ctx: &mut Context<'_>) {
    for child in &node.children {
        match child.name.as_str() {
            "exclude" => exclude(child, assembled, builder, ctx),
            "pair" => pair(child, assembled, builder, ctx),
            other => {
                let what = format!("<{other}> in <contact>");
                ctx.unsupported(child, &what, "check its spelling");
            }
        }
    }
}

fn exclude(node: &Node, assembled: &Assembled, builder: &mut ModelBuilder, ctx: &mut Context<'_>) {
    ctx.check_attributes(node, "exclude");
    let mut find = |attribute: &str| {
        let name = node.attribute(attribute).unwrap_or("");
        let found = assembled.bodies.get(name);
        if found.is_none() {
            ctx.error(node, "reference", format!("<exclude> names body '{name}', which does not exist"));
        }
        // The world's shapes are on a separate body, if there are any.
        found.map(|id| id.or(assembled.body_of.first().copied().flatten()))
    };
    if let (Some(Some(a)), Some(Some(b))) = (find("body1"), find("body2")) {
        builder.exclude_contact(a, b);
    }
}

fn pair(node: &Node, assembled: &Assembled, builder: &mut ModelBuilder, ctx: &mut Context<'_>) {
    ctx.check_attributes(node, "pair");
    let class = class_of(node, MAIN, ctx);
    let full = ctx.defaults.complete(node, "pair", class);
    let mut find = |attribute: &str| {
        let name = full.attribute(attribute).unwrap_or("");
        let found = assembled.geoms.get(name).copied();
        if found.is_none() {
            ctx.error(node, "reference", format!("<pair> names geom '{name}', which does not exist"));
        }
        found
    };
    let (Some(a), Some(b)) = (find("geom1"), find("geom2")) else { return };
    let count = builder.so_far().contact_pairs().len();
    let name = node.given_name().map_or_else(|| format!("pair#{count}"), str::to_string);
    let friction = full.up_to::<5>("friction", PAIR_FRICTION, ctx.findings);
    let dimensions = full.integer("condim", ctx.findings).unwrap_or(3);
    if friction[3] != friction[4] && dimensions == 6 {
        ctx.unsupported(node, "rolling friction that differs by direction", "the first value is used for both");
    }
    let model = builder.so_far();
    let alone = |id: BodyId| model.body(id).shapes.iter().filter(|shape| shape.collides).count() <= 1;
    let (shape_a, shape_b) = (&model.body(a.body).shapes[a.shape], &model.body(b.body).shapes[b.shape]);
    let filtered = !shape_a.may_touch(shape_b);
    if !alone(a.body) || !alone(b.body) {
        let hint = "the pair is kept for the two bodies with all their shapes";
        ctx.unsupported(node, "a contact pair of some shapes of a body", hint);
    }
    if filtered {
        let hint = "let contype and conaffinity of the two geoms allow the contact";
        ctx.unsupported(node, "a contact pair that contype and conaffinity forbid", hint);
    }
    ctx.keep_for_mujoco(&full, "pair", &name, &["condim", "solref", "solimp", "solreffriction", "margin", "gap"]);
    let slides = dimensions >= 3;
    let material = builder.add_material(Material {
        name: format!("pair/{name}"),
        friction: if slides { [friction[0], friction[1]] } else { [0.0, 0.0] },
        torsional_friction: if dimensions >= 4 { friction[2] } else { 0.0 },
        rolling_friction: if dimensions >= 6 { friction[3] } else { 0.0 },
        ..Material::default()
    });
    builder.add_contact_pair(ContactPair {
        name,
        a: a.body,
        b: Some(b.body),
        material: Some(material),
        conditions: Vec::new(),
    });
}
