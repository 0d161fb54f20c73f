//! Every setting has an effect, and unsupported ones are rejected.

use crate::support::{Run, Scene, Stream, block_row, pinch};
use veracity_contact::stepping::{Geometry, Precision, Regularisation, Stabilisation};
use veracity_contact::{Paradigm, Stepping, SteppingSettings};
use veracity_dynamics::{ConstantEfforts, NoEfforts, Trouble};
use veracity_lcp::SOLVERS;
use veracity_model::geometry::at;
use veracity_model::{Inertia, Pose, Shape, Vec3};

/// How far the held cube of the pinch falls in half a second [m].
fn fallen(settings: SteppingSettings) -> f64 {
    let (world, tau) = pinch();
    let mut run = Run::new(&world, settings);
    run.efforts = Box::new(ConstantEfforts(tau));
    run.run(1e-3, 500);
    (run.motions()[2].world_from_body.translation.z - 1.0).abs()
}

#[test]
fn every_solver_holds_the_cube_or_says_why_not() {
    for entry in SOLVERS {
        let settings = SteppingSettings { solver: entry.name.into(), ..Default::default() };
        match Stepping::new(&pinch().0, settings.clone()) {
            Ok(_) => {
                let fell = fallen(settings);
                // Half a second of free fall is 1.2 m; the slowest of the family converges to a micrometre.
                assert!(fell < 1e-4, "{}: {fell}", entry.name);
            }
            Err(refusals) => assert!(refusals[0].to_string().len() > 20, "{}", refusals[0]),
        }
    }
}

#[test]
fn switches_change_what_they_name() {
    let base = SteppingSettings::default();
    let double = fallen(base.clone());
    let single = fallen(SteppingSettings { precision: Precision::F32, anchor: false, ..base.clone() });
    assert!(double < 1e-9 && single < 1e-3 && single > double, "{double} {single}");
    let cold = fallen(SteppingSettings { warm_start: false, ..base.clone() });
    assert!(cold < 1e-8, "{cold}");
    // One point on each side: the cube is still held by them, and may turn about the line through them.
    let single_point = fallen(SteppingSettings { geometry: Geometry::Deepest, ..base.clone() });
    assert!(single_point < 0.5, "{single_point}");
}

/// A cube that starts 1 mm deep in the ground: its depth and highest upward speed over a quarter of a second.
fn from_overlap(stabilisation: Stabilisation) -> (f64, f64) {
    let mut scene = Scene::rubbing(0.5);
    scene.ground(Pose::identity());
    let size = Vec3::repeat(0.1);
    scene.loose(Inertia::solid_box(1.0, size), Shape::Box { size }, at(0.0, 0.0, 0.049));
    let mut run = Run::new(&scene.world(), SteppingSettings { stabilisation, ..Default::default() });
    let mut fastest = 0.0f64;
    for _ in 0..250 {
        run.step(1e-3);
        fastest = fastest.max(run.state.v[5]);
    }
    (run.deepest(), fastest)
}

#[test]
fn stabilisation_recovers_depth_as_it_says() {
    let (depth, speed) = from_overlap(Stabilisation::None);
    assert!((depth - 1e-3).abs() < 1e-9 && speed < 1e-9, "{depth} {speed}");
    let (depth, speed) = from_overlap(Stabilisation::Projection);
    assert!(depth < 1e-9 && speed < 1e-9, "{depth} {speed}");
    let (depth, speed) = from_overlap(Stabilisation::Baumgarte { ratio: 0.2 });
    // The speed it is pushed out with is a fifth of a millimetre in a millisecond.
    assert!(depth < 1e-5 && (speed - 0.2).abs() < 0.01, "{depth} {speed}");
}

#[test]
fn a_soft_ground_gives_way_by_weight_over_stiffness() {
    let mut scene = Scene::rubbing(0.5);
    scene.ground(Pose::identity());
    scene.loose(Inertia::solid_sphere(2.0, 0.1), Shape::Sphere { radius: 0.1 }, at(0.0, 0.0, 0.1));
    let settings = SteppingSettings { regularisation: Regularisation::Stiffness(1e4), ..Default::default() };
    let mut run = Run::new(&scene.world(), settings);
    run.run(1e-3, 3000);
    let depth = run.deepest();
    // An implicit spring: its equilibrium is exact, up to the rest of the oscillation after 3 s.
    assert!((depth - 2.0 * 9.81 / 1e4).abs() < 1e-6, "{depth}");
}

#[test]
fn what_is_not_there_is_refused() {
    let world = block_row(1, 100.0);
    let refused = |settings| Stepping::new(&world, settings).err().expect("refused")[0].to_string();
    assert!(refused(SteppingSettings { sleeping: true, ..Default::default() }).contains("sleeping"));
    assert!(refused(SteppingSettings { solver: "magic".into(), ..Default::default() }).contains("hybrid"));
}

/// Numbers that break the arithmetic are reported as errors with a time and a degree of freedom, never as a state.
#[test]
fn nothing_that_is_not_a_number_leaves_a_step() {
    let mut s = Stream(3);
    for case in 0..40 {
        let pile = crate::generator::pile(case);
        let mut stepping = Stepping::new(&pile.world, SteppingSettings::default()).unwrap();
        let (q, nv) = (pile.q, stepping.world().system.dof_count());
        let mut state = veracity_dynamics::integrate::State { time: 1.5, q, v: vec![0.0; nv] };
        let dof = (s.bits() % nv as u64) as usize;
        state.v[dof] = [f64::NAN, f64::INFINITY, 1e200, -1e308][case as usize % 4];
        match stepping.step(&mut NoEfforts, &mut state, 1e-3) {
            Ok(_) => assert!(state.q.iter().chain(&state.v).all(|x| x.is_finite()), "case {case}"),
            Err(trouble) => {
                assert!(matches!(trouble, Trouble::NotFinite { .. } | Trouble::NoInertia { .. }), "{trouble}");
                assert!(trouble.to_string().contains("1.5"), "{trouble}");
            }
        }
    }
}
