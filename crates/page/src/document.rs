//! The page around a body.

use crate::escape;

/// Colours and fonts of the report: the file that `web/` builds the report from.
const TOKENS: &str = include_str!("../../../web/src/styles/tokens.css");
/// Layout of static pages.
const STYLE: &str = include_str!("page.css");
/// The page loads nothing and runs nothing.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";

/// One self-contained HTML page. `body` is markup: text in it goes through [`escape`].
///
/// Colours follow the system; a check box at the top right changes them without a script.
pub fn document(title: &str, body: &str) -> String {
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY}\">\n\
         <title>{}</title>\n<link rel=\"icon\" href=\"data:,\">\n<style>\n{TOKENS}{STYLE}</style>\n</head>\n<body>\n\
         <label class=\"theme\"><input type=\"checkbox\" id=\"other-theme\"> other colours</label>\n\
         <main>\n{body}\n</main>\n</body>\n</html>\n",
        escape(title)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn page_is_self_contained_and_its_title_is_text() {
        let page = document("</title><script>", "<p>text</p>");
        assert!(page.contains("<title>&lt;/title&gt;&lt;script&gt;</title>"));
        assert!(!page.contains("http:") && !page.contains("https:") && !page.contains("<script"));
        for variable in ["--paper", "--spec-5", "--rule", "--bad"] {
            assert!(page.contains(&format!("{variable}: light-dark(")), "tokens.css has no {variable}");
        }
    }
}
