//! A bound on the memory for contact of two meshes.
//!
//! Rapier keeps a contact manifold for every two triangles whose boxes, grown by the prediction distance, overlap. For
//! triangles smaller than that distance their number grows with the square of the number of triangles: two plates of
//! 20,000 each need gigabytes, and a failed allocation ends the whole process. So the pairs are counted before each
//! step, by the same search, and a step with more than [`MOST_PAIRS`] is refused.

use crate::build::Sets;
use crate::plan::Plan;
use rapier3d_f64::geometry::ColliderHandle;
use rapier3d_f64::parry::bounding_volume::BoundingVolume;
use veracity_engine::Unsupported;
use veracity_foreign::TouchTable;

/// Most pairs of triangles in a step, over all meshes. A manifold with its other data in Rapier takes about a kilobyte,
/// twice while a step replaces the old ones: half a gigabyte.
pub const MOST_PAIRS: usize = 250_000;

/// Pairs of meshes that may touch and have enough triangles to exceed the bound.
#[derive(Default)]
pub struct MeshBudget {
    pairs: Vec<[ColliderHandle; 2]>,
    /// Names of the shapes, by the index of a collider in the touch table.
    names: Vec<String>,
}

impl MeshBudget {
    /// For a world as built; `names` are those of the shapes in the order of the table.
    pub fn new(sets: &Sets, touch: &TouchTable, names: Vec<String>) -> Self {
        let meshes: Vec<(ColliderHandle, usize, usize)> = sets
            .colliders
            .iter()
            .filter_map(|(handle, c)| Some((handle, c.user_data as usize, c.shape().as_trimesh()?.indices().len())))
            .collect();
        let mut pairs = Vec::new();
        // Small meshes exceed the bound only together with many others; the products bound the sum.
        let mut below: usize = 0;
        for (i, a) in meshes.iter().enumerate() {
            for b in &meshes[i + 1..] {
                if touch.allows(a.1, b.1) {
                    pairs.push([a.0, b.0]);
                    below = below.saturating_add(a.2.saturating_mul(b.2));
                }
            }
        }
        if below <= MOST_PAIRS {
            pairs.clear();
        }
        Self { pairs, names }
    }

    /// The refusal of the next step, if it has too many pairs.
    pub fn exceeded(&self, sets: &Sets, plan: &Plan, prediction_m: f64) -> Option<Unsupported> {
        let reach = prediction_m + 2.0 * plan.tuning.contact_skin_m + plan.tuning.soft_ccd_m;
        let mut left = MOST_PAIRS;
        for pair in &self.pairs {
            let found = triangle_pairs(sets, *pair, reach, left);
            if found > left {
                let [a, b] = pair.map(|h| &self.names[sets.colliders[h].user_data as usize]);
                let feature = format!(
                    "contact of the meshes '{a}' and '{b}' with more than {MOST_PAIRS} pairs of triangles within {reach} m of \
                     each other, for each of which Rapier keeps a contact manifold,"
                );
                let hint = "use coarser meshes, convex pieces, or another engine".to_string();
                return Some(Unsupported { feature, hint });
            }
            left -= found;
        }
        None
    }
}

/// Number of pairs of triangles of two meshes whose grown boxes overlap; stops counting one beyond `most`.
fn triangle_pairs(sets: &Sets, pair: [ColliderHandle; 2], reach: f64, most: usize) -> usize {
    let placed = pair.map(|handle| {
        let collider = &sets.colliders[handle];
        let own = collider.position_wrt_parent().copied().unwrap_or_default();
        let body = collider.parent().map(|body| *sets.bodies[body].position()).unwrap_or_default();
        (collider.shape().as_trimesh(), body * own)
    });
    let [(Some(a), world_from_a), (Some(b), world_from_b)] = placed else { return 0 };
    let b_from_a = world_from_b.inverse() * world_from_a;
    let near = b.bvh().root_aabb().transform_by(&b_from_a.inverse()).loosened(reach);
    let mut count = 0;
    for leaf in a.bvh().intersect_aabb(&near) {
        let triangle = a.triangle(leaf).transformed(&b_from_a).local_aabb().loosened(reach);
        count += b.bvh().intersect_aabb(&triangle).take(most + 1 - count).count();
        if count > most {
            break;
        }
    }
    count
}
