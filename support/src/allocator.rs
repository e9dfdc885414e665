//! What the C library does with memory that is freed.

/// The smallest block that [`give_back_large_blocks`] is about, in bytes.
const LARGE: i32 = 1 << 16;

/// Has every block of 64 KiB or more mapped for itself from now on: it grows without a copy beside
/// the old one, and is given back to the system when it is freed. By default glibc keeps such blocks
/// for later ones as soon as it has seen some, and what lies between them too: a fifth to four fifths
/// more memory where e-graphs are grown, whose arrays and blocks of matches are larger than this. For
/// the whole process; not for work that allocates and frees large blocks all the time, as training
/// does. Small blocks come from one heap for all threads, so that what one frees another can have.
pub fn give_back_large_blocks() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    // SAFETY: mallopt changes a parameter of the allocator, under the allocator's own lock.
    #[allow(unsafe_code)] // the standard library has no such function
    unsafe {
        // A refusal (0) leaves things as they are.
        libc::mallopt(libc::M_MMAP_THRESHOLD, LARGE);
        libc::mallopt(libc::M_ARENA_MAX, 1);
    }
}
