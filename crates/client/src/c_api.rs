//! The client library for C, and through C for Python: see `include/veracity_client.h`. Functions return 0 or a count
//! on success and -1 on failure; `veracity_client_error` then returns the message.

use crate::client::{Client, ClientError};
use std::cell::RefCell;
use std::ffi::{CStr, CString, c_char};

thread_local! {
    static ERROR: RefCell<CString> = RefCell::default();
}

fn failed(error: &ClientError) {
    let text = CString::new(error.to_string()).unwrap_or_default();
    ERROR.with(|e| *e.borrow_mut() = text);
}

fn code<T>(result: Result<T, ClientError>, value: impl FnOnce(T) -> i64) -> i64 {
    match result {
        Ok(x) => value(x),
        Err(error) => {
            failed(&error);
            -1
        }
    }
}

/// Connects; returns null on failure.
#[unsafe(no_mangle)]
pub extern "C" fn veracity_client_connect() -> *mut Client {
    match Client::connect() {
        Ok(client) => Box::into_raw(Box::new(client)),
        Err(error) => {
            failed(&error);
            std::ptr::null_mut()
        }
    }
}

/// Closes a connection.
///
/// # Safety
/// `client` came from [`veracity_client_connect`] and is not used again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn veracity_client_close(client: *mut Client) {
    if !client.is_null() {
        // SAFETY: made by Box::into_raw above; the caller does not use it again.
        drop(unsafe { Box::from_raw(client) });
    }
}

/// Message of the last failure, valid until the next call.
#[unsafe(no_mangle)]
pub extern "C" fn veracity_client_error() -> *const c_char {
    ERROR.with(|e| e.borrow().as_ptr())
}

/// The current virtual time [ns].
///
/// # Safety
/// `client` came from [`veracity_client_connect`]; one thread uses it at a time. The same holds for all below.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn veracity_client_time_ns(client: *mut Client) -> i64 {
    // SAFETY: guaranteed by the caller, as for every function below.
    code(unsafe { &mut *client }.time_ns(), |t| t)
}

/// Waits for the next activation: returns 1, or 0 when the run is over.
///
/// # Safety
/// See [`veracity_client_time_ns`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn veracity_client_wait(client: *mut Client) -> i64 {
    // SAFETY: see above.
    code(unsafe { &mut *client }.wait(), i64::from)
}

/// Waits until a virtual time [ns]: returns 1, or 0 when the run is over.
///
/// # Safety
/// See [`veracity_client_time_ns`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn veracity_client_wait_until(client: *mut Client, time_ns: i64) -> i64 {
    // SAFETY: see above.
    code(unsafe { &mut *client }.wait_until(time_ns), i64::from)
}

/// Copies the observation to `values` (at most `room` numbers) and its time to `time_ns`; returns how many numbers it
/// has.
///
/// # Safety
/// See [`veracity_client_time_ns`]; `values` has room for `room` numbers, `time_ns` for one or is null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn veracity_client_observe(
    client: *mut Client,
    values: *mut f64,
    room: usize,
    time_ns: *mut i64,
) -> i64 {
    // SAFETY: see above.
    code(unsafe { &mut *client }.observe(), |seen| {
        for (i, value) in seen.values.iter().take(room).enumerate() {
            // SAFETY: `i` is below `room`.
            unsafe { values.add(i).write(*value) };
        }
        if !time_ns.is_null() {
            // SAFETY: the caller provides space for one.
            unsafe { time_ns.write(seen.time_ns) };
        }
        seen.values.len() as i64
    })
}

/// Sends a command of `count` numbers.
///
/// # Safety
/// See [`veracity_client_time_ns`]; `values` points at `count` numbers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn veracity_client_command(client: *mut Client, values: *const f64, count: usize) -> i64 {
    // SAFETY: guaranteed by the caller; a count of 0 may come with any pointer.
    let values = if count == 0 { &[][..] } else { unsafe { std::slice::from_raw_parts(values, count) } };
    // SAFETY: see above.
    code(unsafe { &mut *client }.command(values), |()| 0)
}

/// Publishes a plan of `count` numbers.
///
/// # Safety
/// See [`veracity_client_command`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn veracity_client_publish_plan(client: *mut Client, plan: *const f64, count: usize) -> i64 {
    // SAFETY: as for a command.
    let plan = if count == 0 { &[][..] } else { unsafe { std::slice::from_raw_parts(plan, count) } };
    // SAFETY: see above.
    code(unsafe { &mut *client }.publish_plan(plan), |()| 0)
}

/// Copies the plan that had arrived at the last observation; returns how many numbers it has. Its ordinal (0: none yet)
/// goes to `ordinal`.
///
/// # Safety
/// See [`veracity_client_observe`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn veracity_client_plan(
    client: *mut Client,
    values: *mut f64,
    room: usize,
    ordinal: *mut u64,
) -> i64 {
    // SAFETY: see above.
    let (number, _, plan) = unsafe { &*client }.plan();
    for (i, value) in plan.iter().take(room).enumerate() {
        // SAFETY: `i` is below `room`.
        unsafe { values.add(i).write(*value) };
    }
    if !ordinal.is_null() {
        // SAFETY: the caller provides space for one.
        unsafe { ordinal.write(number) };
    }
    plan.len() as i64
}

/// Index of an observation channel, or -1.
///
/// # Safety
/// See [`veracity_client_time_ns`]; `name` is a C string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn veracity_client_observation_place(client: *mut Client, name: *const c_char) -> i64 {
    // SAFETY: guaranteed by the caller.
    let (client, name) = unsafe { (&*client, CStr::from_ptr(name)) };
    name.to_str().ok().and_then(|n| client.observation_place(n)).map_or(-1, |i| i as i64)
}

/// Index of a command channel, or -1.
///
/// # Safety
/// See [`veracity_client_observation_place`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn veracity_client_command_place(client: *mut Client, name: *const c_char) -> i64 {
    // SAFETY: guaranteed by the caller.
    let (client, name) = unsafe { (&*client, CStr::from_ptr(name)) };
    name.to_str().ok().and_then(|n| client.command_place(n)).map_or(-1, |i| i as i64)
}

/// Number of values in a command.
///
/// # Safety
/// See [`veracity_client_time_ns`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn veracity_client_command_count(client: *mut Client) -> i64 {
    // SAFETY: see above.
    unsafe { &*client }.command_channels().len() as i64
}

/// Number of values in an observation.
///
/// # Safety
/// See [`veracity_client_time_ns`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn veracity_client_observation_count(client: *mut Client) -> i64 {
    // SAFETY: see above.
    unsafe { &*client }.observation_channels().len() as i64
}

/// Seed of the run.
///
/// # Safety
/// See [`veracity_client_time_ns`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn veracity_client_seed(client: *mut Client) -> u64 {
    // SAFETY: see above.
    unsafe { &*client }.seed()
}
