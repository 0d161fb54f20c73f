//! Objects and the grippers that hold them, in a record: shared by the two grasp metrics.

use crate::metric::{CannotTell, Measured, Options, Subject};
use crate::rows::{BodyRow, Rows, largest, need_twists, rows_that_count};
use crate::task_conditions::{Recorded, inertia};
use veracity_model::{Inertia, Layout};

/// A block and the data of the run that a metric needs.
pub struct Pairing<'a> {
    /// Inertia of the block.
    pub inertia: &'a Inertia,
    /// Step of the run [s].
    pub step_s: f64,
}

/// A block and a gripper in the current row and in the first one.
pub struct Relative {
    /// In the current row.
    pub block: BodyRow,
    /// In the current row.
    pub gripper: BodyRow,
    /// In the first row of the record.
    pub start_block: BodyRow,
    /// In the first row of the record.
    pub start_gripper: BodyRow,
}

/// T of one object in one gripper [J].
pub type HeldEnergy = fn(&Pairing<'_>, &Relative) -> f64;

/// T of each object in a row, the mean over its grippers, in the order of [`Roles::objects`] [J].
///
/// Relative to the very first row, even if a window starts later: there the grasp was as intended.
pub fn energies<'a>(
    recorded: &'a Recorded<'_>,
    roles: &'a Roles,
    row: usize,
    energy: HeldEnergy,
) -> impl Iterator<Item = f64> + 'a {
    let track = recorded.track;
    roles.objects.iter().map(move |&block| {
        let inertia = inertia(recorded.world, recorded.layout, block);
        let pairing = Pairing { inertia, step_s: recorded.step_s };
        let in_gripper = |gripper: &usize| {
            let relative = Relative {
                block: BodyRow::read(track, row, block),
                gripper: BodyRow::read(track, row, *gripper),
                start_block: BodyRow::read(track, 0, block),
                start_gripper: BodyRow::read(track, 0, *gripper),
            };
            energy(&pairing, &relative)
        };
        roles.grippers.iter().map(in_gripper).sum::<f64>() / roles.grippers.len() as f64
    })
}

/// The largest value, over rows, of the sum over objects of the mean over grippers.
pub fn largest_sum(subject: &Subject<'_>, options: &Options, energy: HeldEnergy) -> Result<Measured, CannotTell> {
    need_twists(subject)?;
    let roles = Roles::new(subject.layout, options)?;
    let track = &subject.record.track;
    let rows = match rows_that_count(subject, options)? {
        Rows::BrokeDown(broken) => return Ok(broken),
        Rows::Some(rows) => rows,
    };
    let recorded = Recorded::of(subject);
    let sum = |row: usize| energies(&recorded, &roles, row, energy).sum::<f64>();
    let series: Vec<(f64, f64)> = rows.iter().map(|&row| (track.times[row], sum(row))).collect();
    let none = vec![0.0; series.len()];
    let last = rows.last().map_or(String::new(), |&row| each_object(&recorded, &roles, row, energy));
    let note = format!("{} object(s), {} gripper(s); {last}", roles.objects.len(), roles.grippers.len());
    Ok(Measured { note, ..largest(series, &none) })
}

/// The sum in a row, and the part of each object where there are several.
fn each_object(recorded: &Recorded<'_>, roles: &Roles, row: usize, energy: HeldEnergy) -> String {
    let parts: Vec<f64> = energies(recorded, roles, row, energy).collect();
    let sum = format!("{:.3e} J in the last row", parts.iter().sum::<f64>());
    if parts.len() < 2 {
        return sum;
    }
    let name = |slot: &usize| recorded.layout.bodies[*slot].name.as_str();
    let each: Vec<String> =
        roles.objects.iter().zip(&parts).map(|(slot, t)| format!("{} {t:.1e}", name(slot))).collect();
    format!("{sum}: {}", each.join(", "))
}

/// Bodies of a grasp, by slots.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Roles {
    /// Bodies that are held.
    pub objects: Vec<usize>,
    /// Bodies that hold.
    pub grippers: Vec<usize>,
}

/// Metrics that need `grippers` and `objects`.
pub const WITH_ROLES: [&str; 2] = ["grasp_published", "grasp_corrected"];

impl Roles {
    /// Roles by the names in the options. Nothing is inferred from joints: the links of an arm are on the same kind of
    /// joint as the fingers it carries, and a floating base is as free as an object.
    pub fn new(layout: &Layout, options: &Options) -> Result<Self, CannotTell> {
        if let Some(of) = &options.of {
            return CannotTell::new(format!("a grasp has no 'of'; write objects = [\"{of}\"]"));
        }
        let named = |role: &str, names: &[String]| -> Result<Vec<usize>, CannotTell> {
            if names.is_empty() {
                let what = if role == "grippers" { "bodies that hold" } else { "bodies that are held" };
                let all = layout.bodies.iter().map(|b| b.name.as_str());
                return CannotTell::new(format!("name the {what} with '{role}'; the world has {}", listed(all)));
            }
            let mut slots = Vec::with_capacity(names.len());
            for name in names {
                let slot = find(layout, role, name)?;
                if slots.contains(&slot) {
                    return CannotTell::new(format!("'{role}' names '{name}' twice; remove one"));
                }
                slots.push(slot);
            }
            Ok(slots)
        };
        let roles =
            Self { objects: named("objects", &options.objects)?, grippers: named("grippers", &options.grippers)? };
        if let Some(&both) = roles.objects.iter().find(|slot| roles.grippers.contains(slot)) {
            let name = &layout.bodies[both].name;
            return CannotTell::new(format!("'{name}' is among 'grippers' and 'objects'; keep it in one of them"));
        }
        Ok(roles)
    }
}

pub(crate) fn find(layout: &Layout, role: &str, name: &str) -> Result<usize, CannotTell> {
    if let Some(slot) = layout.body(name) {
        return Ok(slot);
    }
    let all = layout.bodies.iter().map(|b| b.name.as_str());
    let suffix = format!("/{name}");
    let several: Vec<&str> = all.clone().filter(|full| full.ends_with(&suffix)).collect();
    CannotTell::new(if several.is_empty() {
        format!("'{role}' names '{name}', which is not a body of the world; the world has {}", listed(all))
    } else {
        format!("'{role}' names '{name}', which is ambiguous; write one of {}", several.join(", "))
    })
}

/// Names of bodies, at most twelve.
fn listed<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let names: Vec<&str> = names.collect();
    let shown = names.iter().take(12).copied().collect::<Vec<_>>().join(", ");
    match names.len() {
        0 => "no bodies".to_string(),
        1..=12 => shown,
        more => format!("{shown} and {} more", more - 12),
    }
}
