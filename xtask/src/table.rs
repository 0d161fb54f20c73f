//! Tables for the terminal and for Markdown pages.

/// Rows with a heading; every row has as many cells as the heading.
pub struct Table {
    heading: Vec<String>,
    rows: Vec<Vec<String>>,
}

impl Table {
    /// An empty table.
    pub fn new(heading: &[&str]) -> Self {
        Self { heading: heading.iter().map(|cell| (*cell).to_owned()).collect(), rows: Vec::new() }
    }

    /// Adds a row.
    pub fn row<const N: usize>(&mut self, cells: [String; N]) {
        assert_eq!(N, self.heading.len(), "a row has as many cells as the heading");
        self.rows.push(cells.into());
    }

    /// For the terminal: the first column flush left, the others flush right.
    pub fn text(&self) -> String {
        let width = |column: usize| self.lines().map(|line| line[column].chars().count()).max().unwrap_or(0);
        let widths: Vec<usize> = (0..self.heading.len()).map(width).collect();
        let mut text = String::new();
        for line in self.lines() {
            let cells: Vec<String> = line
                .iter()
                .zip(&widths)
                .enumerate()
                .map(
                    |(column, (cell, &width))| {
                        if column == 0 { format!("{cell:<width$}") } else { format!("{cell:>width$}") }
                    },
                )
                .collect();
            text.push_str(cells.join("  ").trim_end());
            text.push('\n');
        }
        text
    }

    /// For a Markdown page. A bar inside a cell is escaped, so that it does not start a column.
    pub fn markdown(&self) -> String {
        let line = |cells: &[String]| {
            let cells: Vec<String> = cells.iter().map(|cell| cell.replace('|', "\\|")).collect();
            format!("| {} |\n", cells.join(" | "))
        };
        let mut text = line(&self.heading);
        text.push_str(&format!("|{}\n", "---|".repeat(self.heading.len())));
        self.rows.iter().for_each(|row| text.push_str(&line(row)));
        text
    }

    fn lines(&self) -> impl Iterator<Item = &Vec<String>> {
        std::iter::once(&self.heading).chain(&self.rows)
    }
}

/// The cells of one line of a Markdown table; `None` when the line is not one.
pub fn markdown_cells(line: &str) -> Option<Vec<String>> {
    let inner = line.trim().strip_prefix('|')?.strip_suffix('|')?;
    // Escaped bars are replaced by NUL while the line is split into cells.
    let escaped = inner.replace("\\|", "\0");
    Some(escaped.split('|').map(|cell| cell.trim().replace('\0', "|")).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_aligns_and_markdown_reads_back() {
        let mut table = Table::new(&["model", "steps/s"]);
        table.row(["chain".into(), "83000".into()]);
        assert_eq!(table.text(), "model  steps/s\nchain    83000\n");
        let page = table.markdown();
        let last = page.lines().last().unwrap();
        assert_eq!(markdown_cells(last), Some(vec!["chain".into(), "83000".into()]));
    }
}
