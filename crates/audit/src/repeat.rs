//! Repeatability: whether two runs of one world give the same bits.

use crate::bench::{Bench, BenchScene, Stopped};
use crate::experiments::ground::{self, Ground};
use veracity_engine::{Engine, Settings};
use veracity_model::geometry::at;
use veracity_model::{Body, Inertia, Joint, JointKind, Material, ModelBuilder, Shape, Vec3};

/// Comparison of two runs in separate simulations.
#[derive(Clone, Debug, PartialEq)]
pub struct Repeatability {
    /// Whether the engine declares that two runs are the same.
    pub declared: bool,
    /// Largest difference of any number of any body at the end; zero is the same to the bit.
    pub difference: f64,
    /// What was run.
    pub text: String,
}

impl Repeatability {
    /// Whether the runs are the same to the bit, or the engine does not claim it.
    pub fn as_declared(&self) -> bool {
        self.difference == 0.0 || !self.declared
    }

    /// In words.
    pub fn sentence(&self) -> String {
        if self.difference == 0.0 {
            format!("repeatable: two runs of {} are the same to the bit", self.text)
        } else {
            format!("not repeatable: two runs of {} differ by up to {:.1e}", self.text, self.difference)
        }
    }
}

/// A chain that swings for a second and, where bodies may touch, boxes that fall on each other.
pub fn repeatability(engine: &dyn Engine, settings: &Settings) -> Repeatability {
    let bench = Bench { engine, settings, step_s: crate::STEP_S };
    let mut worst = 0.0f64;
    let mut ran = Vec::new();
    for (name, scene) in [("a chain of three links", chain()), ("three boxes that fall on each other", pile())] {
        let numbers = || -> Result<Vec<f64>, Stopped> { Ok(bench.run(&scene, 1.0)?.numbers()) };
        match (numbers(), numbers()) {
            (Ok(first), Ok(second)) => {
                ran.push(name);
                let off = |(a, b): (&f64, &f64)| {
                    if a.to_bits() == b.to_bits() {
                        0.0
                    } else {
                        // Zeros of different signs count as different.
                        (a - b).abs().max(f64::MIN_POSITIVE)
                    }
                };
                worst = first.iter().zip(&second).map(off).fold(worst, f64::max);
            }
            (Err(Stopped::NotExpressible(_)), _) => {}
            (one, other) if one == other => ran.push(name),
            _ => worst = f64::INFINITY,
        }
    }
    let text = if ran.is_empty() { "no world (none was loaded)".to_string() } else { ran.join(" and ") };
    Repeatability { declared: bench.capabilities().deterministic, difference: worst, text }
}

fn chain() -> BenchScene {
    let mut builder = ModelBuilder::new("chain");
    let mut parent = None;
    for i in 0..3 {
        let mut inertia = Inertia::solid_box(1.0, Vec3::new(0.1, 0.1, 0.4));
        inertia.com = Vec3::new(0.0, 0.0, -0.2);
        let place = at(0.0, 0.0, if i == 0 { 0.0 } else { -0.4 });
        let hinge = Joint::new(format!("hinge{i}"), JointKind::revolute(Vec3::y())).at(place);
        parent = Some(builder.add_body(Body::new(format!("link{i}"), inertia), hinge, parent));
    }
    let mut scene = BenchScene::new(builder).falling(Vec3::new(0.0, 0.0, -9.81));
    scene.q = vec![1.0, 0.5, -0.7];
    scene
}

fn pile() -> BenchScene {
    let mut ground = Ground::new(Material { friction: [0.6; 2], ..Material::default() });
    for i in 0..3 {
        let size = Vec3::new(0.2, 0.15, 0.1);
        ground.add("box", Shape::Box { size }, Inertia::solid_box(1.0, size), i);
    }
    let mut scene = ground.scene().falling(Vec3::new(0.0, 0.0, -ground::G));
    for (i, x) in [0.0, 0.03, -0.02].iter().enumerate() {
        scene.q[7 * i] = *x;
        scene.q[7 * i + 2] = 0.06 + 0.12 * i as f64;
    }
    scene
}
