//! Built-in versions of two standard models that nearly every world includes: a light and a ground plane.
//!
//! Used only if no file of that name is found, and with a finding: the ground plane has its own friction.

/// A built-in model.
pub(super) enum BuiltIn {
    /// A light, without physics.
    Lamp,
    /// A document with the same physics as the original.
    Document(&'static str),
}

/// Gazebo's `ground_plane`: static, z = 0, facing up, friction 100 and 50.
const GROUND_PLANE: &str = "<sdf version='1.6'><model name='ground_plane'><static>true</static><link name='link'>
<collision name='collision'><geometry><plane><normal>0 0 1</normal><size>100 100</size></plane></geometry>
<surface><friction><ode><mu>100</mu><mu2>50</mu2></ode></friction></surface></collision></link></model></sdf>";

/// The built-in model for this URI, local or remote.
pub(super) fn built_in(uri: &str) -> Option<BuiltIn> {
    let name = uri.trim_end_matches('/').rsplit('/').next()?.to_ascii_lowercase();
    let is_stock = uri.starts_with("model://") && !uri["model://".len()..].trim_end_matches('/').contains('/')
        || uri.contains("/openrobotics/models/")
        || uri.contains("/OpenRobotics/models/");
    match name.replace([' ', '_'], "").replace("%20", "").as_str() {
        "sun" if is_stock => Some(BuiltIn::Lamp),
        "groundplane" if is_stock => Some(BuiltIn::Document(GROUND_PLANE)),
        _ => None,
    }
}
