//! Converts the bodies as read to bodies and joints of the model.
//!
//! A body with several joints becomes a chain: every joint except the last carries a body without mass or shape named
//! `BODY#JOINT`, the last carries the body itself. Unnamed parts of the file are called `body#N`, `BODY#joint0`,
//! `BODY#fixed` and so on. Shapes of the world itself belong to a fixed body `world`; its children are attached to the
//! model frame.

use super::compiler::InertiaFromGeom;
use super::context::Context;
use super::inertial;
use super::joint::SOLVER;
use super::tree::BodyDraft;
use crate::body::{Body, BodyShape};
use crate::builder::ModelBuilder;
use crate::finding::Severity;
use crate::geometry::Pose;
use crate::inertia::Inertia;
use crate::joint::{Joint, JointKind};
use crate::material::Material;
use crate::model::{BodyId, Frame, JointId, MaterialId};
use std::collections::BTreeMap;

/// The model's joint for a joint named in the file.
#[derive(Clone, Copy, Debug)]
pub(super) struct JointPlace {
    /// Its index in the model.
    pub id: JointId,
    /// Its position in the initial configuration of the file; 0 unless hinge or slide.
    pub reference: f64,
}

/// The model's shape for a geom named in the file.
#[derive(Clone, Copy, Debug)]
pub(super) struct GeomPlace {
    /// The body it is attached to.
    pub body: BodyId,
    /// Index of the shape in that body.
    pub shape: usize,
}

/// Maps names in the file to parts of the model, with the configurations given by the file.
#[derive(Debug, Default)]
pub(super) struct Assembled {
    /// Bodies; `None` is the world.
    pub bodies: BTreeMap<String, Option<BodyId>>,
    /// Joints.
    pub joints: BTreeMap<String, JointPlace>,
    /// Geoms.
    pub geoms: BTreeMap<String, GeomPlace>,
    /// Sites: body and pose.
    pub sites: BTreeMap<String, (Option<BodyId>, Pose)>,
    /// The model's body for every body of the file; `None` is the world without shapes.
    pub body_of: Vec<Option<BodyId>>,
    /// Positions in the initial configuration of the file.
    pub initial: Vec<f64>,
    /// Positions at which springs are relaxed.
    pub spring_rest: Vec<f64>,
    /// Joints whose spring and damper are computed from a time constant and a damping ratio.
    pub spring_dampers: Vec<(JointId, [f64; 2])>,
}

/// Adds bodies, joints, shapes, materials and frames.
pub(super) fn add_tree(drafts: &[BodyDraft], builder: &mut ModelBuilder, ctx: &mut Context<'_>) -> Assembled {
    let mut inertias: Vec<Inertia> = drafts
        .iter()
        .map(|draft| {
            let compiler = ctx.compiler(&draft.node);
            let own = inertial::of_body(draft.inertial, &draft.geoms, draft.position, compiler);
            inertial::repaired(own, compiler)
        })
        .collect();
    inertias[0] = Inertia::zero();
    if let Some(total) = ctx.compilers[0].total_mass {
        inertial::scale_to_total(&mut inertias, total);
    }
    report_lost_mass(drafts, ctx);
    warn_of_massless(drafts, &inertias, ctx);

    let mut out = Assembled::default();
    let mut surfaces = Surfaces::default();
    // Only free joints need the pose of their body in the world, and those are attached to the world directly.
    for (index, draft) in drafts.iter().enumerate() {
        let name = draft.name.clone().unwrap_or_else(|| format!("body#{index}"));
        if index == 0 && draft.geoms.is_empty() {
            out.body_of.push(None);
            name_body("world", None, draft, &mut out, ctx);
            add_sites(draft, "world", None, builder, &mut out, ctx);
            continue;
        }
        let mut body = Body::new(&name, inertias[index]);
        body.gravity_scale = 1.0 - draft.gravity_compensation;
        body.source = Some(draft.node.source.clone());
        for (k, geom) in draft.geoms.iter().enumerate() {
            let mut shape = BodyShape::new(
                geom.name.clone().unwrap_or_else(|| format!("geom{k}")),
                geom.shape.clone(),
                geom.body_from_geom,
            );
            (shape.group, shape.mask) = (geom.group, geom.mask);
            shape.collides = geom.group != 0 || geom.mask != 0;
            shape.material = Some(surfaces.id(&geom.surface, builder));
            shape.source = Some(geom.source.clone());
            body.shapes.push(shape);
        }
        let parent = if draft.parent == 0 { None } else { out.body_of[draft.parent] };
        let id = add_chain(draft, &name, body, parent, builder, &mut out, ctx);
        out.body_of.push(Some(id));
        for (k, geom) in draft.geoms.iter().enumerate() {
            if let Some(name) = &geom.name
                && out.geoms.insert(name.clone(), GeomPlace { body: id, shape: k }).is_some()
            {
                ctx.error(&draft.node, "name-clash", format!("two geoms are called '{name}'; rename one"));
            }
        }
        name_body(&name, (index != 0).then_some(id), draft, &mut out, ctx);
        add_sites(draft, &name, Some(id), builder, &mut out, ctx);
    }
    out
}

/// Adds the joints of a body, each with the body it carries; the last carries `body`.
fn add_chain(
    draft: &BodyDraft,
    name: &str,
    body: Body,
    parent: Option<BodyId>,
    builder: &mut ModelBuilder,
    out: &mut Assembled,
    ctx: &mut Context<'_>,
) -> BodyId {
    let Some((last, before)) = draft.joints.split_last() else {
        let mut joint = Joint::new(format!("{name}#fixed"), JointKind::Fixed).at(draft.parent_from_body);
        joint.source = Some(draft.node.source.clone());
        return builder.add_body(body, joint, parent);
    };
    let mut parent = parent;
    let mut parent_from_body = draft.parent_from_body;
    let mut last_body = Some(body);
    let mut id = BodyId(0);
    for (k, joint) in before.iter().chain([last]).enumerate() {
        let joint_name = joint.name.clone().unwrap_or_else(|| format!("{name}#joint{k}"));
        let carried = if k == before.len() { last_body.take() } else { None };
        let carried = carried.unwrap_or_else(|| {
            let link_name = joint.name.as_ref().map_or(joint_name.clone(), |given| format!("{name}#{given}"));
            let mut link = Body::new(link_name, Inertia::zero());
            link.source = Some(joint.source());
            link
        });
        id = builder.add_body(carried, joint.build(joint_name.clone(), &parent_from_body), parent);
        parent = Some(id);
        out.initial.extend(joint.initial_position(&draft.parent_from_body));
        out.spring_rest.extend(joint.spring_position(&draft.parent_from_body));
        if let Some(wanted) = joint.spring_damper {
            out.spring_dampers.push((JointId(id.0), wanted));
        }
        parent_from_body = Pose::identity();
        ctx.keep_for_mujoco(&joint.node, "joint", &joint_name, &SOLVER);
        if let Some(given) = &joint.name {
            let place = JointPlace { id: JointId(id.0), reference: joint.reference };
            // The builder reports a second joint of this name.
            out.joints.insert(given.clone(), place);
        }
    }
    id
}

fn name_body(name: &str, id: Option<BodyId>, draft: &BodyDraft, out: &mut Assembled, ctx: &mut Context<'_>) {
    if draft.name.is_some() && out.bodies.insert(name.to_string(), id).is_some() && name == "world" {
        ctx.error(&draft.node, "name-clash", "a body is called 'world', which is the world's own name; rename it");
    }
}

fn add_sites(
    draft: &BodyDraft,
    body_name: &str,
    body: Option<BodyId>,
    builder: &mut ModelBuilder,
    out: &mut Assembled,
    ctx: &mut Context<'_>,
) {
    for (k, site) in draft.sites.iter().enumerate() {
        let name = site.name.clone().unwrap_or_else(|| format!("{body_name}#site{k}"));
        builder.add_frame(Frame { name: name.clone(), body, body_from_frame: site.body_from_site });
        if site.name.is_some() && out.sites.insert(name.clone(), (body, site.body_from_site)).is_some() {
            ctx.error(&site.node, "name-clash", format!("two sites are called '{name}'; rename one"));
        }
    }
}

/// A body whose mass comes from geoms that could not be built has the wrong mass: an error, unless it never moves.
fn report_lost_mass(drafts: &[BodyDraft], ctx: &mut Context<'_>) {
    for (index, draft) in drafts.iter().enumerate().skip(1) {
        let from_geoms = match ctx.compiler(&draft.node).inertia_from_geom {
            InertiaFromGeom::Never => false,
            InertiaFromGeom::Always => true,
            InertiaFromGeom::WhenMissing => draft.inertial.is_none(),
        };
        let mut ancestor = index;
        while drafts[ancestor].joints.is_empty() && ancestor != 0 {
            ancestor = drafts[ancestor].parent;
        }
        let severity = if ancestor == 0 { Severity::Warning } else { Severity::Error };
        for lost in draft.lost.iter().filter(|_| from_geoms) {
            let name = draft.name.as_deref().unwrap_or("without name");
            let mass = lost.mass.map_or_else(|| "the mass".into(), |mass| format!("{mass} kg"));
            let text = format!(
                "body '{name}' lacks {mass} of a geom that could not be made (see the finding about it), so its mass and \
                 inertia are wrong; put the geom's mesh in place"
            );
            ctx.findings.add(severity, "mass-lost", Some(lost.node.source.clone()), format!("bodies/{name}"), text);
        }
    }
}

/// Warns of moving bodies that neither have nor carry mass: MuJoCo cannot simulate them.
fn warn_of_massless(drafts: &[BodyDraft], inertias: &[Inertia], ctx: &mut Context<'_>) {
    let mut carries: Vec<bool> = inertias.iter().map(|inertia| inertia.mass > 0.0).collect();
    for index in (1..drafts.len()).rev() {
        if carries[index] {
            carries[drafts[index].parent] = true;
        }
    }
    for (draft, carries) in drafts.iter().zip(carries).skip(1) {
        if !draft.joints.is_empty() && !carries {
            let name = draft.name.as_deref().unwrap_or("without name");
            let text = format!("body '{name}' moves, but neither it nor anything it carries has mass; give it some");
            ctx.warning(&draft.node, "massless", text);
        }
    }
}

/// Equal surfaces become one material.
#[derive(Default)]
struct Surfaces {
    known: BTreeMap<String, MaterialId>,
}

impl Surfaces {
    fn id(&mut self, surface: &Material, builder: &mut ModelBuilder) -> MaterialId {
        let count = self.known.len();
        *self
            .known
            .entry(format!("{surface:?}"))
            .or_insert_with(|| builder.add_material(Material { name: format!("surface{count}"), ..surface.clone() }))
    }
}
