//! `<world>`: gravity, models, physics settings.

use super::super::xml::Element;
use super::description::{ModelText, WorldText};
use super::reader::{Document, Reader};
use crate::finding::Severity;
use crate::geometry::Vec3;
use std::collections::{BTreeMap, BTreeSet};

/// SDF's default gravity [m/s²]. It differs from this crate's default: a file that omits gravity means this value.
const DEFAULT_GRAVITY: Vec3 = Vec3::new(0.0, 0.0, -9.8);

impl Reader {
    /// Reads a world.
    pub fn world(&mut self, element: Element<'_>, document: Document<'_>) -> WorldText {
        self.known_attributes(element, &["name"]);
        let physics = self.chosen_physics(element);
        let mut world = WorldText {
            name: element.attribute("name").unwrap_or("default").to_string(),
            gravity: self.gravity(element, physics),
            models: Vec::new(),
            frames: Vec::new(),
            joints: Vec::new(),
            settings: Vec::new(),
        };
        if let Some(physics) = physics {
            let kind = physics.attribute("type").unwrap_or("ode").to_string();
            world.settings.push(("sdf".into(), "type".into(), kind));
            world.settings.extend(self.settings(physics, ""));
        }
        for child in element.children() {
            match child.name() {
                "gravity" | "physics" => {}
                "model" => world.models.extend(self.model(child, document)),
                "frame" => world.frames.extend(self.frame(child, document)),
                "joint" => world.joints.extend(self.joint(child, document)),
                "include" => {
                    if let Some(included) = self.include(child, document) {
                        if included.merge {
                            let text = "an include cannot be merged into a world; the model is kept whole";
                            child.warning(&mut self.findings, "unsupported", &included.model.name, text);
                        }
                        world.models.push(included.model);
                    }
                }
                "magnetic_field" | "spherical_coordinates" | "atmosphere" => {
                    world.settings.extend(self.settings(child, child.name()));
                    let what = format!("<{}>", child.name());
                    self.left_out(child, what, "it is kept among the world's settings and acts on nothing");
                }
                "light" | "gui" | "scene" | "audio" => {
                    self.left_out(child, format!("<{}>", child.name()), "it moves no robot");
                }
                "plugin" => self.left_out(child, "<plugin>", "run controllers outside the simulation"),
                "wind" => self.unsupported(child, "<wind>", "remove it, or expect another motion"),
                "state" => self.unsupported(child, "<state>", "models start where their <pose> puts them"),
                "actor" | "road" | "population" => {
                    self.unsupported(child, format!("<{}>", child.name()), "write its parts as models");
                }
                _ => self.unknown(child, "world"),
            }
        }
        self.rename_twins(&mut world.models, document);
        world
    }

    /// Up to 1.6 models of a world may share a name; from 1.7 on the name identifies a frame and must be unique.
    fn rename_twins(&mut self, models: &mut [ModelText], document: Document<'_>) {
        if document.version.names_frames() {
            return;
        }
        let mut used: BTreeSet<String> = BTreeSet::new();
        let mut counts: BTreeMap<String, usize> = BTreeMap::new();
        for model in models {
            let count = counts.entry(model.name.clone()).or_default();
            *count += 1;
            if *count == 1 && used.insert(model.name.clone()) {
                continue;
            }
            let old = model.name.clone();
            model.name = format!("{old}#{count}");
            while !used.insert(model.name.clone()) {
                model.name.push('_');
            }
            let text = format!("two models are called '{old}'; this one is now '{}'", model.name);
            self.findings.add(Severity::Warning, "name-clash", Some(model.source.clone()), old, text);
        }
    }

    /// The top-level models of a document without a world.
    pub fn bare_models(&mut self, root: Element<'_>, document: Document<'_>) -> WorldText {
        let mut models = Vec::new();
        for child in root.children() {
            match child.name() {
                "model" => models.extend(self.model(child, document)),
                "light" | "actor" => self.left_out(child, format!("<{}>", child.name()), "it moves no robot"),
                _ => self.unknown(child, "sdf"),
            }
        }
        self.rename_twins(&mut models, document);
        let text =
            format!("the document has no <world>; gravity is SDF's default, {} m/s2 along z", DEFAULT_GRAVITY.z);
        self.findings.add(Severity::Note, "gravity-default", Some(root.source()), "gravity", text);
        let name = models.first().map_or_else(|| "world".to_string(), |m| m.name.clone());
        let (frames, joints, settings) = (Vec::new(), Vec::new(), Vec::new());
        WorldText { name, gravity: DEFAULT_GRAVITY, models, frames, joints, settings }
    }

    /// The physics profile marked as default, or the first.
    fn chosen_physics<'a>(&mut self, world: Element<'a>) -> Option<Element<'a>> {
        let all: Vec<_> = world.children_named("physics").collect();
        for profile in &all {
            self.known_attributes(*profile, &["type", "name", "default"]);
        }
        let chosen = all.iter().position(|p| self.truth_attribute(*p, "default") == Some(true)).unwrap_or(0);
        for (i, profile) in all.iter().enumerate().filter(|(i, _)| *i != chosen) {
            let text = format!("<physics> profile {} of {} is not the one in use and is left out", i + 1, all.len());
            profile.warning(&mut self.findings, "unsupported", "physics", text);
        }
        all.get(chosen).copied()
    }

    /// Gravity of the world, or of its physics as up to SDF 1.5.
    fn gravity(&mut self, world: Element<'_>, physics: Option<Element<'_>>) -> Vec3 {
        let given = world.child("gravity").or_else(|| physics.and_then(|p| p.child("gravity")));
        let Some(element) = given else {
            let text = format!("the world has no <gravity>; SDF's default is {} m/s2 along z", DEFAULT_GRAVITY.z);
            self.findings.add(Severity::Note, "gravity-default", Some(world.source()), "gravity", text);
            return DEFAULT_GRAVITY;
        };
        let gravity = element.text_numbers::<3>(&mut self.findings).map_or(DEFAULT_GRAVITY, Vec3::from);
        if !gravity.iter().all(|g| g.is_finite()) {
            element.error(&mut self.findings, "not-finite", "gravity", "gravity is not finite; write three numbers");
        }
        gravity
    }
}
