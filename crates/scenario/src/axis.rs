//! The varied numbers of a study and their names.

/// A number that a study varies.
#[derive(Clone, Debug, PartialEq)]
pub struct VariedNumber {
    /// Its path.
    pub path: String,
    /// Paths of other numbers that take the same value.
    pub also: Vec<String>,
    /// Short name, unique in the study.
    pub name: String,
    /// Whether its values are drawn from a distribution.
    pub sampled: bool,
    /// Where verdicts differ between neighbouring values, the boundary of acceptance is located to this width.
    pub boundary: Option<f64>,
}

/// Names for paths: the last part, with as many before it as are needed to tell it from the others. A part of one or two
/// characters (`z`, `0`) says nothing alone. A name that is given is kept.
pub fn short_names(paths: &[(&str, Option<&str>)]) -> Vec<String> {
    let parts: Vec<Vec<&str>> = paths.iter().map(|(path, _)| path.split('/').collect()).collect();
    let mut lengths = vec![1usize; paths.len()];
    loop {
        let name = |i: usize| match paths[i].1 {
            Some(given) => given.to_string(),
            None => parts[i][parts[i].len().saturating_sub(lengths[i])..].join("/"),
        };
        let names: Vec<String> = (0..paths.len()).map(name).collect();
        let vague = |i: &usize| {
            let shared = names.iter().enumerate().any(|(j, other)| j != *i && *other == names[*i]);
            (names[*i].chars().count() <= 2 || shared) && paths[*i].1.is_none() && lengths[*i] < parts[*i].len()
        };
        let longer: Vec<usize> = (0..paths.len()).filter(vague).collect();
        if longer.is_empty() {
            return names;
        }
        longer.into_iter().for_each(|i| lengths[i] += 1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_as_short_as_they_can_be_told_apart() {
        let names = short_names(&[
            ("world/arm/bodies/block/friction", None),
            ("world/arm/bodies/finger/friction", None),
            ("world/gravity/z", None),
            ("world/arm/bodies/block/mass", Some("load")),
        ]);
        assert_eq!(names, ["block/friction", "finger/friction", "gravity/z", "load"]);
        assert_eq!(short_names(&[("duration_s", None)]), ["duration_s"]);
    }
}
