//! The system call a thread sleeps in: its name, and what can end it.

use std::os::unix::fs::FileTypeExt;

/// A system call in progress.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SystemCall {
    process: u32,
    /// Its number; -1 if the thread is in none, as in a page fault.
    pub number: i64,
    arguments: [u64; 6],
}

/// What ends a sleep in a system call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EndsBy {
    /// Wall time: its time limit.
    WallTime,
    /// Another process or thread.
    Others,
    /// Something outside of the run, or unknown.
    Outside,
}

use EndsBy::{Others, Outside, WallTime};

/// Where a system call has its time limit.
#[derive(Clone, Copy)]
enum Limit {
    /// It has none.
    None,
    /// It is one.
    Always,
    /// A pointer, null for no limit.
    Pointer(usize),
    /// Milliseconds, negative for no limit.
    Millis(usize),
}

/// Names, where the time limit is, and which argument is a descriptor.
macro_rules! calls {
    ($($name:ident $limit:expr, $descriptor:expr;)*) => {
        fn about(number: i64) -> Option<(&'static str, Limit, Option<usize>)> {
            $(if number == libc::$name {
                return Some((&stringify!($name)[4..], $limit, $descriptor));
            })*
            None
        }
    };
}

calls! {
    SYS_read Limit::None, Some(0);
    SYS_readv Limit::None, Some(0);
    SYS_pread64 Limit::None, Some(0);
    SYS_write Limit::None, Some(0);
    SYS_writev Limit::None, Some(0);
    SYS_pwrite64 Limit::None, Some(0);
    SYS_recvfrom Limit::None, Some(0);
    SYS_recvmsg Limit::None, Some(0);
    SYS_recvmmsg Limit::Pointer(4), Some(0);
    SYS_sendto Limit::None, Some(0);
    SYS_sendmsg Limit::None, Some(0);
    SYS_accept Limit::None, Some(0);
    SYS_accept4 Limit::None, Some(0);
    SYS_connect Limit::None, Some(0);
    SYS_ppoll Limit::Pointer(2), None;
    SYS_pselect6 Limit::Pointer(4), None;
    SYS_epoll_pwait Limit::Millis(3), None;
    SYS_epoll_pwait2 Limit::Pointer(3), None;
    SYS_futex Limit::Pointer(3), None;
    SYS_wait4 Limit::None, None;
    SYS_waitid Limit::None, None;
    SYS_rt_sigsuspend Limit::None, None;
    SYS_rt_sigtimedwait Limit::Pointer(2), None;
    SYS_msgrcv Limit::None, None;
    SYS_msgsnd Limit::None, None;
    SYS_semop Limit::None, None;
    SYS_semtimedop Limit::Pointer(3), None;
    SYS_mq_timedreceive Limit::Pointer(4), None;
    SYS_mq_timedsend Limit::Pointer(4), None;
    SYS_nanosleep Limit::Always, None;
    SYS_clock_nanosleep Limit::Always, None;
    SYS_io_uring_enter Limit::Always, None;
    SYS_io_getevents Limit::Pointer(4), None;
    SYS_clone Limit::None, None;
    SYS_clone3 Limit::None, None;
    SYS_flock Limit::None, Some(0);
    SYS_fcntl Limit::None, Some(0);
    SYS_fsync Limit::None, Some(0);
    SYS_fdatasync Limit::None, Some(0);
    SYS_sync Limit::None, None;
    SYS_syncfs Limit::None, Some(0);
    SYS_msync Limit::None, None;
    SYS_openat Limit::None, None;
    SYS_execve Limit::None, None;
    SYS_ioctl Limit::None, Some(0);
    SYS_renameat2 Limit::None, None;
    SYS_ftruncate Limit::None, Some(0);
    SYS_munmap Limit::None, None;
    SYS_mmap Limit::None, None;
    SYS_exit_group Limit::None, None;
}

/// The calls that only older machines have.
#[cfg(target_arch = "x86_64")]
fn about_old(number: i64) -> Option<(&'static str, Limit, Option<usize>)> {
    Some(match number {
        libc::SYS_poll => ("poll", Limit::Millis(2), None),
        libc::SYS_select => ("select", Limit::Pointer(4), None),
        libc::SYS_epoll_wait => ("epoll_wait", Limit::Millis(3), None),
        libc::SYS_pause => ("pause", Limit::None, None),
        libc::SYS_vfork => ("vfork", Limit::None, None),
        libc::SYS_fork => ("fork", Limit::None, None),
        libc::SYS_open => ("open", Limit::None, None),
        libc::SYS_rename => ("rename", Limit::None, None),
        _ => return None,
    })
}

#[cfg(not(target_arch = "x86_64"))]
fn about_old(_number: i64) -> Option<(&'static str, Limit, Option<usize>)> {
    None
}

impl SystemCall {
    /// Reads it from a thread's folder in /proc; `None` if the thread runs or is gone.
    pub fn read(process: u32, path: &str) -> Option<Self> {
        let text = std::fs::read_to_string(format!("{path}/syscall")).ok()?;
        let mut words = text.split_whitespace();
        let number = words.next()?.parse().ok()?;
        let mut arguments = [0; 6];
        if number >= 0 {
            for (place, word) in arguments.iter_mut().zip(words) {
                *place = u64::from_str_radix(word.trim_start_matches("0x"), 16).unwrap_or(0);
            }
        }
        Some(Self { process, number, arguments })
    }

    fn about(&self) -> Option<(&'static str, Limit, Option<usize>)> {
        about(self.number).or_else(|| about_old(self.number))
    }

    /// Its name, or its number.
    pub fn name(&self) -> String {
        match self.about() {
            Some((name, ..)) => name.to_string(),
            None if self.number < 0 => "none (a page fault)".to_string(),
            None => self.number.to_string(),
        }
    }

    /// Whether it starts a process, and may wait until that executes a program.
    pub fn starts_process(&self) -> bool {
        matches!(self.about(), Some(("clone" | "clone3" | "vfork" | "fork", ..)))
    }

    /// What can end a sleep in it.
    pub fn ends_by(&self) -> EndsBy {
        let Some((name, limit, descriptor)) = self.about() else { return Outside };
        let limited = match limit {
            Limit::None => false,
            Limit::Always => true,
            Limit::Pointer(place) => self.arguments[place] != 0,
            Limit::Millis(place) => self.arguments[place] as i32 >= 0,
        };
        if limited {
            return WallTime;
        }
        match (name, descriptor) {
            // It waits for an end of a pipe, with or without a name, or a socket, of which the other one belongs to a process.
            (_, Some(place)) => {
                let path = format!("/proc/{}/fd/{}", self.process, self.arguments[place]);
                let kind = std::fs::metadata(path).map(|about| about.file_type());
                if kind.is_ok_and(|kind| kind.is_fifo() || kind.is_socket()) { Others } else { Outside }
            }
            ("openat" | "open" | "execve" | "sync" | "msync" | "mmap" | "munmap" | "rename" | "renameat2", _) => {
                Outside
            }
            _ => Others,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(number: i64, arguments: [u64; 6]) -> SystemCall {
        SystemCall { process: std::process::id(), number, arguments }
    }

    #[test]
    fn a_time_limit_is_found_where_the_call_has_it() {
        assert_eq!(call(libc::SYS_clock_nanosleep, [0; 6]).ends_by(), WallTime);
        assert_eq!(call(libc::SYS_ppoll, [1, 1, 0, 0, 0, 0]).ends_by(), Others);
        assert_eq!(call(libc::SYS_ppoll, [1, 1, 7, 0, 0, 0]).ends_by(), WallTime);
        assert_eq!(call(libc::SYS_epoll_pwait, [3, 1, 1, u64::from(u32::MAX), 0, 0]).ends_by(), Others);
        assert_eq!(call(libc::SYS_epoll_pwait, [3, 1, 1, 20, 0, 0]).ends_by(), WallTime);
        assert_eq!(call(libc::SYS_wait4, [0; 6]).ends_by(), Others);
        assert_eq!(call(9999, [0; 6]).ends_by(), Outside);
    }

    #[test]
    fn a_pipe_has_another_end_and_a_file_has_not() {
        use std::os::fd::AsRawFd;
        let (read, _write) = std::io::pipe().unwrap();
        let file = std::fs::File::open("/proc/self/exe").unwrap();
        let reads = |fd: i32| call(libc::SYS_read, [fd as u64, 0, 0, 0, 0, 0]).ends_by();
        assert_eq!(reads(read.as_raw_fd()), Others);
        assert_eq!(reads(file.as_raw_fd()), Outside);
        let path = std::env::temp_dir().join(format!("veracity-named-pipe-{}", std::process::id()));
        assert!(std::process::Command::new("mkfifo").arg(&path).status().unwrap().success());
        let named = std::fs::OpenOptions::new().read(true).write(true).open(&path).unwrap();
        std::fs::remove_file(path).unwrap();
        assert_eq!(reads(named.as_raw_fd()), Others);
    }

    #[test]
    fn calls_are_shown_by_name() {
        assert_eq!(call(libc::SYS_clock_nanosleep, [0; 6]).name(), "clock_nanosleep");
        assert_eq!(call(libc::SYS_epoll_pwait2, [0; 6]).name(), "epoll_pwait2");
        assert_eq!(call(9999, [0; 6]).name(), "9999");
        assert!(call(libc::SYS_clone3, [0; 6]).starts_process() && !call(libc::SYS_read, [0; 6]).starts_process());
    }
}
