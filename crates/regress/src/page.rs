//! The result on one self-contained HTML page with drawings.

use crate::assess::Assessment;
use crate::behaviour::{Compared, QUANTITIES, in_pieces};
use crate::draw::{Marks, RECORDED, SIMULATED, histogram, path, scatter, shares};
use crate::motion::Motion;
use crate::study::RegressionStudy;
use std::fmt::Write;
use veracity_page::{document, escape, series_style};

/// Content of the page.
pub struct Page<'a> {
    /// The study.
    pub study: &'a RegressionStudy,
    /// The result.
    pub assessment: &'a Assessment,
    /// Truth and prediction of rows held out at random, as published.
    pub shuffled: &'a [(f64, f64)],
    /// Distributions, where both sides are long enough.
    pub behaviour: &'a [Compared],
    /// Motions of training.
    pub simulated: &'a [Motion],
    /// The training motions whose distributions were compared.
    pub compared: &'a [Motion],
    /// Description of those, in a few words.
    pub simulated_as: &'a str,
    /// Motions of the recording.
    pub recorded: &'a [Motion],
    /// Notes on what was left out.
    pub notes: &'a [String],
}

/// The page as HTML.
pub fn page(page: &Page<'_>) -> String {
    let Page { study, assessment: a, .. } = page;
    let step = study.target.step;
    let mut body = String::new();
    let mut say = |text: String| {
        let _ = writeln!(body, "{text}");
    };
    say(format!("<h1>{}</h1><p>{}</p>", escape(&study.title), escape(&study.text)));
    say(format!("<p class=\"answer\"><b>{}</b>: {}</p>", a.verdict, escape(&a.reasons.join("; "))));
    say(format!(
        "<p>Error with pieces held out by {}: {:.1} % of one step ({:.1} to {:.1}); always predicting the mean: {:.1} %. Rows held out at random, \
         whose neighbours are in the training set: {:.1} %: the difference is leakage.</p>",
        escape(&a.split),
        100.0 * a.error.estimate / step,
        100.0 * a.error.low / step,
        100.0 * a.error.high / step,
        100.0 * a.constant_error / step,
        100.0 * shuffled_error(page.shuffled) / step
    ));
    say(format!(
        "<p>Support: median largest kernel value {:.2e}; {:.1} % of recorded rows below {:.3}. Explanation: {}.</p>",
        a.support.median,
        100.0 * a.support.out_of_reach,
        a.support.threshold,
        escape(&a.explanation.sentence())
    ));
    for note in page.notes {
        say(format!("<p>{}</p>", escape(note)));
    }
    // The published plots, each next to the same plot with neighbours in time held out together.
    let in_percent = |rows: &[(f64, f64)]| {
        let every = rows.len().div_ceil(1500).max(1);
        rows.iter().step_by(every).map(|(t, p)| (t / step, 100.0 * (p - t) / step)).collect::<Vec<_>>()
    };
    let in_steps = |rows: &[(f64, f64)]| rows.iter().map(|(t, p)| (p - t) / step).collect::<Vec<f64>>();
    let honest = format!("held out by {}", a.split);
    let both = [("held out at random, as published", page.shuffled), (&honest[..], &a.held_rows[..])];
    let (least, most) = a.points.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), p| {
        (low.min(p.truth / step), high.max(p.truth / step))
    });
    say("<h2>Errors as published, and without leakage</h2><div class=\"figures\">".to_owned());
    for (how, rows) in both {
        let named = ["truth [steps]", "error [% of a step]"];
        let zero = [(least, 0.0), (most, 0.0)];
        say(scatter(&format!("Rows {how}: error over truth"), named, &in_percent(rows), zero));
    }
    let nothing = Marks { interval: None, value: None };
    for (how, rows) in both {
        let named = ["error [steps]", "rows"];
        say(histogram(&format!("Rows {how}: errors"), named, &in_steps(rows), 0.25, &nothing));
    }
    say("</div><h2>Estimate for the recording</h2><p>Bars: predicted steps of recorded rows, by the nearest whole step. Band and line: the estimated interval of the recording; dashed: the expected value.</p><div class=\"figures\">"
        .to_owned());
    let expected = study.target.expected.map(|value| value / step);
    let named = ["predicted [steps]", "rows"];
    let answers: Vec<f64> = a.answers.iter().map(|p| p / step).collect();
    let as_published = Marks { interval: None, value: expected };
    say(histogram("Every recorded row, as published", named, &answers, 1.0, &as_published));
    let found: Vec<f64> = a.predictions.iter().filter(|p| !p.is_nan()).map(|p| p / step).collect();
    let interval = [a.estimate.low, a.estimate.estimate, a.estimate.high].map(|value| value / step);
    let marks = Marks { interval: interval.iter().all(|v| v.is_finite()).then_some(interval), value: expected };
    say(histogram("Recorded rows within reach", named, &found, 1.0, &marks));
    let points: Vec<(f64, f64)> = a.points.iter().map(|p| (p.truth / step, p.predicted / step)).collect();
    say(scatter(
        "Held-out pieces: mean prediction over truth",
        ["truth [steps]", "mean prediction [steps]"],
        &points,
        [(least, least), (most, most)],
    ));
    say(histogram(
        "Held-out pieces: distance from other values; dashed: recorded",
        ["distance [1 = median]", "held-out pieces"],
        a.explanation.held_out(),
        0.05,
        &Marks { interval: None, value: Some(a.explanation.recorded()).filter(|d| d.is_finite()) },
    ));
    if let Some(first) = page.recorded.iter().max_by_key(|m| longest(m)) {
        say(path(&format!("Recorded: {}", first.name), first));
    }
    if let Some(middle) = page.simulated.get(page.simulated.len() / 2) {
        say(path(&format!("Simulated: {}", middle.name), middle));
    }
    say("</div>".to_owned());
    if !page.behaviour.is_empty() {
        say(format!(
            "<h2>Distributions, simulated against recorded</h2><p>Empirical distribution functions; <span class=\"named\"{}>simulated</span> \
             ({}), <span class=\"named\"{}>recorded</span>.</p><div class=\"figures\">",
            series_style(SIMULATED),
            escape(page.simulated_as),
            series_style(RECORDED)
        ));
        for quantity in QUANTITIES.iter().filter(|q| page.behaviour.iter().any(|c| c.quantity == q.name)) {
            let values = |motions: &[Motion]| in_pieces(motions, quantity).concat();
            let unit = if quantity.unit.is_empty() { String::new() } else { format!(" [{}]", quantity.unit) };
            say(shares(
                quantity.name,
                &format!("{}{unit}", quantity.name),
                &values(page.compared),
                &values(page.recorded),
            ));
        }
        say("</div><div class=\"scroll\"><table><tr><th>quantity<th>simulated median<th>recorded median\
             <th>Wasserstein<th>Kolmogorov-Smirnov</tr>"
            .to_owned());
        for c in page.behaviour {
            say(format!(
                "<tr><td>{} {}<td>{:.3}<td>{:.3}<td>{:.3} ({:.3} to {:.3})<td>{:.3} ({:.3} to {:.3})</tr>",
                c.quantity,
                c.unit,
                c.medians[0],
                c.medians[1],
                c.wasserstein.estimate,
                c.wasserstein.low,
                c.wasserstein.high,
                c.kolmogorov.estimate,
                c.kolmogorov.low,
                c.kolmogorov.high
            ));
        }
        say("</table></div>".to_owned());
    }
    document(&study.title, &body)
}

/// Mean absolute error of rows held out at random.
pub fn shuffled_error(rows: &[(f64, f64)]) -> f64 {
    rows.iter().map(|(t, p)| (p - t).abs()).sum::<f64>() / rows.len().max(1) as f64
}

fn longest(motion: &Motion) -> usize {
    motion.pieces.iter().map(|p| p.len()).max().unwrap_or(0)
}
