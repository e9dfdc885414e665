//! One thread per tensor operation.
//!
//! Work is divided by examples and tasks, in rayon pools that `--threads` sizes. Candle's own
//! threads would come on top of that: they spin while they wait, they do not know of
//! `--threads`, and candle reads /proc/cpuinfo before every matrix product to count them.

use std::sync::Once;

/// Keeps candle from starting threads, unless the user has set its variables. Must be called
/// before the first tensor operation of the process to have its full effect.
pub fn one_thread_per_operation() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        const MASK: &str = "CANDLE_CPU_MASK";
        if std::env::var_os(MASK).is_none() {
            // A set of one processor. Candle only counts it: threads are bound to processors by
            // functions that we do not call.
            // SAFETY: readers within Rust take the same lock as this; and no C code of this
            // program reads the environment in another thread.
            #[allow(unsafe_code)] // candle can be told in no other way
            unsafe {
                std::env::set_var(MASK, "0");
            }
        }
    });
}
