//! Flattens nested models into one list of links and one of joints, with every name resolved.
//!
//! Two passes: the first gives every frame a number and a name in its scope, the second resolves the references of
//! poses, axes and joints, which may point forward in the file. Defaults if the file does not specify them:
//!
//! | element | placed in | moves with |
//! |---|---|---|
//! | link | its model | itself |
//! | joint | its child | its child |
//! | frame | what it is attached to | its model |
//! | model | the model or world around it | its canonical link; the world if static |

use super::description::{FrameText, JointText, LinkText, ModelText, PoseText, WorldText};
use super::frames::{Attachment, FrameGraph, FrameId, PlacedFrames, WORLD};
use super::scopes::{Scope, ScopeId, frame_named, joint_named};
use crate::finding::{Findings, Severity, Source};
use crate::geometry::Pose;

/// A document with every name resolved and every frame placed.
pub(super) struct Flat<'t> {
    pub frames: PlacedFrames,
    pub models: Vec<FlatModel<'t>>,
    /// For each top-level model, its index in `models`.
    pub top_models: Vec<usize>,
    pub links: Vec<FlatLink<'t>>,
    pub joints: Vec<FlatJoint<'t>>,
    pub named_frames: Vec<FlatFrame<'t>>,
    scopes: Vec<Scope>,
}

/// A model at any nesting depth.
pub(super) struct FlatModel<'t> {
    pub text: &'t ModelText,
    pub frame: FrameId,
    pub scope: ScopeId,
    pub outer: ScopeId,
    pub is_static: bool,
    /// The top-level model that contains it, by index into the world's models.
    pub top: usize,
    pub canonical: Option<usize>,
}

/// A link.
pub(super) struct FlatLink<'t> {
    pub text: &'t LinkText,
    /// Name below the top-level model.
    pub name: String,
    pub frame: FrameId,
    pub model: usize,
}

/// A joint.
pub(super) struct FlatJoint<'t> {
    pub text: &'t JointText,
    pub name: String,
    pub frame: FrameId,
    /// The frames named as its parent and child.
    pub parent: FrameId,
    pub child: FrameId,
    /// The frame each axis is expressed in.
    pub axis_frames: Vec<FrameId>,
    pub scope: ScopeId,
    /// `None` for a joint of the world itself.
    pub top: Option<usize>,
}

/// A frame named in the file.
pub(super) struct FlatFrame<'t> {
    pub text: &'t FrameText,
    pub name: String,
    pub frame: FrameId,
    pub scope: ScopeId,
    pub top: Option<usize>,
}

impl Flat<'_> {
    /// The frame that `name` refers to in a scope.
    pub fn frame_named(&self, scope: ScopeId, name: &str) -> Option<FrameId> {
        frame_named(&self.scopes, scope, name)
    }

    /// The joint that `name` refers to in a scope.
    pub fn joint_named(&self, scope: ScopeId, name: &str) -> Option<usize> {
        joint_named(&self.scopes, scope, name)
    }

    /// A pose expressed in `base`, its default frame; unchanged unless it names another frame of `scope`.
    pub fn pose_in(&self, base: FrameId, scope: ScopeId, text: &PoseText, findings: &mut Findings) -> Pose {
        let Some(name) = &text.relative_to else { return text.pose };
        match self.frame_named(scope, name) {
            Some(frame) => self.frames.relative(base, frame) * text.pose,
            None => {
                unknown_frame(name, "relative_to", &text.source, findings);
                text.pose
            }
        }
    }
}

/// Resolves every name and places every frame; `None` if a name is unknown or frames form a cycle.
pub(super) fn flatten<'t>(world: &'t WorldText, findings: &mut Findings) -> Option<Flat<'t>> {
    let mut builder = Builder { graph: FrameGraph::new(), findings, failed: false, flat: Lists::default() };
    builder.flat.scopes.push(Scope { own: WORLD, ..Scope::default() });
    builder.flat.scopes[0].names.insert("world".into(), WORLD);
    for (top, model) in world.models.iter().enumerate() {
        builder.flat.top_models.push(builder.flat.models.len());
        builder.declare_model(model, 0, "", top, false);
    }
    builder.declare_joints(&world.joints, 0, "", None, true);
    builder.declare_frames(&world.frames, 0, "", None);
    builder.connect_models();
    builder.connect_links();
    builder.connect_joints();
    builder.connect_frames();
    let Builder { graph, findings, failed, flat } = builder;
    let frames = graph.resolve(findings)?;
    let Lists { models, top_models, links, joints, named_frames, scopes } = flat;
    (!failed).then_some(Flat { frames, models, top_models, links, joints, named_frames, scopes })
}

#[derive(Default)]
struct Lists<'t> {
    models: Vec<FlatModel<'t>>,
    top_models: Vec<usize>,
    links: Vec<FlatLink<'t>>,
    joints: Vec<FlatJoint<'t>>,
    named_frames: Vec<FlatFrame<'t>>,
    scopes: Vec<Scope>,
}

struct Builder<'t, 'f> {
    graph: FrameGraph,
    findings: &'f mut Findings,
    failed: bool,
    flat: Lists<'t>,
}

impl<'t> Builder<'t, '_> {
    fn declare_model(&mut self, text: &'t ModelText, outer: ScopeId, prefix: &str, top: usize, outer_static: bool) {
        let path = format!("{prefix}{}", text.name);
        // Names are relative to the top-level model, which becomes a separate model.
        let inner = if outer == 0 { String::new() } else { format!("{path}::") };
        let frame = self.graph.add(path, text.source.clone());
        if outer == 0 {
            self.graph.anchor(frame);
        }
        let scope = self.flat.scopes.len();
        self.flat.scopes.push(Scope { own: frame, ..Scope::default() });
        self.name_in(outer, &text.name, frame, &text.source, true);
        self.flat.scopes[outer].nested.insert(text.name.clone(), scope);

        let is_static = text.is_static || outer_static;
        let model = self.flat.models.len();
        self.flat.models.push(FlatModel { text, frame, scope, outer, is_static, top, canonical: None });
        let first_link = self.flat.links.len();
        for link in &text.links {
            let name = format!("{inner}{}", link.name);
            let frame = self.graph.add(name.clone(), link.source.clone());
            self.name_in(scope, &link.name, frame, &link.source, true);
            self.graph.attach(frame, Attachment::Link(self.flat.links.len()));
            self.flat.links.push(FlatLink { text: link, name, frame, model });
        }
        // Up to 1.6 a joint and a link may share a name: the joint's frame cannot be referred to there.
        self.declare_joints(&text.joints, scope, &inner, Some(top), text.version.names_frames());
        self.declare_frames(&text.frames, scope, &inner, Some(top));
        let first_nested = self.flat.models.len();
        for nested in &text.models {
            self.declare_model(nested, scope, &inner, top, is_static);
        }
        let canonical = match &text.canonical_link {
            Some(name) => self.canonical_named(scope, name, &text.source),
            None if !text.links.is_empty() => Some(first_link),
            None => self.flat.models.get(first_nested).and_then(|m| m.canonical),
        };
        self.flat.models[model].canonical = canonical;
        let attachment = canonical.filter(|_| !is_static).map_or(Attachment::World, Attachment::Link);
        self.graph.attach(frame, attachment);
    }

    fn canonical_named(&mut self, scope: ScopeId, name: &str, source: &Source) -> Option<usize> {
        let frame = frame_named(&self.flat.scopes, scope, name);
        let link = frame.and_then(|f| self.graph.attached_link(f).filter(|l| self.flat.links[*l].frame == f));
        if link.is_none() {
            self.fail(source, name, "frame-unknown", format!("canonical_link '{name}' is not a link of the model"));
        }
        link
    }

    fn declare_joints(
        &mut self,
        joints: &'t [JointText],
        scope: ScopeId,
        prefix: &str,
        top: Option<usize>,
        strict: bool,
    ) {
        for text in joints {
            let name = format!("{prefix}{}", text.name);
            let frame = self.graph.add(name.clone(), text.source.clone());
            self.name_in(scope, &text.name, frame, &text.source, strict);
            let index = self.flat.joints.len();
            if self.flat.scopes[scope].joints.insert(text.name.clone(), index).is_some() && !strict {
                let what = format!("two joints are called '{}'; rename one", text.name);
                self.fail(&text.source, &text.name, "name-clash", what);
            }
            let (parent, child, axis_frames) = (WORLD, WORLD, Vec::new());
            self.flat.joints.push(FlatJoint { text, name, frame, parent, child, axis_frames, scope, top });
        }
    }

    fn declare_frames(&mut self, frames: &'t [FrameText], scope: ScopeId, prefix: &str, top: Option<usize>) {
        for text in frames {
            let name = format!("{prefix}{}", text.name);
            let frame = self.graph.add(name.clone(), text.source.clone());
            self.name_in(scope, &text.name, frame, &text.source, true);
            self.flat.named_frames.push(FlatFrame { text, name, frame, scope, top });
        }
    }

    fn connect_models(&mut self) {
        for i in 0..self.flat.models.len() {
            let FlatModel { text, frame, scope, outer, .. } = self.flat.models[i];
            let parent = self.parent_of(outer, &text.pose, self.flat.scopes[outer].own);
            self.place(frame, parent, scope, &text.pose, &text.placement_frame);
        }
    }

    fn connect_links(&mut self) {
        for i in 0..self.flat.links.len() {
            let FlatLink { text, frame, model, .. } = self.flat.links[i];
            let FlatModel { scope, frame: own, .. } = self.flat.models[model];
            let parent = self.parent_of(scope, &text.pose, own);
            self.graph.place(frame, parent, text.pose.pose);
        }
    }

    fn connect_joints(&mut self) {
        for i in 0..self.flat.joints.len() {
            let FlatJoint { text, frame, scope, .. } = self.flat.joints[i];
            let parent = self.joint_end(scope, text, &text.parent, "parent");
            let child = self.joint_end(scope, text, &text.child, "child");
            let placed_in = self.parent_of(scope, &text.pose, child);
            self.graph.place(frame, placed_in, text.pose.pose);
            self.graph.attach(frame, Attachment::With(child));
            let mut axis_frames = Vec::with_capacity(text.axes.len());
            for axis in &text.axes {
                axis_frames.push(self.named_or(scope, &axis.expressed_in, "expressed_in", &axis.source, frame));
            }
            let joint = &mut self.flat.joints[i];
            (joint.parent, joint.child, joint.axis_frames) = (parent, child, axis_frames);
        }
    }

    fn connect_frames(&mut self) {
        for i in 0..self.flat.named_frames.len() {
            let FlatFrame { text, frame, scope, .. } = self.flat.named_frames[i];
            let own = self.flat.scopes[scope].own;
            let attached_to = self.named_or(scope, &text.attached_to, "attached_to", &text.source, own);
            let parent = self.parent_of(scope, &text.pose, attached_to);
            self.graph.attach(frame, Attachment::With(attached_to));
            self.place(frame, parent, scope, &text.pose, &text.placement_frame);
        }
    }

    fn place(&mut self, frame: FrameId, parent: FrameId, scope: ScopeId, pose: &PoseText, by: &Option<String>) {
        match by.as_ref().map(|name| (name, frame_named(&self.flat.scopes, scope, name))) {
            None => self.graph.place(frame, parent, pose.pose),
            Some((_, Some(inner))) => self.graph.place_by(frame, parent, pose.pose, inner),
            Some((name, None)) => self.unknown(name, "placement_frame", &pose.source),
        }
    }

    /// The frame a pose is expressed in.
    fn parent_of(&mut self, scope: ScopeId, pose: &PoseText, default: FrameId) -> FrameId {
        self.named_or(scope, &pose.relative_to, "relative_to", &pose.source, default)
    }

    fn named_or(
        &mut self,
        scope: ScopeId,
        name: &Option<String>,
        attribute: &str,
        source: &Source,
        default: FrameId,
    ) -> FrameId {
        let Some(name) = name else { return default };
        frame_named(&self.flat.scopes, scope, name).unwrap_or_else(|| {
            self.unknown(name, attribute, source);
            default
        })
    }

    /// Resolves an end of a joint. `world` is the world unless an old document gives that name to a link.
    fn joint_end(&mut self, scope: ScopeId, joint: &JointText, name: &str, end: &str) -> FrameId {
        match frame_named(&self.flat.scopes, scope, name) {
            Some(frame) => frame,
            None if name == "world" => WORLD,
            None => {
                let text = format!("the <{end}> of joint '{}', '{name}', is not a link or frame here", joint.name);
                self.fail(&joint.source, &joint.name, "joint-end", text);
                WORLD
            }
        }
    }

    fn name_in(&mut self, scope: ScopeId, name: &str, frame: FrameId, source: &Source, strict: bool) {
        let names = &mut self.flat.scopes[scope].names;
        if !names.contains_key(name) {
            names.insert(name.to_string(), frame);
        } else if strict {
            let text = format!("'{name}' is already the name of a link, joint, frame or model here; rename one");
            self.fail(source, name, "name-clash", text);
        }
    }

    fn unknown(&mut self, name: &str, attribute: &str, source: &Source) {
        self.failed = true;
        unknown_frame(name, attribute, source, self.findings);
    }

    fn fail(&mut self, source: &Source, subject: &str, code: &'static str, text: String) {
        self.failed = true;
        self.findings.add(Severity::Error, code, Some(source.clone()), subject, text);
    }
}

fn unknown_frame(name: &str, attribute: &str, source: &Source, findings: &mut Findings) {
    let text = format!("{attribute} '{name}' is not a link, joint, frame or model of this scope; check the name");
    findings.add(Severity::Error, "frame-unknown", Some(source.clone()), name, text);
}
