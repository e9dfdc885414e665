//! One thread per tensor operation.
//!
//! Work is divided by examples and tasks, in rayon pools that `--threads` sizes. Candle's own
//! threads would come on top of that: they spin while they wait, they do not know of
//! `--threads`, and candle reads /proc/cpuinfo before every matrix product to count them.

use std::sync::Once;

/// What candle takes its numbers of threads from, and values that stand for one. It counts the
/// processors of a mask; threads are bound to them by functions that we do not call. Without a number of
/// threads it would take RAYON_NUM_THREADS, which is meant for our pools, and start that many for sums of
/// two tensors.
const ONE_THREAD: [(&str, &str); 2] = [("CANDLE_CPU_MASK", "0"), ("CANDLE_NUM_THREADS", "1")];

/// Keeps candle from starting threads, unless the user has set its variables. Must be called
/// before the first tensor operation of the process to have its full effect.
pub fn one_thread_per_operation() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        for (name, value) in ONE_THREAD {
            if std::env::var_os(name).is_none() {
                // SAFETY: readers within Rust take the same lock as this; and no C code of this
                // program reads the environment in another thread.
                #[allow(unsafe_code)] // candle can be told in no other way
                unsafe {
                    std::env::set_var(name, value);
                }
            }
        }
    });
}
