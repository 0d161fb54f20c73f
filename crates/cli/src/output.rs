//! All printing: standard output that tolerates a closed pipe, and standard error.
//!
//! `veracity check robot.urdf | head` closes the pipe early. That is not an error and must not change the exit code, so
//! after the first broken pipe all output is discarded.
//!
//! Printed text may contain names from untrusted files: control characters are escaped here (see
//! [`veracity_model::text`]), and only our own colours, marked by [`Paint`], become escape sequences.

use crate::paint::{self, Paint};
use std::io::{self, BufWriter, Write};

/// Where commands print.
pub struct Output {
    to: BufWriter<Box<dyn Write>>,
    closed: bool,
    paint: Paint,
    /// The beginning of a character whose end has not been written yet.
    begun: Vec<u8>,
}

impl Output {
    /// Standard output, coloured if it is a terminal.
    pub fn stdout() -> Self {
        Self::to(Box::new(io::stdout()))
    }

    /// For tests: discards what is printed.
    #[cfg(test)]
    pub fn nowhere() -> Self {
        Self::to(Box::new(io::sink()))
    }

    fn to(writer: Box<dyn Write>) -> Self {
        Self { to: BufWriter::new(writer), closed: false, paint: paint::stdout(), begun: Vec::new() }
    }

    /// Colours for this output.
    pub fn paint(&self) -> Paint {
        self.paint
    }

    /// Flushes the buffer.
    pub fn finish(&mut self) -> io::Result<()> {
        self.flush()
    }

    fn guard<T>(&mut self, result: io::Result<T>, instead: T) -> io::Result<T> {
        match result {
            Err(e) if e.kind() == io::ErrorKind::BrokenPipe => {
                self.closed = true;
                Ok(instead)
            }
            other => other,
        }
    }
}

/// Prints to standard error.
pub fn complain(text: impl AsRef<str>) {
    eprintln!("{}", paint::stderr().translate(&veracity_model::text::lines(text.as_ref())));
}

/// The complete characters of some bytes, and the rest; a character may be split over two writes.
fn whole(bytes: &[u8]) -> (&str, &[u8]) {
    match std::str::from_utf8(bytes) {
        Ok(text) => (text, &[]),
        Err(e) => {
            let (head, rest) = bytes.split_at(e.valid_up_to());
            (std::str::from_utf8(head).unwrap_or_default(), rest)
        }
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.closed {
            return Ok(bytes.len());
        }
        self.begun.extend_from_slice(bytes);
        let (text, rest) = whole(&self.begun);
        let plain = veracity_model::text::lines(text);
        let shown = self.paint.translate(&plain);
        // Four bytes that are not a character will not become one.
        let lost = if rest.len() >= 4 { String::from_utf8_lossy(rest).into_owned() } else { String::new() };
        let result = self.to.write_all(shown.as_bytes()).and_then(|()| self.to.write_all(lost.as_bytes()));
        self.begun = if lost.is_empty() { rest.to_vec() } else { Vec::new() };
        self.guard(result, ()).map(|()| bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.closed {
            return Ok(());
        }
        let result = self.to.flush();
        self.guard(result, ())
    }
}
