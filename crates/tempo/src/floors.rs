//! Lower bounds of this machine, measured in the same run as a claim: a claim is also given as a multiple of them.

use crate::pinned_core::{CLIENT, PinnedCore};
use crate::sys::{Class, monotonic_ns, set_class, thread_cpu_ns};
use crate::timer::{self, Timer};
use rustix::event::{EventfdFlags, epoll, eventfd};
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Medians and 99th percentiles [ns].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Floors {
    /// Round trip to a thread on the same core and back by two eventfds.
    pub round_trip_ns: [i64; 2],
    /// Mean CPU time of a round trip charged to the waiting thread: the least that coordination costs.
    pub round_trip_cpu_ns: i64,
    /// From a timer's deadline to our first instruction, while a thread of lower priority computes on the core.
    pub timer_ns: [i64; 2],
    /// Whether measured under real-time classes.
    pub real_time: bool,
}

/// Measures all of them, in a fraction of a second.
pub fn measure() -> io::Result<Floors> {
    let core = PinnedCore::take(true, true);
    let class = core.client_class();
    let (round_trip_ns, round_trip_cpu_ns) = round_trip(class)?;
    let timer_ns = timer_wake_up(class)?;
    let floors = Floors { round_trip_ns, round_trip_cpu_ns, timer_ns, real_time: core.real_time };
    debug_assert!(matches!(class, Class::Fifo(CLIENT) | Class::Idle));
    Ok(floors)
}

fn round_trip(class: Class) -> io::Result<([i64; 2], i64)> {
    let (there, back) = (Arc::new(eventfd(0, EventfdFlags::CLOEXEC)?), Arc::new(eventfd(0, EventfdFlags::CLOEXEC)?));
    let (far, near) = (Arc::clone(&there), Arc::clone(&back));
    const TRIPS: usize = 2000;
    // The thread inherits our core.
    let echo = std::thread::spawn(move || {
        let _ = set_class(0, class);
        let mut buffer = [0u8; 8];
        for _ in 0..TRIPS {
            let _ = rustix::io::read(&*far, &mut buffer);
            let _ = rustix::io::write(&*near, &1u64.to_ne_bytes());
        }
    });
    let mut buffer = [0u8; 8];
    let mut times = Vec::with_capacity(TRIPS);
    let before = thread_cpu_ns();
    for _ in 0..TRIPS {
        let begun = monotonic_ns();
        rustix::io::write(&*there, &1u64.to_ne_bytes())?;
        rustix::io::read(&*back, &mut buffer)?;
        times.push(monotonic_ns() - begun);
    }
    let cpu = (thread_cpu_ns() - before) / TRIPS as i64;
    let _ = echo.join();
    Ok((quantiles(times), cpu))
}

fn timer_wake_up(class: Class) -> io::Result<[i64; 2]> {
    let over = Arc::new(AtomicBool::new(false));
    let seen = Arc::clone(&over);
    let spinner = std::thread::spawn(move || {
        let _ = set_class(0, class);
        while !seen.load(Ordering::Relaxed) {
            std::hint::spin_loop();
        }
    });
    let mut timer = Timer::new()?;
    let set = epoll::create(epoll::CreateFlags::CLOEXEC)?;
    epoll::add(
        &set,
        &*timer.descriptor,
        epoll::EventData::new_u64(0),
        epoll::EventFlags::IN | epoll::EventFlags::ET,
    )?;
    let mut ready = Vec::with_capacity(4);
    let mut times = Vec::new();
    for _ in 0..300 {
        let (_, fires) = timer.ensure(1_000_000, false)?;
        timer::wait(&set, &mut ready, None)?;
        times.push(monotonic_ns() - fires);
        timer.fired();
    }
    over.store(true, Ordering::Relaxed);
    let _ = spinner.join();
    Ok(quantiles(times))
}

fn quantiles(mut times: Vec<i64>) -> [i64; 2] {
    times.sort_unstable();
    [times[times.len() / 2], times[times.len() * 99 / 100]]
}
