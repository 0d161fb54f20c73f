//! Smooth motion of a few numbers, accurate to rounding: the extrapolated modified midpoint rule (Gragg, Bulirsch and
//! Stoer).
//!
//! ```text
//! (1)  z₁ = y + h f(y),  z_{m+1} = z_{m-1} + 2 h f(z_m),  S(h) = (z_n + z_{n-1} + h f(z_n)) / 2,  h = H / n
//! (2)  S(h) = y(H) + c₁ h² + c₂ h⁴ + …
//! (3)  T_{j,k} = T_{j,k-1} + (T_{j,k-1} - T_{j-1,k-1}) / ((n_j / n_{j-k})² - 1)
//! ```
//!
//! With n = 2, 4, … 16 the order is 16. At steps of a twentieth of the motion's time scale only rounding remains; there
//! is no error control that could fail. (1) and (3) are computed on `z - y`, which is a tenth of `z` and loses a tenth
//! as much in the differences of (3).

/// Subdivisions n of (3).
const COLUMNS: [u32; 8] = [2, 4, 6, 8, 10, 12, 14, 16];

/// One step of size `size` of `y' = field(y)`.
pub fn step<const N: usize>(field: &impl Fn(&[f64; N]) -> [f64; N], y: &[f64; N], size: f64) -> [f64; N] {
    let slope = field(y);
    let mut table = [[0.0; N]; COLUMNS.len()];
    for (j, n) in COLUMNS.iter().enumerate() {
        let mut entry = midpoint(field, y, &slope, size, *n);
        // (3): `table[k]` holds T_{j-1,k} on entry and T_{j,k} after.
        for k in 0..j {
            let ratio = f64::from(*n) / f64::from(COLUMNS[j - 1 - k]);
            let mut next = [0.0; N];
            for i in 0..N {
                next[i] = entry[i] + (entry[i] - table[k][i]) / (ratio * ratio - 1.0);
            }
            table[k] = entry;
            entry = next;
        }
        table[j] = entry;
    }
    let change = table[COLUMNS.len() - 1];
    std::array::from_fn(|i| y[i] + change[i])
}

/// Motion over a duration in equal steps no longer than `longest`.
pub fn flow<const N: usize>(
    field: &impl Fn(&[f64; N]) -> [f64; N],
    y: &[f64; N],
    duration: f64,
    longest: f64,
) -> [f64; N] {
    let count = (duration.abs() / longest).ceil().max(1.0);
    let mut y = *y;
    for _ in 0..count as usize {
        y = step(field, &y, duration / count);
    }
    y
}

/// Motion until `guard` rises through zero at a state that `counts`: the time, to its resolution, and the state there.
/// `None` if that does not happen before `latest`, or if `stop` is true.
pub fn until<const N: usize>(
    field: &impl Fn(&[f64; N]) -> [f64; N],
    y: &[f64; N],
    longest: f64,
    latest: f64,
    guard: &impl Fn(&[f64; N]) -> f64,
    counts: &impl Fn(&[f64; N]) -> bool,
    stop: &impl Fn(&[f64; N]) -> bool,
) -> Option<(f64, [f64; N])> {
    let (mut time, mut y) = (0.0, *y);
    while time < latest {
        let next = step(field, &y, longest);
        if guard(&y) < 0.0 && guard(&next) >= 0.0 && counts(&next) {
            let size = root(|size| guard(&step(field, &y, size)), longest);
            return Some((time + size, step(field, &y, size)));
        }
        if stop(&next) || !next.iter().all(|x| x.is_finite()) {
            return None;
        }
        (time, y) = (time + longest, next);
    }
    None
}

/// Zero of `f` in (0, end], where `f(0) < 0 <= f(end)`: secants kept in a bracket, to the resolution of the argument.
fn root(f: impl Fn(f64) -> f64, end: f64) -> f64 {
    let (mut low, mut high) = ((0.0, f(0.0)), (end, f(end)));
    for iteration in 0..200 {
        if high.1 == 0.0 || high.0 - low.0 <= 2.0 * f64::EPSILON * end {
            break;
        }
        let secant = high.0 - high.1 * (high.0 - low.0) / (high.1 - low.1);
        let inside = secant > low.0 && secant < high.0;
        // Every third iteration bisects, so that a bad secant costs no more than a bisection.
        let at = if inside && iteration % 3 != 2 { secant } else { 0.5 * (low.0 + high.0) };
        let value = f(at);
        if value >= 0.0 {
            high = (at, value);
        } else {
            low = (at, value);
        }
    }
    // The better of the two ends.
    if high.1.abs() <= low.1.abs() { high.0 } else { low.0 }
}

/// Modified midpoint rule (1).
fn midpoint<const N: usize>(
    field: &impl Fn(&[f64; N]) -> [f64; N],
    y: &[f64; N],
    slope: &[f64; N],
    size: f64,
    count: u32,
) -> [f64; N] {
    let h = size / f64::from(count);
    // Changes from `y`.
    let (mut before, mut now) = ([0.0; N], [0.0; N]);
    for i in 0..N {
        now[i] = h * slope[i];
    }
    let at = |change: &[f64; N]| field(&std::array::from_fn(|i| y[i] + change[i]));
    for _ in 1..count {
        let f = at(&now);
        for i in 0..N {
            let next = before[i] + 2.0 * h * f[i];
            before[i] = now[i];
            now[i] = next;
        }
    }
    let f = at(&now);
    std::array::from_fn(|i| 0.5 * (now[i] + before[i] + h * f[i]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn circle(y: &[f64; 2]) -> [f64; 2] {
        [y[1], -y[0]]
    }

    #[test]
    fn a_full_circle_returns_to_its_start_to_rounding() {
        let end = flow(&circle, &[1.0, 0.0], std::f64::consts::TAU, 0.1);
        // Sixty-three steps; the weights of (3) amplify the rounding of the changes, 1e-17, to 5e-16 a step.
        assert!((end[0] - 1.0).abs() < 5e-14 && end[1].abs() < 5e-14, "{end:?}");
    }

    #[test]
    fn the_order_is_sixteen() {
        let error = |size: f64| {
            let end = flow(&circle, &[1.0, 0.0], 40.0, size);
            (end[0] - libm::cos(40.0)).hypot(end[1] + libm::sin(40.0))
        };
        // Steps of 4 and 2 rad, coarse enough that rounding is far below; not quite in the asymptotic range.
        let order = libm::log2(error(4.0) / error(2.0));
        assert!(order > 14.0, "{order}");
    }

    #[test]
    fn a_crossing_is_found_to_the_resolution_of_time() {
        let (time, _) =
            until(&circle, &[-1.0, 0.0], 0.1, 9.0, &|y| y[0], &|_| true, &|_| false).expect("it crosses zero");
        // Rounding of sixteen steps, 5e-16 each.
        assert!((time - std::f64::consts::FRAC_PI_2).abs() < 1.2e-14, "{time}");
        assert!(until(&circle, &[-1.0, 0.0], 0.1, 1.0, &|y| y[0], &|_| true, &|_| false).is_none());
    }
}
