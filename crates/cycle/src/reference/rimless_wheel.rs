//! The rimless wheel: spokes without a rim roll down a slope (McGeer 1990; Coleman, Chatterjee and Ruina 1997).
//!
//! With `θ` the angle of the stance spoke from the vertical, forwards, n spokes of length l, slope a, time in
//! sqrt(l/g):
//!
//! ```text
//! (1)  θ'' = λ² sin θ,                     λ² = m l² / (I + m l²)
//! (2)  a strike at θ = π/n + a; the next spoke then stands at θ = -π/n + a
//! (3)  θ'₊ = μ θ'₋,                        μ = 1 + λ² (cos 2π/n - 1)
//! (4)  θ'₋² - θ'₊² = 4 λ² sin(π/n) sin a   on the cycle, hence
//! (5)  θ'₊* = μ sqrt(4 λ² sin(π/n) sin a / (1 - μ²)),  multiplier μ²
//! (6)  it exists where θ'₊*² > 2 λ² (1 - cos(π/n - a)): the wheel passes midstance
//! (7)  T = ∫ dθ / sqrt(θ'₊*² + 2 λ² (cos(π/n - a) - cos θ)),  from -π/n + a to π/n + a
//! ```

use super::planar::{Reduced, reduced_map};
use crate::map::NoReturn;
use std::f64::consts::{PI, TAU};
use veracity_scenario::references::quadrature::integral;

/// A wheel on its slope.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RimlessWheel {
    /// Number of spokes, at least three.
    pub spokes: u32,
    /// λ² of (1), between 0 and 1.
    pub lambda_squared: f64,
    /// Slope [rad], between 0 and π/n.
    pub slope_rad: f64,
}

/// The only possible cycle of a wheel, in closed form.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WheelCycle {
    /// Speed θ'₊* after the strike (5).
    pub speed_after: f64,
    /// Speed θ'₋* before the strike.
    pub speed_before: f64,
    /// Period (7).
    pub period: f64,
    /// Multiplier μ².
    pub multiplier: f64,
}

impl RimlessWheel {
    /// μ of (3).
    pub fn mu(&self) -> f64 {
        1.0 + self.lambda_squared * (libm::cos(TAU / f64::from(self.spokes)) - 1.0)
    }

    /// Half the angle between spokes.
    fn half(&self) -> f64 {
        PI / f64::from(self.spokes)
    }

    /// The speed after a strike at which the wheel just reaches midstance (6).
    pub fn least_speed(&self) -> f64 {
        (2.0 * self.lambda_squared * (1.0 - libm::cos(self.half() - self.slope_rad))).sqrt()
    }

    /// The speed (5), whether or not the wheel passes midstance with it.
    pub fn balance_speed(&self) -> f64 {
        let gain = 4.0 * self.lambda_squared * libm::sin(self.half()) * libm::sin(self.slope_rad);
        self.mu() * (gain / (1.0 - self.mu() * self.mu())).sqrt()
    }

    /// The cycle, or why there is none.
    pub fn cycle(&self) -> Result<WheelCycle, NoReturn> {
        let (after, least) = (self.balance_speed(), self.least_speed());
        if after <= least {
            let text =
                format!("losses and slope balance at a speed after a strike of {after:.5}, but {least:.5} is needed");
            return Err(NoReturn::TurnedBack(text));
        }
        let (start, end) = (self.slope_rad - self.half(), self.slope_rad + self.half());
        let lift = libm::cos(self.half() - self.slope_rad);
        let speed = |theta: f64| (after * after + 2.0 * self.lambda_squared * (lift - libm::cos(theta))).sqrt();
        // Panels of a twentieth: the integrand is smooth where the wheel passes, and the rule has order 20.
        let period = integral(|theta| 1.0 / speed(theta), start, end, 0.05);
        Ok(WheelCycle {
            speed_after: after,
            speed_before: after / self.mu(),
            period,
            multiplier: self.mu() * self.mu(),
        })
    }

    /// The section: the new spoke has just landed (2).
    fn section(&self, y: &[f64; 2]) -> f64 {
        y[0] + self.half() - self.slope_rad
    }
}

impl Reduced<2> for RimlessWheel {
    const STEP_S: f64 = 0.1;
    const LATEST_S: f64 = 1000.0;

    fn field(&self, y: &[f64; 2]) -> [f64; 2] {
        [y[1], self.lambda_squared * libm::sin(y[0])]
    }

    fn guard(&self, y: &[f64; 2]) -> f64 {
        y[0] - self.half() - self.slope_rad
    }

    fn counts(&self, y: &[f64; 2]) -> bool {
        y[1] > 0.0
    }

    fn lost(&self, y: &[f64; 2]) -> Option<NoReturn> {
        (y[1] <= 0.0).then(|| NoReturn::TurnedBack(format!("the wheel stops at {:.4} rad from the vertical", y[0])))
    }

    fn jump(&self, y: &[f64; 2]) -> [f64; 2] {
        [self.slope_rad - self.half(), self.mu() * y[1]]
    }
}

reduced_map!(RimlessWheel, 2, ["theta", "theta'"]);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::map::StrideMap;

    #[test]
    fn the_closed_form_gives_the_printed_values() {
        let wheel = RimlessWheel { spokes: 6, lambda_squared: 2.0 / 3.0, slope_rad: 0.2 };
        let cycle = wheel.cycle().unwrap();
        // The printed values have 17 digits: a few units in the last place.
        assert!((cycle.speed_after - 0.460_341_126_609_458_3).abs() < 2e-15);
        assert!((cycle.speed_before - 0.690_511_689_914_187_4).abs() < 3e-15);
        assert!((cycle.period - 2.310_014_865_045_386).abs() < 4e-15, "{}", cycle.period);
        assert!((cycle.multiplier - 4.0 / 9.0).abs() < 1e-15);
        let cycle = RimlessWheel { lambda_squared: 0.5, ..wheel }.cycle().unwrap();
        assert!((cycle.speed_after - 0.505_402_806_419_302_8).abs() < 2e-15);
        assert!((cycle.period - 2.069_499_945_836_102_8).abs() < 4e-15, "{}", cycle.period);
        assert!((cycle.multiplier - 0.5625).abs() < 1e-15);
    }

    #[test]
    fn a_flat_slope_has_no_cycle_with_a_reason() {
        let wheel = RimlessWheel { spokes: 6, lambda_squared: 2.0 / 3.0, slope_rad: 0.1 };
        let why = wheel.cycle().unwrap_err().to_string();
        assert!(why.contains("0.32633") && why.contains("0.34329"), "{why}");
        // The map itself turns back from this start.
        let mut wheel = wheel;
        let start = [0.1 - PI / 6.0, wheel.balance_speed()];
        assert!(matches!(wheel.stride(&start, &mut Vec::new()), Err(NoReturn::TurnedBack(_))));
    }

    #[test]
    fn the_map_agrees_with_the_closed_form() {
        let mut wheel = RimlessWheel { spokes: 6, lambda_squared: 2.0 / 3.0, slope_rad: 0.2 };
        let cycle = wheel.cycle().unwrap();
        let start = [0.2 - PI / 6.0, cycle.speed_after];
        let mut end = Vec::new();
        let stride = wheel.stride(&start, &mut end).unwrap();
        // Rounding of two dozen steps.
        assert!((stride.time_s - cycle.period).abs() < 1e-14, "{}", stride.time_s - cycle.period);
        assert!((end[0] - start[0]).abs() < 1e-15 && (end[1] - start[1]).abs() < 1e-14);
    }
}
