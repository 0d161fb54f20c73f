//! Input of every inspection: a world, its start, and quantities derived from them once for all inspections.

use crate::mass_matrix::MassMatrix;
use std::collections::BTreeSet;
use std::sync::Arc;
use veracity_collide::Configuration;
use veracity_dynamics::{System, SystemError, Workspace, kinematics, observe::body_motion};
use veracity_model::{Body, BodyId, BodyShape, Findings, Joint, JointKind, Model, Severity, Source, World};

/// A world at its start.
pub struct Context<'a> {
    /// The world.
    pub world: &'a World,
    /// Positions at the start, in the order of the placements and their models.
    pub q: Vec<f64>,
    /// The world compiled for motion and placed at its start, or the reason why that failed.
    pub start: Result<Start, SystemError>,
    /// Shapes in the files that are missing from the world, by the path of the shape, or `geom` if its body is not
    /// known.
    pub lost_shapes: BTreeSet<String>,
}

/// The world at its start positions.
pub struct Start {
    /// The equations of motion.
    pub system: System,
    /// Positions of all models, concatenated.
    pub q: Vec<f64>,
    /// Poses of all bodies.
    pub configuration: Configuration,
    /// The joint-space inertia matrix.
    pub mass_matrix: MassMatrix,
}

/// One body of the world with the joint that carries it.
#[derive(Clone, Copy)]
pub struct BodyRef<'a> {
    /// Index in [`World::placements`].
    pub placement: usize,
    /// Its model.
    pub model: &'a Model,
    /// Its index in the model.
    pub id: BodyId,
    /// The body.
    pub body: &'a Body,
    /// The joint that carries it.
    pub joint: &'a Joint,
}

impl<'a> Context<'a> {
    /// Places the world at the start given by its files.
    pub fn new(world: &'a World) -> Self {
        let positions: Vec<Vec<f64>> = world.placements.iter().map(|p| p.model.initial_positions()).collect();
        Self::at(world, &positions.concat())
    }

    /// Places the world at the given positions, one for each position of all models.
    pub fn at(world: &'a World, q: &[f64]) -> Self {
        let start = System::new(world).map(|system| Start::new(world, system, q));
        Self { world, q: q.to_vec(), start, lost_shapes: BTreeSet::new() }
    }

    /// Whether a shape of this body may be missing because it could not be read.
    pub fn may_lack_shapes(&self, body: &Body) -> bool {
        let own = format!("bodies/{}/", body.name);
        self.lost_shapes.iter().any(|lost| lost == "geom" || lost.starts_with(&own))
    }

    /// Every body of every model.
    pub fn bodies(&self) -> impl Iterator<Item = BodyRef<'a>> + use<'a> {
        let world = self.world;
        world.placements.iter().enumerate().flat_map(|(placement, p)| {
            let model: &Model = &p.model;
            let both = model.bodies().iter().zip(model.joints());
            both.enumerate().map(move |(i, (body, joint))| BodyRef { placement, model, id: BodyId(i), body, joint })
        })
    }

    /// Every model once, even if placed several times, with the index of its first placement.
    pub fn models(&self) -> impl Iterator<Item = (usize, &'a Model)> + use<'a> {
        let mut seen = BTreeSet::new();
        let placements = self.world.placements.iter().enumerate();
        placements.filter_map(move |(i, p)| seen.insert(Arc::as_ptr(&p.model)).then_some((i, &*p.model)))
    }

    /// The file of a model as a source, for findings that have no line.
    pub fn file_of(&self, placement: usize) -> Option<Source> {
        let model = &self.world.placements.get(placement)?.model;
        let sources = model.bodies().iter().map(|b| &b.source).chain(model.joints().iter().map(|j| &j.source));
        sources.flatten().next().map(|s| Source { file: s.file.clone(), line: 0 })
    }

    /// The stable path of a part of a model: `bodies/arm`, or `robot/bodies/arm` if the world has several models.
    pub fn path(&self, placement: usize, part: &str) -> String {
        match self.world.placements.as_slice() {
            [_] => part.to_string(),
            many => format!("{}/{part}", many[placement].name),
        }
    }
}

impl Start {
    fn new(world: &World, system: System, at: &[f64]) -> Self {
        let mut rest = at;
        let positions: Vec<Vec<f64>> = world
            .placements
            .iter()
            .map(|p| {
                let (own, others) = rest.split_at(p.model.position_count());
                rest = others;
                own.to_vec()
            })
            .collect();
        let mut q = at.to_vec();
        kinematics::normalise(&system, &mut q);
        let mut ws = Workspace::new(&system);
        kinematics::positions(&system, &mut ws, &q);
        let world_from_body = world
            .placements
            .iter()
            .enumerate()
            .map(|(p, placement)| {
                let ids = (0..placement.model.bodies().len()).map(BodyId);
                ids.map(|id| body_motion(&ws, system.place(p, id)).world_from_body).collect()
            })
            .collect();
        let mass_matrix = MassMatrix::new(&system, &mut ws);
        Self { system, q, configuration: Configuration { q: positions, world_from_body }, mass_matrix }
    }
}

impl<'a> BodyRef<'a> {
    /// `bodies/NAME` in its model or world.
    pub fn path(&self, context: &Context<'_>) -> String {
        context.path(self.placement, &format!("bodies/{}", self.body.name))
    }

    /// Whether it is attached to the world by fixed joints only.
    pub fn is_fixed(&self) -> bool {
        let mut joint = self.joint;
        loop {
            match (joint.kind, joint.parent) {
                (JointKind::Fixed, None) => return true,
                (JointKind::Fixed, Some(parent)) => joint = &self.model.joints()[parent.0],
                _ => return false,
            }
        }
    }

    /// Severity of a fault in its mass properties: an error on a moving body is a warning on a body that is fixed to
    /// the world, because there it has no effect until a user frees the base.
    pub fn severity(&self, if_moving: Severity) -> Severity {
        if self.is_fixed() { if_moving.min(Severity::Warning) } else { if_moving }
    }

    /// Shapes that show the size of the body: the colliding ones, or the drawn ones if none collide. Planes and height
    /// fields are ignored.
    pub fn sizing_shapes(&self) -> Vec<&'a BodyShape> {
        let all = || self.body.shapes.iter().filter(|s| is_bounded(s));
        let colliding: Vec<_> = all().filter(|s| s.collides).collect();
        if colliding.is_empty() { all().collect() } else { colliding }
    }
}

/// Whether a shape is bounded: planes and height fields are not.
pub fn is_bounded(shape: &BodyShape) -> bool {
    use veracity_model::Shape;
    !matches!(shape.shape, Shape::Plane | Shape::HeightField(_))
}

/// Collects the findings of one inspection under its code.
pub struct Notes {
    code: &'static str,
    findings: Findings,
}

impl Notes {
    /// An empty list for findings with this code.
    pub fn new(code: &'static str) -> Self {
        Self { code, findings: Findings::new() }
    }

    /// Records a finding.
    pub fn add(&mut self, severity: Severity, source: &Option<Source>, subject: String, text: String) {
        self.findings.add(severity, self.code, source.clone(), subject, text);
    }

    /// Returns all findings.
    pub fn done(self) -> Findings {
        self.findings
    }
}
