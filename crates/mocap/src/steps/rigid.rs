//! The pose of a body from its markers.
//!
//! ```text
//! (1)  minimise sum_j |p_j - (R m_j + x)|²   over the markers j that are seen
//! (2)  x = mean(p) - R mean(m),   R from the largest eigenvector of Horn's 4x4 matrix of  sum (m - mean)(p - mean)ᵀ
//! ```
//!
//! (Horn, JOSA A 1987.) At least three markers that are not on one line are needed; a frame with fewer is a missing
//! sample. A marker further than [`WORST_RESIDUAL`] from its place is left out and the fit repeated, so that one
//! exchanged marker does not change the pose.

use crate::notes::Notes;
use crate::readers::{MarkerSource, PoseSource};
use crate::stream::{MarkerFrame, Sample};
use crate::turns::{minus, norm, plus, rotate};
use nalgebra::{Matrix3, Matrix4, Vector3};
use std::path::Path;
use veracity_record::FileError;

/// Residual beyond which a marker is rejected [m].
pub const WORST_RESIDUAL: f64 = 0.01;

/// Markers of a body in its own frame.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MarkerModel {
    /// Names.
    pub names: Vec<String>,
    /// Positions in the body frame [m].
    pub points: Vec<[f64; 3]>,
}

/// A pose with the root mean square of its residuals.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FittedPose {
    /// Of the body's origin [m].
    pub position: [f64; 3],
    /// w x y z.
    pub orientation: [f64; 4],
    /// [m]
    pub rms: f64,
    /// Markers used.
    pub used: usize,
}

/// Fits a body to the markers seen; NaN means not seen. `None` with fewer than three markers, or three on a line.
pub fn fit(model: &[[f64; 3]], seen: &[[f64; 3]]) -> Option<FittedPose> {
    let mut use_it: Vec<bool> = seen.iter().map(|p| p[0].is_finite()).collect();
    loop {
        let fitted = fit_some(model, seen, &use_it)?;
        let residual = |j: usize| {
            let place = plus(&rotate(&fitted.orientation, &model[j]), &fitted.position);
            norm(&minus(&seen[j], &place))
        };
        let worst = (0..seen.len()).filter(|j| use_it[*j]).max_by(|a, b| residual(*a).total_cmp(&residual(*b)))?;
        // With three markers the wrong one cannot be identified.
        if residual(worst) <= WORST_RESIDUAL || fitted.used <= 3 {
            return (residual(worst) <= WORST_RESIDUAL).then_some(fitted);
        }
        use_it[worst] = false;
    }
}

/// Fits all markers seen, whatever their residuals.
pub fn fit_all(model: &[[f64; 3]], seen: &[[f64; 3]]) -> Option<FittedPose> {
    let use_it: Vec<bool> = seen.iter().map(|p| p[0].is_finite()).collect();
    fit_some(model, seen, &use_it)
}

fn fit_some(model: &[[f64; 3]], seen: &[[f64; 3]], use_it: &[bool]) -> Option<FittedPose> {
    let used: Vec<usize> = (0..model.len().min(seen.len())).filter(|j| use_it[*j]).collect();
    if used.len() < 3 {
        return None;
    }
    let n = used.len() as f64;
    let mean = |points: &[[f64; 3]]| -> Vector3<f64> {
        used.iter().map(|j| Vector3::from(points[*j])).sum::<Vector3<f64>>() / n
    };
    let (mean_model, mean_seen) = (mean(model), mean(seen));
    let mut s = Matrix3::zeros();
    let mut spread = Matrix3::zeros();
    for j in &used {
        let (m, p) = (Vector3::from(model[*j]) - mean_model, Vector3::from(seen[*j]) - mean_seen);
        s += m * p.transpose();
        spread += m * m.transpose();
    }
    // Markers on a line have no second extent.
    let mut extents: Vec<f64> = spread.symmetric_eigenvalues().iter().copied().collect();
    extents.sort_by(f64::total_cmp);
    if extents[1].is_nan() || extents[1] <= 1e-8 * extents[2] {
        return None;
    }
    let k = Matrix4::new(
        s.trace(),
        s[(1, 2)] - s[(2, 1)],
        s[(2, 0)] - s[(0, 2)],
        s[(0, 1)] - s[(1, 0)],
        s[(1, 2)] - s[(2, 1)],
        s[(0, 0)] - s[(1, 1)] - s[(2, 2)],
        s[(0, 1)] + s[(1, 0)],
        s[(2, 0)] + s[(0, 2)],
        s[(2, 0)] - s[(0, 2)],
        s[(0, 1)] + s[(1, 0)],
        s[(1, 1)] - s[(0, 0)] - s[(2, 2)],
        s[(1, 2)] + s[(2, 1)],
        s[(0, 1)] - s[(1, 0)],
        s[(2, 0)] + s[(0, 2)],
        s[(1, 2)] + s[(2, 1)],
        s[(2, 2)] - s[(0, 0)] - s[(1, 1)],
    );
    let eigen = k.symmetric_eigen();
    let q = eigen.eigenvectors.column(eigen.eigenvalues.imax()).into_owned();
    let q = q / q.norm();
    let orientation = [q[0], q[1], q[2], q[3]];
    let position = minus(&mean_seen.into(), &rotate(&orientation, &mean_model.into()));
    let square: f64 = used
        .iter()
        .map(|j| {
            let place = plus(&rotate(&orientation, &model[*j]), &position);
            let e = minus(&seen[*j], &place);
            e[0] * e[0] + e[1] * e[1] + e[2] * e[2]
        })
        .sum();
    Some(FittedPose { position, orientation, rms: (square / n).sqrt(), used: used.len() })
}

/// Poses of a body from a source of markers.
pub struct RigidSource {
    source: Box<dyn MarkerSource>,
    given: Option<MarkerModel>,
    points: Option<Vec<[f64; 3]>>,
    /// For each marker of the model, its index in the source.
    order: Vec<usize>,
    subject: String,
    frame: MarkerFrame,
    seen: Vec<[f64; 3]>,
    count: u64,
}

impl RigidSource {
    /// Poses of a given body; without one, the first frame that shows every marker defines it, in axes of the capture
    /// frame.
    pub fn new(path: &Path, source: Box<dyn MarkerSource>, given: Option<MarkerModel>) -> Self {
        let subject = path.file_stem().map(|s| s.to_string_lossy().into_owned()).unwrap_or_default();
        let (frame, order) = (MarkerFrame::default(), Vec::new());
        Self { source, given, points: None, order, subject, frame, seen: Vec::new(), count: 0 }
    }

    /// Finds the body, at the first frame where that is possible.
    fn find_body(&mut self, notes: &mut Notes) {
        let names = self.source.names();
        if let Some(model) = &self.given {
            // Some programs write names as `subject:marker`.
            let bare = |name: &str| name.rsplit(':').next().unwrap_or(name).to_string();
            let found: Vec<Option<usize>> =
                model.names.iter().map(|m| names.iter().position(|n| bare(n) == bare(m))).collect();
            if found.iter().filter(|f| f.is_some()).count() >= 3 {
                for (name, _) in model.names.iter().zip(&found).filter(|(_, f)| f.is_none()) {
                    notes
                        .warn("marker-not-recorded", || format!("marker {name} of the body is not in the recording"));
                }
                self.order = found.iter().flatten().copied().collect();
                let points = model.points.iter().zip(&found).filter(|(_, f)| f.is_some());
                self.points = Some(points.map(|(p, _)| *p).collect());
                for (i, name) in names.iter().enumerate().filter(|(i, _)| !self.order.contains(i)) {
                    notes.note("marker-unused", || {
                        format!("marker {name} ({i}) does not belong to the body and was not used")
                    });
                }
            } else if self.count == 0 {
                notes.warn("marker-names", || {
                    format!(
                        "fewer than three markers of the body are in the recording, which has {}",
                        names.join(", ")
                    )
                });
            }
        } else if self.frame.markers.len() >= 3 && self.frame.markers.iter().all(|p| p[0].is_finite()) {
            let n = self.frame.markers.len() as f64;
            let mean = self.frame.markers.iter().fold([0.0; 3], |sum, p| plus(&sum, p)).map(|x| x / n);
            self.points = Some(self.frame.markers.iter().map(|p| minus(p, &mean)).collect());
            self.order = (0..self.frame.markers.len()).collect();
            let frame = self.count;
            notes.warn("body-from-frame", || {
                format!("no body given: the {n} markers of frame {frame} define it, its origin is their mean, its axes are those of the capture frame; give a body with --body")
            });
        }
    }
}

/// Size of a body whose markers are not in metres [m]: nobody glues markers a millimetre apart or ten metres.
const BODY_SIZES: std::ops::RangeInclusive<f64> = 2e-3..=10.0;

impl RigidSource {
    /// Compares the size of the recorded body with what a body can be: a wrong unit shows here first.
    fn check_size(&self, notes: &mut Notes) {
        let seen: Vec<&[f64; 3]> =
            self.order.iter().map(|i| &self.frame.markers[*i]).filter(|p| p[0].is_finite()).collect();
        let apart = |a: &&[f64; 3]| seen.iter().map(|b| norm(&minus(a, b))).fold(0.0, f64::max);
        let size = seen.iter().map(apart).fold(0.0, f64::max);
        if self.points.is_none() || seen.len() < 3 || BODY_SIZES.contains(&size) {
            return;
        }
        let fit = if size < 1.0 {
            "metres in a file that says mm? (--units m)"
        } else {
            "mm in a file that says m? (--units mm)"
        };
        notes.warn("marker-units", || format!("the markers are {size:.2e} m apart: {fit}"));
    }
}

impl PoseSource for RigidSource {
    fn subject(&self) -> &str {
        &self.subject
    }

    fn rate_hz(&self) -> Option<f64> {
        Some(self.source.rate_hz())
    }

    fn next_sample(&mut self, notes: &mut Notes) -> Result<Option<Sample>, FileError> {
        if !self.source.next_frame(&mut self.frame, notes)? {
            return Ok(None);
        }
        if self.points.is_none() {
            self.find_body(notes);
            self.check_size(notes);
        }
        let stamp_ns = self.frame.stamp_ns;
        let count = self.count;
        self.count += 1;
        self.seen.clear();
        self.seen.extend(self.order.iter().map(|i| self.frame.markers[*i]));
        let fitted = self.points.as_ref().and_then(|points| fit(points, &self.seen));
        Ok(Some(match fitted {
            Some(FittedPose { position, orientation, used, .. }) => {
                let visible = self.seen.iter().filter(|p| p[0].is_finite()).count();
                if used < visible {
                    notes.warn("marker-off", || {
                        format!(
                            "frame {count}: {} markers are more than {WORST_RESIDUAL} m off and were not used",
                            visible - used
                        )
                    });
                }
                Sample { stamp_ns, position, orientation }
            }
            None => {
                notes.warn("too-few-markers", || {
                    format!("frame {count}: fewer than three markers fit the body; the sample is missing")
                });
                Sample::missing(stamp_ns)
            }
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::turns::{exp, half_angle};

    const BODY: [[f64; 3]; 5] =
        [[0.04, 0.0, 0.0], [0.0, 0.04, 0.0], [0.0, 0.0, 0.04], [-0.03, 0.01, 0.02], [0.01, -0.03, -0.02]];

    fn moved(q: &[f64; 4], x: &[f64; 3]) -> Vec<[f64; 3]> {
        BODY.iter().map(|m| plus(&rotate(q, m), x)).collect()
    }

    #[test]
    fn a_moved_body_is_found_also_with_markers_hidden_or_exchanged() {
        let (q, x) = (exp(&[1.0, -2.0, 0.5]), [0.3, -0.2, 1.0]);
        let mut seen = moved(&q, &x);
        let check = |fitted: FittedPose, used: usize| {
            // Exact markers: only the rounding of an eigenvector remains.
            assert!(half_angle(&fitted.orientation, &q) < 1e-7 && norm(&minus(&fitted.position, &x)) < 1e-12);
            assert_eq!(fitted.used, used);
        };
        check(fit(&BODY, &seen).unwrap(), 5);
        seen[1] = [f64::NAN; 3];
        check(fit(&BODY, &seen).unwrap(), 4);
        seen = moved(&q, &x);
        seen[2] = [0.35, -0.1, 1.1];
        check(fit(&BODY, &seen).unwrap(), 4);
        let line = [[0.0; 3], [1.0, 0.0, 0.0], [2.0, 0.0, 0.0]];
        assert!(fit(&line, &line).is_none());
        assert!(fit(&BODY[..2], &BODY[..2]).is_none());
    }
}
