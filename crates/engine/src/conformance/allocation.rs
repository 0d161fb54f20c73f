//! Advancing allocates no memory.

use super::scenes::{self, Scene};
use super::trace::NOWHERE;
use super::{Claim, Evidence, Subject};
use crate::capability::DriveForm;
use crate::guard::{Guard, Watched};
use crate::samples::Samples;

pub(super) const NONE: Claim = Claim {
    name: "no-allocation",
    says: "After a few steps, stepping, advancing, sampling into prepared rows, watching guards and keeping a log in which \
           nothing happens allocate no memory.",
    run: no_allocation,
};

fn no_allocation(subject: &Subject<'_>) -> Result<Evidence, String> {
    let Some(count) = subject.host.allocations else {
        return Ok(Evidence::DoesNotApply("this program does not count allocations".to_string()));
    };
    let mut tried = vec![scenes::double_pendulum(), scenes::tumbling()];
    if subject.capabilities().drives != DriveForm::None {
        tried.push(scenes::driven());
    }
    if subject.capabilities().gaps {
        tried.push(scenes::passing());
    }
    for scene in tried {
        let during = allocations(subject, &scene, count)?;
        if let Some((what, times)) = during.iter().find(|(_, times)| *times > 0) {
            return Err(format!("{}: {what} allocated memory {times} times in 50 steps", scene.world.name));
        }
    }
    Ok(Evidence::Holds("no allocations in step, advance, advance_until and bodies".to_string()))
}

/// Number of allocations of each call in 50 steps, after 50 warm-up steps.
fn allocations(subject: &Subject<'_>, scene: &Scene, count: fn() -> u64) -> Result<[(&'static str, u64); 4], String> {
    let h = subject.step_s;
    let mut simulation = subject.load(&scene.world)?;
    simulation.set_state(0.0, &scene.q, &scene.v).map_err(|e| e.to_string())?;
    simulation.log_events(Some(veracity_record::EventRules::default()));
    let mut samples = Samples::new(simulation.layout(), (5.0 * h * 1e9).round() as i64, 100);
    let mut bodies = vec![NOWHERE(); simulation.layout().bodies.len()];
    let pair = (!simulation.layout().pairs.is_empty()).then_some(Watched::Gap(0));
    let watched =
        [Watched::Position(0), Watched::BodyCoordinate { body: 0, axis: 2 }, Watched::BodySpin { body: 0, axis: 0 }];
    let out_of_reach = |watched| Guard { watched, level: 1e6, direction: 0 };
    let guards: Vec<Guard> = watched.into_iter().chain(pair).map(out_of_reach).collect();
    let mut worst = [("step", 0), ("advance with samples", 0), ("advance_until", 0), ("bodies", 0)];
    for round in 0..2u32 {
        let at = |n: u32| f64::from(150 * round + n) * h;
        let mut marks = [0; 5];
        marks[0] = count();
        // An adaptive engine chooses its own steps: bounded here, so that the next call finds the time it expects.
        if subject.capabilities().adaptive {
            while simulation.time() < at(50) - 1e-9 * h {
                let left = at(50) - simulation.time();
                simulation.step(&scene.inputs, left).map_err(|e| e.to_string())?;
            }
        } else {
            for _ in 0..50 {
                simulation.step(&scene.inputs, f64::INFINITY).map_err(|e| e.to_string())?;
            }
        }
        samples.begin_after(simulation.time());
        marks[1] = count();
        simulation.advance(at(100), &scene.inputs, &mut samples).map_err(|e| e.to_string())?;
        marks[2] = count();
        simulation.advance_until(at(150), &guards, &scene.inputs).map_err(|e| e.to_string())?;
        marks[3] = count();
        simulation.bodies(&mut bodies);
        marks[4] = count();
        for (k, (_, times)) in worst.iter_mut().enumerate() {
            *times = marks[k + 1] - marks[k];
        }
    }
    Ok(worst)
}
