//! XML with source positions and limits, shared by URDF, SDF and MJCF.
//!
//! roxmltree does the parsing. Documents with a DTD are rejected (entity bombs need one), as are documents nested
//! deeper than [`MAX_DEPTH`] or with more than [`MAX_NODES`] nodes: importers can therefore recurse over elements
//! safely.

use crate::finding::{Findings, Severity, Source};
use crate::geometry::Vec3;
use roxmltree as rx;
use std::sync::Arc;

/// Maximum nesting depth; robots need one or two levels for each link of the longest chain.
pub const MAX_DEPTH: usize = 512;
/// Maximum number of nodes: about a gigabyte of memory in the worst case.
pub const MAX_NODES: u32 = 5_000_000;
/// Maximum number of attributes in one element: the parser compares each with all previous ones.
pub const MAX_ATTRIBUTES: usize = 256;
/// Maximum file size [bytes].
pub const MAX_BYTES: usize = 256 << 20;

/// An element and its file.
#[derive(Clone, Copy)]
pub struct Element<'a> {
    node: rx::Node<'a, 'a>,
    text: &'a Text,
}

/// The name of a document and the offsets of its lines: counting lines from the top for each lookup would take
/// quadratic time in files with many elements.
struct Text {
    file: Arc<str>,
    line_starts: Vec<usize>,
    /// Blank lines before the parsed text.
    lines_before: usize,
}

/// Parses `bytes` and calls `read` with the root element; `None` if the document could not be parsed.
pub fn with_document<T>(
    bytes: &[u8],
    file: &Arc<str>,
    findings: &mut Findings,
    read: impl FnOnce(Element<'_>, &mut Findings) -> T,
) -> Option<T> {
    let fail = |findings: &mut Findings, line: u32, text: String| {
        findings.add(Severity::Error, "xml", Some(Source { file: file.clone(), line }), "", text);
    };
    if bytes.len() > MAX_BYTES {
        fail(findings, 0, format!("is larger than {} MiB; no robot description is", MAX_BYTES >> 20));
        return None;
    }
    let text = match std::str::from_utf8(bytes) {
        Ok(text) => text.strip_prefix('\u{feff}').unwrap_or(text),
        Err(e) => {
            let line = 1 + bytes[..e.valid_up_to()].iter().filter(|b| **b == b'\n').count() as u32;
            fail(findings, line, "is not UTF-8 text; save it as UTF-8".into());
            return None;
        }
    };
    // Programs that write a C string with its terminator leave a zero byte, which other readers ignore.
    let text = text.trim_end_matches(['\0', ' ', '\t', '\r', '\n']);
    if text.trim().is_empty() {
        fail(findings, 0, "is empty; expected a URDF, SDF or MJCF document".into());
        return None;
    }
    let (text, lines_before) = without_blank_start(text, file, findings);
    if let Err((line, what)) = scan_limits(text) {
        fail(findings, line + lines_before as u32, what);
        return None;
    }
    let mut declared = None;
    let document = match document_of(text) {
        Err(rx::Error::UnknownNamespace(..)) => {
            let text = declared.insert(with_prefixes_declared(text, file, findings));
            document_of(text)
        }
        parsed => parsed,
    };
    match document {
        Ok(document) => {
            let text = document.input_text();
            let line_starts = std::iter::once(0).chain(text.match_indices('\n').map(|(i, _)| i + 1)).collect();
            // The name and the lines must live as long as the document: all are dropped at the end of this call.
            let text = Text { file: file.clone(), line_starts, lines_before };
            let root = Element { node: document.root_element(), text: &text };
            Some(read(root, findings))
        }
        Err(e) => {
            let hint = match e {
                rx::Error::DtdDetected => "; remove the <!DOCTYPE …>: document type definitions are not read",
                rx::Error::NodesLimitReached => "; the document is too large",
                _ => "",
            };
            fail(findings, e.pos().row + lines_before as u32, format!("is not well-formed XML: {e}{hint}"));
            None
        }
    }
}

fn document_of(text: &str) -> Result<rx::Document<'_>, rx::Error> {
    let options = rx::ParsingOptions { allow_dtd: false, nodes_limit: MAX_NODES, ..Default::default() };
    rx::Document::parse_with_options(text, options)
}

/// Maximum number of undeclared prefixes to declare; each costs a pass over the text.
const MAX_PREFIXES: usize = 16;

/// The text with a declaration in its root element for every undeclared prefix (`<sensor:camera>`, left by tools that
/// strip declarations); each is reported. Line numbers do not change.
fn with_prefixes_declared(text: &str, file: &Arc<str>, findings: &mut Findings) -> String {
    let mut declared = text.to_string();
    let mut prefixes: Vec<String> = Vec::new();
    while prefixes.len() < MAX_PREFIXES {
        let prefix = match document_of(&declared) {
            Err(rx::Error::UnknownNamespace(prefix, _)) if !prefixes.contains(&prefix) => prefix,
            _ => break,
        };
        let Some(at) = end_of_root_name(&declared) else { break };
        declared.insert_str(at, &format!(" xmlns:{prefix}=\"undeclared:{prefix}\""));
        prefixes.push(prefix);
    }
    if let Some(first) = prefixes.first() {
        let list: Vec<String> = prefixes.iter().map(|p| format!("'{p}:'")).collect();
        let what = format!(
            "uses {} without declaring it, which strict readers refuse; add xmlns:{first}=\"…\" to the root element",
            list.join(", ")
        );
        findings.add(Severity::Warning, "xml", Some(Source { file: file.clone(), line: 0 }), "", what);
    }
    declared
}

/// Offset of the end of the root element's name.
fn end_of_root_name(text: &str) -> Option<usize> {
    let mut at = 0;
    loop {
        at += text[at..].find('<')?;
        let rest = &text[at..];
        at += match rest.as_bytes().get(1)? {
            b'?' => rest.find("?>")? + 2,
            b'!' => rest.find("-->")? + 3,
            _ => return rest.find(|c: char| c.is_whitespace() || c == '>' || c == '/').map(|n| at + n),
        };
    }
}

/// Parses text under the limits for XML files, for readers of other formats; on failure, returns the line and the
/// problem.
pub fn parse(text: &str) -> Result<rx::Document<'_>, (u32, String)> {
    scan_limits(text)?;
    document_of(text).map_err(|e| (e.pos().row, e.to_string()))
}

/// Skips blank lines before `<?xml`, which are not valid XML but occur in files; reports them and returns their number.
fn without_blank_start<'a>(text: &'a str, file: &Arc<str>, findings: &mut Findings) -> (&'a str, usize) {
    let start = text.trim_start();
    if start.len() == text.len() || !start.starts_with("<?xml") {
        return (text, 0);
    }
    let what = "begins with white space before <?xml, which strict readers refuse; remove it";
    findings.add(Severity::Warning, "xml", Some(Source { file: file.clone(), line: 1 }), "", what);
    (start, text[..text.len() - start.len()].matches('\n').count())
}

/// Checks nesting depth and attribute counts without recursion, before parsing.
fn scan_limits(text: &str) -> Result<(), (u32, String)> {
    let bytes = text.as_bytes();
    let (mut i, mut depth, mut line) = (0, 0usize, 1u32);
    let skip_to = |from: usize, end: &str| text[from..].find(end).map_or(bytes.len(), |n| from + n + end.len());
    while i < bytes.len() {
        if bytes[i] != b'<' {
            line += u32::from(bytes[i] == b'\n');
            i += 1;
            continue;
        }
        let start = i;
        let rest = &bytes[i..];
        if rest.starts_with(b"<!--") {
            i = skip_to(i, "-->");
        } else if rest.starts_with(b"<![CDATA[") {
            i = skip_to(i, "]]>");
        } else if rest.starts_with(b"<?") {
            i = skip_to(i, "?>");
        } else {
            // A tag: '>' inside a quoted attribute value does not end it.
            let (mut quote, mut values) = (None, 0);
            i += 1;
            while i < bytes.len() {
                match (quote, bytes[i]) {
                    (None, b'>') => break,
                    (None, q @ (b'"' | b'\'')) => {
                        quote = Some(q);
                        values += 1;
                        if values > MAX_ATTRIBUTES {
                            return Err((line, format!("an element has more than {MAX_ATTRIBUTES} attributes")));
                        }
                    }
                    (Some(q), b) if b == q => quote = None,
                    _ => {}
                }
                i += 1;
            }
            let closing = rest.starts_with(b"</");
            let empty = i > 0 && bytes.get(i - 1) == Some(&b'/');
            i = (i + 1).min(bytes.len());
            if closing {
                depth = depth.saturating_sub(1);
            } else if !empty && !rest.starts_with(b"<!") {
                depth += 1;
                if depth > MAX_DEPTH {
                    return Err((line, format!("elements are nested deeper than {MAX_DEPTH}; no robot is")));
                }
            }
        }
        line += bytes[start..i].iter().filter(|b| **b == b'\n').count() as u32;
    }
    Ok(())
}

impl<'a> Element<'a> {
    /// The tag as written, with its prefix: `<drake:joint>` is an extension, not a `<joint>`.
    pub fn name(&self) -> &'a str {
        if self.node.tag_name().namespace().is_none() {
            return self.node.tag_name().name();
        }
        let tag = &self.raw()[1..];
        &tag[..tag.find(|c: char| c.is_whitespace() || c == '>' || c == '/').unwrap_or(tag.len())]
    }

    /// Its position in the file.
    pub fn source(&self) -> Source {
        let line = self.text.line_starts.partition_point(|start| *start <= self.node.range().start);
        Source { file: self.text.file.clone(), line: (line + self.text.lines_before) as u32 }
    }

    /// An attribute, verbatim.
    pub fn attribute(&self, name: &str) -> Option<&'a str> {
        self.node.attribute(name)
    }

    /// All attributes in order.
    pub fn attributes(&self) -> impl Iterator<Item = (&'a str, &'a str)> {
        self.node.attributes().map(|a| (a.name(), a.value()))
    }

    /// Child elements in order.
    pub fn children(&self) -> impl Iterator<Item = Element<'a>> + use<'a> {
        let text = self.text;
        self.node.children().filter(|n| n.is_element()).map(move |node| Element { node, text })
    }

    /// Child elements with this tag.
    pub fn children_named<'n>(&self, name: &'n str) -> impl Iterator<Item = Element<'a>> + use<'a, 'n> {
        self.children().filter(move |e| e.name() == name)
    }

    /// The first child element with this tag.
    pub fn child(&self, name: &str) -> Option<Element<'a>> {
        self.children().find(|e| e.name() == name)
    }

    /// The text inside, trimmed.
    pub fn text(&self) -> &'a str {
        self.node.text().unwrap_or("").trim()
    }

    /// The source text of the element, tags included: for contents kept verbatim.
    pub fn raw(&self) -> &'a str {
        &self.node.document().input_text()[self.node.range()]
    }

    /// Reports that something in this element is not supported.
    pub fn unsupported(&self, findings: &mut Findings, subject: &str, what: &str, hint: &str) {
        let text = format!("{what} is not supported and was left out; {hint}");
        findings.add(Severity::Warning, "unsupported", Some(self.source()), subject, text);
    }

    /// Reports an error at this element.
    pub fn error(&self, findings: &mut Findings, code: &'static str, subject: &str, text: impl Into<String>) {
        findings.add(Severity::Error, code, Some(self.source()), subject, text);
    }

    /// Reports a warning at this element.
    pub fn warning(&self, findings: &mut Findings, code: &'static str, subject: &str, text: impl Into<String>) {
        findings.add(Severity::Warning, code, Some(self.source()), subject, text);
    }

    /// A number in an attribute. `None` if missing; an error and `None` if not a number.
    pub fn number(&self, name: &str, findings: &mut Findings) -> Option<f64> {
        let text = self.attribute(name)?;
        self.parse_number(text, name, findings)
    }

    /// Exactly `N` numbers in an attribute. `None` if missing; an error and `None` for anything else.
    pub fn numbers<const N: usize>(&self, name: &str, findings: &mut Findings) -> Option<[f64; N]> {
        let list = self.number_list(name, findings)?;
        self.exactly(list, name, findings)
    }

    /// Three numbers in an attribute, as a vector.
    pub fn vector(&self, name: &str, findings: &mut Findings) -> Option<Vec3> {
        self.numbers::<3>(name, findings).map(Vec3::from)
    }

    /// Any number of numbers in an attribute.
    pub fn number_list(&self, name: &str, findings: &mut Findings) -> Option<Vec<f64>> {
        let text = self.attribute(name)?;
        self.parse_list(text, name, findings)
    }

    /// The element's text as one number.
    pub fn text_number(&self, findings: &mut Findings) -> Option<f64> {
        self.parse_number(self.text(), self.name(), findings)
    }

    /// The element's text as exactly `N` numbers.
    pub fn text_numbers<const N: usize>(&self, findings: &mut Findings) -> Option<[f64; N]> {
        let list = self.parse_list(self.text(), self.name(), findings)?;
        self.exactly(list, self.name(), findings)
    }

    fn parse_number(&self, text: &str, name: &str, findings: &mut Findings) -> Option<f64> {
        match text.trim().parse::<f64>() {
            Ok(x) if !x.is_nan() => Some(x),
            _ => {
                let shown: String = text.chars().take(40).collect();
                self.error(findings, "number", name, format!("'{name}' is '{shown}'; expected a number"));
                None
            }
        }
    }

    fn parse_list(&self, text: &str, name: &str, findings: &mut Findings) -> Option<Vec<f64>> {
        text.split_whitespace().map(|word| self.parse_number(word, name, findings)).collect()
    }

    fn exactly<const N: usize>(&self, list: Vec<f64>, name: &str, findings: &mut Findings) -> Option<[f64; N]> {
        let count = list.len();
        list.try_into().ok().or_else(|| {
            self.error(findings, "number", name, format!("'{name}' has {count} numbers; expected {N}"));
            None
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Findings {
        let mut findings = Findings::new();
        with_document(text.as_bytes(), &"x.urdf".into(), &mut findings, |_, _| ());
        findings
    }

    #[test]
    fn an_entity_bomb_is_refused_by_name() {
        let bomb = "<!DOCTYPE l [<!ENTITY a \"ha\"><!ENTITY b \"&a;&a;\">]><robot>&b;</robot>";
        let findings = parse(bomb);
        assert!(findings.has_errors() && findings.to_string().contains("DOCTYPE"), "{findings}");
    }

    #[test]
    fn a_million_nested_elements_are_refused_with_a_line() {
        let text = "<a>\n".repeat(1_000_000);
        let findings = parse(&text);
        assert_eq!(findings.iter().next().unwrap().source.as_ref().unwrap().line, MAX_DEPTH as u32 + 1);
    }

    #[test]
    fn blank_lines_before_and_a_zero_byte_after_are_passed_over() {
        let mut findings = Findings::new();
        let read = with_document(
            b"\n\n<?xml version='1.0'?>\n<robot/>\r\n\0",
            &"a.urdf".into(),
            &mut findings,
            |root, _| root.source().line,
        );
        assert_eq!(read, Some(4));
        assert_eq!((findings.len(), findings.worst()), (1, Some(Severity::Warning)));
        let broken = parse("\n\n<?xml version='1.0'?>\n<robot></r>");
        assert_eq!(broken.iter().last().unwrap().source.as_ref().unwrap().line, 4);
    }

    #[test]
    fn an_undeclared_prefix_is_a_warning_and_stays_part_of_the_name() {
        let mut findings = Findings::new();
        let text =
            "<?xml version='1.0'?>\n<!-- <a> -->\n<robot\n name='r'>\n<sensor:camera/><drake:joint x='1'/></robot>";
        let names = with_document(text.as_bytes(), &"a.urdf".into(), &mut findings, |root, _| {
            let children: Vec<(String, u32)> =
                root.children().map(|c| (c.name().to_string(), c.source().line)).collect();
            children
        });
        assert_eq!(names, Some(vec![("sensor:camera".to_string(), 5), ("drake:joint".to_string(), 5)]));
        assert_eq!(findings.worst(), Some(Severity::Warning));
        assert!(findings.to_string().contains("'sensor:', 'drake:'"), "{findings}");
    }

    #[test]
    fn a_hundred_thousand_attributes_are_refused_with_a_line() {
        let text = format!("<a>\n<b {}/></a>", "x='1' ".repeat(100_000));
        let findings = parse(&text);
        let first = findings.iter().next().unwrap();
        assert!(first.source.as_ref().unwrap().line == 2 && first.text.contains("attributes"), "{findings}");
    }

    #[test]
    fn positions_are_those_of_the_file() {
        let mut findings = Findings::new();
        with_document(b"<robot>\n\n  <link mass='x'/>\n</robot>", &"a.urdf".into(), &mut findings, |root, f| {
            assert_eq!(root.child("link").unwrap().number("mass", f), None);
        });
        assert_eq!(findings.to_string(), "a.urdf:3: error[number]: 'mass' is 'x'; expected a number\n");
    }
}
