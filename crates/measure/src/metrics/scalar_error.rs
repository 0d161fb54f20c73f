//! How far a number of the run is from a known one.
//!
//! `quantity` names the metric the number comes from (`period`, `flip_period`, `gap` …); all other options are passed on
//! to it. The reference knows it under the same name, or with its unit behind (`period_s`). Without `quantity` the
//! reference must know one such number and no other.

use crate::metric::{CannotTell, Measured, MetricEntry, Options, Subject};
use crate::truth::{Quantity, Truth, TruthChannel};

/// See the page of this file.
pub const ENTRY: MetricEntry = MetricEntry {
    name: "scalar_error",
    unit: "of",
    text: "the difference of a number of the run, measured by another metric, from the reference's",
    needs_truth: true,
    deterministic: true,
    measure,
};

fn measure(subject: &Subject<'_>, truth: Option<&Truth>, options: &Options) -> Result<Measured, CannotTell> {
    let Some(truth) = truth else {
        return CannotTell::new("there is no reference; name one in the scenario");
    };
    let mut known = truth.channels.iter().filter_map(|c| match &c.quantity {
        Quantity::Scalar(name) => metric_of(name).map(|m| (m, c)),
        _ => None,
    });
    let wanted = options.quantity.as_deref();
    let found = match wanted {
        Some(wanted) => known.find(|(m, _)| m.name == wanted),
        None => known.next().filter(|_| known.next().is_none()),
    };
    let Some((metric, channel)) = found else {
        let names: Vec<_> = truth.channels.iter().filter_map(name).collect();
        return CannotTell::new(format!(
            "the reference '{}' has no {}; it has these numbers of a whole run: {}",
            truth.name,
            wanted.map_or("one number by the name of a metric".to_string(), |w| format!("'{w}'")),
            names.join(", ")
        ));
    };
    let Some(&expected) = channel.values.first() else {
        return CannotTell::new(format!("the reference '{}' has a name without a number", truth.name));
    };
    let measured = (metric.measure)(subject, Some(truth), &Options { quantity: None, ..options.clone() })?;
    if measured.value.is_infinite() && !measured.note.is_empty() {
        return Ok(measured);
    }
    let own_error = channel.uncertainty.first().copied().unwrap_or(0.0);
    let note = format!("{} is {:.9e} and should be {expected:.9e}", metric.name, measured.value);
    Ok(Measured {
        at_s: measured.at_s,
        series: measured.series.iter().map(|&(t, x)| (t, (x - expected).abs())).collect(),
        said_by_engine: measured.said_by_engine.map(|x| (x - expected).abs()),
        note,
        ..Measured::new((measured.value - expected).abs(), measured.uncertainty + own_error)
    })
}

/// The metric that a number's name refers to.
fn metric_of(name: &str) -> Option<&'static MetricEntry> {
    let exact = super::METRICS.iter().find(|m| m.name == name && m.name != ENTRY.name);
    exact.or_else(|| {
        let (bare, unit) = name.rsplit_once('_')?;
        super::METRICS.iter().find(|m| m.name == bare && m.unit == unit)
    })
}

fn name(channel: &TruthChannel) -> Option<&str> {
    match &channel.quantity {
        Quantity::Scalar(name) => Some(name),
        _ => None,
    }
}
