//! The step: the distance a body at a known speed moves in one.

use super::space;
use crate::experiment::Experiment;

/// Read as a fraction of the requested step, so that all three steps read one number.
pub const STEP: Experiment = Experiment {
    name: "time-step",
    group: "time",
    unit: "steps",
    given: 1.0,
    formula: "x / (v h) of a free ball after one step",
    tolerated: None,
    read: |bench| {
        bench.need(|can| !can.adaptive, "fixed step; it chooses its own")?;
        let mut scene = space::ball();
        scene.v[3] = 0.5;
        let mut run = bench.load(&scene)?;
        run.step()?;
        Ok((run.place(0).x / (0.5 * bench.step_s)).into())
    },
};

/// The engine's clock.
pub const CLOCK: Experiment = Experiment {
    name: "clock",
    group: "time",
    unit: "s",
    given: 0.3,
    formula: "x / v of a free ball at t = 0.3 s",
    tolerated: None,
    read: |bench| {
        let mut scene = space::ball();
        scene.v[3] = 0.5;
        Ok((bench.run(&scene, 0.3)?.place(0).x / 0.5).into())
    },
};
