//! Public models: what importers read, and what `check` finds.

use super::Claim;

/// In the order of docs/public-robots.md.
pub const CLAIMS: &[Claim] = &[
    Claim {
        name: "strangers-numbers",
        says: "models of wheels nobody here wrote: mass to 1e-5, degrees of freedom, diagonal of the mass matrix to 1e-4 and its eigenvalues \
               to 1e-5 of the largest as MuJoCo (MJCF) or Pinocchio (URDF) reads them, none different",
        package: "veracity-check",
        target: "test strangers",
        filter: "robots_nobody_here_wrote",
    },
    Claim {
        name: "strangers-verdicts",
        says: "robots of wheels nobody here wrote: no file is accepted that an independent judge (first principles, MuJoCo) calls \
               impossible, and no file is rejected that it calls possible",
        package: "veracity-check",
        target: "test strangers",
        filter: "robots_nobody_here_wrote",
    },
    Claim {
        name: "strangers-page",
        says: "docs/public-robots.md is what `check` says of the collections in `VERACITY_STRANGERS`",
        package: "veracity-check",
        target: "test strangers",
        filter: "the_page_of_public_robots",
    },
];
