//! Poses of frames, and the link each frame moves with.
//!
//! Every link, joint, model and `<frame>` of a document is a frame. Each is placed in one other (`relative_to`) and
//! moves with one other (`attached_to`); both relations are forests rooted in the world unless the file contains a
//! cycle, which is an error that names its frames.
//!
//! A model may be placed by a frame inside it. With `P` that frame, `M` the model frame and `X` the pose in the file,
//!
//! ```text
//! (1)  parent_from_M = X · (M_from_P)⁻¹
//! ```
//!
//! and `M_from_P` depends only on the contents of the model, so models are placed from the innermost outwards.

use crate::finding::{Findings, Severity, Source};
use crate::geometry::Pose;

/// Index of a frame.
pub(super) type FrameId = usize;

/// The world's own frame.
pub(super) const WORLD: FrameId = 0;

#[derive(Clone, Copy, Debug)]
enum Place {
    World,
    /// At a pose in another frame.
    At {
        parent: FrameId,
        pose: Pose,
    },
    /// Such that the frame `inner`, placed in this one, has the pose `pose` in the parent: equation (1).
    Placing {
        parent: FrameId,
        pose: Pose,
        inner: FrameId,
    },
}

/// What a frame moves with.
#[derive(Clone, Copy, Debug)]
pub(super) enum Attachment {
    World,
    Link(usize),
    /// The same link as this other frame.
    With(FrameId),
}

#[derive(Debug)]
struct Frame {
    name: String,
    source: Option<Source>,
    place: Place,
    attachment: Attachment,
    is_anchor: bool,
}

/// Frames as declared.
#[derive(Debug)]
pub(super) struct FrameGraph {
    frames: Vec<Frame>,
}

/// Frames with their poses.
#[derive(Debug)]
pub(super) struct PlacedFrames {
    pub world_from: Vec<Pose>,
    /// The nearest anchor (a top-level model) and the pose in it, computed without passing through the world frame:
    /// values that are exact in the file stay exact.
    anchored: Vec<(FrameId, Pose)>,
    /// The link each frame moves with; `None` is the world.
    pub link: Vec<Option<usize>>,
}

impl FrameGraph {
    pub fn new() -> Self {
        let world = Frame {
            name: "world".into(),
            source: None,
            place: Place::World,
            attachment: Attachment::World,
            is_anchor: true,
        };
        Self { frames: vec![world] }
    }

    /// Declares a frame; it is at the world frame until placed.
    pub fn add(&mut self, name: String, source: Source) -> FrameId {
        self.frames.push(Frame {
            name,
            source: Some(source),
            place: Place::At { parent: WORLD, pose: Pose::identity() },
            attachment: Attachment::World,
            is_anchor: false,
        });
        self.frames.len() - 1
    }

    /// Makes a frame an anchor, relative to which poses are stored.
    pub fn anchor(&mut self, frame: FrameId) {
        self.frames[frame].is_anchor = true;
    }

    pub fn place(&mut self, frame: FrameId, parent: FrameId, pose: Pose) {
        self.frames[frame].place = Place::At { parent, pose };
    }

    pub fn place_by(&mut self, frame: FrameId, parent: FrameId, pose: Pose, inner: FrameId) {
        self.frames[frame].place = Place::Placing { parent, pose, inner };
    }

    pub fn attach(&mut self, frame: FrameId, to: Attachment) {
        self.frames[frame].attachment = to;
    }

    /// The link a frame is attached to directly.
    pub fn attached_link(&self, frame: FrameId) -> Option<usize> {
        match self.frames[frame].attachment {
            Attachment::Link(link) => Some(link),
            Attachment::World | Attachment::With(_) => None,
        }
    }

    /// Computes every pose and every link, or reports a cycle in the file.
    pub fn resolve(mut self, findings: &mut Findings) -> Option<PlacedFrames> {
        self.place_models_from_inside(findings)?;
        let next = |frame: &Frame| match frame.place {
            Place::World => None,
            Place::At { parent, .. } | Place::Placing { parent, .. } => Some(parent),
        };
        let by_place = self.order(next, "is placed relative to itself", "relative_to", findings)?;
        let next = |frame: &Frame| match frame.attachment {
            Attachment::With(other) => Some(other),
            Attachment::World | Attachment::Link(_) => None,
        };
        let by_attachment = self.order(next, "is attached to itself", "attached_to", findings)?;

        let n = self.frames.len();
        let mut placed = PlacedFrames {
            world_from: vec![Pose::identity(); n],
            anchored: vec![(WORLD, Pose::identity()); n],
            link: vec![None; n],
        };
        for id in by_place {
            let frame = &self.frames[id];
            if let Place::At { parent, pose } = frame.place {
                placed.world_from[id] = placed.world_from[parent] * pose;
                let (anchor, from_anchor) = placed.anchored[parent];
                placed.anchored[id] =
                    if frame.is_anchor { (id, Pose::identity()) } else { (anchor, from_anchor * pose) };
            }
        }
        for id in by_attachment {
            placed.link[id] = match self.frames[id].attachment {
                Attachment::World => None,
                Attachment::Link(link) => Some(link),
                Attachment::With(other) => placed.link[other],
            };
        }
        Some(placed)
    }

    /// Replaces every [`Place::Placing`] by equation (1). Inner models were declared after outer ones.
    fn place_models_from_inside(&mut self, findings: &mut Findings) -> Option<()> {
        for id in (0..self.frames.len()).rev() {
            let Place::Placing { parent, pose, inner } = self.frames[id].place else { continue };
            let mut model_from_inner = Pose::identity();
            let mut at = inner;
            let mut steps = 0;
            while at != id {
                let Place::At { parent, pose } = self.frames[at].place else {
                    return self.misplaced(id, inner, findings);
                };
                steps += 1;
                if steps > self.frames.len() {
                    return self.misplaced(id, inner, findings);
                }
                model_from_inner = pose * model_from_inner;
                at = parent;
            }
            self.frames[id].place = Place::At { parent, pose: pose * model_from_inner.inverse() };
        }
        Some(())
    }

    fn misplaced(&self, id: FrameId, inner: FrameId, findings: &mut Findings) -> Option<()> {
        let (model, inner) = (&self.frames[id], &self.frames[inner]);
        let text = format!(
            "'{}' is placed by its frame '{}', which is not itself placed inside it; choose another placement_frame",
            model.name, inner.name
        );
        findings.add(Severity::Error, "frame-placement", model.source.clone(), &model.name, text);
        None
    }

    /// Frames ordered so that `next` of each comes before it, computed without recursion: chains may be long.
    fn order(
        &self,
        next: impl Fn(&Frame) -> Option<FrameId>,
        what: &str,
        attribute: &str,
        findings: &mut Findings,
    ) -> Option<Vec<FrameId>> {
        #[derive(Clone, Copy, PartialEq)]
        enum Mark {
            New,
            OnPath,
            Done,
        }
        let mut marks = vec![Mark::New; self.frames.len()];
        let mut order = Vec::with_capacity(self.frames.len());
        let mut circles = false;
        for start in 0..self.frames.len() {
            let mut path = Vec::new();
            let mut at = Some(start);
            while let Some(id) = at.filter(|id| marks[*id] == Mark::New) {
                marks[id] = Mark::OnPath;
                path.push(id);
                at = next(&self.frames[id]);
            }
            if let Some(id) = at.filter(|id| marks[*id] == Mark::OnPath) {
                circles = true;
                let from = path.iter().position(|p| *p == id).unwrap_or(0);
                let names: Vec<_> = path[from..].iter().chain([&id]).map(|p| self.frames[*p].name.as_str()).collect();
                let shown = if names.len() > 12 { &names[..12] } else { &names[..] };
                let text = format!(
                    "frame '{}' {what}: {}{}; change one '{attribute}'",
                    self.frames[id].name,
                    shown.join(" -> "),
                    if names.len() > 12 { " -> …" } else { "" }
                );
                let source = self.frames[id].source.clone();
                findings.add(Severity::Error, "frame-cycle", source, &self.frames[id].name, text);
            }
            path.iter().for_each(|id| marks[*id] = Mark::Done);
            order.extend(path.into_iter().rev());
        }
        (!circles).then_some(order)
    }
}

impl PlacedFrames {
    /// The pose of `frame` in `base`.
    pub fn relative(&self, base: FrameId, frame: FrameId) -> Pose {
        let ((a, a_from_base), (b, b_from_frame)) = (self.anchored[base], self.anchored[frame]);
        if base == b {
            b_from_frame
        } else if a == b {
            a_from_base.inv_mul(&b_from_frame)
        } else {
            self.world_from[base].inv_mul(&self.world_from[frame])
        }
    }
}
