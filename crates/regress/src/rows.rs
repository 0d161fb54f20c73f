//! Rows of numbers, grouped by run and in time order.

use crate::error::Error;
use std::ops::Range;

/// One trajectory: rows in time order, made with one value of every target.
#[derive(Clone, Debug, PartialEq)]
pub struct RunRows {
    /// Its name.
    pub name: String,
    /// The value of each target; empty for a recording.
    pub targets: Vec<f64>,
    /// Its rows in the table.
    pub rows: Range<usize>,
}

/// Rows of all runs, one after the other.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Rows {
    /// Names of the columns.
    pub names: Vec<String>,
    /// Row by row.
    pub values: Vec<f64>,
    /// The runs of the rows.
    pub runs: Vec<RunRows>,
}

impl Rows {
    /// An empty table with these columns.
    pub fn new(names: Vec<String>) -> Self {
        Self { names, ..Self::default() }
    }

    /// Numbers in a row.
    pub fn width(&self) -> usize {
        self.names.len()
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.runs.last().map_or(0, |run| run.rows.end)
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// One row.
    pub fn row(&self, k: usize) -> &[f64] {
        &self.values[k * self.width()..(k + 1) * self.width()]
    }

    /// Adds a run; `values` are its rows, concatenated.
    pub fn push(&mut self, name: &str, targets: &[f64], values: &[f64]) {
        debug_assert_eq!(values.len() % self.width(), 0);
        let first = self.len();
        self.values.extend_from_slice(values);
        let rows = first..first + values.len() / self.width();
        self.runs.push(RunRows { name: name.to_owned(), targets: targets.to_vec(), rows });
    }

    /// A target of every row.
    pub fn target(&self, which: usize) -> Vec<f64> {
        self.runs.iter().flat_map(|run| run.rows.clone().map(move |_| run.targets[which])).collect()
    }

    /// The run of every row.
    pub fn run_of_row(&self) -> Vec<u32> {
        self.runs.iter().enumerate().flat_map(|(k, run)| run.rows.clone().map(move |_| k as u32)).collect()
    }
}

/// Reads a table of `names.len()` columns separated by blanks, commas or tabs; `#` begins a comment.
pub fn parse(file: &str, text: &str, names: &[String]) -> Result<Vec<f64>, Error> {
    let mut values = Vec::with_capacity(text.len() / 12);
    let wrong = |line: usize, what: String| Error::Line { file: file.to_owned(), line: line + 1, what };
    for (number, line) in text.lines().enumerate() {
        let content = line.split('#').next().unwrap_or("");
        let before = values.len();
        for word in content.split([' ', '\t', ',', ';']).filter(|word| !word.is_empty()) {
            let value: f64 = word
                .parse()
                .map_err(|_| wrong(number, format!("'{word}' is not a number; correct or remove the line")))?;
            if !value.is_finite() {
                return Err(wrong(number, format!("{word} is not a finite number; remove the line")));
            }
            values.push(value);
        }
        let found = values.len() - before;
        if found != 0 && found != names.len() {
            let what = format!(
                "{found} numbers where {} are expected, {} to {}; is the line truncated?",
                names.len(),
                names[0],
                names[names.len() - 1]
            );
            return Err(wrong(number, what));
        }
    }
    if values.is_empty() {
        return Err(wrong(0, "has no rows".to_owned()));
    }
    Ok(values)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bad_line_is_named() {
        let names: Vec<String> = ["a", "b"].map(String::from).into();
        assert_eq!(parse("f", "1 2\r\n\n3,4 # x\n", &names).unwrap(), [1.0, 2.0, 3.0, 4.0]);
        for (text, part) in
            [("1 2\n3\n", "f:2: 1 numbers"), ("1 x\n", "f:1: 'x'"), ("1 NaN\n", "f:1: NaN"), ("", "no rows")]
        {
            let error = parse("f", text, &names).unwrap_err().to_string();
            assert!(error.contains(part), "{error}");
        }
    }
}
