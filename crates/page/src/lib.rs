//! Static pages: HTML without a script, with SVG plots, in the colours of the report, light and dark.
//!
//! [`document()`] wraps a body in a page, [`escape`] makes text safe in it, [`Plot`] draws lines, dots, rings and bars over
//! two [`Axis`] values. Pages of recordings, of regressions and of timed programs are made of these.
//!
//! Deliberately absent: interaction, logarithmic axes and replays, which are in the report (`crates/report`, `web/`).
//!
//! ```
//! use veracity_page::{Axis, Plot, document, escape};
//! let points = [(0.0, 1.0), (1.0, 3.0)];
//! let x = Axis::of(points.iter().map(|p| p.0));
//! let y = Axis::of(points.iter().map(|p| p.1));
//! let mut plot = Plot::new("Height", ["time [s]", "height [m]"], x, y, 440.0, 220.0);
//! plot.line(0, points);
//! let page = document("A fall", &format!("<h1>{}</h1>{}", escape("A & B"), plot.finish()));
//! assert!(page.contains("A &amp; B") && page.contains("</svg>"));
//! ```

mod axis;
mod document;
mod plot;
mod text;

pub use axis::Axis;
pub use document::document;
pub use plot::{Plot, bottom_axis, series_style, svg};
pub use text::{escape, short};
