//! Embeds the data in the page.

use crate::ReportError;
use crate::data::ReportData;
use crate::escape;
use crate::index::{Index, packed};

/// The page as `cargo xtask web --write` built it from `web/`: script and styles inside, with markers for title, index and
/// scenarios.
const PAGE: &str = include_str!("../bundle/report.html");
const TITLE_MARKER: &str = "@@VERACITY_TITLE@@";
const INDEX_MARKER: &str = "@@VERACITY_INDEX@@";
/// After the script, so that the page is drawn before they are read.
const SCENARIOS_MARKER: &str = "@@VERACITY_SCENARIOS@@";

/// One self-contained HTML file: no server, no network, no other file.
///
/// Fails when the data are inconsistent, e.g. when a curve refers to a missing trial. The same data give the same
/// bytes.
pub fn render(data: &ReportData) -> Result<String, ReportError> {
    data.check()?;
    let title = veracity_page::escape(&data.title);
    let index = escape::json_in_script(&serde_json::to_string(&Index::new(data))?);
    let mut scenarios = String::new();
    for (place, scenario) in data.scenarios.iter().enumerate() {
        let text = packed(scenario)?;
        scenarios.push_str(&format!("<script type=\"text/plain\" id=\"scenario-data-{place}\">{text}</script>\n"));
    }
    let mut page = String::with_capacity(PAGE.len() + title.len() + index.len() + scenarios.len());
    // One pass from the front, so that a marker inside the data stays data.
    let mut rest = PAGE;
    for (marker, text) in [(TITLE_MARKER, &title), (INDEX_MARKER, &index), (SCENARIOS_MARKER, &scenarios)] {
        // A page without its marker is a broken bundle; the tests below check that the committed one has them.
        let (before, after) = rest.split_once(marker).unwrap_or((rest, ""));
        page.push_str(before);
        page.push_str(text);
        rest = after;
    }
    page.push_str(rest);
    Ok(page)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::scenario::Scenario;
    use std::io::Read;

    #[test]
    fn bundle_has_each_marker_once_in_order() {
        let places = [TITLE_MARKER, INDEX_MARKER, SCENARIOS_MARKER].map(|marker| {
            assert_eq!(PAGE.matches(marker).count(), 1, "{marker}");
            PAGE.find(marker)
        });
        assert!(places.is_sorted());
    }

    #[test]
    fn bundle_names_no_file_and_no_host_to_load_from() {
        for way in ["src=\"", "href=\"http", "@import", "url(http", "url(//"] {
            assert!(!PAGE.contains(way), "the bundle contains `{way}`");
        }
        assert!(PAGE.contains("default-src 'none'"), "the policy that forbids loading is gone");
    }

    #[test]
    fn title_and_names_with_markup_stay_text() {
        let evil = "</script><script>alert(1)</script><!-- @@VERACITY_INDEX@@ @@VERACITY_SCENARIOS@@ \u{2028}";
        let with = |name: &str| {
            let mut data = ReportData::new(name);
            data.outcome.summary = name.into();
            data.scenarios.push(Scenario::new(name, name, name));
            data
        };
        let data = with(evil);
        let page = render(&data).unwrap();
        assert!(!page.contains("<script>alert"), "the title opened a script");
        let quiet = render(&with("t")).unwrap();
        for tag in ["<script", "</script", "<!--"] {
            assert_eq!(page.matches(tag).count(), quiet.matches(tag).count(), "`{tag}` was added by the data");
        }
        let block = |id: &str| {
            let (_, rest) = page.split_once(&format!("id=\"{id}\">")).unwrap();
            rest.split_once("</script>").unwrap().0
        };
        let index: serde_json::Value = serde_json::from_str(block("report-index")).unwrap();
        assert_eq!((&index["title"], &index["headings"][0]["name"]), (&evil.into(), &evil.into()));
        let mut inflated = Vec::new();
        let packed = crate::base64::decode(block("scenario-data-0")).unwrap();
        flate2::read::DeflateDecoder::new(&packed[..]).read_to_end(&mut inflated).unwrap();
        assert_eq!(serde_json::from_slice::<Scenario>(&inflated).unwrap(), data.scenarios[0]);
    }
}
