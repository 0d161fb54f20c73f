//! Embeds the data in the page.

use crate::ReportError;
use crate::data::ReportData;
use crate::escape;

/// The page as `cargo xtask web --write` built it from `web/`: script and styles inside, with two markers for title and
/// data.
const PAGE: &str = include_str!("../bundle/report.html");
const TITLE_MARKER: &str = "@@VERACITY_TITLE@@";
const DATA_MARKER: &str = "@@VERACITY_DATA@@";

/// One self-contained HTML file: no server, no network, no other file.
///
/// Fails when the data are inconsistent, e.g. when a curve refers to a missing trial. The same data give the same
/// bytes.
pub fn render(data: &ReportData) -> Result<String, ReportError> {
    data.check()?;
    let json = escape::json_in_script(&serde_json::to_string(data)?);
    let title = escape::html(&data.title);
    let mut page = String::with_capacity(PAGE.len() + json.len() + title.len());
    // One pass from the front, so that a marker inside the data stays data.
    let mut rest = PAGE;
    for (marker, text) in [(TITLE_MARKER, &title), (DATA_MARKER, &json)] {
        // A page without its marker is a broken bundle; the tests below check that the committed one has both.
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

    #[test]
    fn bundle_has_each_marker_once_title_first() {
        assert_eq!(PAGE.matches(TITLE_MARKER).count(), 1);
        assert_eq!(PAGE.matches(DATA_MARKER).count(), 1);
        assert!(PAGE.find(TITLE_MARKER) < PAGE.find(DATA_MARKER));
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
        let evil = "</script><script>alert(1)</script><!-- @@VERACITY_DATA@@ \u{2028}";
        let mut data = ReportData::new(evil);
        data.outcome.summary = evil.into();
        let page = render(&data).unwrap();
        assert!(!page.contains("<script>alert"), "the title opened a script");
        let quiet = render(&ReportData::new("t")).unwrap();
        for tag in ["<script", "</script", "<!--"] {
            assert_eq!(page.matches(tag).count(), quiet.matches(tag).count(), "`{tag}` was added by the data");
        }
        let data_block = page.split_once("id=\"report-data\">").unwrap().1.split_once("</script>").unwrap().0;
        assert_eq!(serde_json::from_str::<ReportData>(data_block).unwrap(), data);
    }
}
