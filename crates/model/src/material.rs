//! Surface materials.

use crate::geometry::Vec3;
use serde::{Deserialize, Serialize};

/// Surface properties. The world's [`Combination`](crate::Combination) sets how those of two surfaces in contact are
/// combined.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Material {
    /// Unique in the model.
    pub name: String,
    /// Coulomb friction coefficients along the first and second direction.
    pub friction: [f64; 2],
    /// First friction direction in the shape's frame; `None` means that friction is isotropic or that the engine
    /// chooses.
    pub friction_direction: Option<Vec3>,
    /// Friction against rotation about the normal, as a length: torque = `torsional_friction` · normal force [m].
    pub torsional_friction: f64,
    /// Friction against rolling, as a length [m].
    pub rolling_friction: f64,
    /// Coefficient of restitution, 0 to 1.
    pub restitution: f64,
    /// Contact stiffness [N/m]; `None` means rigid.
    pub stiffness: Option<f64>,
    /// Hunt-Crossley dissipation [s/m].
    pub dissipation: f64,
    /// Settings in the file for one specific engine: (engine, key, value), kept verbatim.
    pub engine_settings: Vec<(String, String, String)>,
}

impl Default for Material {
    /// Friction 1, no restitution, rigid: the only default in the workspace.
    fn default() -> Self {
        Self {
            name: "default".into(),
            friction: [1.0, 1.0],
            friction_direction: None,
            torsional_friction: 0.0,
            rolling_friction: 0.0,
            restitution: 0.0,
            stiffness: None,
            dissipation: 0.0,
            engine_settings: Vec::new(),
        }
    }
}
