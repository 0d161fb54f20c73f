//! `<include>`: the model of another document, with a new name and pose.
//!
//! A model may not include itself, directly or through others, and the total number of models and bytes of a world is
//! bounded: files that include each other twice double the count at every level.

use super::super::resources::{NotFound, Resources};
use super::super::xml::{self, Element};
use super::builtin::{BuiltIn, built_in};
use super::description::{FrameText, JointText, ModelText, PoseText, SensorText};
use super::reader::{Document, Reader};
use super::repeats::report_contradictions;
use super::version::{NEWEST, Version};
use crate::finding::Findings;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Maximum number of included models, over all levels.
const MAX_INCLUDES: usize = 10_000;
/// Maximum number of bytes read by includes, over all levels.
const MAX_INCLUDED_BYTES: usize = xml::MAX_BYTES;

/// Resources used by includes so far.
#[derive(Default)]
pub(super) struct IncludeBudget {
    /// Files being read, outermost first.
    open: Vec<PathBuf>,
    count: usize,
    bytes: usize,
}

impl IncludeBudget {
    /// Records the outermost file, so that a model that includes its own file is detected at once.
    pub fn enter(&mut self, file: &Path) {
        self.open.push(identity(file));
    }
}

/// Where an included model comes from.
enum Found {
    File(PathBuf),
    /// A built-in document.
    Stock(&'static str),
}

/// The model read by an `<include>`.
pub(super) struct Included {
    pub model: ModelText,
    /// Its parts become parts of the including model.
    pub merge: bool,
}

impl Reader {
    /// Reads the model of an `<include>`; `None` if there is none, with the reason recorded.
    pub fn include(&mut self, element: Element<'_>, document: Document<'_>) -> Option<Included> {
        self.known_attributes(element, &["merge"]);
        let Some(uri) = self.word(element, "uri") else {
            element.error(&mut self.findings, "include", "", "<include> has no <uri>; name the model to include");
            return None;
        };
        let mut model = match self.find_model_file(element, &uri, document.resources)? {
            Found::File(file) => self.read_included(element, &file, document.resources)?,
            Found::Stock(text) => self.read_stock(element, &uri, text, document.resources)?,
        };

        for child in element.children() {
            match child.name() {
                "uri" => {}
                "name" if !child.text().is_empty() => model.name = child.text().to_string(),
                "name" => {}
                "static" => model.is_static = self.truth(child).unwrap_or(model.is_static),
                "pose" => model.pose = self.pose(element, document),
                "placement_frame" => model.placement_frame = self.word(element, "placement_frame"),
                "plugin" => self.left_out(child, "<plugin>", "run controllers outside the simulation"),
                "namespace" => self.left_out(child, "<namespace> in <include>", "it names topics, not physics"),
                _ => self.unknown(child, "include"),
            }
        }
        let merge = self.truth_attribute(element, "merge").unwrap_or(false);
        Some(Included { model, merge })
    }

    fn find_model_file(&mut self, element: Element<'_>, uri: &str, resources: &Resources) -> Option<Found> {
        let folder = uri.trim_end_matches('/');
        let on_network = uri.starts_with("http://") || uri.starts_with("https://");
        let mut missing = NotFound { tried: Vec::new(), outside: None };
        if !on_network {
            if let Ok(config) = resources.find(&format!("{folder}/model.config")) {
                match self.file_of_config(&config) {
                    Some(file) if resources.allows(&file) => return Some(Found::File(file)),
                    Some(file) => missing.outside = Some(file),
                    None => missing.tried.push(config),
                }
            }
            for candidate in [format!("{folder}/model.sdf"), uri.to_string()] {
                match resources.find(&candidate) {
                    Ok(file) => return Some(Found::File(file)),
                    Err(more) => {
                        missing.tried.extend(more.tried);
                        missing.outside = missing.outside.or(more.outside);
                    }
                }
            }
        }
        match built_in(uri) {
            Some(BuiltIn::Document(text)) => return Some(Found::Stock(text)),
            Some(BuiltIn::Lamp) => {
                self.left_out(element, format!("'{uri}'"), "it gives light and moves no robot");
                return None;
            }
            None => {}
        }
        let text = if on_network {
            format!("'{uri}' is on the network, which is never read; download the model and use model://")
        } else {
            format!(
                "the included model '{uri}' was not found: {missing}; name the folder that holds it with --package-path"
            )
        };
        element.error(&mut self.findings, "include", "", text);
        None
    }

    fn read_stock(
        &mut self,
        element: Element<'_>,
        uri: &str,
        text: &str,
        resources: &Resources,
    ) -> Option<ModelText> {
        let warning =
            format!("'{uri}' was not found; the simulator's own is used: a static plane, friction 100 and 50");
        element.warning(&mut self.findings, "stock-model", uri, warning);
        let mut parsing = Findings::new();
        let name: Arc<str> = format!("{uri} (built in)").into();
        let model =
            xml::with_document(text.as_bytes(), &name, &mut parsing, |root, _| self.only_model(root, resources));
        self.findings.extend(parsing);
        model.flatten()
    }

    /// The newest readable document listed in a `model.config`.
    fn file_of_config(&mut self, config: &Path) -> Option<PathBuf> {
        let bytes = crate::input::read_regular(config, xml::MAX_BYTES as u64).ok()?;
        let name: Arc<str> = config.display().to_string().into();
        let mut findings = Findings::new();
        let listed = xml::with_document(&bytes, &name, &mut findings, |root, _| {
            root.children_named("sdf")
                .filter_map(|e| {
                    let minor = e.attribute("version").unwrap_or("1.4").strip_prefix("1.")?.parse().ok()?;
                    Some((Version(minor), e.text().to_string())).filter(|(v, t)| *v <= NEWEST && !t.is_empty())
                })
                // Among equal versions Gazebo uses the first listed.
                .reduce(|best, next| if next.0 > best.0 { next } else { best })
        });
        self.findings.extend(findings);
        let (_, file) = listed.flatten()?;
        let path = config.parent()?.join(file);
        path.is_file().then_some(path)
    }

    fn read_included(&mut self, element: Element<'_>, file: &Path, outer: &Resources) -> Option<ModelText> {
        let identity = identity(file);
        if let Some(start) = self.includes.open.iter().position(|f| *f == identity) {
            let chain: Vec<_> = self.includes.open[start..]
                .iter()
                .chain(std::iter::once(&identity))
                .map(|f| f.file_name().map_or_else(String::new, |n| n.to_string_lossy().into_owned()))
                .collect();
            let text = format!("the model includes itself: {}; remove one <include>", chain.join(" -> "));
            element.error(&mut self.findings, "include-cycle", "", text);
            return None;
        }
        let bytes = match crate::input::read_regular(file, xml::MAX_BYTES as u64) {
            Ok(bytes) => bytes,
            Err(e) => {
                let text = format!("{} cannot be read: {e}", file.display());
                element.error(&mut self.findings, "include", "", text);
                return None;
            }
        };
        self.includes.count += 1;
        self.includes.bytes += bytes.len();
        if self.includes.count > MAX_INCLUDES || self.includes.bytes > MAX_INCLUDED_BYTES {
            let text = format!(
                "more than {MAX_INCLUDES} models or {} MiB are included; no world needs that",
                MAX_INCLUDED_BYTES >> 20
            );
            element.error(&mut self.findings, "include-limit", "", text);
            return None;
        }

        let name: Arc<str> = file.display().to_string().into();
        let resources = outer.beside(file);
        let mut parsing = Findings::new();
        self.includes.open.push(identity);
        let model = xml::with_document(&bytes, &name, &mut parsing, |root, _| self.only_model(root, &resources));
        self.includes.open.pop();
        self.findings.extend(parsing);
        model.flatten()
    }

    fn only_model(&mut self, root: Element<'_>, resources: &Resources) -> Option<ModelText> {
        if root.name() != "sdf" {
            let text = format!("the included file holds <{}>; only SDF can be included", root.name());
            root.error(&mut self.findings, "include", "", text);
            return None;
        }
        let version = Version::of(root, &mut self.findings)?;
        let document = Document { version, resources };
        report_contradictions(root, &mut self.findings);
        let mut model = None;
        for child in root.children() {
            match child.name() {
                "model" if model.is_none() => model = Some(child),
                "model" => {
                    let text = "an included file holds one <model>; this further one is left out";
                    child.error(&mut self.findings, "include", "", text);
                }
                "light" | "actor" => self.left_out(child, format!("<{}>", child.name()), "it moves no robot"),
                _ => self.unknown(child, "sdf"),
            }
        }
        let Some(model) = model else {
            root.error(&mut self.findings, "include", "", "the included file holds no <model>");
            return None;
        };
        self.model(model, document)
    }
}

/// Paths that resolve to the same file have the same identity.
fn identity(file: &Path) -> PathBuf {
    file.canonicalize().unwrap_or_else(|_| std::path::absolute(file).unwrap_or_else(|_| file.to_path_buf()))
}

/// Moves the parts of `part` into `whole`. Parts placed in the part's model frame are now placed in a frame named
/// `_merged__NAME__model__`, as the specification of merged includes (SDF 1.9) requires.
pub(super) fn merge_into(whole: &mut ModelText, part: ModelText) {
    let proxy = format!("_merged__{}__model__", part.name);
    let is_model_frame = |name: &Option<String>| name.as_deref().is_none_or(|n| n == "__model__");
    let rename = |name: &mut Option<String>| {
        if name.as_deref() == Some("__model__") {
            *name = Some(proxy.clone());
        }
    };
    // Defaults that were the model frame; a joint's default is its child and does not change.
    let default_to_proxy = |pose: &mut PoseText| {
        if is_model_frame(&pose.relative_to) {
            pose.relative_to = Some(proxy.clone());
        }
    };
    let sensors = |list: &mut [SensorText]| list.iter_mut().for_each(|s| rename(&mut s.pose.relative_to));

    let canonical = part.canonical_link.clone().or_else(|| part.links.first().map(|l| l.name.clone()));
    whole.frames.push(FrameText {
        name: proxy.clone(),
        source: part.source.clone(),
        pose: PoseText {
            // Written explicitly: the default of a frame attached to a link would be that link.
            relative_to: part.pose.relative_to.clone().or_else(|| Some("__model__".to_string())),
            ..part.pose.clone()
        },
        attached_to: canonical,
        placement_frame: part.placement_frame.clone(),
    });
    for mut link in part.links {
        default_to_proxy(&mut link.pose);
        link.shapes.iter_mut().for_each(|s| rename(&mut s.pose.relative_to));
        sensors(&mut link.sensors);
        whole.links.push(link);
    }
    for mut frame in part.frames {
        rename(&mut frame.attached_to);
        rename(&mut frame.pose.relative_to);
        if frame.attached_to.is_none() {
            frame.attached_to = Some(proxy.clone());
        }
        whole.frames.push(frame);
    }
    for mut model in part.models {
        default_to_proxy(&mut model.pose);
        whole.models.push(model);
    }
    for mut joint in part.joints {
        let JointText { parent, child, pose, axes, .. } = &mut joint;
        for end in [parent, child] {
            if end == "__model__" {
                end.clone_from(&proxy);
            }
        }
        rename(&mut pose.relative_to);
        axes.iter_mut().for_each(|a| rename(&mut a.expressed_in));
        sensors(&mut joint.sensors);
        whole.joints.push(joint);
    }
    whole.settings.extend(part.settings);
}
