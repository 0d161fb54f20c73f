//! `<model>` and `<frame>`.

use super::super::xml::Element;
use super::description::{FrameText, ModelText};
use super::include::merge_into;
use super::reader::{Document, Reader};

/// Maximum nesting depth of models, including included ones.
const MAX_MODEL_DEPTH: usize = 64;

impl Reader {
    /// Reads a model with everything nested in it; `None` if it has no name.
    pub fn model(&mut self, element: Element<'_>, document: Document<'_>) -> Option<ModelText> {
        if self.model_depth >= MAX_MODEL_DEPTH {
            let text = format!("models are nested deeper than {MAX_MODEL_DEPTH}; no robot is");
            element.error(&mut self.findings, "model-depth", "", text);
            return None;
        }
        let begun = (self.model_depth == 0).then(|| self.begin_model());
        self.model_depth += 1;
        let mut model = self.model_parts(element, document);
        self.model_depth -= 1;
        if let (Some(model), Some(begun)) = (&mut model, begun) {
            model.warnings = self.warnings_since(begun);
        }
        model
    }

    fn model_parts(&mut self, element: Element<'_>, document: Document<'_>) -> Option<ModelText> {
        self.known_attributes(element, &["name", "canonical_link", "placement_frame", "namespace"]);
        let given = |name: &str| element.attribute(name).map(str::trim).filter(|t| !t.is_empty()).map(str::to_string);
        let mut model = ModelText {
            name: self.name(element, document)?,
            source: element.source(),
            version: document.version,
            pose: self.pose(element, document),
            placement_frame: given("placement_frame"),
            canonical_link: given("canonical_link"),
            is_static: self.flag(element, "static").unwrap_or(false),
            links: Vec::new(),
            joints: Vec::new(),
            frames: Vec::new(),
            models: Vec::new(),
            settings: Vec::new(),
            warnings: Vec::new(),
        };
        // A link without its own setting uses the model's.
        let self_collide = self.flag(element, "self_collide").unwrap_or(false);
        for child in element.children() {
            match child.name() {
                "static" | "pose" | "self_collide" => {}
                "link" => model.links.extend(self.link(child, document, self_collide, model.is_static)),
                "joint" => model.joints.extend(self.joint(child, document)),
                "frame" => model.frames.extend(self.frame(child, document)),
                "model" => model.models.extend(self.model(child, document)),
                "include" => {
                    if let Some(included) = self.include(child, document) {
                        if included.merge {
                            merge_into(&mut model, included.model);
                        } else {
                            model.models.push(included.model);
                        }
                    }
                }
                "allow_auto_disable" => model.settings.extend(self.settings(child, "allow_auto_disable")),
                "enable_wind" => self.unsupported_if_true(child, "wind on a model"),
                "plugin" => self.left_out(child, "<plugin>", "run controllers outside the simulation"),
                "gripper" => self.unsupported(child, "<gripper>", "fasten the object with a joint instead"),
                _ => self.unknown(child, "model"),
            }
        }
        Some(model)
    }

    /// Reads a frame of a model or of the world.
    pub fn frame(&mut self, element: Element<'_>, document: Document<'_>) -> Option<FrameText> {
        self.known_attributes(element, &["name", "attached_to"]);
        element.children().filter(|c| c.name() != "pose").for_each(|c| self.unknown(c, "frame"));
        let attached_to = element.attribute("attached_to").map(str::trim).filter(|t| !t.is_empty());
        Some(FrameText {
            name: self.name(element, document)?,
            source: element.source(),
            pose: self.pose(element, document),
            attached_to: attached_to.map(str::to_string),
            placement_frame: None,
        })
    }

    /// A flag that is reported only if it is set.
    pub fn unsupported_if_true(&mut self, element: Element<'_>, what: &'static str) {
        if self.truth(element) == Some(true) {
            self.unsupported(element, what, "the result will differ from a simulator that honours it");
        }
    }
}
