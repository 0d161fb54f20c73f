//! Makes a write beyond the shell's file-size limit an error instead of the end of the program.

/// Makes a write beyond the file-size limit (`ulimit -f`) fail with a reason instead of ending the process by SIGXFSZ.
/// Children inherit this.
pub fn let_large_files_be_errors() {
    #[cfg(unix)]
    #[allow(unsafe_code)]
    // SAFETY: sets the action of one signal to "ignore": no handler, so no code of this program runs in signal context.
    unsafe {
        libc::signal(libc::SIGXFSZ, libc::SIG_IGN);
    }
}
