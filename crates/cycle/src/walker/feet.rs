//! The feet of a walker as contact points, and their constraints on the section.

use super::joints::velocity_at;
use crate::map::NoReturn;
use veracity_collide::ContactPoint;
use veracity_contact::ContactWorld;
use veracity_dynamics::kinematics::velocities;
use veracity_dynamics::observe::body_motion;
use veracity_dynamics::{BodyMotion, Workspace};
use veracity_model::Pose;

/// One foot above the ground.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Foot {
    /// Index of the foot's shape in the scene.
    pub shape: usize,
    /// Its pair with the ground.
    pub pair: u32,
    /// Which point of the foot.
    pub feature: u64,
}

/// Poses and velocities of all bodies.
pub(super) struct Bodies {
    motions: Vec<BodyMotion>,
    poses: Vec<Pose>,
}

impl Bodies {
    pub(super) fn at(world: &ContactWorld, ws: &mut Workspace, q: &[f64], v: &[f64]) -> Self {
        velocities(&world.system, ws, q, v);
        let motions: Vec<BodyMotion> = world.places.iter().map(|p| body_motion(ws, *p)).collect();
        let poses = motions.iter().map(|m| m.world_from_body).collect();
        Self { motions, poses }
    }
}

impl Foot {
    /// The lowest point of a shape above the static world.
    pub(super) fn under(world: &mut ContactWorld, bodies: &Bodies, shape: usize) -> Result<Self, NoReturn> {
        let mut points: Vec<ContactPoint> = Vec::new();
        // Far enough to include a foot in the air; the state of the guards does not matter for the position.
        let reach = vec![1e3; bodies.poses.len()];
        for guard in 0..world.scene.guards().len() {
            world.scene.set_live(guard, true);
        }
        world.scene.find(&bodies.poses, &reach, 0.0, &mut points).map_err(|e| NoReturn::Trouble(e.to_string()))?;
        let ground = |p: &ContactPoint| {
            let other = if p.shape_a as usize == shape { p.shape_b } else { p.shape_a };
            (p.shape_a as usize == shape || p.shape_b as usize == shape) && world.scene.shapes()[other as usize].fixed
        };
        let lowest = points.iter().filter(|p| ground(p)).min_by(|a, b| a.gap.total_cmp(&b.gap));
        lowest.map(|p| Foot { shape, pair: p.pair, feature: p.feature }).ok_or_else(|| {
            let body = world.scene.shapes()[shape].body;
            NoReturn::Trouble(format!("has no ground below the foot on '{}'", world.layout.bodies[body].name))
        })
    }

    /// Its height [m].
    pub(super) fn gap(&self, world: &mut ContactWorld, bodies: &Bodies) -> Result<f64, NoReturn> {
        Ok(self.point(world, bodies)?.gap)
    }

    /// Velocity of the foot at the contact point relative to the ground, in world axes [m/s].
    pub(super) fn velocity(&self, world: &mut ContactWorld, bodies: &Bodies) -> Result<[f64; 3], NoReturn> {
        let p = self.point(world, bodies)?;
        let (a, b) = (&bodies.motions[p.body_a as usize], &bodies.motions[p.body_b as usize]);
        Ok((velocity_at(a, &p.point_a) - velocity_at(b, &p.point_b)).into())
    }

    fn point(&self, world: &mut ContactWorld, bodies: &Bodies) -> Result<ContactPoint, NoReturn> {
        let found = world.scene.evaluate(self.pair, self.feature, &bodies.poses);
        found
            .filter(|p| p.gap.is_finite())
            .ok_or_else(|| NoReturn::Trouble("lost the contact point of its foot".to_string()))
    }
}
