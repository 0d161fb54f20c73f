//! The condition of `exceeded`: a quantity of a row is above a level.

use super::{Condition, Recorded, TaskConditionEntry, body, held, no_more};
use crate::grasp::{HeldEnergy, Roles, energies};
use crate::metric::{CannotTell, Options};
use crate::metrics::{grasp_corrected, grasp_published};
use crate::rows::pose;
use veracity_model::Layout;

/// See `docs/metrics.md`.
pub const ENTRY: TaskConditionEntry = TaskConditionEntry {
    name: "exceeded",
    keys: &["grippers", "objects", "with"],
    wanted: false,
    condition: |_, layout, options| {
        let known = || QUANTITIES.iter().map(|q| q.name).collect::<Vec<_>>().join(", ");
        let Some(name) = &options.quantity else {
            return CannotTell::new(format!("say what must not exceed the level with 'quantity': {}", known()));
        };
        let Some(quantity) = QUANTITIES.iter().find(|q| q.name == name) else {
            return CannotTell::new(format!("'{name}' has no value in a single row; use one of {}", known()));
        };
        let Some(level) = options.level else {
            return CannotTell::new(format!("give the level of '{name}' with 'level'"));
        };
        Ok(Box::new(Above {
            name: quantity.name,
            unit: quantity.unit,
            level,
            value: (quantity.value)(layout, options)?,
        }))
    },
};

/// The value of a quantity in a row, relative to the first row that counts.
type RowValue = Box<dyn Fn(&Recorded<'_>, usize, usize) -> f64 + Send>;

/// A metric that has a value in a single row.
struct RowQuantity {
    name: &'static str,
    unit: &'static str,
    value: fn(&Layout, &Options) -> Result<RowValue, CannotTell>,
}

/// Every one of them, named like its metric.
const QUANTITIES: &[RowQuantity] = &[
    RowQuantity { name: "grasp_published", unit: "J", value: |l, o| grasp(l, o, grasp_published::published) },
    RowQuantity { name: "grasp_corrected", unit: "J", value: |l, o| grasp(l, o, grasp_corrected::corrected) },
    RowQuantity { name: "displacement", unit: "m", value: displacement },
    RowQuantity { name: "relative_displacement", unit: "m", value: relative_displacement },
];

fn grasp(layout: &Layout, options: &Options, energy: HeldEnergy) -> Result<RowValue, CannotTell> {
    let roles = Roles::new(layout, options)?;
    Ok(Box::new(move |recorded, _, row| energies(recorded, &roles, row, energy).sum()))
}

fn displacement(layout: &Layout, options: &Options) -> Result<RowValue, CannotTell> {
    let of = body(layout, "of", options.of.as_ref())?;
    Ok(Box::new(move |recorded, first, row| {
        let com = super::inertia(recorded.world, recorded.layout, of).com;
        let place = |row: usize| pose(recorded.track, row, of) * nalgebra::Point3::from(com);
        (place(row) - place(first)).norm()
    }))
}

fn relative_displacement(layout: &Layout, options: &Options) -> Result<RowValue, CannotTell> {
    let of = body(layout, "of", options.of.as_ref())?;
    let with = body(layout, "with", options.with.as_ref())?;
    Ok(Box::new(move |recorded, first, row| held::moved(recorded, first, row, of, with)))
}

struct Above {
    name: &'static str,
    unit: &'static str,
    level: f64,
    value: RowValue,
}

impl Condition for Above {
    fn look(&self, recorded: &Recorded<'_>, first: usize, row: usize) -> Option<String> {
        let value = (self.value)(recorded, first, row);
        // NaN is above every level: a run without numbers must not go on.
        (!no_more(value, self.level)).then(|| format!("{} is {value:.3e} {}", self.name, self.unit))
    }
}
