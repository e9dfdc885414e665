//! The memory of the process: what happens where there is none, and to what is freed.

use crate::show::console::is_unseen;
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::fmt::{self, Write as _};
use std::io::Write as _;
use std::path::Path;
use std::ptr::NonNull;

/// The system's allocator, but where there is no memory the process ends with a message and an exit
/// code, as after every other error, and is not aborted. Files appear whole or not at all, so
/// nothing is lost by that.
pub struct EndsInWords;

// SAFETY: forwards to the system's allocator, whose null never gets out.
#[allow(unsafe_code)] // a global allocator is that
unsafe impl GlobalAlloc for EndsInWords {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        there_or_end(unsafe { System.alloc(layout) }, layout.size())
    }

    #[inline]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        there_or_end(unsafe { System.alloc_zeroed(layout) }, layout.size())
    }

    #[inline]
    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        there_or_end(unsafe { System.realloc(block, layout, size) }, size)
    }

    #[inline]
    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        unsafe { System.dealloc(block, layout) }
    }
}

#[inline]
fn there_or_end(block: *mut u8, bytes: usize) -> *mut u8 {
    if block.is_null() {
        end(bytes)
    }
    block
}

thread_local! {
    /// The file that this thread reads with a library that believes the sizes in it.
    static READING: Cell<Option<NonNull<Path>>> = const { Cell::new(None) };
}

/// Reads a file with a library that may ask for as much memory as a damaged file says: where that
/// can't be had, the process ends with a message about the file.
pub fn reading<T>(path: &Path, read: impl FnOnce() -> T) -> T {
    struct Before(Option<NonNull<Path>>);
    impl Drop for Before {
        fn drop(&mut self) {
            READING.set(self.0);
        }
    }
    let _before = Before(READING.replace(Some(NonNull::from(path))));
    read()
}

/// Says that there is no block of so many bytes, and ends the process. Nothing can be allocated
/// here.
#[cold]
fn end(bytes: usize) -> ! {
    let mut line = Line { text: [0; 1024], length: 0 };
    let file = READING.get();
    // A message that is too long is cut off.
    let _ = match file {
        None => writeln!(line, "error: out of memory: no block of {bytes} bytes can be had"),
        Some(path) => {
            // SAFETY: `reading` lends the path for as long as it stands here.
            #[allow(unsafe_code)] // a thread-local value has no lifetime
            let path = unsafe { path.as_ref() };
            writeln!(
                line,
                "error: cannot read {}: damaged file, or out of memory: no block of {bytes} bytes \
                 can be had",
                path.display()
            )
        }
    };
    let _ = std::io::stderr().write_all(&line.text[..line.length]);
    std::process::exit(if file.is_some() { 2 } else { 1 })
}

/// A line of text in one place.
struct Line {
    text: [u8; 1024],
    length: usize,
}

impl fmt::Write for Line {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        for c in text.chars() {
            let c = if is_unseen(c) { '?' } else { c };
            let free =
                self.text.get_mut(self.length..self.length + c.len_utf8()).ok_or(fmt::Error)?;
            self.length += c.encode_utf8(free).len();
        }
        Ok(())
    }
}

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
