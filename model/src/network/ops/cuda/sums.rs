//! `sums.cu`: sums of rows, for the gradients of other operations.

use crate::network::ops::cuda::{Address, Launch, THREADS, arguments, blocks_of_threads, over};

arguments! {
    struct SumRows {
        /// f32 `[rows, width]`
        x: Address,
        /// f32 `[width]`
        out: Address,
        rows: u32,
        width: u32,
    }
}

impl SumRows {
    pub(crate) fn launch(self) -> Launch<SumRows> {
        over("sum_rows_f32", self.width.into(), self)
    }
}

arguments! {
    struct SumColumns {
        /// f32 `[rows, width]`
        x: Address,
        /// f32 `[width]`
        out: Address,
        rows: u32,
        width: u32,
    }
}

impl SumColumns {
    pub(crate) fn launch(self) -> Launch<SumColumns> {
        blocks_of_threads("sum_columns_f32", self.width, 4 * THREADS, self)
    }
}
