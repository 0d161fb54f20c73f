//! A file that grows past the limit of the shell is an error of its write, not the end of the program.

/// Lets a write beyond the file-size limit (`ulimit -f`) fail with a reason instead of ending the process by SIGXFSZ. Children
/// inherit it.
pub fn let_large_files_be_errors() {
    #[cfg(unix)]
    #[allow(unsafe_code)]
    // SAFETY: sets the action of one signal to "ignore": no handler, nothing of this program runs in it.
    unsafe {
        libc::signal(libc::SIGXFSZ, libc::SIG_IGN);
    }
}
