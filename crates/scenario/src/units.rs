//! The SI unit of every number of a world or a scenario, by its path (see [`crate::numbers`]).
//!
//! Rotations and translations have different units under the same path: the joint decides. A number whose unit follows
//! from something else (the weight of a coupling, the gain of a drive, the noise of a sensor) has `None`.

use veracity_model::numbers::escape;
use veracity_model::{JointKind, Layout, Model, World};

/// The unit of the number at a path: `Some("")` for a dimensionless number, `None` where the path does not decide it.
pub fn unit(world: &World, path: &str) -> Option<&'static str> {
    let parts: Vec<&str> = path.split('/').collect();
    match parts.as_slice() {
        ["duration_s"] => Some("s"),
        ["world", "gravity", _] => Some("m/s²"),
        ["world", _, "origin", component] => pose(component),
        ["world", placement, rest @ ..] => {
            let placement = world.placements.iter().find(|p| escape(&p.name) == *placement)?;
            of_model(&placement.model, rest)
        }
        ["start", "q", rest @ ..] => match *rest.last()? {
            "x" | "y" | "z" => Some("m"),
            "roll" | "pitch" | "yaw" => Some("rad"),
            _ => of_start(world, rest, "rad", "m"),
        },
        ["start", "v", rest @ ..] => of_start(world, rest, "rad/s", "m/s"),
        ["controllers" | "sensors", .., key] => of_key(key),
        _ => None,
    }
}

fn of_model(model: &Model, parts: &[&str]) -> Option<&'static str> {
    match parts {
        ["bodies", _, "mass"] => Some("kg"),
        ["bodies", _, "com", _] => Some("m"),
        ["bodies", _, "inertia", _] => Some("kg m²"),
        ["bodies", _, "linear_damping" | "angular_damping"] => Some("1/s"),
        ["bodies", _, "gravity_scale"] => Some(""),
        ["bodies", _, "shapes", _, "radius" | "length"] => Some("m"),
        ["bodies", _, "shapes", _, "size" | "radii", _] => Some("m"),
        ["bodies", _, "shapes", _, "origin", component]
        | ["joints", _, "origin" | "child_origin", component]
        | ["loops", _, "frame_a" | "frame_b", component]
        | ["sensors" | "frames", _, "origin", component] => pose(component),
        ["joints", joint, "dofs", index, key] => {
            let joint = model.joints().iter().find(|j| escape(&j.name) == *joint)?;
            Some(of_freedom(key, slides(joint.kind, index.parse().ok()?))?)
        }
        ["joints", joint, key] => {
            let joint = model.joints().iter().find(|j| escape(&j.name) == *joint)?;
            if *key == "pitch" { Some("m/rad") } else { of_freedom(key, slides(joint.kind, 0)) }
        }
        ["joints" | "loops", _, _, "x" | "y" | "z"] | ["materials", _, "friction_direction", _] => Some(""),
        ["loops", _, "length"] | ["springs", _, "rest_length"] | ["springs", _, "point_a" | "point_b", _] => {
            Some("m")
        }
        ["springs", _, "stiffness"] | ["materials", _, "stiffness"] => Some("N/m"),
        ["springs", _, "damping"] => Some("N s/m"),
        ["materials", _, "friction", _] | ["materials", _, "restitution"] => Some(""),
        ["materials", _, "torsional_friction" | "rolling_friction"] => Some("m"),
        ["materials", _, "dissipation"] => Some("s/m"),
        ["sensors", _, "rate_hz"] => Some("Hz"),
        ["sensors", _, "max"] => Some("m"),
        ["initial", index] | ["keyframes", _, "q", index] => position(model, index.parse().ok()?),
        ["keyframes", _, "v", index] => {
            let dof: usize = index.parse().ok()?;
            let mut first = 0;
            let joint = model.joints().iter().find(|j| {
                first += j.kind.dof_count();
                dof < first
            })?;
            let own = dof + joint.kind.dof_count() - first;
            Some(if slides(joint.kind, own) { "m/s" } else { "rad/s" })
        }
        _ => None,
    }
}

/// Unit of a component of a pose.
fn pose(component: &str) -> Option<&'static str> {
    match component {
        "x" | "y" | "z" => Some("m"),
        "roll" | "pitch" | "yaw" => Some("rad"),
        _ => None,
    }
}

/// Whether a degree of freedom of a joint is a translation, by its index in `v`.
fn slides(kind: JointKind, dof: usize) -> bool {
    match kind {
        JointKind::Prismatic { .. } => true,
        // Velocities start with the rotation.
        JointKind::Free => dof >= 3,
        JointKind::Planar { .. } => dof < 2,
        _ => false,
    }
}

fn of_freedom(key: &str, slides: bool) -> Option<&'static str> {
    let (turning, sliding) = match key {
        "lower" | "upper" | "spring_reference" => ("rad", "m"),
        "velocity_limit" => ("rad/s", "m/s"),
        "effort_limit" | "friction" => ("N m", "N"),
        "damping" => ("N m s/rad", "N s/m"),
        "stiffness" => ("N m/rad", "N/m"),
        "armature" => ("kg m²", "kg"),
        _ => return None,
    };
    Some(if slides { sliding } else { turning })
}

/// Unit of an entry of `q`: the four numbers of a quaternion are dimensionless.
fn position(model: &Model, index: usize) -> Option<&'static str> {
    let mut first = 0;
    let joint = model.joints().iter().find(|j| {
        first += j.kind.position_count();
        index < first
    })?;
    let own = index + joint.kind.position_count() - first;
    Some(match joint.kind {
        JointKind::Ball => "",
        JointKind::Free => ["m", "m", "m", "", "", "", ""][own],
        kind => {
            if slides(kind, own) {
                "m"
            } else {
                "rad"
            }
        }
    })
}

/// `PLACEMENT/JOINT`, followed by the index of the degree of freedom where it has several.
fn of_start(world: &World, parts: &[&str], turning: &'static str, sliding: &'static str) -> Option<&'static str> {
    let layout = Layout::new(world);
    let [placement, joint, rest @ ..] = parts else { return None };
    let named = |slot: &&veracity_model::layout::JointSlot| {
        let place = &layout.placements[slot.placement];
        let own = slot.name.strip_prefix(place.as_str()).and_then(|n| n.strip_prefix('/')).unwrap_or(&slot.name);
        escape(place) == *placement && escape(own) == *joint
    };
    let kind = layout.joints.iter().find(named)?.kind;
    let dof = rest.first().map_or(Some(0), |index| index.parse().ok())?;
    Some(if slides(kind, dof) { sliding } else { turning })
}

/// Unit of a key that ends in its unit.
fn of_key(key: &str) -> Option<&'static str> {
    const ENDINGS: &[(&str, &str)] = &[
        ("_rad_s", "rad/s"),
        ("_m_s", "m/s"),
        ("_m_s2", "m/s²"),
        ("_hz", "Hz"),
        ("_rad", "rad"),
        ("_nm", "N m"),
        ("_n", "N"),
        ("_kg", "kg"),
        ("_s", "s"),
        ("_m", "m"),
    ];
    ENDINGS.iter().find(|(ending, _)| key.ends_with(ending)).map(|(_, unit)| *unit)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Scenario;

    #[test]
    fn numbers_have_the_units_of_what_they_are() {
        let scenario = Scenario::built_in("ur10_grasp").unwrap();
        let of = |path: &str| unit(&scenario.world, path);
        let all = scenario.numbers();
        let find = |ending: &str| all.iter().find(|(p, _)| p.ends_with(ending)).map(|(p, _)| of(p)).unwrap();
        assert_eq!(find("/mass"), Some("kg"));
        assert_eq!(find("/inertia/ixy"), Some("kg m²"));
        assert_eq!(of("world/gravity/z"), Some("m/s²"));
        assert_eq!(of("duration_s"), Some("s"));
        assert_eq!(of("world/nothing/bodies/x/mass"), None);
        // A revolute joint rotates, a prismatic one slides, under the same key.
        let ending = |kind: fn(&JointKind) -> bool, key: &str| {
            let slot = Layout::new(&scenario.world).joints.iter().find(|j| kind(&j.kind)).unwrap().clone();
            let (placement, joint) = slot.name.split_once('/').unwrap();
            (of(&format!("world/{placement}/joints/{joint}/{key}")), of(&format!("start/v/{placement}/{joint}")))
        };
        let turns = |k: &JointKind| matches!(k, JointKind::Revolute { .. });
        let slides = |k: &JointKind| matches!(k, JointKind::Prismatic { .. });
        assert_eq!(ending(turns, "damping"), (Some("N m s/rad"), Some("rad/s")));
        assert_eq!(ending(slides, "damping"), (Some("N s/m"), Some("m/s")));
    }

    #[test]
    fn nearly_every_number_of_the_catalogue_has_a_unit() {
        // Without a unit: parameters, couplings, drives and control laws, whose units follow from what they act on.
        let open = ["/parameters/", "/couplings/", "/actuators/", "/noise_std", "/conditions/", "/command/"];
        for entry in crate::catalogue::CATALOGUE {
            let scenario = Scenario::built_in(entry.name).unwrap();
            for (path, _) in scenario.numbers() {
                let known = unit(&scenario.world, &path).is_some() || open.iter().any(|o| path.contains(o));
                let law = path.starts_with("controllers/") || path.starts_with("sensors/");
                assert!(known || law, "{}: {path} has no unit", entry.name);
            }
        }
    }
}
