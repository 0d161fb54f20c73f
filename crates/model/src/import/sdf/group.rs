//! Builds one [`Model`] from the links and joints of one model of the file (or of several joined by the world).

use super::couplings::add_couplings;
use super::description::JointType;
use super::equipment::{add_frames, add_sensors};
use super::flatten::{Flat, FlatJoint};
use super::frames::FrameId;
use super::motion::Motion;
use super::self_collision::add_contact_filters;
use super::tree::{Carrier, Edge, span};
use crate::body::Body;
use crate::builder::ModelBuilder;
use crate::coupling::LoopJoint;
use crate::finding::{Finding, Findings, Severity};
use crate::joint::{Joint, JointKind};
use crate::material::Material;
use crate::model::{BodyId, JointId, MaterialId, Model};
use std::collections::{BTreeMap, BTreeSet};

/// The parts of the flat lists that become one model, by index.
#[derive(Default)]
pub(super) struct Group {
    pub name: String,
    /// Indices of top-level models.
    pub tops: Vec<usize>,
    pub links: Vec<usize>,
    pub joints: Vec<usize>,
    pub frames: Vec<usize>,
    /// The frame that becomes the model frame.
    pub base: FrameId,
    pub canonical: Option<usize>,
    pub warnings: Vec<Finding>,
}

impl Group {
    /// A name in the model: prefixed by its model in the file if several models were merged.
    pub fn scoped(&self, flat: &Flat<'_>, top: Option<usize>, name: &str) -> String {
        match top {
            Some(top) if self.tops.len() > 1 => {
                format!("{}::{name}", flat.models[flat.top_models[top]].text.name)
            }
            Some(_) => name.to_string(),
            None => format!("world::{name}"),
        }
    }
}

/// A joint of the file that became a tree joint.
pub(super) struct TreeJoint {
    pub id: JointId,
    pub motion: Motion,
}

/// A model under construction.
pub(super) struct Making<'m, 't> {
    pub flat: &'m Flat<'t>,
    pub group: &'m Group,
    pub builder: ModelBuilder,
    /// By index of the flat link.
    pub body_of: BTreeMap<usize, BodyId>,
    /// By index of the flat joint; joints that close loops, couple others or constrain nothing are absent.
    pub in_tree: BTreeMap<usize, TreeJoint>,
    pub findings: Findings,
}

/// Builds the model; `None` if an error prevents it.
pub(super) fn build(flat: &Flat<'_>, group: &Group, findings: &mut Findings) -> Option<Model> {
    let mut making = Making {
        flat,
        group,
        builder: ModelBuilder::new(group.name.clone()),
        body_of: BTreeMap::new(),
        in_tree: BTreeMap::new(),
        findings: Findings::new(),
    };
    making.grow();
    add_contact_filters(&mut making);
    add_couplings(&mut making);
    add_sensors(&mut making);
    add_frames(&mut making);
    making.start_positions();

    let Making { mut builder, findings: met, .. } = making;
    let failed = met.has_errors();
    let warnings = group.warnings.iter().chain(met.iter().filter(|f| f.severity == Severity::Warning));
    warnings.cloned().for_each(|w| builder.warn(w));
    findings.extend(met);
    match builder.build() {
        Ok(model) => (!failed).then_some(model),
        Err(problems) => {
            findings.extend(problems);
            None
        }
    }
}

impl<'t> Making<'_, 't> {
    pub fn report(&mut self, severity: Severity, code: &'static str, joint: &FlatJoint<'_>, text: String) {
        self.findings.add(severity, code, Some(joint.text.source.clone()), format!("joints/{}", joint.name), text);
    }

    /// Adds bodies and joints along the tree, then the loops.
    fn grow(&mut self) {
        let flat = self.flat;
        let local: BTreeMap<usize, usize> = self.group.links.iter().enumerate().map(|(i, l)| (*l, i)).collect();
        let mut edges = Vec::new();
        let mut edge_joint = Vec::new();
        for &index in &self.group.joints {
            let joint = &flat.joints[index];
            let [parent, child] = [joint.parent, joint.child].map(|f| flat.frames.link[f]);
            if matches!(joint.text.kind, JointType::Gearbox { .. }) {
                continue;
            }
            if parent == child {
                let text = format!("joint '{}' connects a link with itself; name two different links", joint.name);
                self.report(Severity::Error, "joint-end", joint, text);
                continue;
            }
            let [parent, child] = [parent, child].map(|l| l.and_then(|l| local.get(&l).copied()));
            edges.push(Edge { parent, child, must_be_loop: joint.text.must_be_loop });
            edge_joint.push(index);
        }
        let is_static: Vec<bool> =
            self.group.links.iter().map(|l| flat.models[flat.links[*l].model].is_static).collect();
        let canonical = self.group.canonical.and_then(|l| local.get(&l).copied());
        let tree = span(&is_static, &edges, canonical);

        let mut materials = BTreeMap::new();
        let mut joint_names: BTreeSet<String> = edge_joint.iter().map(|j| self.joint_name(*j)).collect();
        for (local, carrier) in tree.carried {
            let link = self.group.links[local];
            let body = self.body(link, &mut materials);
            match carrier {
                Carrier::Joint { edge, reversed } => self.hang(link, body, edge_joint[edge], reversed),
                Carrier::World => self.stand(link, body, JointKind::Fixed, &mut joint_names),
                Carrier::Free if flat.links[link].text.massless => {
                    let text = format!(
                        "link '{}' has mass 0 and no joint holds it: it is treated as fixed to the world, as in PyBullet. Use <static> or a fixed joint to say so, or give it a mass",
                        flat.links[link].name
                    );
                    let source = Some(flat.links[link].text.source.clone());
                    let subject = format!("bodies/{}", flat.links[link].name);
                    self.findings.add(Severity::Warning, "massless-base", source, subject, text);
                    self.stand(link, body, JointKind::Fixed, &mut joint_names);
                }
                Carrier::Free => self.stand(link, body, JointKind::Free, &mut joint_names),
            }
        }
        for edge in tree.loops {
            self.close(edge_joint[edge]);
        }
        for edge in tree.idle {
            let joint = &flat.joints[edge_joint[edge]];
            let text = format!("joint '{}' connects things that cannot move and is left out", joint.name);
            self.report(Severity::Note, "joint-idle", joint, text);
        }
    }

    fn joint_name(&self, index: usize) -> String {
        let joint = &self.flat.joints[index];
        self.group.scoped(self.flat, joint.top, &joint.name)
    }

    /// The frame in which poses on a link (or, for `None`, on the world) are expressed.
    fn frame_of(&self, link: Option<usize>) -> FrameId {
        link.map_or(self.group.base, |l| self.flat.links[l].frame)
    }

    fn body(&mut self, index: usize, materials: &mut BTreeMap<String, MaterialId>) -> Body {
        let flat = self.flat;
        let link = &flat.links[index];
        let model = &flat.models[link.model];
        let name = self.group.scoped(flat, Some(model.top), &link.name);
        let mut body = Body::new(name, link.text.inertia);
        body.linear_damping = link.text.linear_damping;
        body.angular_damping = link.text.angular_damping;
        body.gravity_scale = if link.text.gravity { 1.0 } else { 0.0 };
        body.source = Some(link.text.source.clone());
        for text in &link.text.shapes {
            let mut shape = text.shape.clone();
            let placed = flat.pose_in(link.frame, model.scope, &text.pose, &mut self.findings);
            shape.body_from_shape = placed * text.shape.body_from_shape;
            shape.material = text.material.as_ref().map(|m| self.material(m, &body.name, &shape.name, materials));
            body.shapes.push(shape);
        }
        body
    }

    /// Equal surfaces share one material, named after the first shape that has it.
    fn material(
        &mut self,
        material: &Material,
        body: &str,
        shape: &str,
        known: &mut BTreeMap<String, MaterialId>,
    ) -> MaterialId {
        *known.entry(format!("{material:?}")).or_insert_with(|| {
            self.builder.add_material(Material { name: format!("{body}/{shape}"), ..material.clone() })
        })
    }

    /// Attaches a link to the world: free, or fixed because its model is static.
    fn stand(&mut self, link: usize, body: Body, kind: JointKind, names: &mut BTreeSet<String>) {
        let mut name = format!("world_to_{}", body.name);
        while !names.insert(name.clone()) {
            name.push('_');
        }
        let mut joint =
            Joint::new(name, kind).at(self.flat.frames.relative(self.group.base, self.frame_of(Some(link))));
        joint.source = body.source.clone();
        let id = self.builder.add_body(body, joint, None);
        self.body_of.insert(link, id);
    }

    /// Adds a link carried by a joint of the file.
    fn hang(&mut self, link: usize, body: Body, index: usize, reversed: bool) {
        let flat = self.flat;
        let joint = &flat.joints[index];
        let Some(motion) = self.motion(joint) else { return };
        let motion = if reversed { motion.reversed() } else { motion };
        let carrier = if reversed { joint.child } else { joint.parent };
        let parent = flat.frames.link[carrier].and_then(|l| self.body_of.get(&l).copied());
        if let Some(position) = motion.locked_at {
            let elsewhere = motion.initial.iter().find(|q| **q != position && **q != 0.0);
            let unused = elsewhere.map_or_else(String::new, |q| format!(" (its initial position {q} is not used)"));
            let text = format!(
                "joint '{}' has both limits at {position} and is treated as fixed{unused}; write type=\"fixed\" to state it",
                joint.name
            );
            self.report(Severity::Warning, "locked-joint", joint, text);
        }
        if reversed {
            self.report_reversed(joint, motion.kind);
        }
        let made = Joint {
            name: self.joint_name(index),
            parent_from_joint: motion.parent_from_joint,
            child_from_joint: motion.child_from_joint,
            dofs: motion.dofs.clone(),
            source: Some(joint.text.source.clone()),
            ..Joint::new("", motion.kind)
        };
        let id = self.builder.add_body(body, made, parent);
        self.body_of.insert(link, id);
        self.in_tree.insert(index, TreeJoint { id: JointId(id.0), motion });
    }

    fn motion(&self, joint: &FlatJoint<'_>) -> Option<Motion> {
        let [parent, child] = [joint.parent, joint.child].map(|f| self.frame_of(self.flat.frames.link[f]));
        Motion::of(self.flat, joint, parent, child)
    }

    fn report_reversed(&mut self, joint: &FlatJoint<'_>, kind: JointKind) {
        let name = &joint.name;
        let (severity, meaning) = match kind {
            JointKind::Universal { .. } => (Severity::Warning, "its two angles are in the opposite order"),
            JointKind::Ball => (Severity::Warning, "its position is the inverse of the file's"),
            _ => (Severity::Note, "its position keeps the file's sign"),
        };
        let text = format!("joint '{name}' is followed from its child to its parent to reach the world; {meaning}");
        self.report(severity, "joint-reversed", joint, text);
    }

    fn close(&mut self, index: usize) {
        let flat = self.flat;
        let joint = &flat.joints[index];
        let Some(motion) = self.motion(joint) else { return };
        let kind = match motion.loop_kind() {
            Ok(kind) => kind,
            Err(reason) => {
                let text =
                    format!("joint '{}' closes a loop and {reason}; cut the loop at another joint", joint.name);
                self.report(Severity::Error, "loop-joint", joint, text);
                return;
            }
        };
        if motion.has_joint_properties() {
            let text = format!(
                "joint '{}' closes a loop; its limits, damping, spring and friction are not supported there and were \
                 left out. List it before the joint that should close the loop",
                joint.name
            );
            self.report(Severity::Warning, "unsupported", joint, text);
        }
        let body = |frame: FrameId| flat.frames.link[frame].and_then(|l| self.body_of.get(&l).copied());
        let (body_a, body_b) = (body(joint.parent), body(joint.child));
        if let (Some(a), Some(b)) = (body_a, body_b) {
            // Links connected by a joint never collide (SDFormat specification, self_collide).
            self.builder.exclude_contact(a, b);
        }
        self.builder.add_loop(LoopJoint {
            name: self.joint_name(index),
            kind,
            body_a,
            body_b,
            a_from_frame: motion.parent_from_joint,
            b_from_frame: motion.child_from_joint,
            source: Some(joint.text.source.clone()),
        });
    }

    /// Sets the `initial_position` of every axis that has one.
    fn start_positions(&mut self) {
        let mut q = self.builder.so_far().neutral_positions();
        let mut given = false;
        let mut offsets = Vec::new();
        let mut next = 0;
        for joint in self.builder.so_far().joints() {
            offsets.push(next);
            next += joint.kind.position_count();
        }
        for index in &self.group.joints {
            if let Some(TreeJoint { id, motion }) = self.in_tree.get(index) {
                // Ball and free joints have none: their degrees of freedom are not positions.
                for (i, value) in motion.initial.iter().enumerate().filter(|(_, v)| **v != 0.0) {
                    if motion.kind.position_count() == motion.initial.len() {
                        q[offsets[id.0] + i] = *value;
                        given = true;
                    }
                }
            }
        }
        if given {
            self.builder.start_at(q);
        }
    }
}
