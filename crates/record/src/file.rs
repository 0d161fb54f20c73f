//! All output files are written here; errors of writing and reading.
//!
//! [`write_atomically`] fills a temporary file in the same folder, flushes it to disk and renames it: a full disk, a
//! crash or `kill -9` leaves the old file or none, never half of one. Only a regular file is replaced: symbolic links
//! are followed, and anything else (a device, a FIFO) is opened and written to.

use std::error::Error;
use std::fs::{self, File};
use std::io::{self, BufWriter, ErrorKind, Seek, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// Why a file could not be written or read. Each message begins with the file.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum FileError {
    /// Writing failed; no partial file is left.
    #[error("{}: could not be written: {reason}", path.display())]
    Write {
        /// The wanted file.
        path: PathBuf,
        /// The system's error and what to do.
        reason: String,
    },
    /// The file does not exist or is not readable.
    #[error("{}: could not be read: {reason}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The system's error.
        reason: String,
    },
    /// The content is not as expected.
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
    #[error("{}: has schema {found}; this version reads up to {known}: update veracity", path.display())]
    Newer {
        /// The file.
        path: PathBuf,
        /// Schema of the file.
        found: u32,
        /// The newest schema this version knows.
        known: u32,
    },
}

/// Errors while filling a file; the system's errors are found in it by [`Error::source`].
pub type Fault = Box<dyn Error + Send + Sync>;

impl FileError {
    /// From the system's error while writing.
    pub fn write(path: &Path, error: &(dyn Error + 'static)) -> Self {
        FileError::Write { path: path.to_path_buf(), reason: write_reason(error) }
    }

    /// From the system's error while opening or reading.
    pub fn read(path: &Path, error: &(dyn Error + 'static)) -> Self {
        FileError::Read { path: path.to_path_buf(), reason: chain(error) }
    }

    /// An error in the content of a file.
    pub fn damaged(path: &Path, place: impl Into<String>, what: impl Into<String>) -> Self {
        // One line, even if parts of the file are in the text.
        let line = |text: String| veracity_model::text::one_line(&text).into_owned();
        FileError::Damaged { path: path.to_path_buf(), place: line(place.into()), what: line(what.into()) }
    }
}

/// Writes a file completely or not at all; see the module documentation.
pub fn write_atomically(
    path: &Path,
    fill: impl FnOnce(&mut BufWriter<File>) -> Result<(), Fault>,
) -> Result<(), FileError> {
    let written = match Destination::of(path) {
        Ok(Destination::Replace { path, permissions }) => replace(&path, permissions, fill),
        Ok(Destination::WriteTo(path)) => write_through(&path, fill),
        Err(error) => Err(error.into()),
    };
    written.map_err(|fault| FileError::write(path, fault.as_ref()))
}

/// [`write_atomically`] for bytes that are already in memory.
pub fn write_bytes(path: &Path, bytes: impl AsRef<[u8]>) -> Result<(), FileError> {
    write_atomically(path, |sink| Ok(sink.write_all(bytes.as_ref())?))
}

/// How a path is written to.
enum Destination {
    /// A regular file, or none yet: replaced completely. Symbolic links are resolved.
    Replace { path: PathBuf, permissions: Option<fs::Permissions> },
    /// Something that must not be replaced: a device, a FIFO, a socket.
    WriteTo(PathBuf),
}

/// Links followed before a path counts as a loop, as in the kernel.
const MOST_LINKS: usize = 40;

impl Destination {
    fn of(path: &Path) -> io::Result<Self> {
        let mut path = path.to_path_buf();
        for _ in 0..MOST_LINKS {
            match fs::symlink_metadata(&path) {
                // A dangling link is followed too: the file is created where it points.
                Ok(found) if found.is_symlink() => {
                    let target = fs::read_link(&path)?;
                    path = path.parent().unwrap_or(Path::new("")).join(target);
                }
                Ok(found) if found.is_file() => {
                    return Ok(Self::Replace { path, permissions: Some(found.permissions()) });
                }
                Ok(found) if found.is_dir() => return Err(ErrorKind::IsADirectory.into()),
                Ok(_) => return Ok(Self::WriteTo(path)),
                Err(e) if e.kind() == ErrorKind::NotFound => return Ok(Self::Replace { path, permissions: None }),
                Err(e) => return Err(e),
            }
        }
        Err(io::Error::other(format!("more than {MOST_LINKS} symbolic links; they form a loop")))
    }
}

fn replace(
    path: &Path,
    permissions: Option<fs::Permissions>,
    fill: impl FnOnce(&mut BufWriter<File>) -> Result<(), Fault>,
) -> Result<(), Fault> {
    let temporary = temporary_beside(path);
    let written = fill_and_sync(&temporary, fill)
        .and_then(|()| match permissions {
            Some(permissions) => fs::set_permissions(&temporary, permissions).map_err(Fault::from),
            None => Ok(()),
        })
        .and_then(|()| fs::rename(&temporary, path).map_err(Fault::from))
        .and_then(|()| sync_folder_of(path).map_err(Fault::from));
    if written.is_err() {
        // The original error is reported; a file that was never created cannot be removed.
        let _ = fs::remove_file(&temporary);
    }
    written
}

/// Fills an unnamed file first: a failed write leaves no byte behind, and formats that seek can be written to a FIFO.
fn write_through(path: &Path, fill: impl FnOnce(&mut BufWriter<File>) -> Result<(), Fault>) -> Result<(), Fault> {
    let named = temporary_beside(&std::env::temp_dir().join("veracity-output"));
    let file = File::options().read(true).write(true).create_new(true).open(&named)?;
    fs::remove_file(&named)?;
    let mut writer = BufWriter::new(file);
    if let Err(fault) = fill(&mut writer) {
        let _ = writer.into_parts();
        return Err(fault);
    }
    writer.flush()?;
    let mut filled = writer.into_inner().map_err(io::IntoInnerError::into_error)?;
    filled.rewind()?;
    let mut sink = File::options().write(true).open(path)?;
    io::copy(&mut filled, &mut sink)?;
    Ok(())
}

/// Whether a file name is that of an unfinished file, which `kill -9` may leave.
pub fn is_unfinished(path: &Path) -> bool {
    path.extension().is_some_and(|e| e == UNFINISHED)
}

/// Flushes the entry of a file in its folder to disk.
pub(crate) fn sync_folder_of(path: &Path) -> io::Result<()> {
    let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    // Windows cannot open folders as files; renaming is durable there without this.
    if cfg!(unix) { File::open(folder)?.sync_all() } else { Ok(()) }
}

const UNFINISHED: &str = "unfinished";

/// Different for each call, so that two threads that write the same file do not mix their bytes.
fn temporary_beside(path: &Path) -> PathBuf {
    static CALLS: AtomicU64 = AtomicU64::new(0);
    let call = CALLS.fetch_add(1, Ordering::Relaxed);
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    path.with_file_name(format!(".{name}.{}-{call}.{UNFINISHED}", std::process::id()))
}

fn fill_and_sync(path: &Path, fill: impl FnOnce(&mut BufWriter<File>) -> Result<(), Fault>) -> Result<(), Fault> {
    let mut writer = BufWriter::new(File::options().write(true).create_new(true).open(path)?);
    if let Err(fault) = fill(&mut writer) {
        // If the buffer were dropped normally, it would try to write once more.
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
        ErrorKind::IsADirectory => "it is a folder; name a file".to_string(),
        _ => cause.to_string(),
    }
}

/// The system's error, even if libraries have wrapped it.
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

/// An error with its causes, each once.
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
    fn a_written_file_replaces_the_old_one_and_leaves_no_other_file() {
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

    #[cfg(unix)]
    #[test]
    fn only_regular_files_are_replaced() {
        use std::os::unix::fs::{FileTypeExt, PermissionsExt, symlink};
        let folder = Folder::new();
        let write = |name: &str| write_bytes(&folder.path(name), "text");
        // Links: the file they point to is written, whether or not it exists, and the links stay.
        fs::write(folder.path("target"), "old").unwrap();
        fs::set_permissions(folder.path("target"), fs::Permissions::from_mode(0o640)).unwrap();
        symlink("target", folder.path("link")).unwrap();
        symlink(folder.path("link"), folder.path("link to link")).unwrap();
        symlink("not yet", folder.path("dangling")).unwrap();
        write("link to link").unwrap();
        write("dangling").unwrap();
        assert_eq!(fs::read_to_string(folder.path("target")).unwrap(), "text");
        assert_eq!(fs::metadata(folder.path("target")).unwrap().permissions().mode() & 0o777, 0o640);
        assert_eq!(fs::read_to_string(folder.path("not yet")).unwrap(), "text");
        assert!(["link", "link to link", "dangling"].iter().all(|n| folder.path(n).is_symlink()));
        // A device behind a link stays a device; no file may be created in `/dev`.
        symlink("/dev/null", folder.path("null")).unwrap();
        write("null").unwrap();
        assert!(folder.path("null").is_symlink());
        assert!(fs::metadata("/dev/null").unwrap().file_type().is_char_device());
        // A FIFO passes the bytes to its reader and is still a FIFO.
        let fifo = folder.path("fifo");
        assert!(std::process::Command::new("mkfifo").arg(&fifo).status().unwrap().success());
        let reader = std::thread::spawn({
            let fifo = fifo.clone();
            move || fs::read_to_string(fifo).unwrap()
        });
        write("fifo").unwrap();
        assert_eq!(reader.join().unwrap(), "text");
        assert!(fs::symlink_metadata(&fifo).unwrap().file_type().is_fifo());
        // Loops and folders are errors.
        symlink("loop", folder.path("loop")).unwrap();
        assert!(write("loop").unwrap_err().to_string().contains("they form a loop"));
        fs::create_dir(folder.path("folder")).unwrap();
        assert!(write("folder").unwrap_err().to_string().contains("it is a folder; name a file"));
        let there = ["dangling", "fifo", "folder", "link", "link to link", "loop", "not yet", "null", "target"];
        assert_eq!(folder.names(), there, "no other file is left");
    }

    #[test]
    fn a_missing_folder_is_named() {
        let folder = Folder::new();
        let said = write_atomically(&folder.path("no/such/a.txt"), |_| Ok(())).unwrap_err().to_string();
        assert!(said.contains("its folder does not exist; create it first"), "{said}");
    }
}
