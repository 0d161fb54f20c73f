//! Preloaded into an ordinary program (`LD_PRELOAD`), keeps its clocks and sleeps in virtual time.
//!
//! The program knows nothing of simulated time: it asks the C library what time it is and sleeps. This library answers in the
//! C library's place: the time is when the run began plus the program's progress (CPU time plus granted wait, see
//! `veracity_client::wire`), and to sleep is to wait with the coordinator, with threads (`sleeping`) or without. Waits for
//! descriptors (`poll`, `select`, `epoll_wait`) look, and look again after every step of the dynamics, until their time is up;
//! condition variables, semaphores and futexes with a limit end when they are signalled or the virtual time has come; `timerfd`,
//! `setitimer` and `alarm` go by virtual time.
//!
//! What is deliberately absent: POSIX timers (`timer_create` is refused with ENOTSUP), cancelling a thread that waits on a
//! condition, threads in a callback (the coordinator refuses them with a sentence), statically linked programs (they load no
//! library; the coordinator says so), and every dependence on the C library's own clocks inside this library.
//!
//! In a process that no coordinator started, every function does what the C library's does.

#[allow(unsafe_code)] // Interposed C functions and raw system calls: each block says why it is sound.
mod interposed;
mod link;
mod sleeping;
