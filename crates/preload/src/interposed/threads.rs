//! Creation of threads.

use super::raw::next;
use crate::link;
use libc::{c_int, c_void};
use std::sync::atomic::AtomicPtr;

type Create = unsafe extern "C" fn(*mut libc::pthread_t, *const libc::pthread_attr_t, Start, *mut c_void) -> c_int;
type Start = extern "C" fn(*mut c_void) -> *mut c_void;

/// # Safety
/// As for the C library's function.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pthread_create(
    thread: *mut libc::pthread_t,
    attributes: *const libc::pthread_attr_t,
    start: Start,
    argument: *mut c_void,
) -> c_int {
    if let Some(link) = link::connected() {
        link.count_thread();
    }
    static CACHED: AtomicPtr<c_void> = AtomicPtr::new(std::ptr::null_mut());
    let real = next(c"pthread_create", &CACHED);
    if real.is_null() {
        return libc::EAGAIN;
    }
    // SAFETY: the next function of this name is the C library's, of exactly this type.
    let real: Create = unsafe { std::mem::transmute::<*mut c_void, Create>(real) };
    // SAFETY: passed on unchanged.
    super::counter::faulting(|| unsafe { real(thread, attributes, start, argument) })
}
