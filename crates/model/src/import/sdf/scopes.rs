//! Name resolution.
//!
//! Names are looked up in the scope (world or model) that contains the element: links, joints, frames and nested models
//! of that scope by name, `__model__` for the model itself, and `nested::name` for parts of a nested model (SDFormat,
//! "Pose frame semantics").

use super::frames::FrameId;
use std::collections::BTreeMap;

/// Index of a scope; 0 is the world.
pub(super) type ScopeId = usize;

/// The names of one world or model.
#[derive(Default)]
pub(super) struct Scope {
    /// The frame of the world or model itself.
    pub own: FrameId,
    pub names: BTreeMap<String, FrameId>,
    pub nested: BTreeMap<String, ScopeId>,
    pub joints: BTreeMap<String, usize>,
}

/// The frame that `name` refers to in a scope.
pub(super) fn frame_named(scopes: &[Scope], scope: ScopeId, name: &str) -> Option<FrameId> {
    let holds = |s: &Scope, n: &str| n == "__model__" || s.names.contains_key(n);
    let (scope, name) = innermost(scopes, scope, name, holds)?;
    if name == "__model__" { Some(scopes[scope].own) } else { scopes[scope].names.get(name).copied() }
}

/// The joint that `name` refers to in a scope.
pub(super) fn joint_named(scopes: &[Scope], scope: ScopeId, name: &str) -> Option<usize> {
    let (scope, name) = innermost(scopes, scope, name, |s, n| s.joints.contains_key(n))?;
    scopes[scope].joints.get(name).copied()
}

/// The scope and name that `a::b::c` refers to, among names for which `holds` is true. Names may themselves contain
/// `::`, as in files flattened by a simulator.
fn innermost<'n>(
    scopes: &[Scope],
    mut scope: ScopeId,
    mut name: &'n str,
    holds: impl Fn(&Scope, &str) -> bool,
) -> Option<(ScopeId, &'n str)> {
    loop {
        if holds(&scopes[scope], name) {
            return Some((scope, name));
        }
        let (head, tail) = name.split_once("::")?;
        scope = *scopes[scope].nested.get(head)?;
        name = tail;
    }
}
