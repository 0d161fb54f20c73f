//! Energy never grows beyond the work done: random piles of mixed solids, the same ones for all three paradigms.
//!
//! ```text
//! (1)  E₁ + S₁ <= E₀ + S₀ + W + allowance          in every step of every pile
//! (2)  E(t) <= min E(s), s < t, + bound · E(0)     over the whole motion of every pile
//! ```
//!
//! `E` is kinetic and potential energy, `S` the energy stored in contacts, and `W` the work of displacing bodies, or
//! making them overlap, without a velocity that accounts for it. The allowance is what each paradigm's own tolerances
//! admit (`balance.rs`), nothing else.
//!
//! `W` and (2): time stepping and penalty contact know a gap to first order in the step. A corner at the distance `R`
//! that turns with `ω` ends up `(h ω)² R / 2` deeper than predicted, 2.6 µm for 8 rad/s, 1 ms and 8 cm, and a corner
//! that hits a corner of a mesh is found only when it overlaps, up to 1 mm deep at 1 m/s. It is lifted out against the
//! weight, or becomes the depth of a spring. Time stepping lifts at the expense of the step's energy loss, or, at rest,
//! no more in a step than its bodies would have lost in free fall: 5 µm of height where the centre of a pile starts
//! some 0.4 m high, 1e-5 of the energy, and this may happen in a few consecutive steps before energy is lost again:
//! 1e-4. A spring has no such limit, and a whole millimetre may count for one of two bodies: 1e-3. The event-driven
//! paradigm lifts nothing that motion does not pay for, including its fall-backs: 1e-9 for its tolerances, added up.

mod balance;
mod generator;

use balance::{ByEvents, ByForces, ByStepping, Kept, STEP, system_of};
use generator::{KINDS, Pile, Stream, inertia, pile, solid};
use veracity_dynamics::energy::energy;
use veracity_dynamics::integrate::State;
use veracity_dynamics::{Efforts, NoEfforts, Trouble, Workspace};

/// Length of a motion [s].
const DURATION: f64 = 1.0;
/// Piles at full size.
const ALL: u64 = 10_000;

/// Result of a pile. Energies are relative to the energy at the start.
#[derive(Debug, Default)]
struct Fate {
    seed: u64,
    /// Largest violation of (1) in a step; negative if (1) holds with margin.
    excess: f64,
    /// Sum of all `W`.
    work: f64,
    /// (2): largest rise of the energy above its lowest value so far.
    rise: f64,
    counts: Vec<(&'static str, f64)>,
    trouble: Option<String>,
}

/// Moves a pile to its end and tracks the energy balance.
fn follow(seed: u64, pile: &Pile, kept: &mut dyn Kept, efforts: &mut dyn Efforts, duration: f64) -> Fate {
    let system = system_of(kept);
    let mut ws = Workspace::new(&system);
    let mut state = State { time: 0.0, q: pile.q.clone(), v: pile.v.clone() };
    let start = energy(&system, &mut ws, &state.q, &state.v).total();
    let (mut last, mut stored, mut lowest) = (start, 0.0, start);
    let mut fate = Fate { seed, excess: f64::NEG_INFINITY, ..Fate::default() };
    while state.time < duration * (1.0 - 1e-12) {
        let h = kept.longest_step().min(duration - state.time);
        let did = match kept.step(efforts, &mut state, h) {
            Ok(did) => did,
            Err(trouble) => {
                fate.trouble = Some(format!("pile {seed}: {trouble}"));
                break;
            }
        };
        let now = energy(&system, &mut ws, &state.q, &state.v).total();
        let gained = (now + did.stored) - (last + stored) - did.work;
        if gained > did.allowance {
            println!("pile {seed}, t = {} s: {gained:.1e} J gained, {:.1e} J allowed", state.time, did.allowance);
        }
        fate.excess = fate.excess.max((gained - did.allowance) / start);
        fate.work += did.work / start;
        (last, stored) = (now, did.stored);
        fate.rise = fate.rise.max((now - lowest) / start);
        lowest = lowest.min(now + stored);
    }
    fate.counts = kept.counts();
    fate
}

/// The seeds of this run: the first 200 in a shortened run; at full size all, or the part named by
/// `VERACITY_CHUNK=k/n`. A single pile for debugging: `VERACITY_PILE=seed`.
fn seeds() -> std::ops::Range<u64> {
    if let Ok(one) = std::env::var("VERACITY_PILE") {
        let seed = one.parse().expect("VERACITY_PILE is a number");
        return seed..seed + 1;
    }
    if std::env::var_os("VERACITY_FULL").is_none() {
        return 0..200;
    }
    let Ok(chunk) = std::env::var("VERACITY_CHUNK") else { return 0..ALL };
    let (k, n) = chunk.split_once('/').expect("VERACITY_CHUNK=k/n");
    let (k, n): (u64, u64) = (k.parse().unwrap(), n.parse().unwrap());
    ALL * k / n..ALL * (k + 1) / n
}

/// Runs all piles on all cores; the assignment to cores does not affect the results.
fn follow_all(make: Make) -> Vec<Fate> {
    let seeds = seeds();
    let threads = std::thread::available_parallelism().map_or(1, |n| n.get());
    let next = std::sync::atomic::AtomicU64::new(seeds.start);
    let work = || {
        let mut done = Vec::new();
        loop {
            let seed = next.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            if seed >= seeds.end {
                return done;
            }
            // A pile that panics is reported like any other failure.
            let followed = std::panic::catch_unwind(|| {
                let pile = pile(seed);
                follow(seed, &pile, make(&pile).as_mut(), &mut NoEfforts, DURATION)
            });
            done.push(followed.unwrap_or_else(|_| Fate {
                seed,
                trouble: Some(format!("pile {seed}: a panic")),
                ..Fate::default()
            }));
        }
    };
    let mut fates: Vec<Fate> = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        workers.into_iter().flat_map(|w| w.join().unwrap()).collect()
    });
    fates.sort_by_key(|f| f.seed);
    fates
}

/// Prints and judges. `cargo xtask acceptance` combines the numbers of parts of a full run: sums and maxima.
fn judge(claim: &str, bound: f64, fates: &[Fate]) {
    let most = |of: fn(&Fate) -> f64| {
        let worst = fates.iter().max_by(|a, b| of(a).total_cmp(&of(b))).expect("some pile");
        (of(worst), worst.seed)
    };
    let ((excess, excess_at), (work, work_at), (rise, rise_at)) =
        (most(|f| f.excess), most(|f| f.work), most(|f| f.rise));
    let trouble: Vec<&String> = fates.iter().filter_map(|f| f.trouble.as_ref()).collect();
    let mut counts = String::new();
    for (k, (name, _)) in fates[0].counts.iter().enumerate() {
        let sum: f64 = fates.iter().filter_map(|f| f.counts.get(k)).map(|count| count.1).sum();
        counts += &format!("; {name} {sum} sum");
    }
    println!(
        "ACCEPT {claim}: piles {} sum; in trouble {} sum; gain beyond work and tolerance {excess:.1e} max; work {work:.1e} max; \
         rise {rise:.1e} max{counts}",
        fates.len(),
        trouble.len()
    );
    println!("worst piles of {claim}: gain {excess_at}, work {work_at}, rise {rise_at}");
    assert!(trouble.is_empty(), "{trouble:?}");
    assert!(excess <= 0.0, "(1) is broken by {excess:e} of the energy in pile {excess_at}");
    assert!(rise <= bound, "(2) is broken: {rise:e} in pile {rise_at}");
}

#[test]
fn energy_never_grows_by_time_stepping() {
    judge("piles-stepping", 1e-4, &follow_all(|pile| Box::new(ByStepping::new(pile))));
}

#[test]
fn energy_never_grows_by_events() {
    judge("piles-event", 1e-9, &follow_all(|pile| Box::new(ByEvents::new(pile))));
}

#[test]
fn energy_never_grows_by_forces() {
    judge("piles-penalty", 1e-3, &follow_all(|pile| Box::new(ByForces::new(pile))));
}

/// Creates a paradigm for a pile.
type Make = fn(&Pile) -> Box<dyn Kept>;

const PARADIGMS: [Make; 3] = [
    |pile| Box::new(ByStepping::new(pile)),
    |pile| Box::new(ByEvents::new(pile)),
    |pile| Box::new(ByForces::new(pile)),
];

/// A slight upward wind, a hundredth of the weight of the lightest solids: (1) fails for every paradigm.
#[test]
fn energy_that_does_grow_is_seen() {
    for paradigm in PARADIGMS {
        let pile = pile(3);
        let mut wind = |_: f64, _: &[f64], v: &[f64], tau: &mut [f64]| {
            for (tau, v) in tau.chunks_exact_mut(6).zip(v.chunks_exact(6)) {
                tau[5] += 0.05 * v[5].signum();
            }
        };
        let fate = follow(3, &pile, paradigm(&pile).as_mut(), &mut wind, 0.1);
        assert!(fate.excess > 0.0, "{fate:?}");
    }
}

/// NaN in the efforts on one body in one step is an error that names the instant and the body; none of it is left in
/// the state.
#[test]
fn what_is_no_number_never_leaves_a_step() {
    for (name, paradigm) in ["stepping", "event", "penalty"].into_iter().zip(PARADIGMS) {
        for seed in 0..10 {
            let pile = pile(seed);
            let mut kept = paradigm(&pile);
            let bodies = pile.q.len() / 7;
            let (sick, at) = (seed as usize % bodies, 0.02 + 0.01 * seed as f64);
            let mut poison = |t: f64, _: &[f64], _: &[f64], tau: &mut [f64]| {
                if t >= at {
                    tau[6 * sick + 4] = f64::NAN;
                }
            };
            let mut state = State { time: 0.0, q: pile.q.clone(), v: pile.v.clone() };
            let (mut before, mut outcome) = (state.clone(), Ok(()));
            while outcome.is_ok() && state.time < 2.0 * at {
                before.clone_from(&state);
                outcome = kept.step(&mut poison, &mut state, STEP).map(|_| ());
                let finite = state.q.iter().chain(&state.v).all(|x| x.is_finite());
                assert!(finite, "{name}, pile {seed}: a number is lost");
            }
            let Err(Trouble::NotFinite { dof, time }) = outcome else { panic!("{name}, pile {seed}: {outcome:?}") };
            assert_eq!(
                kept.world().body_of_dof(dof),
                Some(format!("pile/solid{sick}").as_str()),
                "{name}, pile {seed}"
            );
            assert!((time - at).abs() <= 1.5 * STEP, "{name}, pile {seed}: {time} against {at}");
            assert_eq!(state, before, "{name}, pile {seed}");
        }
    }
}

/// Every kind of solid is in the piles, none is flat, and the bracket is hollow.
#[test]
fn piles_are_what_they_are_said_to_be() {
    let mut s = Stream(5);
    for kind in 0..KINDS {
        let shape = solid(kind, &mut s);
        let full = inertia(&shape, 1000.0);
        assert!(full.mass > 0.02 && full.mass < 2.0, "{kind}: {}", full.mass);
        if let veracity_model::Shape::Mesh(mesh) = &shape {
            let hull = mesh.convex_hull_inertia(1000.0).unwrap();
            assert!(full.mass < 0.8 * hull.mass, "{} of {}", full.mass, hull.mass);
        }
    }
    let counts: Vec<usize> = (0..200).map(|seed| pile(seed).q.len() / 7).collect();
    assert!(counts.iter().min() == Some(&2) && counts.iter().max() == Some(&30), "{counts:?}");
}

/// Eight resolutions of the contacts of this pile choose different ones each time; those of the last were then followed
/// along the rows of the previous ones, of which there were more: an index out of bounds.
#[test]
fn pile_1156_whose_contacts_never_agree_panicked() {
    let pile = pile(1156);
    let fate = follow(1156, &pile, &mut ByEvents::new(&pile), &mut NoEfforts, DURATION);
    assert_eq!(fate.trouble, None);
    assert!(fate.excess <= 0.0 && fate.rise <= 1e-9, "{fate:?}");
}

/// A contact of this pile that starts from rest moves against its assigned heading, and friction accelerated it: 2e-8
/// of the energy in one piece.
#[test]
fn pile_1897_whose_friction_pushed_gained_energy() {
    let pile = pile(1897);
    let fate = follow(1897, &pile, &mut ByEvents::new(&pile), &mut NoEfforts, 0.2);
    assert_eq!(fate.trouble, None);
    assert!(fate.excess <= 0.0 && fate.rise <= 1e-9, "{fate:?}");
}

/// An impact left a contact of this pile with 2e-9 m/s along its normal, which lifted its body at that speed for as
/// long as it rested.
#[test]
fn pile_4994_that_was_lifted_at_rest_gained_energy() {
    let pile = pile(4994);
    let fate = follow(4994, &pile, &mut ByEvents::new(&pile), &mut NoEfforts, DURATION);
    assert_eq!(fate.trouble, None);
    assert!(fate.excess <= 0.0 && fate.rise <= 1e-9, "{fate:?}");
}

/// A contact of this pile carries zero force, or slightly less by rounding: it never crossed zero, and pulled for a
/// whole piece.
#[test]
fn pile_328_whose_contact_pulled_gained_energy() {
    let pile = pile(328);
    let fate = follow(328, &pile, &mut ByEvents::new(&pile), &mut NoEfforts, DURATION);
    assert_eq!(fate.trouble, None);
    assert!(fate.excess <= 0.0 && fate.rise <= 1e-9, "{fate:?}");
}

/// The position of a contact of this pile comes from an iteration and jumped inside a piece, whose forces then did
/// work: such a piece is rejected.
#[test]
fn pile_685_whose_contact_jumped_gained_energy() {
    let pile = pile(685);
    let fate = follow(685, &pile, &mut ByEvents::new(&pile), &mut NoEfforts, 0.3);
    assert_eq!(fate.trouble, None);
    assert!(fate.excess <= 0.0 && fate.rise <= 1e-9, "{fate:?}");
}
