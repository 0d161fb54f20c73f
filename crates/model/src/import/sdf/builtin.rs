//! The two models nearly every world includes from the simulator's own stock: a lamp and a floor.
//!
//! They are used only when no file of that name is found, and with a word: the floor has friction of its own.

/// A model of the stock.
pub(super) enum BuiltIn {
    /// It only gives light.
    Lamp,
    /// A document with the same physics as the original.
    Document(&'static str),
}

/// Gazebo's `ground_plane`: static, z = 0, facing up, friction 100 and 50.
const GROUND_PLANE: &str = "<sdf version='1.6'><model name='ground_plane'><static>true</static><link name='link'>
<collision name='collision'><geometry><plane><normal>0 0 1</normal><size>100 100</size></plane></geometry>
<surface><friction><ode><mu>100</mu><mu2>50</mu2></ode></friction></surface></collision></link></model></sdf>";

/// The stock's model of this address, on disk or on the network.
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
