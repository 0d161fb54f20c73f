//! Named parameters drive several numbers; a file that contradicts its own parameters is reported.

use veracity_model::geometry::at;
use veracity_model::{
    Body, Derived, Findings, Inertia, Joint, JointKind, Model, ModelBuilder, Overrides, Parameter, Shape, Vec3,
};

const RADIUS: f64 = 0.02;
const DENSITY: f64 = 2700.0;

/// Two links; the first is a solid cylinder along x whose length is a parameter.
fn arm(length: f64, derived: &[(&str, &str)]) -> Result<Model, Findings> {
    let mut b = ModelBuilder::new("arm");
    b.add_parameter(Parameter { name: "length".into(), value: length, text: "of the upper arm [m]".into() });
    b.add_parameter(Parameter { name: "density".into(), value: DENSITY, text: "of the upper arm [kg/m3]".into() });
    let cylinder = Shape::Cylinder { radius: RADIUS, length };
    let along_x =
        veracity_model::geometry::pose(Vec3::new(length / 2.0, 0.0, 0.0), [0.0, 0.5 * std::f64::consts::PI, 0.0]);
    let inertia = cylinder.solid_inertia(DENSITY).unwrap().transformed(&along_x);
    let upper = Body::new("upper", inertia).with_shape(cylinder, along_x);
    let upper = b.add_body(upper, Joint::new("shoulder", JointKind::revolute(Vec3::y())), None);
    let elbow = Joint::new("elbow", JointKind::revolute(Vec3::y())).at(at(length, 0.0, 0.0));
    b.add_body(Body::new("fore", Inertia::solid_sphere(1.0, 0.1)), elbow, Some(upper));
    for (path, expression) in derived {
        b.add_derived(Derived { path: path.to_string(), expression: expression.to_string() });
    }
    b.build()
}

const LENGTH_DRIVES: &[(&str, &str)] = &[
    ("joints/elbow/origin/x", "length"),
    ("links/upper/com/x", "length / 2"),
    ("bodies/upper/mass", "density * pi * 0.02^2 * length"),
    ("bodies/upper/inertia/ixx", "density * pi * 0.02^2 * length * 0.02^2 / 2"),
    ("bodies/upper/inertia/iyy", "density * pi * 0.02^2 * length * (3 * 0.02^2 + length^2) / 12"),
    ("bodies/upper/inertia/izz", "density * pi * 0.02^2 * length * (3 * 0.02^2 + length^2) / 12"),
    ("bodies/upper/shapes/shape0/length", "length"),
    ("bodies/upper/shapes/shape0/origin/x", "length / 2"),
];

#[test]
fn a_length_moves_joint_shape_centre_of_mass_and_inertia_together() {
    let nominal = arm(0.3, LENGTH_DRIVES).unwrap();
    assert!(nominal.warnings().is_empty(), "{}", nominal.warnings());
    let longer = nominal.with(&Overrides::new().set("parameters/length", 0.45)).unwrap();
    let rebuilt = arm(0.45, &[]).unwrap();
    for (path, value) in rebuilt.numbers() {
        let got = longer.number(&path).unwrap();
        // The expressions and the constructor multiply in a different order: a few roundings apart.
        let same = got == value || (got - value).abs() <= 1e-14 * value.abs().max(1e-3);
        assert!(same, "{path}: {got:e} and not {value:e}");
    }
    assert!(longer.warnings().is_empty(), "{}", longer.warnings());
    let back = longer.with(&Overrides::new().set("parameters/length", 0.3)).unwrap();
    assert_eq!(back, nominal);
}

#[test]
fn a_number_cannot_be_both_derived_and_overridden() {
    let nominal = arm(0.3, LENGTH_DRIVES).unwrap();
    let refused = nominal.with(&Overrides::new().set("bodies/upper/mass", 1.0)).unwrap_err();
    assert_eq!(refused.count("override-derived"), 1);
    assert!(refused.to_string().contains("'parameters/density' and 'parameters/length'"), "{refused}");
    let free = nominal.free_numbers();
    assert_eq!(free.len(), nominal.numbers().len() - LENGTH_DRIVES.len());
    let same: Overrides = free.into_iter().collect();
    assert_eq!(nominal.with(&same).unwrap(), nominal);
}

#[test]
fn a_file_that_contradicts_its_parameters_is_warned_about_once() {
    let model = arm(0.3, &[("joints/elbow/origin/x", "length + 1e-6")]).unwrap();
    assert_eq!(model.warnings().count("derived-differs"), 1, "{}", model.warnings());
    assert_eq!(model.number("joints/elbow/origin/x"), Some(0.3 + 1e-6));
    let again = model.with(&Overrides::new().set("parameters/length", 0.5)).unwrap();
    assert_eq!(again.warnings().count("derived-differs"), 1, "changing a parameter is no contradiction");
    let rounded = arm(0.3, &[("joints/elbow/origin/x", "length * (1 + 1e-10)")]).unwrap();
    assert!(rounded.warnings().is_empty());
}

#[test]
fn derivations_that_make_no_sense_are_errors() {
    let cases = [
        (("joints/elbow/origin/x", "lenght"), "derived-expression", "did you mean 'length'?"),
        (("joints/elbow/origin/x", "length +"), "derived-expression", "column 9"),
        (("joints/elbow/origin/x", "1 / 0"), "derived-expression", "inf"),
        (("joints/elbov/origin/x", "length"), "derived-path", "'joints/elbow/origin/x'"),
        (("parameters/density", "length"), "derived-path", "itself a parameter"),
        (("bodies/upper/shapes/shape0/radius", "-length"), "not-finite", "not positive"),
    ];
    for (derived, code, text) in cases {
        let refused = arm(0.3, &[derived]).unwrap_err();
        assert_eq!(refused.count(code), 1, "{derived:?}: {refused}");
        assert!(refused.to_string().contains(text), "{derived:?}: {refused}");
    }
    let twice = [("links/upper/mass", "length"), ("bodies/upper/mass", "length")];
    assert!(arm(0.3, &twice).unwrap_err().to_string().contains("derived twice"));
}

#[test]
fn a_derived_axis_is_a_direction_and_survives_rebuilding() {
    let drives = [("joints/elbow/axis/x", "length"), ("joints/elbow/axis/y", "1"), ("joints/elbow/axis/z", "1")];
    let model = arm(0.3, &drives).unwrap();
    let JointKind::Revolute { axis } = model.joints()[1].kind else { panic!("kind changed") };
    // Division by the norm leaves one rounding.
    assert!((axis.norm() - 1.0).abs() < 4.0 * f64::EPSILON);
    assert_eq!(model.with(&Overrides::new()).unwrap(), model);
}
