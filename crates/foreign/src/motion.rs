//! The motion of a world: positions and velocities of joints, motion of bodies and of rigid pieces.
//!
//! After a step an engine reports one of them: the pieces if it is maximal, `q` and `v` if it is reduced. The others
//! are computed on demand ([`ForeignMotion::settle`]), which most steps of a batch never need. This does not change results:
//! they depend on the engine's numbers at that step alone, except for whole turns of angles and signs of quaternions,
//! which continue from the last ones computed. They continue in the same way as long as no piece has turned far since,
//! so a piece that has turned far forces the computation ([`ForeignMotion::may_wait`]).

use crate::coordinates::{point_velocity, still};
use crate::ffi;
use crate::pieces::GROUND;
use crate::scene::{Place, seven};
use nalgebra as na;
use veracity_engine::BodyState;
use veracity_model::{JointKind, Pose, Vec3};

/// Motion of joints, bodies and pieces.
#[derive(Clone, Debug)]
pub struct ForeignMotion {
    /// In the order of the layout; angles count turns.
    pub q: Vec<f64>,
    /// In the order of the layout.
    pub v: Vec<f64>,
    /// In the order of the layout.
    pub bodies: Vec<BodyState>,
    /// Of each piece at its centre of mass.
    pub pieces: Vec<ffi::PieceMotion>,
    /// What the engine does not report is that of an earlier step.
    stale: bool,
    /// Orientation of each piece when the joints were last computed.
    settled_turns: Vec<[f64; 4]>,
}

/// Cosine of half the angle, 0.28 rad, that a piece may turn before the joints must be computed again. Two bodies then
/// turn by 0.57 rad against each other, far from the half turn at which the nearest angle would be another one.
const NEAR: f64 = 0.99;
/// Numbers below this give finite coordinates: products of at most two of them are formed.
const HARMLESS: f64 = 1e100;

impl ForeignMotion {
    /// At rest at the neutral position.
    pub fn new(place: &Place) -> Self {
        let q = place.layout.joints.iter().flat_map(|j| j.kind.neutral().iter().copied()).collect();
        let mut motion = Self {
            q,
            v: vec![0.0; place.layout.dof_count()],
            bodies: vec![still(Pose::identity()); place.layout.bodies.len()],
            pieces: vec![
                ffi::PieceMotion { pose: seven(&Pose::identity()), ..Default::default() };
                place.pieces.pieces.len()
            ],
            stale: false,
            settled_turns: vec![[1.0, 0.0, 0.0, 0.0]; place.pieces.pieces.len()],
        };
        motion.place(place);
        motion
    }

    /// The engine's part was just read; the rest is of an earlier step.
    pub fn stepped(&mut self) {
        self.stale = true;
    }

    /// Computes what the engine did not report, if it is stale.
    pub fn settle(&mut self, place: &Place, reduced: bool) {
        if !self.stale {
            return;
        }
        if reduced {
            self.place(place);
        } else {
            self.read_pieces(place);
        }
    }

    /// Whether joints may be computed from pieces at a later step as well as now: no piece turned far, and every number
    /// is small enough to give finite coordinates.
    pub fn may_wait(&self) -> bool {
        let moves = self.pieces.iter().zip(&self.settled_turns).skip(1);
        moves.fold(true, |calm, (piece, last)| {
            let [.., w, x, y, z] = piece.pose;
            let near = w * last[0] + x * last[1] + y * last[2] + z * last[3];
            let numbers = piece.pose.iter().chain(&piece.angular).chain(&piece.linear);
            calm & (near > NEAR) & numbers.fold(true, |all, x| all & (x.abs() < HARMLESS))
        })
    }

    /// Bodies and pieces from `q` and `v`.
    pub fn place(&mut self, place: &Place) {
        self.stale = false;
        for (i, frames) in place.frames.iter().enumerate() {
            self.bodies[i] = frames.child(&self.bodies, &self.q, &self.v);
            self.move_piece(place, i);
        }
    }

    /// Sets the motion of the piece of a body from the body's.
    fn move_piece(&mut self, place: &Place, body: usize) {
        let piece = place.pieces.of_body[body];
        if piece == GROUND || place.frames[body].kind == JointKind::Fixed {
            return;
        }
        let state = &self.bodies[body];
        let pose = state.world_from_body * place.pieces.piece_from_body[body].inverse();
        self.pieces[piece] = ffi::PieceMotion {
            pose: seven(&pose),
            angular: state.angular_velocity.into(),
            linear: point_velocity(state, &pose.translation.vector).into(),
        };
    }

    /// Joints and bodies from pieces.
    pub fn read_pieces(&mut self, place: &Place) {
        self.stale = false;
        for (turn, piece) in self.settled_turns.iter_mut().zip(&self.pieces) {
            turn.copy_from_slice(&piece.pose[3..]);
        }
        for (i, frames) in place.frames.iter().enumerate() {
            let piece = place.pieces.of_body[i];
            if piece == GROUND {
                continue;
            }
            let state = body_of(&self.pieces[piece], &place.pieces.piece_from_body[i]);
            frames.read(&self.bodies, &state, &mut self.q, &mut self.v);
            self.bodies[i] = state;
        }
    }

    /// Whether every number is finite.
    pub fn is_finite(&self) -> bool {
        self.q.iter().chain(&self.v).all(|x| x.is_finite())
    }
}

/// The pose of a piece.
pub fn pose_of(motion: &ffi::PieceMotion) -> Pose {
    let [x, y, z, w, i, j, k] = motion.pose;
    // Not normalised again, so that a pose read twice is the same.
    Pose::from_parts(Vec3::new(x, y, z).into(), na::Unit::new_unchecked(na::Quaternion::new(w, i, j, k)))
}

fn body_of(piece: &ffi::PieceMotion, piece_from_body: &Pose) -> BodyState {
    let world_from_piece = pose_of(piece);
    let world_from_body = world_from_piece * piece_from_body;
    let angular_velocity = Vec3::from(piece.angular);
    let arm = world_from_body.translation.vector - world_from_piece.translation.vector;
    let linear_velocity = Vec3::from(piece.linear) + angular_velocity.cross(&arm);
    BodyState { world_from_body, angular_velocity, linear_velocity }
}
