//! Damage for valid documents.

#![allow(dead_code)]

use proptest::prelude::*;

/// One way to damage a document. Positions are fractions of its length, so that they remain valid after earlier damage.
#[derive(Clone, Debug)]
pub enum Mutation {
    /// Removes a range of bytes.
    Delete(f64, usize),
    /// Repeats a range of bytes.
    Duplicate(f64, usize),
    /// Overwrites one byte.
    Replace(f64, u8),
    /// Keeps only the start.
    Truncate(f64),
    /// Replaces the text between the quotes, or the blanks, nearest after a position by a word.
    Word(f64, &'static str),
}

/// Values that occur only in damaged files.
const WORDS: [&str; 18] = [
    "",
    "NaN",
    "inf",
    "-inf",
    "1e308",
    "-1e308",
    "1e-320",
    "0",
    "-1",
    "1 2",
    "1 2 3",
    "0 0 0",
    "x",
    "${x}",
    "99999999999999999999",
    "4294967295",
    "base",
    "\u{1F916}",
];

pub fn mutations() -> impl Strategy<Value = Vec<Mutation>> {
    let place = || 0.0..1.0f64;
    let word = || (0..WORDS.len()).prop_map(|i| WORDS[i]);
    let one = prop_oneof![
        2 => (place(), 1usize..400).prop_map(|(p, n)| Mutation::Delete(p, n)),
        2 => (place(), 1usize..400).prop_map(|(p, n)| Mutation::Duplicate(p, n)),
        2 => (place(), any::<u8>()).prop_map(|(p, b)| Mutation::Replace(p, b)),
        1 => place().prop_map(Mutation::Truncate),
        6 => (place(), word()).prop_map(|(p, w)| Mutation::Word(p, w)),
    ];
    prop::collection::vec(one, 1..8)
}

pub fn damaged(document: &[u8], mutations: &[Mutation]) -> Vec<u8> {
    let mut bytes = document.to_vec();
    for mutation in mutations {
        let at = |p: f64| (p * bytes.len() as f64) as usize;
        match mutation {
            Mutation::Delete(p, n) => {
                let (start, end) = (at(*p), (at(*p) + n).min(bytes.len()));
                bytes.drain(start..end);
            }
            Mutation::Duplicate(p, n) => {
                let (start, end) = (at(*p), (at(*p) + n).min(bytes.len()));
                let copy = bytes[start..end].to_vec();
                bytes.splice(start..start, copy);
            }
            Mutation::Replace(p, b) => {
                let place = at(*p);
                if let Some(byte) = bytes.get_mut(place) {
                    *byte = *b;
                }
            }
            Mutation::Truncate(p) => bytes.truncate(at(*p)),
            Mutation::Word(p, word) => {
                let start = at(*p);
                let quoted = document.contains(&b'"');
                let ends = |b: &u8| if quoted { *b == b'"' } else { b.is_ascii_whitespace() };
                let Some(open) = bytes[start..].iter().position(ends).map(|i| start + i + 1) else { continue };
                let Some(close) = bytes[open..].iter().position(ends).map(|i| open + i) else { continue };
                bytes.splice(open..close, word.bytes());
            }
        }
    }
    bytes
}
