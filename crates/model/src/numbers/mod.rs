//! Access to every number of a model by a stable path, named parameters that drive several numbers, and
//! [`Model::with`].
//!
//! A path identifies a number by readable names: `bodies/arm/mass`, `joints/elbow/origin/z`,
//! `materials/rubber/friction/0`. Names may contain any character; `/` is written `~1` and `~` is written `~0` (as in
//! JSON pointers), so that every path identifies one number. `links` is accepted for `bodies`.
//!
//! | path | number |
//! |---|---|
//! | `bodies/B/mass`, `com/x`, `inertia/ixx` … `iyz` | mass distribution; tensor about the centre of mass |
//! | `bodies/B/inertia/log_cholesky/alpha` … `t3` | the same through [`LogCholesky`](crate::inertia::LogCholesky): cannot leave the physical set |
//! | `bodies/B/linear_damping`, `angular_damping`, `gravity_scale` | |
//! | `bodies/B/shapes/S/origin/x` … `yaw`, `radius`, `length`, `size/x`, `radii/x` | |
//! | `joints/J/origin/x` … `yaw`, `child_origin/…`, `axis/x`, `pitch` | axes are normalised |
//! | `joints/J/lower`, `upper`, `velocity_limit`, `effort_limit`, `damping`, `stiffness`, `spring_reference`, `friction`, `armature` | one degree of freedom; with several `joints/J/dofs/0/…` |
//! | `loops/L/frame_a/x` …, `frame_b/…`, `axis/x`, `length` | |
//! | `couplings/C/coefficients/0` | |
//! | `springs/S/stiffness`, `damping`, `rest_length`, `point_a/x`, `point_b/x` | |
//! | `materials/M/friction/0`, `friction/1`, `torsional_friction`, `rolling_friction`, `restitution`, `stiffness`, `dissipation` | a rigid material has stiffness ∞ |
//! | `actuators/A/gain`, `kp`, `kd`, `bias/0`, `gear`, `terms/0`, `command_range/0`, `effort_range/0`, `velocity_limit` | |
//! | `sensors/S/origin/x`, `rate_hz`, `noise_std`, `max` | a sensor read every step has rate ∞ |
//! | `frames/F/origin/x`, `contact_pairs/P/conditions/0/above`, `keyframes/K/q/0`, `v/0`, `command/0`, `initial/0` | |
//! | `parameters/P` | see [`Parameter`] and [`Derived`] |
//!
//! Rotations are given as roll, pitch, yaw and written back only when one of them changes. Mesh vertices and
//! height-field cells are data and have no path.
//!
//! Listing, reading and setting use the same traversal of the model, so they cannot disagree.

mod assign;
mod derive;
mod expression;
mod overrides;
mod path;
mod perturb;
mod walk;
mod world;

pub use expression::{Expression, ExpressionError};
pub use overrides::Overrides;
pub use path::{escape, nearest};

pub(crate) use derive::apply_derived;

use crate::builder::ModelBuilder;
use crate::finding::Findings;
use crate::model::Model;
use serde::{Deserialize, Serialize};

/// A named number that other numbers are computed from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Parameter {
    /// Unique in the model.
    pub name: String,
    /// Current value, SI.
    pub value: f64,
    /// What it is, with its unit.
    pub text: String,
}

/// A number of the model that is computed from parameters.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Derived {
    /// Path of the number, e.g. `bodies/arm/com/z`.
    pub path: String,
    /// Arithmetic over parameter names; see [`Expression`].
    pub expression: String,
}

impl Model {
    /// Every number with its path, in the order of the model. The log-Cholesky parameters are left out: they are
    /// another representation of mass, centre of mass and inertia.
    pub fn numbers(&self) -> Vec<(String, f64)> {
        let mut out = Vec::new();
        walk::walk(&mut self.clone(), walk::Views::Without, &mut |path, value| out.push((path.to_string(), *value)));
        out
    }

    /// The numbers that [`Model::with`] can set: all except those computed from parameters.
    pub fn free_numbers(&self) -> Vec<(String, f64)> {
        let derived: std::collections::BTreeSet<String> =
            self.derived.iter().map(|d| path::canonical(&d.path).into_owned()).collect();
        self.numbers().into_iter().filter(|(path, _)| !derived.contains(path)).collect()
    }

    /// The number at a path; `None` if the path does not exist.
    pub fn number(&self, path: &str) -> Option<f64> {
        assign::read(&mut self.clone(), [path::canonical(path).as_ref()]).pop().flatten()
    }

    /// The model with some numbers changed, derived numbers updated, and everything validated again.
    ///
    /// ```
    /// # use veracity_model::{Body, Inertia, Joint, JointKind, ModelBuilder, Vec3, numbers::Overrides};
    /// # let mut builder = ModelBuilder::new("pendulum");
    /// # let bob = Body::new("bob", Inertia::point_mass(1.0, Vec3::x()));
    /// # builder.add_body(bob, Joint::new("hinge", JointKind::revolute(Vec3::y())), None);
    /// # let model = builder.build().unwrap();
    /// let heavier = model.with(&Overrides::new().set("bodies/bob/mass", 1.2)).unwrap();
    /// assert_eq!(heavier.number("bodies/bob/mass"), Some(1.2));
    /// let refused = model.with(&Overrides::new().set("bodies/bob/mas", 1.2)).unwrap_err();
    /// assert!(refused.to_string().contains("bodies/bob/mass"));
    /// ```
    pub fn with(&self, overrides: &Overrides) -> Result<Model, Findings> {
        let mut problems = Findings::new();
        let wanted = assign::checked(self, overrides, &mut problems);
        let mut builder = ModelBuilder::from_model(self);
        assign::assign(builder.so_far_mut(), &wanted, &mut problems);
        if !problems.has_errors() {
            // Before the build: there, a derived number that differs from its stored value means that the file
            // contradicts itself; here the difference is requested.
            derive::refresh(builder.so_far_mut(), &mut problems);
        }
        if problems.has_errors() { Err(problems) } else { builder.build() }
    }
}
