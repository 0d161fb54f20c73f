//! Limit cycles of walking machines.
//!
//! A walker in a limit cycle repeats its state once per stride. [`newton::find`] finds that state for any
//! [`StrideMap`]; [`analyse`] adds the Floquet multipliers by differences of strides, [`analyse_twice`] computes them a
//! second time by saltation matrices ([`saltation`]), which share nothing with the differences but the smooth flow.
//! Every number comes with its error, and "no cycle" with its reason. [`continuation`] follows a cycle through a family
//! of walkers, [`changed`] to a scenario with changed numbers.
//!
//! [`Walker`] is the walker of a scenario's `[cycle]`, moved by the general event-driven engine from its model file;
//! [`gait`] measures its average gait under paradigms that do not locate strikes; [`judgement`] compares the result
//! with what the scenario expects. [`mod@reference`] has walkers with short equations, to which the engine's walkers
//! are compared.
//!
//! ```
//! use veracity_cycle::{Search, Stability, analyse_twice, reference::RimlessWheel};
//!
//! let mut wheel = RimlessWheel { spokes: 6, lambda_squared: 2.0 / 3.0, slope_rad: 0.2 };
//! let outcome = analyse_twice(&mut wheel, &[-0.32, 0.6], &Search::default()).unwrap();
//! assert_eq!(outcome.stability(), Stability::Stable);
//! assert!((outcome.cycle().unwrap().radius.value - 4.0 / 9.0).abs() < 1e-9);
//! ```
//!
//! Deliberately absent: walking controllers, basins of attraction, and periods of more than one stride.

pub mod analysis;
pub mod changed;
pub mod continuation;
pub mod differences;
pub mod gait;
pub mod judgement;
pub mod manifold;
pub mod map;
pub mod newton;
pub mod reference;
pub mod saltation;
pub mod spectrum;
pub mod walker;

pub use analysis::{Cycle, CycleAnalysis, Estimate, Stability, analyse, analyse_twice};
pub use map::{Arcs, NoReturn, Place, Stride, StrideEvent, StrideMap};
pub use newton::{FixedPoint, NoCycle, Search};
pub use spectrum::Multiplier;
pub use veracity_contact::event_driven::{EventDrivenSettings, Smooth};
pub use walker::{Walker, WalkerError};
