//! `sums.cu`: sums of rows, for the gradients of other operations.

use crate::network::ops::cuda::{Address, Arguments, Launch, THREADS, over};

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub(crate) struct SumRows {
    /// f32 `[rows, width]`
    pub(crate) x: Address,
    /// f32 `[width]`
    pub(crate) out: Address,
    pub(crate) rows: u32,
    pub(crate) width: u32,
}

// SAFETY: as the trait asks.
unsafe impl Arguments for SumRows {}

impl SumRows {
    pub(crate) fn launch(self) -> Launch<SumRows> {
        over("sum_rows_f32", self.width.into(), self)
    }
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub(crate) struct SumColumns {
    /// f32 `[rows, width]`
    pub(crate) x: Address,
    /// f32 `[width]`
    pub(crate) out: Address,
    pub(crate) rows: u32,
    pub(crate) width: u32,
}

// SAFETY: as the trait asks.
unsafe impl Arguments for SumColumns {}

impl SumColumns {
    pub(crate) fn launch(self) -> Launch<SumColumns> {
        Launch {
            kernel: "sum_columns_f32",
            blocks: [self.width, 1, 1],
            threads: THREADS,
            shared_bytes: 4 * THREADS,
            arguments: self,
        }
    }
}
