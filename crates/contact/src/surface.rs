//! Combined properties of two surfaces in contact.
//!
//! Each property of a pair is computed from those of the two surfaces by the world's [`Combination`]. A named contact
//! pair with a material of its own overrides both surfaces.

use veracity_collide::{ContactPoint, ContactScene};
use veracity_model::{Combination, Material, Pose, Vec3, World};

/// Properties of one surface, or of two in contact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Surface {
    /// Coulomb friction coefficients along the first and second direction.
    pub friction: [f64; 2],
    /// First direction in the shape's frame.
    pub direction: Option<Vec3>,
    /// Friction against turning about the normal [m].
    pub torsion: f64,
    /// Friction against rolling [m].
    pub rolling: f64,
    /// Ratio of separation speed to approach speed, 0 to 1.
    pub restitution: f64,
    /// Stiffness [N/m]; infinite when rigid.
    pub stiffness: f64,
    /// Hunt-Crossley dissipation [s/m].
    pub dissipation: f64,
}

impl From<&Material> for Surface {
    fn from(m: &Material) -> Self {
        Self {
            friction: m.friction,
            direction: m.friction_direction,
            torsion: m.torsional_friction,
            rolling: m.rolling_friction,
            restitution: m.restitution,
            stiffness: m.stiffness.unwrap_or(f64::INFINITY),
            dissipation: m.dissipation,
        }
    }
}

/// The surfaces of all collision shapes of a world.
#[derive(Clone, Debug)]
pub struct Surfaces {
    by_shape: Vec<Surface>,
    /// Surfaces of named pairs, by (lower, higher) index of the shapes; sorted.
    named: Vec<([u32; 2], Surface)>,
    combination: Combination,
}

/// Two surfaces in contact at a point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PairSurface {
    /// The combined properties; `direction` is no longer in use.
    pub surface: Surface,
    /// Tangents in the world: the first along the first friction direction.
    pub tangents: [Vec3; 2],
}

impl Surfaces {
    /// Surfaces of the shapes of a scene.
    pub fn new(world: &World, scene: &ContactScene) -> Self {
        let material = |placement: usize, id: veracity_model::MaterialId| {
            Surface::from(&world.placements[placement].model.materials()[id.0])
        };
        let by_shape: Vec<Surface> = scene
            .shapes()
            .iter()
            .map(|s| s.material.map_or(Surface::from(&Material::default()), |m| material(s.id.placement, m)))
            .collect();
        let mut named = Vec::new();
        for a in 0..by_shape.len() {
            for b in a + 1..by_shape.len() {
                let Some(pair) = scene.pair_of(a, b) else { continue };
                if let Some((placement, id)) = scene.material_of(pair) {
                    named.push(([a as u32, b as u32], material(placement, id)));
                }
            }
        }
        Self { by_shape, named, combination: world.combination }
    }

    /// The surface of a shape, by its index in the scene.
    pub fn of_shape(&self, shape: usize) -> &Surface {
        &self.by_shape[shape]
    }

    /// The combined properties of two shapes.
    #[inline]
    pub fn of_pair(&self, shape_a: u32, shape_b: u32) -> Surface {
        if let Ok(at) = self.named.binary_search_by_key(&[shape_a, shape_b], |(pair, _)| *pair) {
            return self.named[at].1;
        }
        let (a, b) = (&self.by_shape[shape_a as usize], &self.by_shape[shape_b as usize]);
        let f = self.combination.friction;
        Surface {
            friction: [f.of(a.friction[0], b.friction[0]), f.of(a.friction[1], b.friction[1])],
            direction: None,
            torsion: f.of(a.torsion, b.torsion),
            rolling: f.of(a.rolling, b.rolling),
            restitution: self.combination.restitution.of(a.restitution, b.restitution),
            // Springs in series: their compliances add.
            stiffness: match (a.stiffness.is_finite(), b.stiffness.is_finite()) {
                (true, true) => a.stiffness * b.stiffness / (a.stiffness + b.stiffness),
                (true, false) => a.stiffness,
                _ => b.stiffness,
            },
            dissipation: a.dissipation.max(b.dissipation),
        }
    }

    /// The combined surface at a point, with its tangents: along the first surface's friction direction if it has one,
    /// else along the second's, else along a world axis well across the normal. `world_from_shape` gives the poses of
    /// the two shapes.
    #[inline]
    pub fn at(&self, point: &ContactPoint, world_from_shape: impl Fn(u32) -> Pose) -> PairSurface {
        let surface = self.of_pair(point.shape_a, point.shape_b);
        let along = [point.shape_a, point.shape_b]
            .into_iter()
            .find_map(|shape| self.by_shape[shape as usize].direction.map(|d| world_from_shape(shape).rotation * d));
        PairSurface { surface, tangents: tangents(&point.normal, along) }
    }
}

/// Two unit vectors perpendicular to a normal, the first along the projection of `along`.
#[inline]
pub fn tangents(normal: &Vec3, along: Option<Vec3>) -> [Vec3; 2] {
    let across = |d: Vec3| d - normal * normal.dot(&d);
    let first = along.map(across).filter(|d| d.norm_squared() > 1e-12).unwrap_or_else(|| {
        // The world's x axis unless the normal is close to it: level ground gets the tangents x and y.
        across(if normal.x.abs() < 0.8 { Vec3::x() } else { Vec3::y() })
    });
    let first = first / first.norm();
    [first, normal.cross(&first)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tangents_are_right_handed_and_follow_the_direction() {
        let [x, y] = tangents(&Vec3::z(), None);
        assert_eq!([x, y], [Vec3::x(), Vec3::y()]);
        let n = Vec3::new(0.6, 0.0, 0.8);
        let [u, w] = tangents(&n, Some(Vec3::new(1.0, 1.0, 0.0)));
        // Rounding errors of products of unit vectors.
        assert!(u.dot(&n).abs() < 1e-15 && (u.cross(&w) - n).norm() < 1e-15 && u.y > 0.5);
    }
}
