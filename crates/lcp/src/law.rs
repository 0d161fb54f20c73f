//! The relation between impulses and velocities of a block of constraint rows.

/// The law of a block.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Law {
    /// One row: `w = 0`, any `λ`. Joints, loops, couplings.
    Equal,
    /// One row: `0 <= λ`, `0 <= w`, `λ w = 0`. Contact without friction, a joint's limit.
    Unilateral,
    /// One row: `lowest <= λ <= highest`; `w >= 0` at the lowest, `w <= 0` at the highest, `w = 0` between. Dry friction of
    /// a joint, a motor with an effort limit.
    Between {
        /// Least impulse.
        lowest: f64,
        /// Largest impulse.
        highest: f64,
    },
    /// Three rows: normal, then two tangents. Coulomb's law with an elliptic cone: `(λ₁/μ₁, λ₂/μ₂)` is no longer than `λₙ`,
    /// and where the contact slides, friction dissipates the most power it can.
    Friction {
        /// Coefficients along the two tangents.
        mu: [f64; 2],
    },
    /// Four rows, the fourth the turning about the normal: as [`Law::Friction`], and `|λ₃| <= torsion · λₙ`.
    Torsion {
        /// Coefficients along the two tangents.
        mu: [f64; 2],
        /// Torque per normal force [m].
        torsion: f64,
    },
    /// Six rows, the last two the rolling about the tangents: as [`Law::Torsion`], and `|(λ₄, λ₅)| <= rolling · λₙ`.
    Rolling {
        /// Coefficients along the two tangents.
        mu: [f64; 2],
        /// Torque per normal force [m].
        torsion: f64,
        /// Torque per normal force [m].
        rolling: f64,
    },
}

impl Law {
    /// Number of rows of the block.
    pub fn rows(&self) -> usize {
        match self {
            Law::Equal | Law::Unilateral | Law::Between { .. } => 1,
            Law::Friction { .. } => 3,
            Law::Torsion { .. } => 4,
            Law::Rolling { .. } => 6,
        }
    }
}
