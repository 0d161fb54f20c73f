//! Least-squares line, with the standard error of its slope.

use super::special::student_quantile;

/// `y ≈ intercept + slope x`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Line {
    /// Slope.
    pub slope: f64,
    /// Value at zero.
    pub intercept: f64,
    /// Standard error of the slope; zero for two points, which do not determine it.
    pub slope_error: f64,
    /// Number of points.
    pub points: usize,
}

/// Fits at least two points with different `x`; `None` otherwise.
pub fn fit(points: &[(f64, f64)]) -> Option<Line> {
    let n = points.len() as f64;
    let (mean_x, mean_y) = (points.iter().map(|p| p.0).sum::<f64>() / n, points.iter().map(|p| p.1).sum::<f64>() / n);
    let sxx: f64 = points.iter().map(|p| (p.0 - mean_x).powi(2)).sum();
    if points.len() < 2 || sxx <= 0.0 {
        return None;
    }
    let sxy: f64 = points.iter().map(|p| (p.0 - mean_x) * (p.1 - mean_y)).sum();
    let slope = sxy / sxx;
    let intercept = mean_y - slope * mean_x;
    let rest: f64 = points.iter().map(|p| (p.1 - intercept - slope * p.0).powi(2)).sum();
    let slope_error = if points.len() > 2 { (rest / (n - 2.0) / sxx).sqrt() } else { 0.0 };
    Some(Line { slope, intercept, slope_error, points: points.len() })
}

impl Line {
    /// Half-width of the slope's interval; infinite for two points.
    pub fn slope_reach(&self, confidence: f64) -> f64 {
        if self.points < 3 {
            return f64::INFINITY;
        }
        student_quantile(0.5 + 0.5 * confidence, (self.points - 2) as f64) * self.slope_error
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_is_scipys() {
        // scipy 1.17.1, `stats.linregress`.
        let y = [1.1, 1.9, 3.2, 3.9, 5.1, 6.2];
        let points: Vec<(f64, f64)> = y.iter().enumerate().map(|(i, y)| (i as f64 + 1.0, *y)).collect();
        let line = fit(&points).unwrap();
        assert!((line.slope - 1.022857142857143).abs() < 1e-14);
        assert!((line.intercept + 0.013333333333333641).abs() < 1e-14);
        assert!((line.slope_error - 0.03468026944006109).abs() < 1e-14);
    }

    #[test]
    fn one_place_has_no_slope() {
        assert_eq!(fit(&[(1.0, 2.0)]), None);
        assert_eq!(fit(&[(1.0, 2.0), (1.0, 3.0)]), None);
        assert_eq!(fit(&[(0.0, 0.0), (1.0, 2.0)]).unwrap().slope_reach(0.95), f64::INFINITY);
    }
}
