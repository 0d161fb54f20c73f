//! The wording check: phrasings that make a reader stop, each with the plain words to use instead.
//!
//! The comparison is literal and line by line, so a phrase that is broken over two lines is not found. The glossary of
//! ARCHITECTURE.md says which word has which meaning; the list here is only for phrasings, and is meant to stay short.

use crate::process;
use crate::workspace::Workspace;
use anyhow::{Context, Result, bail};
use std::process::Command;

/// The files that are checked.
const PATTERNS: [&str; 4] = ["*.rs", "*.md", "*.ts", "*.py"];

/// Quotes the phrases.
const THIS_FILE: &str = "xtask/src/words.rs";

/// A phrasing and what to write instead. Both are plain text: no patterns.
#[derive(Debug, PartialEq)]
struct Phrase {
    /// In lower case; a capital first letter is found as well. Matches whole words only.
    banned: &'static str,
    instead: &'static str,
}

const PHRASES: &[Phrase] = &[
    Phrase { banned: "as it should be", instead: "as expected" },
    Phrase { banned: "as they should be", instead: "as expected" },
    Phrase { banned: "is none:", instead: "is invalid:" },
    Phrase { banned: "that are none", instead: "invalid; for numbers: NaN or infinity" },
    Phrase { banned: "was not taken", instead: "was rejected" },
    Phrase { banned: "were not taken", instead: "were rejected" },
    Phrase { banned: "no such thing here", instead: "not supported" },
    Phrase { banned: "is no engine spec", instead: "invalid engine spec" },
    Phrase { banned: "on errands", instead: "in a yield handoff" },
    Phrase { banned: "errand", instead: "task; in tempo: yield handoff" },
    Phrase { banned: "1 trials", instead: "1 trial" },
    Phrase { banned: "about under", instead: "under" },
    Phrase { banned: "who solves", instead: "solver" },
    Phrase { banned: "who may touch whom", instead: "collision filter" },
    Phrase { banned: "xtask engines` brings", instead: "run `cargo xtask engines` to build" },
    Phrase { banned: "what came of it", instead: "the result" },
    Phrase { banned: "unless said", instead: "by default" },
    Phrase { banned: "unless told otherwise", instead: "by default" },
    Phrase { banned: "which is no", instead: "which is not a" },
    Phrase { banned: "has not one", instead: "does not have exactly one" },
    Phrase { banned: "the same command goes on", instead: "run the same command to continue" },
    Phrase { banned: "no model came out", instead: "no model could be read" },
    Phrase { banned: "ran nobody", instead: "preempted the core" },
    Phrase { banned: "ranks nobody", instead: "does not affect the ranking" },
    Phrase { banned: "without a word", instead: "silently" },
    Phrase { banned: "told apart", instead: "distinguished" },
    Phrase { banned: "cannot be told", instead: "cannot be decided" },
    Phrase { banned: "what became of", instead: "the result of" },
    Phrase { banned: "stands beside", instead: "is shown next to" },
    Phrase { banned: "that are no numbers", instead: "contain NaN or infinity" },
];

/// Reads every text file git knows; fails with `file:line` and the replacement of every banned phrase.
pub fn check(workspace: &Workspace) -> Result<String> {
    let root = &workspace.root;
    let mut git = Command::new("git");
    git.args(["ls-files", "--cached", "--others", "--exclude-standard"]).args(PATTERNS).current_dir(root);
    let (mut files, mut found) = (0, Vec::new());
    for file in process::output_of(&mut git)?.lines() {
        let path = root.join(file);
        // A file that was moved is listed under its old name until the move is committed.
        if file == THIS_FILE || !path.is_file() {
            continue;
        }
        let text = std::fs::read_to_string(&path).with_context(|| format!("cannot read {file}"))?;
        files += 1;
        for (line, phrase) in phrases_in(&text) {
            found.push(format!("{file}:{line}: \"{}\"; write \"{}\"", phrase.banned, phrase.instead));
        }
    }
    if !found.is_empty() {
        bail!("{} banned phrase(s), listed in {THIS_FILE}:\n{}", found.len(), found.join("\n"));
    }
    Ok(format!("{files} files, none of {} banned phrases", PHRASES.len()))
}

/// Line and phrase of every match.
fn phrases_in(text: &str) -> Vec<(usize, &'static Phrase)> {
    let mut found = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let matches = |phrase: &&Phrase| contains(line, phrase.banned) || contains(line, &capitalised(phrase.banned));
        found.extend(PHRASES.iter().filter(matches).map(|phrase| (index + 1, phrase)));
    }
    found
}

/// Whether the phrase occurs with no letter or digit directly before or after it: `11 trials` does not hold `1 trials`.
fn contains(line: &str, phrase: &str) -> bool {
    line.match_indices(phrase).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        let after = line[at + phrase.len()..].chars().next();
        !before.is_some_and(char::is_alphanumeric) && !after.is_some_and(char::is_alphanumeric)
    })
}

fn capitalised(phrase: &str) -> String {
    let mut letters = phrase.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn banned_in(text: &str) -> Vec<(usize, &'static str)> {
        phrases_in(text).into_iter().map(|(line, phrase)| (line, phrase.banned)).collect()
    }

    #[test]
    fn a_banned_phrase_is_found_with_its_line() {
        let text = "// All well.\n// The snapshot was not taken: wrong size.\n// As it should be.\n";
        assert_eq!(banned_in(text), [(2, "was not taken"), (3, "as it should be")]);
    }

    #[test]
    fn only_whole_words_match() {
        assert_eq!(banned_in("1 trials, 11 trials"), [(1, "1 trials")]);
        assert!(banned_in("11 trials, 21 trials, 1 trial").is_empty());
        assert!(banned_in("errands, an errant ray").is_empty());
    }

    #[test]
    fn python_none_is_not_a_phrase() {
        assert!(banned_in("if joint is None:").is_empty());
        assert_eq!(banned_in("a step of 0 s is none: it must be positive"), [(1, "is none:")]);
    }

    #[test]
    fn phrases_are_lower_case_and_their_replacements_are_not_banned() {
        for phrase in PHRASES {
            assert_eq!(phrase.banned, phrase.banned.to_lowercase());
            assert!(banned_in(phrase.instead).is_empty(), "{phrase:?}");
        }
        let mut banned: Vec<&str> = PHRASES.iter().map(|phrase| phrase.banned).collect();
        banned.sort_unstable();
        banned.dedup();
        assert_eq!(banned.len(), PHRASES.len());
    }
}
