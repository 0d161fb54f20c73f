//! `<surface>`: friction, restitution, and engine-specific settings.
//!
//! SDF gives friction for each engine. ODE's values are used as the neutral ones, because SDF's own defaults and
//! documentation are ODE's; every value is also kept verbatim under its engine's name.
//!
//! Torsional friction follows Gazebo: a patch of radius `a` pressed with force `N` resists with
//! `T = 3π/16 · a · μ · N`, the Hertzian patch.

use super::super::xml::Element;
use super::description::Setting;
use super::reader::Reader;
use crate::finding::Severity;
use crate::geometry::Vec3;
use crate::material::Material;
use std::f64::consts::PI;

/// SDF's default `bounce/threshold` [m/s]: in practice nothing bounces.
const DEFAULT_BOUNCE_THRESHOLD: f64 = 100_000.0;

/// Collision filter of a shape.
pub(super) struct Filter {
    pub group: u32,
    pub mask: u32,
    pub collides: bool,
}

impl Reader {
    /// Reads a surface.
    pub fn surface(&mut self, element: Element<'_>, collision: &str) -> (Material, Filter) {
        let settings = self.settings(element, "");
        let mut material = Material { engine_settings: settings, ..Material::default() };
        let mut filter = Filter { group: 0xffff, mask: 0xffff, collides: true };
        for child in element.children() {
            match child.name() {
                "friction" => self.friction(child, &mut material, collision),
                "bounce" => self.bounce(child, &mut material, collision),
                "contact" => self.contact(child, &mut filter),
                "soft_contact" => {
                    self.unsupported(
                        child,
                        "<soft_contact>",
                        "it is kept as a setting of DART and acts nowhere else",
                    );
                }
                _ => self.unknown(child, "surface"),
            }
        }
        (material, filter)
    }

    fn friction(&mut self, element: Element<'_>, material: &mut Material, collision: &str) {
        let mut ode = None;
        let mut bullet = None;
        for child in element.children() {
            match child.name() {
                "ode" => {
                    let mu = self.scalar(child, "mu").unwrap_or(1.0);
                    let mu2 = self.scalar(child, "mu2").unwrap_or(1.0);
                    ode = Some([mu, mu2]);
                    material.friction_direction = self.direction(child, "fdir1");
                    for slip in ["slip1", "slip2"] {
                        if self.scalar(child, slip).is_some_and(|s| s != 0.0) {
                            let what = format!("<{slip}> of ODE friction");
                            self.unsupported(child, what, "it is kept as a setting of ODE and acts nowhere else");
                        }
                    }
                    self.only(child, &["mu", "mu2", "fdir1", "slip1", "slip2"]);
                }
                "bullet" => {
                    let first = self.scalar(child, "friction").unwrap_or(1.0);
                    let second = self.scalar(child, "friction2").unwrap_or(1.0);
                    bullet = Some([first, second]);
                    self.only(child, &["friction", "friction2", "fdir1", "rolling_friction"]);
                }
                "torsional" => self.torsional(child, material),
                _ => self.unknown(child, "friction"),
            }
        }
        material.friction = ode.or(bullet).unwrap_or([1.0, 1.0]);
        if let (Some(ode), Some(bullet)) = (ode, bullet)
            && ode != bullet
        {
            let text = format!(
                "collision '{collision}' has friction {ode:?} for ODE and {bullet:?} for Bullet; ODE's is used, \
                 Bullet's is kept for Bullet"
            );
            self.findings.add(Severity::Note, "engine-friction", Some(element.source()), collision, text);
        }
    }

    fn torsional(&mut self, element: Element<'_>, material: &mut Material) {
        self.only(element, &["coefficient", "use_patch_radius", "patch_radius", "surface_radius", "ode"]);
        let coefficient = self.scalar(element, "coefficient").unwrap_or(1.0);
        if self.flag(element, "use_patch_radius") == Some(false) {
            self.unsupported(element, "torsional friction from a surface radius", "give <patch_radius>");
            return;
        }
        let patch_radius = self.scalar(element, "patch_radius").unwrap_or(0.0);
        material.torsional_friction = 3.0 * PI / 16.0 * patch_radius * coefficient;
    }

    fn bounce(&mut self, element: Element<'_>, material: &mut Material, collision: &str) {
        self.only(element, &["restitution_coefficient", "threshold"]);
        material.restitution = self.scalar(element, "restitution_coefficient").unwrap_or(0.0);
        let threshold = self.scalar(element, "threshold").unwrap_or(DEFAULT_BOUNCE_THRESHOLD);
        if material.restitution != 0.0 && threshold != 0.0 {
            let text = format!(
                "collision '{collision}' has restitution {}, but SDF asks for none below a threshold of {threshold} \
                 m/s; engines without a threshold bounce at any speed. Write <threshold>0</threshold> to state it",
                material.restitution
            );
            element.warning(&mut self.findings, "bounce-threshold", collision, text);
        }
    }

    fn contact(&mut self, element: Element<'_>, filter: &mut Filter) {
        let mask = self.bits(element, "collide_bitmask");
        let category = self.bits(element, "category_bitmask");
        // Two shapes touch if (category1 & collide2) | (category2 & collide1); a missing category is the collide mask.
        filter.mask = mask.unwrap_or(0xffff);
        filter.group = category.unwrap_or(filter.mask);
        for child in element.children() {
            match child.name() {
                "collide_bitmask" | "category_bitmask" | "collide_without_contact_bitmask" => {}
                "collide_without_contact" => {
                    if self.truth(child) == Some(true) && mask.is_none() {
                        // Contacts are detected but have no force: physically the shape does not collide.
                        self.left_out(child, "detection of contacts without force", "the shape does not collide");
                        filter.collides = false;
                    }
                }
                // All kept verbatim in the material's settings.
                "ode" => self.only(child, &["soft_cfm", "soft_erp", "kp", "kd", "max_vel", "min_depth"]),
                "bullet" => {
                    let known = ["soft_cfm", "soft_erp", "kp", "kd", "split_impulse"];
                    self.only(child, &[&known[..], &["split_impulse_penetration_threshold"]].concat());
                }
                "poissons_ratio" | "elastic_modulus" => {
                    let what = format!("<{}>", child.name());
                    self.left_out(child, what, "it is kept as a setting and acts on no contact here");
                }
                _ => self.unknown(child, "contact"),
            }
        }
    }

    /// A direction; zero, SDF's default, means none.
    fn direction(&mut self, element: Element<'_>, name: &str) -> Option<Vec3> {
        let v = self.vector(element, name)?;
        let norm = v.norm();
        (norm > 0.0 && norm.is_finite()).then(|| v / norm)
    }

    /// Sixteen bits, decimal or hexadecimal.
    fn bits(&mut self, element: Element<'_>, name: &str) -> Option<u32> {
        let child = element.child(name)?;
        let text = child.text();
        let parsed = match text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
            Some(hex) => u32::from_str_radix(hex, 16),
            None => text.parse(),
        };
        match parsed {
            Ok(bits) => Some(bits & 0xffff),
            Err(_) => {
                let text = format!("<{name}> is not a whole number of 16 bits");
                child.error(&mut self.findings, "number", name, text);
                None
            }
        }
    }

    fn only(&mut self, element: Element<'_>, known: &[&str]) {
        for child in element.children().filter(|c| !known.contains(&c.name())) {
            self.unknown(child, element.name());
        }
    }
}

/// PyBullet's `<contact>` of a link: lateral, spinning and rolling friction, restitution. Bullet's spinning and rolling
/// coefficients multiply the normal force to give a torque, so they are lengths, as in the model.
pub(super) fn apply_bullet_contact(material: &mut Material, values: [Option<f64>; 4], settings: &[Setting]) {
    let [lateral, spinning, rolling, restitution] = values;
    if let Some(mu) = lateral {
        material.friction = [mu, mu];
    }
    material.torsional_friction = spinning.unwrap_or(material.torsional_friction);
    material.rolling_friction = rolling.unwrap_or(material.rolling_friction);
    material.restitution = restitution.unwrap_or(material.restitution);
    let for_bullet = settings.iter().map(|(_, key, value)| ("bullet".to_string(), key.clone(), value.clone()));
    material.engine_settings.extend(for_bullet);
}
