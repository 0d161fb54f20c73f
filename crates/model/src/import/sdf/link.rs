//! `<link>`: mass, drag, shapes and sensors.

use super::super::xml::Element;
use super::description::{LinkText, ShapeText};
use super::reader::{Document, Reader};
use super::surface::apply_bullet_contact;
use crate::finding::Severity;
use crate::geometry::{Mat3, Pose, Vec3};
use crate::inertia::Inertia;
use crate::material::Material;
use std::collections::{BTreeMap, BTreeSet};

/// Density of SDF's automatic inertia if the file gives none: water [kg/m³].
const DEFAULT_DENSITY: f64 = 1000.0;

/// How the file specifies a link's inertia.
enum Inertial {
    Given {
        inertia: Inertia,
        massless: bool,
    },
    /// From the collision shapes, at this density unless a collision has its own.
    FromShapes {
        density: f64,
    },
}

impl Reader {
    /// Reads a link; `None` if it has no name.
    pub fn link(
        &mut self,
        element: Element<'_>,
        document: Document<'_>,
        model_self_collides: bool,
        is_static: bool,
    ) -> Option<LinkText> {
        self.known_attributes(element, &["name"]);
        let name = self.name(element, document)?;
        let mut link = LinkText {
            pose: self.pose(element, document),
            source: element.source(),
            inertia: Inertia::zero(),
            massless: false,
            linear_damping: 0.0,
            angular_damping: 0.0,
            gravity: true,
            self_collide: model_self_collides,
            shapes: Vec::new(),
            sensors: Vec::new(),
            name,
        };
        let mut contact = None;
        for child in element.children() {
            match child.name() {
                "pose" | "inertial" => {}
                "gravity" => link.gravity = self.truth(child).unwrap_or(true),
                "self_collide" => link.self_collide = self.truth(child).unwrap_or(model_self_collides),
                "velocity_decay" => self.velocity_decay(child, &mut link),
                "collision" => link.shapes.extend(self.collision(child, document)),
                "visual" => link.shapes.extend(self.visual(child, document)),
                "sensor" => link.sensors.extend(self.sensor(child, document, false)),
                // Not SDF: PyBullet reads friction here, and its own models use it.
                "contact" => contact = Some(child),
                "kinematic" => self.unsupported_if_true(child, "a kinematic link"),
                "must_be_base_link" => self.unsupported_if_true(child, "must_be_base_link"),
                "enable_wind" => self.unsupported_if_true(child, "wind on a link"),
                "light" | "projector" | "audio_sink" | "audio_source" | "battery" | "particle_emitter" => {
                    self.left_out(child, format!("<{}> in <link>", child.name()), "it moves no robot");
                }
                "plugin" => self.left_out(child, "<plugin>", "run controllers outside the simulation"),
                _ => self.unknown(child, "link"),
            }
        }
        if let Some(contact) = contact {
            self.bullet_contact(contact, &mut link);
        }
        names_of_shapes_are_unique(self, &mut link.shapes);
        match self.inertial(element, document, is_static, &link.name) {
            Inertial::Given { inertia, massless } => (link.inertia, link.massless) = (inertia, massless),
            Inertial::FromShapes { density } => link.inertia = self.inertia_of_shapes(element, &link, density),
        }
        Some(link)
    }

    fn velocity_decay(&mut self, element: Element<'_>, link: &mut LinkText) {
        link.linear_damping = self.scalar(element, "linear").unwrap_or(0.0);
        link.angular_damping = self.scalar(element, "angular").unwrap_or(0.0);
        for child in element.children().filter(|c| !["linear", "angular"].contains(&c.name())) {
            self.unknown(child, "velocity_decay");
        }
        if link.linear_damping != 0.0 || link.angular_damping != 0.0 {
            let text = "velocity_decay is interpreted as a rate [1/s]; ODE removes that share of the velocity in every \
                        step and Bullet in every second, so engines differ";
            element.warning(&mut self.findings, "velocity-decay", &link.name, text);
        }
    }

    fn inertial(&mut self, link: Element<'_>, document: Document<'_>, is_static: bool, name: &str) -> Inertial {
        let unit = Inertia { mass: 1.0, com: Vec3::zeros(), tensor: Mat3::identity() };
        let Some(element) = link.child("inertial") else {
            // Up to 1.6 a link can have this name, and PyBullet then treats it as the world.
            if name == "world" {
                let text = "a link called 'world' without <inertial> is treated as massless, as in PyBullet";
                link.warning(&mut self.findings, "inertia-default", name, text);
                return Inertial::Given { inertia: Inertia::zero(), massless: true };
            }
            // Static links need no inertia.
            if !is_static {
                let text =
                    format!("link '{name}' has no <inertial>; SDF's default is 1 kg and 1 kg m2 about each axis");
                link.warning(&mut self.findings, "inertia-default", name, text);
            }
            return Inertial::Given { inertia: unit, massless: false };
        };
        self.known_attributes(element, &["auto"]);
        for child in element.children() {
            match child.name() {
                "pose" | "mass" | "inertia" | "density" => {}
                "fluid_added_mass" => {
                    self.unsupported(child, "<fluid_added_mass>", "motion in a fluid needs another simulator");
                }
                "auto_inertia_params" => {
                    self.left_out(child, "<auto_inertia_params>", "mesh inertia is exact and takes no parameters");
                }
                _ => self.unknown(child, "inertial"),
            }
        }
        if self.truth_attribute(element, "auto") == Some(true) {
            if ["mass", "inertia", "pose"].iter().any(|n| element.child(n).is_some()) {
                let text = format!(
                    "link '{name}' asks for automatic inertia; its written mass, pose and inertia are not used"
                );
                element.warning(&mut self.findings, "inertia-auto", name, text);
            }
            return Inertial::FromShapes { density: self.scalar(element, "density").unwrap_or(DEFAULT_DENSITY) };
        }
        let pose = self.given_pose(element, document);
        if let Some(pose) = &pose
            && pose.relative_to.is_some()
        {
            let text = "the pose of <inertial> is always in the link frame; remove 'relative_to'";
            element.error(&mut self.findings, "pose", name, text);
        }
        let mass = self.scalar(element, "mass");
        let tensor = element.child("inertia").map(|e| self.tensor(e));
        if (mass.is_none() || tensor.is_none()) && !is_static {
            let missing = if mass.is_none() { "mass" } else { "inertia" };
            let text = format!("the <inertial> of link '{name}' has no <{missing}>; SDF's default is one (SI)");
            element.warning(&mut self.findings, "inertia-default", name, text);
        }
        let tensor = tensor.unwrap_or_else(Mat3::identity);
        let about_com = Inertia { mass: mass.unwrap_or(1.0), com: Vec3::zeros(), tensor };
        let link_from_com = pose.map_or_else(Pose::identity, |p| p.pose);
        Inertial::Given { inertia: about_com.transformed(&link_from_com), massless: mass == Some(0.0) }
    }

    fn tensor(&mut self, element: Element<'_>) -> Mat3 {
        let entries = ["ixx", "iyy", "izz", "ixy", "ixz", "iyz"];
        for child in element.children().filter(|c| !entries.contains(&c.name())) {
            self.unknown(child, "inertia");
        }
        let [ixx, iyy, izz] = [0, 1, 2].map(|i| {
            self.scalar(element, entries[i]).unwrap_or_else(|| {
                let text = format!("<inertia> has no <{}>; SDF's default is 1 kg m2", entries[i]);
                element.warning(&mut self.findings, "inertia-default", entries[i], text);
                1.0
            })
        });
        let [ixy, ixz, iyz] = [3, 4, 5].map(|i| self.scalar(element, entries[i]).unwrap_or(0.0));
        Mat3::new(ixx, ixy, ixz, ixy, iyy, iyz, ixz, iyz, izz)
    }

    fn inertia_of_shapes(&mut self, element: Element<'_>, link: &LinkText, density: f64) -> Inertia {
        let mut sum = Inertia::zero();
        // The visible shapes of a link are its visuals.
        for text in link.shapes.iter().filter(|s| !s.shape.visible) {
            if text.pose.relative_to.is_some() {
                let text =
                    "automatic inertia with a collision placed by 'relative_to'; write its pose in the link frame";
                element.error(&mut self.findings, "inertia-auto", &link.name, text);
                continue;
            }
            let link_from_shape = text.pose.pose * text.shape.body_from_shape;
            match text.shape.shape.solid_inertia(text.density.unwrap_or(density)) {
                Some(solid) => sum = sum.combined(&solid.transformed(&link_from_shape)),
                None => {
                    let text = format!(
                        "collision '{}' ({}) encloses no volume and adds nothing to the automatic inertia",
                        text.shape.name,
                        text.shape.shape.name()
                    );
                    element.warning(&mut self.findings, "inertia-auto", &link.name, text);
                }
            }
        }
        if sum.mass <= 0.0 {
            let text = format!("link '{}' asks for automatic inertia and has no solid collision shape", link.name);
            element.error(&mut self.findings, "inertia-auto", &link.name, text);
        }
        sum
    }

    fn bullet_contact(&mut self, element: Element<'_>, link: &mut LinkText) {
        let settings = self.settings(element, "contact");
        let known = ["lateral_friction", "spinning_friction", "rolling_friction", "restitution"];
        for child in element.children().filter(|c| !known.contains(&c.name())) {
            let what = format!("<{}> in <contact> of a link", child.name());
            self.unsupported(child, what, "it is kept as a setting of Bullet and acts nowhere else");
        }
        let values = known.map(|n| self.bullet_number(element.child(n)?));
        for text in link.shapes.iter_mut().filter(|s| s.shape.collides) {
            let material = text.material.get_or_insert_with(Material::default);
            apply_bullet_contact(material, values, &settings);
        }
    }

    /// A number in PyBullet's notation: in the text, or in `value` as in its URDF.
    fn bullet_number(&mut self, element: Element<'_>) -> Option<f64> {
        if !element.text().is_empty() {
            return element.text_number(&mut self.findings);
        }
        let value = element.number("value", &mut self.findings);
        let text = format!("<{}> has its number where URDF has it; PyBullet fails on this in SDF", element.name());
        element.warning(&mut self.findings, "bullet-contact", element.name(), text);
        value
    }
}

/// Makes shape names unique, since a body's shapes are looked up by name. A collision and a visual may share one in
/// SDF, and unchecked files use one name many times.
fn names_of_shapes_are_unique(reader: &mut Reader, shapes: &mut [ShapeText]) {
    let mut used = BTreeSet::new();
    let mut counts: BTreeMap<(bool, String), usize> = BTreeMap::new();
    for ShapeText { shape, .. } in shapes {
        let base = shape.name.clone();
        let count = counts.entry((shape.collides, base.clone())).or_default();
        *count += 1;
        if *count > 1 {
            shape.name = format!("{base}#{count}");
        }
        if used.contains(&shape.name) {
            shape.name.push_str(if shape.collides { "_collision" } else { "_visual" });
        }
        while !used.insert(shape.name.clone()) {
            shape.name.push('_');
        }
        if *count == 2 {
            let text = format!("shapes of one link share the name '{base}'; this one is now '{}'", shape.name);
            reader.findings.add(Severity::Warning, "name-clash", shape.source.clone(), base, text);
        }
    }
}
