//! Statistics of small samples.
//!
//! Plain functions over slices: [`summary`] (mean, median, quantiles), [`interval`] (Student, Wilson, Clopper and Pearson), [`counts`] (exact tests of counts, and many
//! tests at once), [`bootstrap`]
//! (percentile and BCa), [`paired`] (Wilcoxon's signed ranks), [`mod@line`] (least squares) and [`order`] (of convergence).
//! The distributions they need are in [`special`]. Random draws come only from the counter-based streams of `engine`,
//! so that a repetition gives the same bits.

pub mod bootstrap;
pub mod counts;
pub mod interval;
pub mod line;
pub mod order;
pub mod paired;
pub mod special;
pub mod summary;

pub use bootstrap::{bca, percentile};
pub use counts::{binomial_test, false_discovery, fisher, mcnemar};
pub use interval::{Interval, clopper_pearson, student_mean, wilson};
pub use line::{Line, fit};
pub use order::{Order, order_of_convergence};
pub use paired::{SignedRank, signed_rank};
pub use summary::{mean, median, quantile, standard_deviation, standard_error};
