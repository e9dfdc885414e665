//! What a kernel is told, and with how many blocks and threads it runs.

use candle_core::{DType, Result};

/// A place in the memory of a GPU; 0 where there is nothing.
pub(crate) type Address = u64;

/// Arguments of a kernel: plain numbers, laid out as in C.
///
/// # Safety
/// `repr(C)`, with the fields of the struct of the same name in the `.cu` file.
pub(crate) unsafe trait Arguments: Copy {}

/// A struct of [`Arguments`], whose size the tests compare with that of the kernel's.
macro_rules! arguments {
    ($(#[$of_struct:meta])* struct $name:ident {
        $($(#[$of_field:meta])* $field:ident: $type:ty),* $(,)?
    }) => {
        $(#[$of_struct])*
        #[repr(C)]
        #[derive(Clone, Copy, Debug)]
        pub(crate) struct $name {
            $($(#[$of_field])* pub(crate) $field: $type),*
        }

        // SAFETY: as the trait asks.
        #[allow(unsafe_code)] // the arguments of kernels in another language
        unsafe impl $crate::network::ops::cuda::Arguments for $name {}
    };
}
pub(crate) use arguments;

/// What elements of activations are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Number {
    F32,
    Bf16,
}

impl Number {
    /// # Errors
    /// There are no kernels for it.
    pub(crate) fn of(dtype: DType) -> Result<Number> {
        match dtype {
            DType::F32 => Ok(Number::F32),
            DType::BF16 => Ok(Number::Bf16),
            other => candle_core::bail!("expected f32 or bf16, found {}", other.as_str()),
        }
    }

    /// Which of two names is that of the kernel for it.
    pub(crate) fn pick(self, f32: &'static str, bf16: &'static str) -> &'static str {
        match self {
            Number::F32 => f32,
            Number::Bf16 => bf16,
        }
    }
}

/// A contiguous tensor of activations or weights on a device.
pub(crate) struct OperandOn<'a, D> {
    pub(crate) device: &'a D,
    pub(crate) number: Number,
    pub(crate) address: Address,
    pub(crate) count: usize,
}

impl<D> OperandOn<'_, D> {
    /// The same with the numbers that a kernel expects.
    ///
    /// # Errors
    /// It is of others.
    pub(crate) fn expect(self, number: Number) -> Result<Self> {
        match self.number == number {
            true => Ok(self),
            false => candle_core::bail!("expected {number:?}, found {:?}", self.number),
        }
    }
}

/// A kernel that is to run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Launch<A> {
    pub(crate) kernel: &'static str,
    pub(crate) blocks: [u32; 3],
    /// Of a block.
    pub(crate) threads: u32,
    /// Of a block.
    pub(crate) shared_bytes: u32,
    pub(crate) arguments: A,
}

/// Threads of a block where nothing asks for another number.
pub(crate) const THREADS: u32 = 256;
/// Lanes of a warp.
pub(crate) const LANES: u32 = 32;

/// A kernel of `count` threads, in as many blocks as they need, but no more than keep a GPU busy: threads
/// then do more than one.
pub(crate) fn over<A>(kernel: &'static str, count: u64, arguments: A) -> Launch<A> {
    let blocks = count.div_ceil(u64::from(THREADS)).clamp(1, 4096) as u32;
    blocks_of_threads(kernel, blocks, 0, arguments)
}

/// A kernel of `blocks` blocks with the usual number of threads.
pub(crate) fn blocks_of_threads<A>(
    kernel: &'static str,
    blocks: u32,
    shared_bytes: u32,
    arguments: A,
) -> Launch<A> {
    Launch { kernel, blocks: [blocks, 1, 1], threads: THREADS, shared_bytes, arguments }
}
