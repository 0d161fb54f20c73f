//! `<joint>` and `<freejoint>`.

use super::context::Context;
use super::defaults::class_of;
use super::node::Node;
use super::pose::direction;
use crate::finding::Source;
use crate::geometry::{Pose, Vec3, quat_about};
use crate::joint::{Dof, Joint, JointKind};

/// The four joint kinds of MJCF.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// One angle.
    Hinge,
    /// One length.
    Slide,
    /// A rotation.
    Ball,
    /// All six degrees of freedom.
    Free,
}

/// A joint as read.
#[derive(Clone, Debug)]
pub(super) struct JointDraft {
    /// The name in the file.
    pub name: Option<String>,
    /// Its kind.
    pub kind: Kind,
    /// Position in the body [m].
    pub position: Vec3,
    /// Unit axis in the body.
    pub axis: Vec3,
    /// Properties of each of its degrees of freedom.
    pub dof: Dof,
    /// Joint position in the initial configuration of the file [rad or m].
    pub reference: f64,
    /// Time constant [s] and damping ratio from which stiffness and damping are computed.
    pub spring_damper: Option<[f64; 2]>,
    /// The element with its defaults, for attributes that only MuJoCo uses.
    pub node: Node,
}

/// Attributes that only MuJoCo's solver uses.
pub(super) const SOLVER: [&str; 5] = ["solreflimit", "solimplimit", "solreffriction", "solimpfriction", "margin"];

/// Reads a joint in a frame at `body_from_frame`; `None` if there is none (`type="fixed"`) or it cannot be built.
pub(super) fn read(node: &Node, class: &str, body_from_frame: &Pose, ctx: &mut Context<'_>) -> Option<JointDraft> {
    if node.name == "freejoint" {
        ctx.check_attributes(node, "freejoint");
        if node.attribute("align") == Some("true") {
            let hint = "positions of the body are those of its frame as written";
            ctx.unsupported(node, "freejoint align", hint);
        }
        return Some(draft(node, Kind::Free));
    }
    ctx.check_attributes(node, "joint");
    if node.attribute("type") == Some("fixed") {
        let text =
            "joint type 'fixed' is not MJCF (Bullet reads it); a body without joints is fixed, so it is left out";
        ctx.warning(node, "joint-type", text);
        return None;
    }
    let class = class_of(node, class, ctx);
    let full = ctx.defaults.complete(node, "joint", class);
    let f = &mut *ctx.findings;
    let kind = match full.attribute("type") {
        None => Kind::Hinge,
        Some(_) => match full.keyword("type", &["hinge", "slide", "ball", "free"], f)? {
            "slide" => Kind::Slide,
            "ball" => Kind::Ball,
            "free" => Kind::Free,
            _ => Kind::Hinge,
        },
    };
    let mut joint = draft(&full, kind);
    let position = full.vector("pos", f).unwrap_or_else(Vec3::zeros);
    joint.position = (body_from_frame * nalgebra::Point3::from(position)).coords;
    if matches!(kind, Kind::Hinge | Kind::Slide) {
        let axis = full.vector("axis", f).unwrap_or_else(Vec3::z);
        match direction(axis) {
            Some(axis) => joint.axis = body_from_frame.rotation * axis,
            None => full.error(f, "joint-axis", "the axis of the joint has no direction; give it a non-zero vector"),
        }
    }
    joint.dof.armature = full.number("armature", f).unwrap_or(0.0);
    joint.dof.friction = full.number("frictionloss", f).unwrap_or(0.0);
    let damping = full.up_to::<3>("damping", [0.0; 3], f);
    let stiffness = full.up_to::<3>("stiffness", [0.0; 3], f);
    joint.dof.damping = damping[0];
    joint.dof.stiffness = stiffness[0];
    if damping[1] != 0.0 || damping[2] != 0.0 || stiffness[1] != 0.0 || stiffness[2] != 0.0 {
        let hint = "only the first, linear coefficient is used";
        ctx.unsupported(&full, "a polynomial joint spring or damper", hint);
    }
    positions(&full, &mut joint, ctx);
    limits(&full, &mut joint, ctx);
    joint.spring_damper = full.numbers::<2>("springdamper", ctx.findings).filter(|[t, r]| *t > 0.0 && *r > 0.0);
    if joint.spring_damper.is_some() && !matches!(kind, Kind::Hinge | Kind::Slide) {
        ctx.unsupported(&full, "springdamper of a ball or free joint", "use hinges, or springs between bodies");
        joint.spring_damper = None;
    }
    Some(joint)
}

fn draft(node: &Node, kind: Kind) -> JointDraft {
    JointDraft {
        name: node.given_name().map(str::to_string),
        kind,
        position: Vec3::zeros(),
        axis: Vec3::z(),
        dof: Dof::default(),
        reference: 0.0,
        spring_damper: None,
        node: node.clone(),
    }
}

fn positions(node: &Node, joint: &mut JointDraft, ctx: &mut Context<'_>) {
    let mut value = |name: &str| {
        let value = node.number(name, ctx.findings).unwrap_or(0.0);
        if joint.kind == Kind::Hinge { ctx.compiler(node).angle(value) } else { value }
    };
    let (reference, spring) = (value("ref"), value("springref"));
    if matches!(joint.kind, Kind::Hinge | Kind::Slide) {
        joint.reference = reference;
        joint.dof.spring_reference = spring;
    } else if joint.dof.stiffness != 0.0 {
        ctx.unsupported(node, "stiffness of a ball or free joint", "use hinges, or springs between bodies");
        joint.dof.stiffness = 0.0;
    }
}

fn limits(node: &Node, joint: &mut JointDraft, ctx: &mut Context<'_>) {
    if joint.kind == Kind::Free {
        return;
    }
    if ctx.is_limited(node, "limited", "range") {
        let range = node.numbers::<2>("range", ctx.findings).unwrap_or([0.0; 2]);
        let [lower, upper] =
            if joint.kind == Kind::Slide { range } else { range.map(|x| ctx.compiler(node).angle(x)) };
        if joint.kind == Kind::Ball {
            ctx.unsupported(node, "the range of a ball joint", "use hinges where a limit matters");
        } else if lower == 0.0 && upper == 0.0 {
            ctx.error(node, "limits", "the joint is limited but has no range; give range=\"low high\"");
        } else {
            (joint.dof.lower, joint.dof.upper) = (lower, upper);
        }
    }
    if joint.kind != Kind::Ball && ctx.is_limited(node, "actuatorfrclimited", "actuatorfrcrange") {
        let [lower, upper] = node.numbers::<2>("actuatorfrcrange", ctx.findings).unwrap_or([0.0; 2]);
        joint.dof.effort_limit = upper.max(-lower);
        if lower != -upper {
            let hint = "the larger of the two sides limits both";
            ctx.unsupported(node, "an actuatorfrcrange that is not the same on both sides", hint);
        }
    }
}

impl JointDraft {
    /// The joint of the model between a parent in which the body is at `parent_from_body` (identity for all but the
    /// first joint of a body) and the next link of the chain.
    ///
    /// MuJoCo's position is relative to `ref`: the body is in its initial pose at `q = ref`. The joint frame in the
    /// child is rotated (or translated) by `ref`, so that our `q` is MuJoCo's `qpos`, number for number.
    pub fn build(&self, name: String, parent_from_body: &Pose) -> Joint {
        let at_joint = Pose::translation(self.position.x, self.position.y, self.position.z);
        let (kind, reference) = match self.kind {
            Kind::Hinge if self.dof.lower == f64::NEG_INFINITY && self.dof.upper == f64::INFINITY => {
                (JointKind::Continuous { axis: self.axis }, self.turned())
            }
            Kind::Hinge => (JointKind::Revolute { axis: self.axis }, self.turned()),
            Kind::Slide => {
                let shift = self.axis * self.reference;
                (JointKind::Prismatic { axis: self.axis }, Pose::translation(shift.x, shift.y, shift.z))
            }
            Kind::Ball => (JointKind::Ball, Pose::identity()),
            Kind::Free => (JointKind::Free, Pose::identity()),
        };
        let mut joint = Joint::new(name, kind);
        // A free joint's position is the pose in the world, so its parent frame is the world's frame.
        joint.parent_from_joint =
            if self.kind == Kind::Free { Pose::identity() } else { parent_from_body * at_joint };
        joint.child_from_joint = if self.kind == Kind::Free { Pose::identity() } else { at_joint * reference };
        joint.dofs = vec![self.dof; kind.dof_count()];
        joint.source = Some(self.source());
        joint
    }

    fn turned(&self) -> Pose {
        if self.reference == 0.0 {
            return Pose::identity();
        }
        Pose::from_parts(Vec3::zeros().into(), quat_about(&self.axis, self.reference))
    }

    /// Where the file defines it.
    pub fn source(&self) -> Source {
        self.node.source.clone()
    }

    /// Positions in the initial configuration of the file, for a body at `world_from_body` (used only by free joints).
    pub fn initial_position(&self, world_from_body: &Pose) -> Vec<f64> {
        match self.kind {
            Kind::Hinge | Kind::Slide => vec![self.reference],
            Kind::Ball => vec![1.0, 0.0, 0.0, 0.0],
            Kind::Free => {
                let (p, q) = (world_from_body.translation.vector, world_from_body.rotation.coords);
                vec![p.x, p.y, p.z, q.w, q.x, q.y, q.z]
            }
        }
    }

    /// Positions at which springs are relaxed; free and ball joints as in [`Self::initial_position`].
    pub fn spring_position(&self, world_from_body: &Pose) -> Vec<f64> {
        match self.kind {
            Kind::Hinge | Kind::Slide => vec![self.dof.spring_reference],
            _ => self.initial_position(world_from_body),
        }
    }
}
