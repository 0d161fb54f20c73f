//! Lines of a text file, one at a time: files of any length in a few kilobytes of memory.
//!
//! LF, CR LF and CR alone all end a line, also mixed in one file; [`Lines::ends`] counts them. A byte-order mark is
//! skipped.

use std::fs::File;
use std::io::Read;
use std::ops::Range;
use std::path::{Path, PathBuf};
use veracity_record::FileError;

/// Longest line [bytes]; no line of a known format comes near this.
pub const LONGEST: usize = 1 << 16;

/// Bytes read at once.
const CHUNK: usize = 1 << 18;

/// Counts of line ends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LineEnds {
    /// LF alone.
    pub lf: u64,
    /// CR LF.
    pub crlf: u64,
    /// CR alone.
    pub cr: u64,
}

impl LineEnds {
    /// Whether more than one kind was seen.
    pub fn are_mixed(&self) -> bool {
        [self.lf, self.crlf, self.cr].iter().filter(|n| **n > 0).count() > 1
    }
}

/// The lines of a file.
pub struct Lines<R> {
    path: PathBuf,
    source: R,
    /// Bytes read but not yet returned; a line is a slice of it, never copied.
    buffer: Vec<u8>,
    /// The current line.
    line: Range<usize>,
    /// Where the next line begins, and where the bytes read end.
    next: usize,
    filled: usize,
    number: u64,
    ends: LineEnds,
    ended: bool,
}

impl Lines<File> {
    /// Opens a file.
    pub fn open(path: &Path) -> Result<Self, FileError> {
        let file = File::open(path).map_err(|e| FileError::read(path, &e))?;
        Ok(Self::new(path, file))
    }
}

impl<R: Read> Lines<R> {
    /// Lines of any source; `path` names it in messages.
    pub fn new(path: &Path, source: R) -> Self {
        let (path, buffer, ends) = (path.to_path_buf(), vec![0; CHUNK], LineEnds::default());
        Self { path, source, buffer, line: 0..0, next: 0, filled: 0, number: 0, ends, ended: false }
    }

    /// Moves to the next line; `false` at the end of the file. Afterwards [`Self::text`] is that line.
    pub fn advance(&mut self) -> Result<bool, FileError> {
        let mut searched = self.next;
        let end = loop {
            if let Some(at) = line_end(&self.buffer[searched..self.filled]) {
                let at = searched + at;
                // Whether a CR has an LF after it is known only when the next byte is read.
                if self.buffer[at] == b'\n' || at + 1 < self.filled || self.ended {
                    break Some(at);
                }
                searched = at;
            } else {
                searched = self.filled;
            }
            if self.ended {
                break None;
            }
            if self.filled - self.next > LONGEST {
                let what = format!("longer than {LONGEST} bytes; not a text file of a known format");
                return Err(self.error_at(self.number + 1, what));
            }
            searched -= self.next;
            self.fill()?;
        };
        let first = self.next;
        self.line = first..end.unwrap_or(self.filled);
        self.next = match end {
            None => self.filled,
            Some(at) if self.buffer[at] == b'\n' => {
                self.ends.lf += 1;
                at + 1
            }
            Some(at) if at + 1 < self.filled && self.buffer[at + 1] == b'\n' => {
                self.ends.crlf += 1;
                at + 2
            }
            Some(at) => {
                self.ends.cr += 1;
                at + 1
            }
        };
        if end.is_none() && self.line.is_empty() {
            return Ok(false);
        }
        if self.line.len() > LONGEST {
            let what = format!("longer than {LONGEST} bytes; not a text file of a known format");
            return Err(self.error_at(self.number + 1, what));
        }
        self.number += 1;
        if self.number == 1
            && let Some(what) = not_utf8(&self.buffer[self.line.clone()])
        {
            return Err(self.error(what));
        }
        if self.number == 1 && self.buffer[self.line.clone()].starts_with(b"\xEF\xBB\xBF") {
            self.line.start += 3;
        }
        Ok(true)
    }

    /// Moves the unread bytes to the front and reads behind them. The buffer holds the longest line twice over.
    fn fill(&mut self) -> Result<(), FileError> {
        self.buffer.copy_within(self.next..self.filled, 0);
        (self.filled, self.next) = (self.filled - self.next, 0);
        loop {
            match self.source.read(&mut self.buffer[self.filled..]) {
                Ok(0) => self.ended = true,
                Ok(n) => self.filled += n,
                Err(e) if e.kind() == std::io::ErrorKind::Interrupted => continue,
                Err(e) => return Err(FileError::read(&self.path, &e)),
            }
            return Ok(());
        }
    }

    /// The line, without surrounding blanks.
    pub fn text(&self) -> &[u8] {
        self.buffer[self.line.clone()].trim_ascii()
    }

    /// The line as text for a message, truncated.
    pub fn shown(&self) -> String {
        let text = String::from_utf8_lossy(self.text());
        match text.char_indices().nth(60) {
            Some((cut, _)) => format!("{}…", &text[..cut]),
            None => text.into_owned(),
        }
    }

    /// Its number, from 1.
    pub fn number(&self) -> u64 {
        self.number
    }

    /// Counts of line ends so far.
    pub fn ends(&self) -> LineEnds {
        self.ends
    }

    /// An error at this line.
    pub fn error(&self, what: impl Into<String>) -> FileError {
        self.error_at(self.number, what)
    }

    /// An error at another line.
    pub fn error_at(&self, line: u64, what: impl Into<String>) -> FileError {
        FileError::damaged(&self.path, format!("line {line}"), what)
    }
}

/// What to do about text in another encoding, by its first bytes.
pub(crate) fn not_utf8(head: &[u8]) -> Option<&'static str> {
    let utf16 = head.starts_with(b"\xFF\xFE") || head.starts_with(b"\xFE\xFF");
    utf16.then_some("the text is UTF-16; save it as UTF-8")
}

/// Position of the first LF or CR: eight bytes at a time.
fn line_end(bytes: &[u8]) -> Option<usize> {
    const ONES: u64 = u64::MAX / 255;
    // A byte of x is zero where the classic expression has its highest bit set, from the lowest such byte up.
    let zero = |x: u64| x.wrapping_sub(ONES) & !x & (ONES << 7);
    let mut chunks = bytes.chunks_exact(8);
    for (i, chunk) in chunks.by_ref().enumerate() {
        let word =
            u64::from_le_bytes([chunk[0], chunk[1], chunk[2], chunk[3], chunk[4], chunk[5], chunk[6], chunk[7]]);
        let hits = zero(word ^ (ONES * u64::from(b'\n'))) | zero(word ^ (ONES * u64::from(b'\r')));
        if hits != 0 {
            return Some(8 * i + hits.trailing_zeros() as usize / 8);
        }
    }
    let rest = chunks.remainder();
    rest.iter().position(|b| *b == b'\n' || *b == b'\r').map(|at| bytes.len() - rest.len() + at)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(text: &[u8]) -> (Vec<String>, LineEnds) {
        let mut lines = Lines::new(Path::new("x"), text);
        let mut out = Vec::new();
        while lines.advance().unwrap() {
            out.push(String::from_utf8_lossy(&lines.buffer[lines.line.clone()]).into_owned());
        }
        (out, lines.ends())
    }

    #[test]
    fn all_line_ends_are_recognised() {
        let (lines, ends) = all(b"\xEF\xBB\xBFa\nb\r\nc\rd\r\n\r\ne");
        assert_eq!(lines, ["a", "b", "c", "d", "", "e"]);
        assert_eq!(ends, LineEnds { lf: 1, crlf: 3, cr: 1 });
        assert!(ends.are_mixed());
        // The same when bytes arrive one at a time, as through a pipe.
        struct Drip<'a>(&'a [u8]);
        impl Read for Drip<'_> {
            fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
                let n = self.0.len().min(1);
                buffer[..n].copy_from_slice(&self.0[..n]);
                self.0 = &self.0[n..];
                Ok(n)
            }
        }
        let mut drip = Lines::new(Path::new("x"), Drip(b"a\nb\r\nc\rd\r\n\r\ne"));
        let mut out = Vec::new();
        while drip.advance().unwrap() {
            out.push(String::from_utf8_lossy(drip.text()).into_owned());
        }
        assert_eq!((out, drip.ends()), (lines, ends));
        assert_eq!(all(b"").0.len(), 0);
        assert_eq!(all(b"a\r").1, LineEnds { lf: 0, crlf: 0, cr: 1 });
    }

    #[test]
    fn a_line_without_end_is_rejected_in_bounded_memory() {
        let mut lines = Lines::new(Path::new("x.txt"), std::io::repeat(b'a'));
        let said = lines.advance().unwrap_err().to_string();
        assert!(said.starts_with("x.txt: line 1: longer than 65536 bytes"), "{said}");
    }
}
