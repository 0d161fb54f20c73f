//! Robot models as data.
//!
//! A [`Model`] is a tree (or a forest) of bodies held by joints, with loop-closing joints, couplings,
//! springs, shapes, materials, actuators and sensors. It is immutable once built: [`ModelBuilder`] makes one,
//! [`Model::with`] makes a changed one and validates it again. A [`World`] places models in an environment
//! with gravity; it is what an engine loads.
//!
//! The [`import`] module reads URDF, SDF and MJCF. Every problem becomes a [`Finding`] with file and line; importers
//! report everything they do not understand.
//!
//! Deliberately absent: motion. No function here computes a velocity or a force; that is the job of `dynamics`.
//!
//! ```
//! use veracity_model::{Body, Inertia, Joint, JointKind, ModelBuilder, Vec3};
//!
//! let mut builder = ModelBuilder::new("pendulum");
//! let bob = Body::new("bob", Inertia::point_mass(1.0, Vec3::new(1.0, 0.0, 0.0)));
//! builder.add_body(bob, Joint::new("hinge", JointKind::revolute(Vec3::y())), None);
//! let model = builder.build().unwrap();
//! assert_eq!(model.bodies().len(), 1);
//! ```

pub mod actuator;
pub mod body;
pub mod builder;
pub mod combination;
pub mod contact;
pub mod coupling;
pub mod finding;
pub mod geometry;
pub mod import;
pub mod inertia;
pub mod input;
pub mod joint;
pub mod layout;
pub mod material;
pub mod mesh;
pub mod model;
pub mod numbers;
pub mod sensor;
pub mod shape;
pub mod spring;
pub mod stored;
pub mod text;
pub mod world;

pub use actuator::{Actuator, Drive, Transmission, VelocityRule};
pub use body::{Body, BodyShape};
pub use builder::ModelBuilder;
pub use combination::{Combination, CombineRule};
pub use contact::{CollisionFilter, ContactPair, StateCondition};
pub use coupling::{Coupling, LoopJoint, LoopKind};
pub use finding::{Finding, Findings, Severity, Source};
pub use geometry::{Mat3, Pose, Quat, Vec3};
pub use inertia::Inertia;
pub use joint::{Dof, Joint, JointKind};
pub use layout::Layout;
pub use material::Material;
pub use mesh::TriangleMesh;
pub use model::{BodyId, Frame, JointId, Keyframe, MaterialId, Model};
pub use numbers::{Derived, Overrides, Parameter};
pub use sensor::{Sensor, SensorKind};
pub use shape::Shape;
pub use spring::Spring;
pub use stored::Digest;
pub use world::{Placement, World};
