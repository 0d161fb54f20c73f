//! Files that are whole or not there, and what is said when they cannot be written or read.
//!
//! [`write_atomically`] fills a file beside the wanted one under a temporary name, forces it to the disk and renames it:
//! a full disk, a crash or `kill -9` leaves the old file or none, never half of one.

use std::error::Error;
use std::fs::{self, File};
use std::io::{self, BufWriter, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// Why a file could not be written or read. Each is a sentence that begins with the file.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum FileError {
    /// Nothing was left behind.
    #[error("{}: could not be written: {reason}", path.display())]
    Write {
        /// The wanted file.
        path: PathBuf,
        /// What the system said and what to do.
        reason: String,
    },
    /// It is not there or may not be read.
    #[error("{}: could not be read: {reason}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system said.
        reason: String,
    },
    /// It is not what it should be.
    #[error("{}: {place}: {what}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// Line, byte offset, channel or trial.
        place: String,
        /// What is wrong and what to do.
        what: String,
    },
    /// Written by a later version.
    #[error("{}: has schema {found}; this version reads up to {known}: take a newer veracity", path.display())]
    Newer {
        /// The file.
        path: PathBuf,
        /// What the file says.
        found: u32,
        /// The newest this version knows.
        known: u32,
    },
}

/// What filling a file may fail with: the system's errors are found in it by [`Error::source`].
pub type Fault = Box<dyn Error + Send + Sync>;

impl FileError {
    /// From what the system said while writing.
    pub fn write(path: &Path, error: &(dyn Error + 'static)) -> Self {
        FileError::Write { path: path.to_path_buf(), reason: write_reason(error) }
    }

    /// From what the system said while opening or reading.
    pub fn read(path: &Path, error: &(dyn Error + 'static)) -> Self {
        FileError::Read { path: path.to_path_buf(), reason: chain(error) }
    }

    /// Not what it should be.
    pub fn damaged(path: &Path, place: impl Into<String>, what: impl Into<String>) -> Self {
        FileError::Damaged { path: path.to_path_buf(), place: place.into(), what: what.into() }
    }
}

/// Writes a file whole or not at all; see the module's page.
pub fn write_atomically(
    path: &Path,
    fill: impl FnOnce(&mut BufWriter<File>) -> Result<(), Fault>,
) -> Result<(), FileError> {
    let temporary = temporary_beside(path);
    let written = fill_and_sync(&temporary, fill)
        .and_then(|()| fs::rename(&temporary, path).map_err(Fault::from))
        .and_then(|()| sync_folder_of(path).map_err(Fault::from));
    written.map_err(|fault| {
        // The error that made it fail is the one to tell; a file that was never made cannot be removed.
        let _ = fs::remove_file(&temporary);
        FileError::write(path, fault.as_ref())
    })
}

/// Whether a file name is that of an unfinished file: what `kill -9` may leave.
pub fn is_unfinished(path: &Path) -> bool {
    path.extension().is_some_and(|e| e == UNFINISHED)
}

/// Forces the entry of a file in its folder to the disk.
pub(crate) fn sync_folder_of(path: &Path) -> io::Result<()> {
    let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    // Windows cannot open folders as files; renaming is durable there by itself.
    if cfg!(unix) { File::open(folder)?.sync_all() } else { Ok(()) }
}

const UNFINISHED: &str = "unfinished";

/// Different for each call, so that two threads that write one file do not mix their bytes.
fn temporary_beside(path: &Path) -> PathBuf {
    static CALLS: AtomicU64 = AtomicU64::new(0);
    let call = CALLS.fetch_add(1, Ordering::Relaxed);
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    path.with_file_name(format!(".{name}.{}-{call}.{UNFINISHED}", std::process::id()))
}

fn fill_and_sync(path: &Path, fill: impl FnOnce(&mut BufWriter<File>) -> Result<(), Fault>) -> Result<(), Fault> {
    let mut writer = BufWriter::new(File::options().write(true).create_new(true).open(path)?);
    if let Err(fault) = fill(&mut writer) {
        // Dropped as it is, the buffer would try to write once more.
        let _ = writer.into_parts();
        return Err(fault);
    }
    writer.flush()?;
    writer.get_ref().sync_all()?;
    Ok(())
}

fn write_reason(error: &(dyn Error + 'static)) -> String {
    let Some(cause) = io_cause(error) else { return chain(error) };
    match cause.kind() {
        ErrorKind::StorageFull => "no space left on device; free space or choose another folder".to_string(),
        ErrorKind::QuotaExceeded => "the quota is used up; free space or choose another folder".to_string(),
        ErrorKind::FileTooLarge => "the file grows larger than the file system or the limit of this shell allows; \
             raise it (`ulimit -f`) or choose another folder"
            .to_string(),
        ErrorKind::NotFound | ErrorKind::NotADirectory => "its folder does not exist; create it first".to_string(),
        ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => {
            format!("{cause}; choose a folder that you may write to")
        }
        _ => cause.to_string(),
    }
}

/// The system's error, however deeply libraries have wrapped it.
fn io_cause<'a>(error: &'a (dyn Error + 'static)) -> Option<&'a io::Error> {
    let mut at = Some(error);
    while let Some(error) = at {
        if let Some(io) = error.downcast_ref::<io::Error>() {
            // A library's error inside a system's error: look further in.
            return io.get_ref().and_then(|inner| io_cause(inner)).or(Some(io));
        }
        at = error.source();
    }
    None
}

/// An error with its causes, each said once.
fn chain(error: &(dyn Error + 'static)) -> String {
    let mut text = error.to_string();
    let mut at = error.source();
    while let Some(cause) = at {
        let said = cause.to_string();
        if !text.contains(&said) {
            text = format!("{text}: {said}");
        }
        at = cause.source();
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_folder::Folder;

    #[test]
    fn a_written_file_replaces_the_old_one_and_leaves_nothing_beside_it() {
        let folder = Folder::new();
        let path = folder.path("a.txt");
        for text in ["first", "second"] {
            write_atomically(&path, |w| Ok(w.write_all(text.as_bytes())?)).unwrap();
            assert_eq!(fs::read_to_string(&path).unwrap(), text);
        }
        assert_eq!(folder.names(), ["a.txt"]);
    }

    #[test]
    fn a_full_disk_keeps_the_old_file_and_says_what_to_do() {
        let folder = Folder::new();
        let path = folder.path("a.txt");
        fs::write(&path, "old").unwrap();
        let full = || io::Error::from(ErrorKind::StorageFull);
        let wrapped = || io::Error::other(full());
        for fault in [full(), wrapped()] {
            let error = write_atomically(&path, |w| {
                w.write_all(b"half")?;
                Err(fault.into())
            });
            let said = error.unwrap_err().to_string();
            assert!(
                said.ends_with(
                    "a.txt: could not be written: no space left on device; free space or choose another folder"
                ),
                "{said}"
            );
        }
        assert_eq!(fs::read_to_string(&path).unwrap(), "old");
        assert_eq!(folder.names(), ["a.txt"]);
    }

    #[test]
    fn a_missing_folder_is_named() {
        let folder = Folder::new();
        let said = write_atomically(&folder.path("no/such/a.txt"), |_| Ok(())).unwrap_err().to_string();
        assert!(said.contains("its folder does not exist; create it first"), "{said}");
    }
}
