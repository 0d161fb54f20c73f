//! `<collision>`, `<visual>` and the shapes in them.

use super::super::xml::Element;
use super::description::ShapeText;
use super::polyline;
use super::reader::{Document, Reader};
use crate::body::BodyShape;
use crate::geometry::{Pose, Vec3, frame_with_z};
use crate::shape::Shape;
use std::sync::Arc;

/// A shape and the contribution of its element to the pose.
struct Geometry {
    shape: Shape,
    holder_from_shape: Pose,
}

impl Reader {
    /// Reads a collision; `None` when it has no usable shape.
    pub fn collision(&mut self, element: Element<'_>, document: Document<'_>) -> Option<ShapeText> {
        self.known_attributes(element, &["name"]);
        let mut text = self.shape_in(element, document, true)?;
        for child in element.children() {
            match child.name() {
                "pose" | "geometry" => {}
                "surface" => {
                    let (material, filter) = self.surface(child, &text.shape.name);
                    text.material = Some(material);
                    (text.shape.group, text.shape.mask) = (filter.group, filter.mask);
                    text.shape.collides = filter.collides;
                }
                "density" => text.density = child.text_number(&mut self.findings),
                // In the schema of several versions, read by no library, in a unit that contradicts itself.
                "material_density" => self.left_out(child, "<material_density>", "use <density> (SDF 1.11)"),
                "auto_inertia_params" => {
                    self.left_out(child, "<auto_inertia_params>", "mesh inertia is exact and takes no parameters");
                }
                "max_contacts" | "laser_retro" => {
                    let what = format!("<{}> in <collision>", child.name());
                    self.left_out(child, what, "it is a setting of one simulator");
                }
                _ => self.unknown(child, "collision"),
            }
        }
        Some(text)
    }

    /// Reads a visual; `None` when it has no usable shape.
    pub fn visual(&mut self, element: Element<'_>, document: Document<'_>) -> Option<ShapeText> {
        self.known_attributes(element, &["name"]);
        for child in element.children() {
            match child.name() {
                "pose" | "geometry" => {}
                "material" | "transparency" | "cast_shadows" | "laser_retro" | "meta" | "visibility_flags" => {
                    self.left_out(child, format!("<{}> in <visual>", child.name()), "appearance is not kept");
                }
                "plugin" => self.left_out(child, "<plugin>", "run controllers outside the simulation"),
                _ => self.unknown(child, "visual"),
            }
        }
        self.shape_in(element, document, false)
    }

    fn shape_in(&mut self, element: Element<'_>, document: Document<'_>, collides: bool) -> Option<ShapeText> {
        // A shape without a name gets one, so that messages can refer to it.
        let name = match element.attribute("name").map(str::trim) {
            Some(name) if !name.is_empty() => name.to_string(),
            _ => {
                let text = format!("a <{0}> has no name; it is called '{0}'", element.name());
                element.warning(&mut self.findings, "name-empty", element.name(), text);
                element.name().to_string()
            }
        };
        let pose = self.pose(element, document);
        let Some(geometry) = element.child("geometry") else {
            let text = format!("<{}> '{name}' has no <geometry>", element.name());
            element.error(&mut self.findings, "geometry", &name, text);
            return None;
        };
        let Geometry { shape, holder_from_shape } = self.geometry(geometry, document, collides, &name)?;
        let mut shape = BodyShape::new(name, shape, holder_from_shape);
        shape.collides = collides;
        shape.visible = !collides;
        shape.source = Some(element.source());
        // SDF's default bit masks; see `surface`.
        (shape.group, shape.mask) = (0xffff, 0xffff);
        Some(ShapeText { shape, pose, density: None, material: None })
    }

    fn geometry(
        &mut self,
        element: Element<'_>,
        document: Document<'_>,
        collides: bool,
        name: &str,
    ) -> Option<Geometry> {
        let mut children = element.children();
        let Some(kind) = children.next() else {
            element.error(&mut self.findings, "geometry", name, format!("the <geometry> of '{name}' is empty"));
            return None;
        };
        let polylines = kind.name() == "polyline" && element.children_named("polyline").nth(1).is_some();
        for extra in children.filter(|_| !polylines) {
            let text = format!("the <geometry> of '{name}' holds a second shape, <{}>; use one each", extra.name());
            extra.error(&mut self.findings, "geometry", name, text);
        }
        let at_holder = |shape: Shape| Some(Geometry { shape, holder_from_shape: Pose::identity() });
        match kind.name() {
            "empty" => None,
            "box" => at_holder(Shape::Box { size: self.size(kind, "size", Vec3::repeat(1.0)) }),
            "sphere" => at_holder(Shape::Sphere { radius: self.length(kind, "radius", 1.0) }),
            "cylinder" => at_holder(Shape::Cylinder {
                radius: self.length(kind, "radius", 1.0),
                length: self.length(kind, "length", 1.0),
            }),
            "capsule" => at_holder(Shape::Capsule {
                radius: self.length(kind, "radius", 0.5),
                length: self.length(kind, "length", 1.0),
            }),
            "ellipsoid" => at_holder(Shape::Ellipsoid { radii: self.size(kind, "radii", Vec3::repeat(1.0)) }),
            "plane" => self.plane(kind, collides, name),
            "mesh" => self.mesh(kind, document, collides, name).and_then(at_holder),
            "polyline" if polylines => {
                self.unsupported(kind, "a <geometry> of several <polyline>s", "give it as a mesh");
                None
            }
            "polyline" => {
                let mesh = polyline::extrude(kind, &mut self.findings)?;
                at_holder(Shape::Mesh(Arc::new(mesh)))
            }
            "heightmap" | "image" | "cone" => {
                self.unsupported(kind, format!("<{}> as a shape", kind.name()), "give it as a mesh");
                None
            }
            _ => {
                self.unknown(kind, "geometry");
                None
            }
        }
    }

    fn plane(&mut self, element: Element<'_>, collides: bool, name: &str) -> Option<Geometry> {
        let normal = self.vector(element, "normal").unwrap_or_else(Vec3::z);
        for child in element.children() {
            match child.name() {
                "normal" => {}
                // A collision plane is infinite regardless of its size (SDFormat specification).
                "size" if collides => {}
                "size" => self.left_out(child, "<size> of a <plane> in <visual>", "planes are drawn as infinite"),
                _ => self.unknown(child, "plane"),
            }
        }
        let length = normal.norm();
        if !(length > 0.0 && length.is_finite()) {
            element.error(&mut self.findings, "geometry", name, "the plane's normal has no direction");
            return None;
        }
        let turn = frame_with_z(&(normal / length));
        Some(Geometry { shape: Shape::Plane, holder_from_shape: Pose::from_parts(Vec3::zeros().into(), turn) })
    }

    /// A length with the specification's default; using the default is reported as a warning, since it is hardly ever
    /// intended.
    fn length(&mut self, element: Element<'_>, name: &str, default: f64) -> f64 {
        let given = element.child(name).is_some();
        let value = self.scalar(element, name);
        self.check_size(element, name, given);
        value.unwrap_or(default)
    }

    fn size(&mut self, element: Element<'_>, name: &str, default: Vec3) -> Vec3 {
        let given = element.child(name).is_some();
        let value = self.vector(element, name);
        self.check_size(element, name, given);
        value.unwrap_or(default)
    }

    fn check_size(&mut self, element: Element<'_>, name: &str, given: bool) {
        if !given {
            let text = format!("<{}> has no <{name}>; SDF's default is used", element.name());
            element.warning(&mut self.findings, "geometry-default", name, text);
        }
        for child in element.children().filter(|c| !["radius", "length", "size", "radii"].contains(&c.name())) {
            self.unknown(child, element.name());
        }
    }
}
