//! From the runs of a ladder to values with an error bar, and the instant after which nothing is known.
//!
//! Runs `x₀ … xₙ` from coarse to fine. For a position, with `|·|` the length of a difference or an angle,
//!
//! ```text
//! (1)  Eₖ(t) = max over s ≤ t of |xₖ(s) - xₖ₊₁(s)|            largest distance of two neighbouring runs so far
//! (2)  q = Eₙ₋₁ / Eₙ₋₂ = r⁻ᵖ                                  shrink factor: observed order p, ratio of steps r
//! (3)  xₙ - x  ≈  Eₙ₋₁ (q + q² + …) = Eₙ₋₁ q / (1 - q)         remaining error if they keep shrinking at this rate
//! (4)  error bar = 3 · max(½, q / (1 - q)) · Eₙ₋₁ + rounding
//! ```
//!
//! With fixed steps an impact falls somewhere within a step, and the error is the speed times that part of the step: of
//! order one and irregular, so that two neighbours may agree by chance and `q` may be small by chance. In this case
//! every difference counts, scaled to the finest step with order one, and no higher order is assumed:
//!
//! ```text
//! (4')  error bar = 3 · max(1, q / (1 - q)) · max over k of Eₖ r⁻⁽ⁿ⁻¹⁻ᵏ⁾ + rounding
//! ```
//!
//! Where such a part of a step ends at a time common to all runs, all of them have the same error: the impact lies in
//! the last step of each, and no difference shows it. The largest such error of the finest step is added, where `V` is
//! the total variation of the velocity up to `t`, jumps included:
//!
//! ```text
//! (4")  error bar += h V(t)
//! ```
//!
//! Rounding is one unit in the last place of the value, or of the motion's size, per step.
//!
//! The factor 3 is that of Roache's grid convergence index for an order that is not confirmed; the ½ keeps a `q` that
//! is small by chance from shrinking the bar; `q` is the larger of the last two ratios.
//!
//! Fixed steps of order `p` are extrapolated (Richardson) where no impact was logged and where extrapolation helps,
//! judged by two extrapolations, one of which uses the finer runs:
//!
//! ```text
//! (5)  eₙ = xₙ + (xₙ - xₙ₋₁) / (rᵖ - 1)
//! (6)  G(t) = max over s ≤ t of |eₙ - eₙ₋₁|;   if G < ¼ Eₙ₋₁:  value eₙ,  error bar = max(3 G, Eₙ₋₁ / 10) + rounding
//! ```
//!
//! Rates jump at impacts: two runs whose impacts are microseconds apart differ by the whole jump at a row in between, and
//! by little elsewhere. Their `E` is the largest difference in a window around the row instead of the largest so far, and
//! they are not extrapolated.
//!
//! Refinements diverge at the first instant at which neighbours are apart by more than a thousandth of the motion's
//! size and are no closer than coarser ones (`Eₙ₋₁ > 0.8 Eₖ` for every `k`): chaos, a grazing contact, forces that
//! rigid bodies do not determine. From there on (3) is meaningless, and nothing is claimed.

use super::columns::{Column, Owner, distance};
use super::ladder::{Ladder, Method};
use veracity_measure::{Quantity, TruthChannel};

/// Every quantity as evaluated from a ladder.
pub(super) struct Refined {
    pub channels: Vec<TruthChannel>,
    pub owners: Vec<Owner>,
    /// Observed order in the step; `None` where the step is not refined, or all differences are rounding.
    pub order: Option<f64>,
    /// Whether values are extrapolated to step zero.
    pub extrapolated: bool,
}

/// Safety factor of (4).
const SAFETY: f64 = 3.0;
/// Differences of neighbours whose ratio is above this are not shrinking.
const NOT_SHRINKING: f64 = 0.8;
/// Differences below this fraction of the motion's size do not count as divergence.
const PARTING: f64 = 1e-3;

/// Differences between neighbouring runs of one column.
struct Differences {
    /// (1) for positions, the window's largest for rates: one list for each pair of neighbours.
    spread: Vec<Vec<f64>>,
    /// The size of the motion [m or rad].
    scale: f64,
}

/// Evaluates the ladder's runs. `steps` is the number of steps of the finest run, for the rounding error. `smooth` says
/// that no impact occurred: only then is the error a smooth function of the step.
pub(super) fn refine(ladder: &Ladder, times: &[f64], columns: &[Column], steps: u64, smooth: bool) -> Refined {
    let scene = scene_size(columns, times.len());
    let differences: Vec<Differences> = columns.iter().map(|c| Differences::new(c, times.len(), scene)).collect();
    let horizons: Vec<Option<usize>> = columns.iter().zip(&differences).map(|(c, d)| d.parts_at(c)).collect();
    let owners: Vec<Owner> = columns.iter().map(Column::owner).collect();
    let order = observed_order(ladder, columns, &differences, &horizons);
    let mut extrapolated = false;
    let mut channels = Vec::new();
    for (index, column) in columns.iter().enumerate() {
        let of_owner = owners.iter().zip(&horizons).filter(|(owner, _)| **owner == owners[index]);
        let horizon = of_owner.filter_map(|(_, row)| *row).min();
        let rows = horizon.unwrap_or(times.len());
        let shrink =
            differences[index].shrink(rows).max(shrink_of_positions(&owners, columns, &differences, index, rows));
        let finest = column.runs.last().map_or(&[][..], Vec::as_slice);
        let rounding = |row: usize| {
            let size = column.row(finest, row).iter().fold(0.0f64, |w, x| w.max(x.abs()));
            f64::EPSILON * size.max(differences[index].scale) * steps.max(1) as f64
        };
        let taken = richardson(ladder, column, &differences[index], order.filter(|_| smooth), rows);
        extrapolated |= taken.is_some();
        let (values, spread) = match taken {
            Some((values, spread)) => (values, spread),
            None => {
                let of_steps = ladder.method == Method::Steps;
                let factor = SAFETY * (shrink / (1.0 - shrink)).max(if of_steps { 1.0 } else { 0.5 });
                let ratio = if of_steps { ladder.ratio } else { f64::INFINITY };
                let spread = differences[index].brought_to_finest(ratio);
                let unseen =
                    if of_steps && !smooth { unseen(ladder, column, columns, times.len()) } else { Vec::new() };
                let unseen = |row: usize| unseen.get(row).copied().unwrap_or(0.0);
                (finest.to_vec(), spread.iter().enumerate().map(|(row, e)| factor * e + unseen(row)).collect())
            }
        };
        let width = column.quantity.width();
        channels.push(TruthChannel {
            quantity: column.quantity.clone(),
            times: times[..rows].to_vec(),
            values: values[..rows * width].to_vec(),
            uncertainty: (0..rows).map(|row| spread[row] + rounding(row)).collect(),
            parts_at_s: horizon.map(|row| times[row]),
        });
    }
    Refined { channels, owners, order, extrapolated }
}

impl Differences {
    fn new(column: &Column, rows: usize, scene: f64) -> Self {
        let pairs = column.runs.windows(2);
        let spread = pairs
            .map(|pair| {
                let each: Vec<f64> = (0..rows).map(|row| column.distance(&pair[0], &pair[1], row)).collect();
                if column.is_rate() { largest_around(&each) } else { largest_so_far(&each) }
            })
            .collect();
        let own = column.runs.last().map_or(0.0, |run| range(column, run, rows));
        // A quantity that hardly moves is compared with a tenth of the scene, or of a radian.
        let least = match column.quantity {
            Quantity::Orientation(_) => 0.1,
            Quantity::JointPosition(_) => 0.1 * scene.min(1.0),
            _ => 0.1 * scene,
        };
        Self { spread, scale: own.max(least) }
    }

    /// The row at which the two finest runs diverge.
    fn parts_at(&self, column: &Column) -> Option<usize> {
        let (last, before) = self.spread.split_last().filter(|(_, before)| !before.is_empty())?;
        let widest = |row: usize| before.iter().map(|e| e[row]).fold(0.0, f64::max);
        // Where a value is NaN, nothing is known either.
        let lost = |e: f64| !e.is_finite();
        let apart = |row: &usize| {
            let e = last[*row];
            lost(e) || (e > PARTING * self.scale && e > NOT_SHRINKING * widest(*row))
        };
        if column.is_rate() {
            return (0..last.len()).find(|row| lost(last[*row]));
        }
        (0..last.len()).find(apart)
    }

    /// The largest difference, each scaled to the finest step with order one (4'); only the last for an infinite ratio.
    fn brought_to_finest(&self, ratio: f64) -> Vec<f64> {
        let Some((last, others)) = self.spread.split_last() else { return Vec::new() };
        let mut out = last.clone();
        for (k, spread) in others.iter().rev().enumerate() {
            let part = libm::pow(ratio, -(k as f64 + 1.0));
            out.iter_mut().zip(spread).filter(|(_, e)| e.is_finite()).for_each(|(o, e)| *o = o.max(part * e));
        }
        out
    }

    /// (2) over the first `rows` rows: the larger of the last two ratios.
    fn shrink(&self, rows: usize) -> f64 {
        let Some(last) = rows.checked_sub(1) else { return NOT_SHRINKING };
        let ratio = |pair: &[Vec<f64>]| if pair[0][last] > 0.0 { pair[1][last] / pair[0][last] } else { 0.0 };
        let ratios = self.spread.windows(2).map(ratio);
        let count = self.spread.len().saturating_sub(1);
        ratios.skip(count.saturating_sub(2)).fold(0.0, f64::max).min(NOT_SHRINKING)
    }
}

/// (4") for a position, by row; zero for a rate.
fn unseen(ladder: &Ladder, column: &Column, columns: &[Column], rows: usize) -> Vec<f64> {
    let wanted = match &column.quantity {
        Quantity::JointPosition(slot) => Quantity::JointSpeed(*slot),
        Quantity::Point { body, point } => Quantity::PointVelocity { body: *body, point: *point },
        Quantity::Orientation(body) => Quantity::Spin(*body),
        _ => return Vec::new(),
    };
    let rate = columns.iter().find(|c| c.quantity == wanted).and_then(|c| Some((c, c.runs.last()?)));
    let (Some((rate, run)), Some(finest)) = (rate, ladder.rungs.last()) else { return Vec::new() };
    let step_s = 1e-9 * finest.step_ns as f64;
    let mut way = 0.0;
    let mut out = Vec::with_capacity(rows);
    for row in 0..rows {
        let change = distance(&rate.quantity, rate.row(run, row.saturating_sub(1)), rate.row(run, row));
        way += if change.is_finite() { change } else { 0.0 };
        out.push(step_s * way);
    }
    out
}

/// A rate is as accurate as the position it belongs to.
fn shrink_of_positions(
    owners: &[Owner],
    columns: &[Column],
    differences: &[Differences],
    index: usize,
    rows: usize,
) -> f64 {
    if !columns[index].is_rate() {
        return 0.0;
    }
    let of_owner = (0..columns.len()).filter(|i| owners[*i] == owners[index] && !columns[*i].is_rate());
    of_owner.map(|i| differences[i].shrink(rows)).fold(0.0, f64::max)
}

/// The order in the step, from the largest differences of all positions, each weighted by the size of its motion.
fn observed_order(
    ladder: &Ladder,
    columns: &[Column],
    differences: &[Differences],
    horizons: &[Option<usize>],
) -> Option<f64> {
    let positions = columns.iter().zip(differences).zip(horizons).filter(|((c, _), _)| !c.is_rate());
    let mut sums = [0.0f64; 2];
    for ((_, d), horizon) in positions {
        let [.., before, last] = &d.spread[..] else { return None };
        let end = horizon.unwrap_or(last.len()).checked_sub(1)?;
        sums[0] += before[end] / d.scale;
        sums[1] += last[end] / d.scale;
    }
    // Below 1e-12 of the motion there is only rounding.
    let seen = ladder.method == Method::Steps && sums.iter().all(|s| *s > 1e-12 && s.is_finite());
    seen.then(|| libm::log(sums[0] / sums[1]) / libm::log(ladder.ratio))
}

/// (5) and (6): values and their error before rounding, where extrapolation helps.
fn richardson(
    ladder: &Ladder,
    column: &Column,
    differences: &Differences,
    order: Option<f64>,
    rows: usize,
) -> Option<(Vec<f64>, Vec<f64>)> {
    let order = order.filter(|_| !column.is_rate())?;
    // The order of the method is an integer; without an observed order that confirms it there is no extrapolation.
    let whole = order.round();
    if (order - whole).abs() > 0.35 || !(1.0..=4.0).contains(&whole) {
        return None;
    }
    let [.., coarse, middle, fine] = &column.runs[..] else { return None };
    let gain = 1.0 / (libm::pow(ladder.ratio, whole) - 1.0);
    let extrapolate = |a: &[f64], b: &[f64], row: usize| -> Vec<f64> {
        let (a, b) = (column.row(a, row), column.row(b, row));
        let turned = a.iter().zip(b).map(|(x, y)| x * y).sum::<f64>() < 0.0;
        let sign = if matches!(column.quantity, Quantity::Orientation(_)) && turned { -1.0 } else { 1.0 };
        let mut e: Vec<f64> = a.iter().zip(b).map(|(x, y)| y + (y - sign * x) * gain).collect();
        if let Quantity::Orientation(_) = column.quantity {
            let norm = e.iter().map(|x| x * x).sum::<f64>().sqrt();
            e.iter_mut().for_each(|x| *x /= norm);
        }
        e
    };
    let count = coarse.len() / column.quantity.width();
    let (mut values, mut each) = (Vec::with_capacity(fine.len()), Vec::with_capacity(count));
    for row in 0..count {
        let (earlier, later) = (extrapolate(coarse, middle, row), extrapolate(middle, fine, row));
        each.push(distance(&column.quantity, &earlier, &later));
        values.extend(later);
    }
    let (gap, last) = (largest_so_far(&each), differences.spread.last()?);
    let end = rows.checked_sub(1)?;
    let pays = gap[end] < 0.25 * last[end];
    pays.then(|| (values, gap.iter().zip(last).map(|(g, e)| (SAFETY * g).max(0.1 * e)).collect()))
}

/// The farthest distance of any body's origin from its start; at least a millimetre [m].
fn scene_size(columns: &[Column], rows: usize) -> f64 {
    let points = columns.iter().filter(|c| matches!(c.quantity, Quantity::Point { .. }));
    points.filter_map(|c| Some(range(c, c.runs.last()?, rows))).fold(1e-3, f64::max)
}

fn range(column: &Column, run: &[f64], rows: usize) -> f64 {
    let from_first = |row: usize| distance(&column.quantity, column.row(run, 0), column.row(run, row));
    (0..rows).map(from_first).filter(|d| d.is_finite()).fold(0.0, f64::max)
}

fn largest_so_far(each: &[f64]) -> Vec<f64> {
    let mut worst = 0.0f64;
    each.iter()
        .map(|d| {
            worst = if d.is_nan() { f64::INFINITY } else { worst.max(*d) };
            worst
        })
        .collect()
}

/// The largest value within a fiftieth of the rows on both sides, at least two rows.
fn largest_around(each: &[f64]) -> Vec<f64> {
    let reach = (each.len() / 50).max(2);
    let around = |row: usize| &each[row.saturating_sub(reach)..(row + reach + 1).min(each.len())];
    let worst = |d: &[f64]| d.iter().fold(0.0f64, |w, x| if x.is_nan() { f64::INFINITY } else { w.max(*x) });
    (0..each.len()).map(|row| worst(around(row))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::converged::ladder::stepping;

    fn column(runs: Vec<Vec<f64>>) -> Column {
        Column { quantity: Quantity::JointPosition(0), runs }
    }

    /// `x = sin t` as sampled by runs with the error `error(h, t)`.
    fn seen(error: impl Fn(f64, f64) -> f64) -> (Vec<f64>, Column) {
        let times: Vec<f64> = (0..=200).map(|i| f64::from(i) * 0.01).collect();
        let steps = [1e-3, 5e-4, 2.5e-4, 1.25e-4];
        let run = |h: &f64| times.iter().map(|t| t.sin() + error(*h, *t)).collect();
        (times.clone(), column(steps.iter().map(run).collect()))
    }

    #[test]
    fn first_order_is_seen_extrapolated_and_covered() {
        let (times, column) = seen(|h, t| 0.3 * h * t + 40.0 * h * h * t);
        let refined = refine(&stepping(1_000_000).unwrap(), &times, &[column], 1000, true);
        let order = refined.order.unwrap();
        assert!((order - 1.0).abs() < 0.1, "{order}");
        assert!(refined.extrapolated);
        let channel = &refined.channels[0];
        for ((t, x), bar) in times.iter().zip(&channel.values).zip(&channel.uncertainty).skip(1) {
            let off = (x - t.sin()).abs();
            // The finest run is off by 0.3 h t; the extrapolated value must be much closer, with an error bar to match.
            assert!(off <= *bar, "at {t}: {off:e} and not {bar:e}");
            assert!(*bar < 0.5 * 0.3 * 1.25e-4 * t.max(0.1), "at {t}: {bar:e}");
        }
    }

    #[test]
    fn errors_that_jump_with_the_step_are_covered_without_extrapolation() {
        // The position of an impact within a step decides the sign: of order one, and not smooth in the step.
        let sign = |h: f64| if (h * 8e3).round() as i64 % 3 == 1 { 1.0 } else { -0.7 };
        let (times, column) = seen(|h, t| if t > 0.5 { sign(h) * h * (t - 0.5) } else { 0.0 });
        let refined = refine(&stepping(1_000_000).unwrap(), &times, &[column], 1000, false);
        let channel = &refined.channels[0];
        for ((t, x), bar) in times.iter().zip(&channel.values).zip(&channel.uncertainty) {
            assert!((x - t.sin()).abs() <= *bar, "at {t}: {:e} and not {bar:e}", (x - t.sin()).abs());
        }
    }

    #[test]
    fn runs_that_part_are_known_up_to_there_and_no_further() {
        // The two finest runs diverge at 1 s; the coarser ones agree with one of them.
        let (times, column) = seen(|h, t| if t > 1.0 && h < 2e-4 { 0.2 * (t - 1.0) } else { 1e-5 * h });
        let refined = refine(&stepping(1_000_000).unwrap(), &times, &[column], 1000, true);
        let channel = &refined.channels[0];
        let end = channel.parts_at_s.unwrap();
        assert!((1.0..1.05).contains(&end), "{end}");
        assert!(channel.times.iter().all(|t| *t < end));
    }

    #[test]
    fn an_error_is_never_less_than_rounding() {
        let (times, column) = seen(|_, _| 0.0);
        let refined = refine(&stepping(1_000_000).unwrap(), &times, &[column], 10_000, true);
        assert!(refined.order.is_none());
        assert!(refined.channels[0].uncertainty.iter().all(|u| *u > 0.0 && *u < 1e-11));
    }
}
