//! A ball thrown over a wall: the probability of a strike, the height that decides and its threshold are known in closed
//! form (`studies/ball_over_wall/README.md`).
//!
//! ```text
//! (1)  gap above the wall    m = z + v²/2g - r - h       z the height of the throw
//! (2)  P(strike) = P(m < 0), z normal, truncated at 3 σ
//! (3)  threshold             z = h + r - v²/2g = 0.27375 m
//! ```

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use veracity_lab::plan::Engines;
use veracity_lab::{Lab, Store, Threads};
use veracity_measure::statistics::special::normal;
use veracity_scenario::{LoadOptions, TraceSetup};
use veracity_trace::rare::{rare_failure, variance_shares};
use veracity_trace::swap::swap;
use veracity_trace::{Bundle, Fate, Runner, analyse};

const THRESHOLD: f64 = 1.45 + 0.05 - 4.905 * 4.905 / (2.0 * 9.81);

fn setup() -> TraceSetup {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../studies/ball_over_wall/trace.toml");
    TraceSetup::load(&file, &LoadOptions::default()).unwrap_or_else(|findings| panic!("{findings}"))
}

/// A folder that is removed when it is dropped.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("veracity-trace-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        Self(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn with_lab<T>(folder: &Folder, threads: usize, run: impl FnOnce(&Lab<'_>) -> T) -> T {
    let store = Store::open(&folder.0).unwrap();
    let executor = Threads::new(threads).unwrap();
    let engines = Engines { list: &[&veracity_engine_native::Native], build: "test" };
    let stop = Arc::new(AtomicBool::new(false));
    run(&Lab { engines, store: &store, executor: &executor, stop, fresh: false })
}

fn run(lab: &Lab<'_>, setup: &TraceSetup) -> Bundle {
    veracity_trace::run(lab, setup, &setup.engines[0], &|_| ()).unwrap()
}

/// (2) for a wall that is `higher` [m].
fn probability(higher: f64) -> f64 {
    let (z, low) = ((THRESHOLD + higher - 0.3) / 0.02, normal(-3.0));
    ((normal(z) - low) / (1.0 - 2.0 * low)).clamp(0.0, 1.0)
}

#[test]
fn the_closed_form_is_inside_the_interval() {
    // 95 % intervals: at least 90 of 100 repetitions, or 16 of 20 (the same binomial tail, 0.3 %).
    let full = std::env::var_os("VERACITY_FULL").is_some();
    let (repetitions, least) = if full { (100, 90) } else { (20, 16) };
    for higher in [-0.01, 0.0, 0.02] {
        let folder = Folder::new(&format!("closed{higher}"));
        let truth = probability(higher);
        let held = with_lab(&folder, 2, |lab| {
            (0..repetitions)
                .filter(|&seed| {
                    let mut setup = setup();
                    (setup.seed, setup.particles) = (seed, 101);
                    let path = "world/wall/origin/z";
                    let raised = veracity_model::Overrides::new().set(path, 0.725 + higher);
                    setup.scenario = Arc::new(setup.scenario.with(&raised).unwrap());
                    let analysis = analyse(&setup, &run(lab, &setup));
                    let strikes = analysis.outcomes.iter().find(|o| o.name == "strikes");
                    let count = strikes.map_or(0, |o| o.count as u64);
                    assert_eq!(analysis.decided, 100);
                    veracity_measure::statistics::clopper_pearson(count, 100, 0.95).holds(truth)
                })
                .count()
        });
        assert!(held >= least, "wall {higher} m higher: {held} of {repetitions} hold {truth}");
        println!("ACCEPT trace-closed-form: {held} of {repetitions} intervals hold {truth:.4}");
    }
}

#[test]
fn the_height_decides_at_its_closed_form_and_the_mass_does_not() {
    let folder = Folder::new("decides");
    let setup = setup();
    with_lab(&folder, 2, |lab| {
        let particles = run(lab, &setup);
        let analysis = analyse(&setup, &particles);
        assert_eq!(analysis.outcomes.len(), 2);
        let first = &analysis.ranking[0];
        assert_eq!(first.feature, "start/q/ball/world_to_ball/z");
        // Every strike is lower than every pass.
        assert!((first.auc - 0.0).abs() < 1e-12 && first.chance < 1e-6, "{first:?}");
        let runner = Runner::new(lab, &setup, &setup.engines[0]);
        let height = swap(&runner, &particles, &analysis.ranked_outcome, first).unwrap();
        assert_eq!(height.changed, height.pairs);
        let threshold = height.threshold.unwrap();
        // The edges of a wall of 2 mm are reached 0.5 ms from the highest point: the ball is g (0.5 ms)²/2 = 1.2 um
        // lower there.
        // The joint's position counts from the pose of the model, 0.3 m.
        let error = threshold.value + 0.3 - THRESHOLD;
        assert!((0.0..3e-6).contains(&error), "{threshold:?} {error}");
        assert_eq!((&*threshold.below, &*threshold.above), ("strikes", "clears"));
        let mass = analysis.ranking.iter().find(|r| r.feature.contains("mass")).unwrap();
        let mass = swap(&runner, &particles, &analysis.ranked_outcome, mass).unwrap();
        assert_eq!(mass.changed, 0, "mass does not change a flight");
        // A lasting split before the first event, at every tolerance; any other comes after the strike (a second touch).
        let first = &analysis.splits[0];
        assert!(first.after.is_empty() && first.lasting && first.tolerances == 3, "{first:?}");
        assert!(analysis.splits[1..].iter().all(|split| !split.after.is_empty()));
        // The gaps of the balls that struck end at zero: nothing is extrapolated from them.
        let margin = &analysis.margins[0];
        assert!(margin.form.is_none() && margin.why_not.contains("reached zero"), "{margin:?}");
        // Of a wall that no ball reaches, the margin is linear in the height and first-order reliability is exact.
        let mut lower = setup.clone();
        let raised = veracity_model::Overrides::new().set("world/wall/origin/z", 0.725 - 0.05);
        lower.scenario = Arc::new(setup.scenario.with(&raised).unwrap());
        lower.particles = 100;
        let analysis = analyse(&lower, &run(lab, &lower));
        let form = analysis.margins[0].form.expect("the margin is linear");
        // The spread of 99 truncated samples differs from that of the distribution by up to 15 %.
        let beta = (0.3 - THRESHOLD + 0.05) / 0.02;
        assert!((form.beta / beta - 1.0).abs() < 0.2 && form.fit > 0.99, "{form:?} {beta}");
    });
}

#[test]
fn threads_interruptions_and_particles_alone_give_the_same_bits() {
    let (one, two) = (Folder::new("one"), Folder::new("two"));
    let mut setup = setup();
    setup.particles = 40;
    let digests = |bundle: &Bundle| (0..bundle.len()).map(|i| bundle.digest(i)).collect::<Vec<_>>();
    let alone = with_lab(&one, 1, |lab| run(lab, &setup));
    let both = with_lab(&two, 2, |lab| run(lab, &setup));
    assert_eq!(digests(&alone), digests(&both));
    assert!(digests(&alone).iter().all(|d| *d != 0));
    // From the store, with more particles: those that were there are the same.
    setup.particles = 60;
    let more = with_lab(&one, 2, |lab| run(lab, &setup));
    assert_eq!(digests(&more)[..40], digests(&alone)[..]);
    assert_eq!(more.values(0), [0.0, 0.5], "particle 0 is nominal");
    // One particle alone, as a whole record.
    let record = with_lab(&two, 1, |lab| Runner::new(lab, &setup, &setup.engines[0]).record(17).unwrap().unwrap());
    let digest = u64::from_le_bytes(record.digest().0[..8].try_into().unwrap());
    assert_eq!(digest, alone.digest(17));
}

#[test]
fn a_spread_that_no_world_can_have_is_an_error() {
    let folder = Folder::new("impossible");
    let mut setup = setup();
    setup.particles = 40;
    setup.uncertain[1].path = "duration_s".to_string();
    let durations = |weights: [f64; 2]| veracity_scenario::Distribution::discrete(&[-1.0, 0.8], &weights).unwrap();
    setup.uncertain[1].distribution = durations([9.0, 1.0]);
    let error = with_lab(&folder, 2, |lab| {
        veracity_trace::run(lab, &setup, &setup.engines[0], &|_| ()).err().map(|e| e.to_string())
    });
    let error = error.expect("most durations are negative");
    assert!(error.contains("particles could not be run") && error.contains("duration_s"), "{error}");
    // A few impossible particles are counted, never dropped.
    setup.uncertain[1].distribution = durations([1.0, 9.0]);
    let particles = with_lab(&folder, 2, |lab| run(lab, &setup));
    let analysis = analyse(&setup, &particles);
    let impossible = (0..particles.len()).filter(|&i| matches!(particles.fate(i), Fate::NotRun(_))).count();
    assert!(impossible > 0);
    assert_eq!(analysis.undecided.iter().map(|u| u.0).sum::<usize>(), impossible);
    assert_eq!(analysis.decided + impossible + 1, particles.len());
}

#[test]
fn a_mass_that_no_body_has_is_refused_before_anything_runs() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../studies/ball_over_wall");
    let text = std::fs::read_to_string(folder.join("trace.toml")).unwrap();
    let file = folder.join(format!(".impossible-{}.toml", std::process::id()));
    let wide = text.replace("relative_std = 0.05", "mean = -5.0\nstd = 0.1");
    std::fs::write(&file, wide).unwrap();
    let loaded = TraceSetup::load(&file, &LoadOptions::default());
    std::fs::remove_file(&file).unwrap();
    let findings = loaded.expect_err("a mass of -5 kg").to_string();
    assert!(findings.contains(".toml:17") || findings.contains(".toml:18"), "{findings}");
    assert!(findings.contains("world/ball/bodies/ball/mass") && findings.contains("must be positive"), "{findings}");
    // One impossible sample is counted, and never simulated.
    let folder = Folder::new("heavy tail");
    let mut setup = setup();
    setup.particles = 40;
    setup.uncertain[1].distribution = veracity_scenario::Distribution::discrete(&[-5.0, 0.5], &[1.0, 9.0]).unwrap();
    let bundle = with_lab(&folder, 2, |lab| run(lab, &setup));
    for i in 1..bundle.len() {
        let negative = bundle.values(i)[1] < 0.0;
        assert_eq!(negative, matches!(bundle.fate(i), Fate::NotRun(_)), "{i}");
    }
    let undecided = analyse(&setup, &bundle).undecided;
    assert!(undecided[0].1.contains("'world/ball/bodies/ball/mass' is set to -5"), "{undecided:?}");
}

#[test]
fn sobol_points_give_a_narrower_interval_that_holds() {
    let folder = Folder::new("sobol");
    let mut setup = setup();
    setup.sampling = veracity_scenario::file::trace_file::SamplingWord::Sobol;
    // 40 points in each set: 3.74 strikes on average, so the sets differ.
    (setup.particles, setup.scramblings) = (401, 10);
    let analysis = with_lab(&folder, 2, |lab| analyse(&setup, &run(lab, &setup)));
    let found = analysis.outcomes.iter().find(|o| o.name == "strikes").unwrap();
    assert!(found.probability.holds(probability(0.0)), "{found:?}");
    let plain = veracity_measure::statistics::clopper_pearson(found.count as u64, 400, 0.95);
    assert!(found.probability.half_width() < 0.6 * plain.half_width(), "{found:?} {plain:?}");
}

#[test]
fn splitting_finds_a_strike_that_no_particle_has() {
    // A wall lower by 0.05 m: 3.81 σ. The normal distribution is not truncated here, so that the strike is possible: 6.9e-5.
    let folder = Folder::new("splitting");
    let mut setup = setup();
    let lower = veracity_model::Overrides::new().set("world/wall/origin/z", 0.725 - 0.05);
    setup.scenario = Arc::new(setup.scenario.with(&lower).unwrap());
    setup.uncertain[0].distribution =
        veracity_scenario::Distribution::Normal { mean: 0.0, std: 0.02, truncate: f64::INFINITY };
    let truth = normal((THRESHOLD - 0.05 - 0.3) / 0.02);
    let size = veracity_scenario::trace::SplittingSize { population: 20, runs: 4, moves: 4 };
    with_lab(&folder, 2, |lab| {
        let runner = Runner::new(lab, &setup, &setup.engines[0]);
        let found = rare_failure(&runner, &setup, &size).unwrap();
        assert!(found.low <= truth && truth <= found.high, "{found:?} {truth}");
        assert!((found.trials as f64) < 0.1 * found.plain_trials, "{found:?}");
        // The margin is linear in the height alone.
        let shares = variance_shares(&runner, &setup, 32).unwrap().unwrap();
        assert!(shares[0].total.estimate > 0.95 && shares[1].total.estimate < 1e-6, "{shares:?}");
    });
}

#[test]
fn a_trace_stops_when_enough_is_seen() {
    let folder = Folder::new("until");
    let mut setup = setup();
    setup.until = Some(veracity_scenario::trace::Until { unseen: 0.08, every: 50 });
    let bundle = with_lab(&folder, 2, |lab| run(lab, &setup));
    // Three behaviours at most are seen: 50 particles exclude 5.8 % with none seen once.
    assert!(bundle.len() < 400 && bundle.len() > 50, "{}", bundle.len());
    assert!((0..bundle.len()).all(|i| bundle.has_run(i)));
}
