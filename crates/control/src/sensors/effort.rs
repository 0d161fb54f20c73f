//! Efforts that motors give their joints, as from their currents. Groups: effort.
//!
//! What acted up to the sample: efforts of controllers and actuators, and of a drive inside the engine its law at the present state.

use super::{BuiltSensor, Measure, Needs, SensorKind, SensorSite, View};
use crate::address::{dof_name, dof_named, effort_unit};
use crate::error::ControlError;

pub(super) const KIND: SensorKind = SensorKind {
    name: "effort",
    text: "efforts that motors give their joints, as from their currents",
    keys: &["joints"],
    groups: &["effort"],
    build,
};

struct Efforts {
    /// Index in `v`, and in `q` if it has a single position.
    dofs: Vec<(usize, Option<usize>)>,
}

impl Measure for Efforts {
    fn measure(&mut self, view: &View<'_>, out: &mut [f64]) -> bool {
        for (x, (dof, position)) in out.iter_mut().zip(&self.dofs) {
            *x = view.inputs.efforts.get(*dof).copied().unwrap_or(0.0);
            let Some(position) = position else { continue };
            let drives = view.inputs.drives.iter().filter(|d| d.dof == *dof);
            *x += drives.map(|d| d.effort(view.q[*position], view.v[*dof])).sum::<f64>();
        }
        true
    }
}

fn build(site: &SensorSite<'_>) -> Result<BuiltSensor, ControlError> {
    let layout = site.setup.layout;
    let mut dofs = Vec::new();
    for name in &site.config.joints {
        let place = || format!("{}/joints", site.place);
        dofs.push(dof_named(layout, name).map_err(|what| ControlError::new(place(), what))?);
    }
    if dofs.is_empty() {
        dofs = (0..layout.dof_position.len()).filter(|dof| layout.dof_position[*dof].is_some()).collect();
    }
    let channel = |dof: &usize| (dof_name(layout, *dof), effort_unit(layout, *dof), 0);
    Ok(BuiltSensor {
        channels: dofs.iter().map(channel).collect(),
        needs: Needs::default(),
        encodes: Vec::new(),
        measure: Box::new(Efforts { dofs: dofs.into_iter().map(|dof| (dof, layout.dof_position[dof])).collect() }),
        note: None,
    })
}
