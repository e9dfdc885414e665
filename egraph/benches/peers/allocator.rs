//! A global allocator that counts the bytes that are live, and the most there were.
//!
//! What is counted is what was asked for, for both sides alike; the allocator's own overhead per
//! block (which is larger for many small blocks) is not. A growing block counts once, as if it
//! grew in place.

#![allow(unsafe_code)] // a global allocator can't be written without

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};

/// The system's allocator, counting.
pub struct Counting;

static LIVE: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);
static STOPPED: AtomicBool = AtomicBool::new(false);

/// Bytes that are live now.
pub fn live() -> usize {
    LIVE.load(Relaxed)
}

/// The most bytes that were live since the last [`reset_peak`].
pub fn peak() -> usize {
    PEAK.load(Relaxed)
}

/// Forgets the peak before now.
pub fn reset_peak() {
    PEAK.store(live(), Relaxed);
}

/// Counts nothing from now on, for runs on several threads.
pub fn stop() {
    STOPPED.store(true, Relaxed);
}

/// Both sides run on one thread while this counts, so that plain loads and stores are exact. Atomic additions would
/// cost many allocations, and so egg, a tenth of the time.
fn count(more: usize, less: usize) {
    if STOPPED.load(Relaxed) {
        return;
    }
    let live = LIVE.load(Relaxed).wrapping_add(more).wrapping_sub(less);
    LIVE.store(live, Relaxed);
    if live > PEAK.load(Relaxed) {
        PEAK.store(live, Relaxed);
    }
}

// SAFETY: every call is handed on to the system's allocator as it is.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size(), 0);
        // SAFETY: the caller's promise.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        count(0, layout.size());
        // SAFETY: the caller's promise.
        unsafe { System.dealloc(block, layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count(layout.size(), 0);
        // SAFETY: the caller's promise.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count(size, layout.size());
        // SAFETY: the caller's promise.
        unsafe { System.realloc(block, layout, size) }
    }
}
