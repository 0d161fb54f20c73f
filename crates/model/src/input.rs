//! Reading a whole file with a size limit.
//!
//! A file named by the user may be a pipe or a device; it is read up to a limit. A file that is only searched for next
//! to another one must be a regular file: the user did not ask for a FIFO or device that may be there.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// Size limit of configuration text: a scenario, a study, a sidecar [bytes].
pub const MOST_TEXT: u64 = 16 << 20;

/// Reads a file named by the user, of any type, up to `most` bytes; a longer file is an error.
pub fn read(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let file = File::open(path)?;
    let size = file.metadata().map_or(0, |about| about.len());
    let too_large = || io::Error::other(format!("it has more than {most} bytes, the most that is read"));
    if size > most {
        return Err(too_large());
    }
    let mut bytes = Vec::with_capacity(size as usize);
    file.take(most.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most { Err(too_large()) } else { Ok(bytes) }
}

/// Reads a file found by searching: regular files only.
pub fn read_regular(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    // Checked before opening: opening a FIFO blocks until it has a writer.
    if !std::fs::metadata(path)?.is_file() {
        return Err(io::Error::other("it is not a regular file"));
    }
    read(path, most)
}

/// [`read`] for text.
pub fn read_text(path: &Path, most: u64) -> io::Result<String> {
    String::from_utf8(read(path, most)?).map_err(|_| io::Error::other("it is not UTF-8 text; save it as UTF-8"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_end_is_read_up_to_its_limit() {
        let zero = Path::new("/dev/zero");
        assert!(read(zero, 1000).unwrap_err().to_string().contains("more than 1000 bytes"));
        assert!(read_regular(zero, 1000).unwrap_err().to_string().contains("not a regular file"));
        let here = Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml");
        assert_eq!(read_regular(&here, 1 << 20).unwrap(), std::fs::read(&here).unwrap());
        assert!(read(&here, 10).is_err());
    }
}
