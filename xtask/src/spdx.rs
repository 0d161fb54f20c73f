//! Licence expressions as in `Cargo.toml`: `(MIT OR Apache-2.0) AND Unicode-3.0`.

/// Whether the expression can be satisfied with allowed licences only. An expression that cannot be parsed is not allowed.
///
/// The grammar is SPDX's without `+`, with the old `MIT/Apache-2.0` read as `OR`; `AND` binds tighter than `OR`, and
/// `X WITH exception` must be allowed as a whole.
pub fn allows(expression: &str, allowed: &[&str]) -> bool {
    let spaced = expression.replace('(', " ( ").replace(')', " ) ").replace('/', " OR ");
    let words: Vec<&str> = spaced.split_whitespace().collect();
    let mut reader = Reader { words: &words, allowed };
    reader.either() == Some(true) && reader.words.is_empty()
}

struct Reader<'a> {
    words: &'a [&'a str],
    allowed: &'a [&'a str],
}

impl Reader<'_> {
    fn either(&mut self) -> Option<bool> {
        let mut met = self.both()?;
        while self.take("OR") {
            met |= self.both()?;
        }
        Some(met)
    }

    fn both(&mut self) -> Option<bool> {
        let mut met = self.one()?;
        while self.take("AND") {
            met &= self.one()?;
        }
        Some(met)
    }

    fn one(&mut self) -> Option<bool> {
        if self.take("(") {
            let met = self.either()?;
            return self.take(")").then_some(met);
        }
        let (name, rest) = self.words.split_first()?;
        self.words = rest;
        if ["OR", "AND", "WITH", ")"].contains(name) {
            return None;
        }
        if !self.take("WITH") {
            return Some(self.allowed.contains(name));
        }
        let (exception, rest) = self.words.split_first()?;
        self.words = rest;
        Some(self.allowed.contains(&format!("{name} WITH {exception}").as_str()))
    }

    fn take(&mut self, word: &str) -> bool {
        let found = self.words.first() == Some(&word);
        if found {
            self.words = &self.words[1..];
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expressions_are_evaluated() {
        let allowed = ["MIT", "Apache-2.0", "Unicode-3.0", "Apache-2.0 WITH LLVM-exception"];
        for good in [
            "MIT",
            "MIT/Apache-2.0",
            "MIT OR LGPL-2.1-or-later",
            "(GPL-3.0 OR Apache-2.0) AND Unicode-3.0",
            "Apache-2.0 WITH LLVM-exception",
            "GPL-3.0 AND Zlib OR MIT",
        ] {
            assert!(allows(good, &allowed), "{good}");
        }
        for bad in [
            "GPL-3.0",
            "MIT AND GPL-3.0",
            "MIT AND (GPL-3.0 OR Zlib)",
            "MIT WITH LLVM-exception",
            "",
            "MIT OR",
            "(MIT",
            "MIT Apache-2.0",
        ] {
            assert!(!allows(bad, &allowed), "{bad}");
        }
    }
}
