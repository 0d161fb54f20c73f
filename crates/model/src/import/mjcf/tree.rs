//! `<worldbody>`: bodies with their joints, geoms and sites, as a flat list with parents before children.

use super::asset::Assets;
use super::context::Context;
use super::defaults::MAIN;
use super::geom::{self, Geom, Lost};
use super::joint::{self, JointDraft, Kind};
use super::node::Node;
use super::pose::{self, direction};
use super::{defaults, inertial};
use crate::geometry::{Pose, Vec3, frame_with_z};
use crate::inertia::Inertia;
use crate::shape::Shape;

/// A named frame on a body.
#[derive(Clone, Debug)]
pub(super) struct Site {
    /// The name in the file.
    pub name: Option<String>,
    /// Its pose in the body.
    pub body_from_site: Pose,
    /// The element.
    pub node: Node,
}

/// A body as read.
#[derive(Clone, Debug)]
pub(super) struct BodyDraft {
    /// The name in the file.
    pub name: Option<String>,
    /// Index of the enclosing body; the world is its own parent.
    pub parent: usize,
    /// `pos` as written [m].
    pub position: Vec3,
    /// Its frame in the parent, in the initial configuration of the file.
    pub parent_from_body: Pose,
    /// Joints, in the order they act.
    pub joints: Vec<JointDraft>,
    /// Shapes.
    pub geoms: Vec<Geom>,
    /// Geoms with mass that could not be built.
    pub lost: Vec<Lost>,
    /// Named frames.
    pub sites: Vec<Site>,
    /// Contents of `<inertial>`.
    pub inertial: Option<Inertia>,
    /// Fraction of its weight that is compensated.
    pub gravity_compensation: f64,
    /// Whether its pose is prescribed (a mocap body).
    pub mocap: bool,
    /// The element.
    pub node: Node,
}

/// Reads all `<worldbody>` elements into one list; the world is the first.
pub(super) fn read(sections: &[&Node], root: &Node, assets: &Assets, ctx: &mut Context<'_>) -> Vec<BodyDraft> {
    let world = BodyDraft {
        name: Some("world".into()),
        parent: 0,
        position: Vec3::zeros(),
        parent_from_body: Pose::identity(),
        joints: Vec::new(),
        geoms: Vec::new(),
        lost: Vec::new(),
        sites: Vec::new(),
        inertial: None,
        gravity_compensation: 0.0,
        mocap: false,
        node: bare(sections.first().copied().unwrap_or(root)),
    };
    let mut reader = TreeReader { bodies: vec![world], assets, ctx };
    for section in sections {
        let class = reader.childclass(section, MAIN);
        reader.children(section, 0, &Pose::identity(), &class);
    }
    reader.bodies
}

struct TreeReader<'t, 'r> {
    bodies: Vec<BodyDraft>,
    assets: &'t Assets,
    ctx: &'t mut Context<'r>,
}

impl TreeReader<'_, '_> {
    /// Reads the contents of a body or a frame. `body_from_frame` accumulates the frames between.
    fn children(&mut self, node: &Node, body: usize, body_from_frame: &Pose, class: &str) {
        for child in &node.children {
            match child.name.as_str() {
                "body" => self.body(child, body, body_from_frame, class),
                "frame" => {
                    self.ctx.check_attributes(child, "frame");
                    let inner = body_from_frame * pose::read(child, self.ctx);
                    let class = self.childclass(child, class);
                    self.children(child, body, &inner, &class);
                }
                "geom" => match geom::read(child, class, body_from_frame, self.assets, self.ctx) {
                    Some(geom) => self.bodies[body].geoms.push(geom),
                    None => self.bodies[body].lost.extend(geom::lost_mass(child, class, self.ctx)),
                },
                "joint" | "freejoint" if body == 0 => {
                    self.ctx.error(child, "joint-in-world", "the world cannot have joints; put it in a <body>");
                }
                "joint" | "freejoint" => {
                    if let Some(joint) = joint::read(child, class, body_from_frame, self.ctx) {
                        self.bodies[body].joints.push(joint);
                    }
                }
                "inertial" => self.inertial(child, body, body_from_frame),
                "site" => self.site(child, body, body_from_frame, class),
                "camera" | "light" => self.ctx.has_no_effect(&format!("{}s", child.name)),
                "plugin" => self.ctx.unsupported(child, "<plugin>", "plugins run inside MuJoCo only"),
                "attach" | "composite" | "flexcomp" | "flex" => {
                    let text = format!(
                        "<{}> is not supported: the bodies it brings are missing, with their mass; compile the file in \
                         MuJoCo, save it as MJCF and use that",
                        child.name
                    );
                    self.ctx.error(child, "mass-lost", text);
                }
                other => {
                    let what = format!("<{other}> in <{}>", node.name);
                    self.ctx.unsupported(child, &what, "check its spelling");
                }
            }
        }
    }

    /// The class for the contents of `node`.
    fn childclass(&mut self, node: &Node, around: &str) -> String {
        match node.attribute("childclass") {
            None => around.to_string(),
            Some(class) if self.ctx.defaults.has(class) => class.to_string(),
            Some(class) => {
                self.ctx.error(node, "default-class", format!("there is no default class '{class}'"));
                around.to_string()
            }
        }
    }

    fn body(&mut self, node: &Node, parent: usize, parent_from_frame: &Pose, class: &str) {
        self.ctx.check_attributes(node, "body");
        let class = self.childclass(node, class);
        let index = self.bodies.len();
        let place = pose::read(node, self.ctx);
        let draft = BodyDraft {
            name: node.given_name().map(str::to_string),
            parent,
            position: place.translation.vector,
            parent_from_body: parent_from_frame * place,
            joints: Vec::new(),
            geoms: Vec::new(),
            lost: Vec::new(),
            sites: Vec::new(),
            inertial: None,
            gravity_compensation: node.number("gravcomp", self.ctx.findings).unwrap_or(0.0),
            mocap: node.flag("mocap", self.ctx.findings).unwrap_or(false),
            node: bare(node),
        };
        self.bodies.push(draft);
        self.children(node, index, &Pose::identity(), &class);
        self.check_body(node, index);
    }

    fn check_body(&mut self, node: &Node, index: usize) {
        let draft = &self.bodies[index];
        let kinds: Vec<Kind> = draft.joints.iter().map(|joint| joint.kind).collect();
        let freedoms: usize = kinds.iter().map(|kind| freedom_count(*kind)).sum();
        let ball = kinds.iter().position(|kind| *kind == Kind::Ball);
        let turns_after_ball =
            ball.is_some_and(|at| kinds[at + 1..].iter().any(|kind| matches!(kind, Kind::Hinge | Kind::Ball)));
        let (parent, moves) = (draft.parent, !kinds.is_empty());
        let has_plane = draft.geoms.iter().any(|g| matches!(g.shape, Shape::Plane | Shape::HeightField(_)));
        let mocap_wrong = draft.mocap && (moves || parent != 0);
        let mocap = draft.mocap;
        let mut ancestor = index;
        while self.bodies[ancestor].joints.is_empty() && ancestor != 0 {
            ancestor = self.bodies[ancestor].parent;
        }
        let ctx = &mut *self.ctx;
        if freedoms > 6 {
            let text = format!("the joints of the body have {freedoms} degrees of freedom; at most six are possible");
            ctx.error(node, "joint-count", text);
        }
        if turns_after_ball {
            ctx.error(node, "joint-count", "a ball joint is followed by another rotation in the same body");
        }
        if kinds.contains(&Kind::Free) && parent != 0 {
            ctx.error(node, "free-joint", "a free joint is only possible on a child of the world");
        }
        if has_plane && ancestor != 0 {
            ctx.error(node, "plane-moves", "a plane or height field can only stand on a body that does not move");
        }
        if mocap_wrong {
            ctx.error(node, "mocap", "a mocap body must be a child of the world without joints");
        } else if mocap {
            ctx.note(node, "mocap", "mocap bodies are held where the file shows them");
        }
    }

    fn inertial(&mut self, node: &Node, body: usize, body_from_frame: &Pose) {
        if body == 0 {
            self.ctx.error(node, "inertial", "the world cannot have <inertial>");
        } else if self.bodies[body].inertial.is_some() {
            self.ctx.error(node, "inertial", "the body has <inertial> twice; keep one");
        } else {
            let inertia = inertial::read(node, self.ctx);
            self.bodies[body].inertial = inertia.map(|inertia| inertia.transformed(body_from_frame));
        }
    }

    fn site(&mut self, node: &Node, body: usize, body_from_frame: &Pose, class: &str) {
        self.ctx.check_attributes(node, "site");
        let class = defaults::class_of(node, class, self.ctx);
        let full = self.ctx.defaults.complete(node, "site", class);
        let mut place = pose::read(&full, self.ctx);
        if let Some([ax, ay, az, bx, by, bz]) = full.numbers::<6>("fromto", self.ctx.findings) {
            let (from, to) = (Vec3::new(ax, ay, az), Vec3::new(bx, by, bz));
            match direction(from - to) {
                Some(z) => place = Pose::from_parts(((from + to) * 0.5).into(), frame_with_z(&z)),
                None => self.ctx.error(node, "site", "'fromto' of the site has two equal ends"),
            }
        }
        let site =
            Site { name: node.given_name().map(str::to_string), body_from_site: body_from_frame * place, node: full };
        self.bodies[body].sites.push(site);
    }
}

fn freedom_count(kind: Kind) -> usize {
    match kind {
        Kind::Hinge | Kind::Slide => 1,
        Kind::Ball => 3,
        Kind::Free => 6,
    }
}

/// The element without its children.
fn bare(node: &Node) -> Node {
    Node {
        name: node.name.clone(),
        attributes: node.attributes.clone(),
        children: Vec::new(),
        source: node.source.clone(),
        scope: node.scope,
    }
}
