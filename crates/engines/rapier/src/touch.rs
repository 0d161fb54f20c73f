//! Which shapes may touch, as Rapier's collision groups, or through a hook where the table does not fit into them;
//! Rapier then does not recycle the contact points of those pairs.

use rapier3d_f64::geometry::{
    ColliderHandle, ColliderSet, Group, InteractionGroups, InteractionTestMode, SolverFlags,
};
use rapier3d_f64::pipeline::{PairFilterContext, PhysicsHooks};
use veracity_foreign::TouchTable;

/// The groups of a collider.
pub fn groups(table: &TouchTable, collider: usize) -> InteractionGroups {
    let Some((member, filter)) = table.bits(collider) else { return InteractionGroups::all() };
    let bits = Group::from_bits_truncate;
    InteractionGroups::new(bits(member), bits(filter), InteractionTestMode::And)
}

/// Queries the table for each pair; the user data of a collider is its index in it.
pub struct TouchHook<'a>(pub &'a TouchTable);

impl PhysicsHooks for TouchHook<'_> {
    fn filter_contact_pair(&self, context: &PairFilterContext) -> Option<SolverFlags> {
        let index = |colliders: &ColliderSet, handle: ColliderHandle| colliders[handle].user_data as usize;
        let a = index(context.colliders, context.collider1);
        let b = index(context.colliders, context.collider2);
        self.0.allows(a, b).then_some(SolverFlags::COMPUTE_RIGID_IMPULSES)
    }
}
