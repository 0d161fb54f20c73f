//! Preloaded into an ordinary program (`LD_PRELOAD`), keeps its clocks and sleeps in virtual time.
//!
//! The program is unaware of simulated time: it asks the C library for the time and sleeps. This library answers
//! instead of the C library: the time is the start of the run plus the program's progress (CPU time plus granted wait,
//! see `veracity_client::wire`), and a sleep is a wait with the coordinator, with threads (`sleeping`) or without.
//! Waits for descriptors (`poll`, `select`, `epoll_wait`) poll, once per step of the dynamics, until their time is up;
//! condition variables, semaphores and futexes with a time limit end when they are signalled or the virtual time has
//! come; `timerfd`, `setitimer` and `alarm` use virtual time. Every process the program starts shares its clock (`link`)
//! and ends with its guard (`guard_pipe`).
//!
//! Deliberately absent: POSIX timers (`timer_create` fails with ENOTSUP), cancelling a thread that waits on a
//! condition, threads in a callback (the coordinator rejects them with an error), statically linked programs (they load
//! no library; the coordinator reports it), and every dependence on the C library's own clocks inside this library.
//!
//! In a process that was not started by a coordinator, every function behaves like the C library's.
//!
//! A shared library has no Rust interface; `veracity tempo run` preloads it where a program is `kind = "unmodified"`.

mod guard_pipe;
#[allow(unsafe_code)] // Interposed C functions and raw system calls: each block says why it is sound.
mod interposed;
mod link;
mod sleeping;
