//! Changing a mass distribution: directly, or through a parametrisation that cannot leave the physical set.

use veracity_model::{Body, Inertia, Joint, JointKind, Model, ModelBuilder, Overrides, Vec3};

fn model_of(inertia: Inertia) -> Model {
    let mut b = ModelBuilder::new("one");
    b.add_body(Body::new("part/a", inertia), Joint::new("base", JointKind::Free), None);
    b.build().unwrap()
}

fn finger() -> Inertia {
    Inertia::new(0.12, Vec3::new(-0.0205, 0.0798, 0.0), [9.5236e-6, 7.2e-6, 5.2036e-6, 1e-7, -2e-7, 3e-8])
}

/// Uniform in [-1, 1), the same on every machine (splitmix64).
fn noise(state: &mut u64) -> f64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 52) as f64 - 1.0
}

#[test]
fn a_thousand_perturbed_inertias_stay_physical_where_raw_ones_do_not() {
    let model = model_of(finger());
    let mut seed = 1;
    let mut raw_outside = 0;
    for _ in 0..1000 {
        let ratios: [f64; 10] = std::array::from_fn(|_| 0.5 * noise(&mut seed));
        let changed = model.with(&model.perturbed_inertia("part/a", &ratios).unwrap()).unwrap();
        let inertia = changed.bodies()[0].inertia;
        assert!(inertia.mass > 0.0 && inertia.principal_moments()[0] > 0.0);
        // The eigenvalues of a tensor of condition 2 are exact to a few roundings.
        assert!(inertia.triangle_violation() < 1e-14, "{ratios:?}");
        assert!(changed.warnings().is_empty());

        // The control: noise of the same size on the six entries themselves often leaves the set.
        let raw: Overrides = ["ixx", "iyy", "izz", "ixy", "ixz", "iyz"]
            .iter()
            .map(|e| format!("bodies/part~1a/inertia/{e}"))
            .map(|p| (p.clone(), model.number(&p).unwrap() * (1.0 + 0.5 * noise(&mut seed))))
            .collect();
        raw_outside += model.with(&raw).unwrap().warnings().count("inertia-raw");
    }
    assert!(raw_outside > 100, "{raw_outside}");
}

#[test]
fn ratios_are_relative_to_the_body_itself() {
    let model = model_of(finger());
    let same = model.with(&model.perturbed_inertia("part/a", &[0.0; 10]).unwrap()).unwrap().bodies()[0].inertia;
    // Through logarithm and exponential and back: a few roundings of each number.
    assert!((same.mass / 0.12 - 1.0).abs() < 1e-14);
    assert!((same.tensor - finger().tensor).norm() < 1e-13 * finger().tensor.norm());
    let mut ratios = [0.0; 10];
    ratios[0] = 0.5 * libm::log(1.1);
    let heavier = model.with(&model.perturbed_inertia("part/a", &ratios).unwrap()).unwrap().bodies()[0].inertia;
    assert!((heavier.mass / (0.12 * 1.1) - 1.0).abs() < 1e-14);
    assert!((heavier.tensor - finger().tensor * 1.1).norm() < 1e-13 * finger().tensor.norm());
    assert!((heavier.com - finger().com).norm() < 1e-15);
}

#[test]
fn the_ten_numbers_are_absolute_by_path() {
    let model = model_of(finger());
    let path = |name: &str| format!("bodies/part~1a/inertia/log_cholesky/{name}");
    let alpha = model.number(&path("alpha")).unwrap();
    // m = e^(2 alpha).
    assert!((libm::exp(2.0 * alpha) / 0.12 - 1.0).abs() < 1e-14);
    let moved = model.with(&Overrides::new().set(path("t1"), 0.01)).unwrap();
    assert_eq!(moved.bodies()[0].inertia.com.x, 0.01);
    assert!(model.numbers().iter().all(|(p, _)| !p.contains("log_cholesky")), "a view is not listed");
    let both = Overrides::new().set(path("t1"), 0.01).set("bodies/part~1a/mass", 0.2);
    assert_eq!(model.with(&both).unwrap_err().count("override-inertia"), 1);
    let refused = model.with(&Overrides::new().set(path("t4"), 0.01)).unwrap_err();
    assert!(refused.to_string().contains(&path("t1")), "{refused}");
}

#[test]
fn outside_the_physical_set_there_is_only_raw_mode() {
    let rod = model_of(Inertia::new(1.0, Vec3::zeros(), [0.1, 0.1, 0.3, 0.0, 0.0, 0.0]));
    assert_eq!(rod.warnings().count("inertia-raw"), 1);
    let refused = rod.with(&Overrides::new().set("bodies/part~1a/inertia/log_cholesky/alpha", 0.0)).unwrap_err();
    assert!(refused.to_string().contains("raw mode"), "{refused}");
    assert!(rod.perturbed_inertia("part/a", &[0.0; 10]).unwrap_err().to_string().contains("raw mode"));
    assert!(rod.perturbed_inertia("part", &[0.0; 10]).is_err());
    let repaired = rod.with(&Overrides::new().set("bodies/part~1a/inertia/izz", 0.15)).unwrap();
    assert!(repaired.warnings().is_empty(), "{}", repaired.warnings());
}

#[test]
fn an_override_outside_the_physical_set_loads_raw_with_a_recorded_warning() {
    let model = model_of(finger());
    let odd = model.with(&Overrides::new().set("bodies/part~1a/inertia/izz", 1e-3)).unwrap();
    assert_eq!(odd.number("bodies/part~1a/inertia/izz"), Some(1e-3));
    assert_eq!(odd.warnings().count("inertia-raw"), 1);
    let negative = model.with(&Overrides::new().set("bodies/part~1a/mass", -1.0)).unwrap();
    assert_eq!(negative.warnings().count("inertia-raw"), 1);
}
