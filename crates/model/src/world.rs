//! Models placed in an environment: what an engine loads.

use crate::combination::Combination;
use crate::geometry::{Pose, Vec3};
use crate::model::Model;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// One model in its place.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Placement {
    /// Unique in the world; usually the model's own name.
    pub name: String,
    /// The model.
    pub model: Arc<Model>,
    /// The model frame in the world.
    pub world_from_model: Pose,
}

/// Models with gravity. Immutable in use: a changed one is a new one. Its bytes are those of [`crate::stored`].
#[derive(Clone, Debug, PartialEq)]
pub struct World {
    /// What the file calls it.
    pub name: String,
    /// Acceleration of free fall [m/s²].
    pub gravity: Vec3,
    /// The models, in file order.
    pub placements: Vec<Placement>,
    /// Whether bodies may touch at all. Off, shapes are only drawn: the world of a purely smooth experiment.
    pub contact: bool,
    /// How friction and restitution of two surfaces in contact become those of the pair.
    pub combination: Combination,
    /// What the file asked of the simulator and not of the physics: (engine, key, value), kept word for word.
    pub engine_settings: Vec<(String, String, String)>,
}

/// Standard gravity of the house when a file gives none [m/s²].
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
