//! The scheduler tree that a configuration file describes.

use crate::config::TempoConfig;
use crate::error::TempoError;
use crate::policies;
use crate::tree::Tree;

/// Builds the tree; fails at the first unknown policy or group.
pub(crate) fn build_tree(config: &TempoConfig) -> Result<Tree, TempoError> {
    let policy = |place: &str, name: &str| {
        policies::policy(name).ok_or_else(|| {
            let known: Vec<&str> = policies::POLICIES.iter().map(|p| p.name()).collect();
            TempoError::new(place, format!("unknown policy '{name}'; known: {}", known.join(", ")))
        })
    };
    let mut tree = Tree::new(policy("policy", &config.policy)?);
    let mut nodes: Vec<(&str, usize)> = Vec::new();
    let find = |nodes: &[(&str, usize)], group: &Option<String>, place: &str| match group {
        None => Ok(0),
        Some(name) => nodes
            .iter()
            .find(|(n, _)| n == name)
            .map(|(_, node)| *node)
            .ok_or_else(|| TempoError::new(place, format!("group '{name}' must be defined before its members"))),
    };
    for group in &config.groups {
        let place = format!("groups/{}", group.name);
        if nodes.iter().any(|(n, _)| *n == group.name) {
            return Err(TempoError::new(place, "another group has this name; names must be unique"));
        }
        let parent = find(&nodes, &group.group, &place)?;
        let node = tree.add_inner(parent, policy(&place, &group.policy)?, group.priority);
        nodes.push((&group.name, node));
    }
    for client in &config.clients {
        let parent = find(&nodes, &client.group, &format!("clients/{}", client.name))?;
        tree.add_leaf(parent, client.priority);
    }
    Ok(tree)
}
