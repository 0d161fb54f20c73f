//! Standard output that a closed pipe does not upset.
//!
//! `veracity check robot.urdf | head` closes the pipe early. That is not an error and must not change the exit code, so
//! from the first broken pipe on, everything written goes nowhere.

use crate::paint::{self, Paint};
use std::io::{self, BufWriter, Write};

/// Where commands print.
pub struct Output {
    to: BufWriter<Box<dyn Write>>,
    closed: bool,
    paint: Paint,
}

impl Output {
    /// Standard output, coloured if it is a terminal.
    pub fn stdout() -> Self {
        Self { to: BufWriter::new(Box::new(io::stdout())), closed: false, paint: paint::stdout() }
    }

    /// Lets tests print without being seen.
    #[cfg(test)]
    pub fn nowhere() -> Self {
        Self { to: BufWriter::new(Box::new(io::sink())), closed: false, paint: paint::stdout() }
    }

    /// Colours for what is printed here.
    pub fn paint(&self) -> Paint {
        self.paint
    }

    /// Writes what is still in memory.
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

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.closed {
            return Ok(bytes.len());
        }
        let result = self.to.write(bytes);
        self.guard(result, bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.closed {
            return Ok(());
        }
        let result = self.to.flush();
        self.guard(result, ())
    }
}
