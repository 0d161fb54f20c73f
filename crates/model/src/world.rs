//! Models placed in an environment: what an engine loads.

use crate::combination::Combination;
use crate::geometry::{Pose, Vec3};
use crate::model::Model;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// A model and its pose in the world.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Placement {
    /// Unique in the world; usually the model's name.
    pub name: String,
    /// The model.
    pub model: Arc<Model>,
    /// The model frame in the world.
    pub world_from_model: Pose,
}

/// Models with gravity. Treated as immutable: a change makes a new world. Serialised by [`crate::stored`].
#[derive(Clone, Debug, PartialEq)]
pub struct World {
    /// The name given in the file.
    pub name: String,
    /// Gravitational acceleration [m/s²].
    pub gravity: Vec3,
    /// The models, in file order.
    pub placements: Vec<Placement>,
    /// Whether bodies may touch at all. If not, shapes are only drawn: for experiments with smooth motion only.
    pub contact: bool,
    /// How friction and restitution of two surfaces in contact are combined.
    pub combination: Combination,
    /// Settings in the file for a simulator rather than for the physics: (engine, key, value), kept verbatim.
    pub engine_settings: Vec<(String, String, String)>,
}

/// Gravity used when a file gives none [m/s²].
pub const DEFAULT_GRAVITY: Vec3 = Vec3::new(0.0, 0.0, -9.81);

impl World {
    /// One model at the origin under [`DEFAULT_GRAVITY`].
    pub fn with_model(model: Model) -> Self {
        Self {
            name: model.name().to_string(),
            gravity: DEFAULT_GRAVITY,
            placements: vec![Placement {
                name: model.name().to_string(),
                model: Arc::new(model),
                world_from_model: Pose::identity(),
            }],
            contact: true,
            combination: Combination::default(),
            engine_settings: Vec::new(),
        }
    }
}
