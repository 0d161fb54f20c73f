//! Which shapes may touch.

use super::{Comparison, numbers};
use serde_json::Value;
use veracity_model::{BodyId, CollisionFilter, JointId, JointKind, Model, Shape};

/// Compares the pairs of shapes that may touch by the model's rules with those of MuJoCo.
pub fn compare_contacts(c: &mut Comparison, model: &Model, geoms: &[(BodyId, usize)], peer: &Value) {
    // The root body of each group of bodies without a joint between them; `None` is the model frame.
    let bottom = |mut id: BodyId| loop {
        if model.joint(JointId(id.0)).kind != JointKind::Fixed {
            return Some(id);
        }
        match model.parent(id) {
            Some(parent) => id = parent,
            None => return None,
        }
    };
    let surface_only = |shape: &Shape| matches!(shape, Shape::Plane | Shape::HeightField(_));
    let mut ours = Vec::new();
    for (i, (a, k)) in geoms.iter().enumerate() {
        for (j, (b, l)) in geoms.iter().enumerate().skip(i + 1) {
            let (s, t) = (&model.body(*a).shapes[*k], &model.body(*b).shapes[*l]);
            let (low, high) = if a <= b { (*a, *b) } else { (*b, *a) };
            let filtered = model.collision_filters().contains(&CollisionFilter { a: low, b: high });
            let apart = bottom(*a) != bottom(*b);
            if s.may_touch(t) && apart && !filtered && !(surface_only(&s.shape) && surface_only(&t.shape)) {
                ours.push(vec![i as f64, j as f64]);
            }
        }
    }
    let theirs: Vec<Vec<f64>> = peer["touching"].as_array().unwrap().iter().map(numbers).collect();
    let missing: Vec<_> = theirs.iter().filter(|pair| !ours.contains(pair)).collect();
    let extra: Vec<_> = ours.iter().filter(|pair| !theirs.contains(pair)).collect();
    let text = format!("geom pairs that touch only in MuJoCo: {missing:?}, only here: {extra:?}");
    c.check(&text, missing.is_empty() && extra.is_empty());
}
