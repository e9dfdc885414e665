//! Kernels on a GPU: memory for them, and their launches.

use crate::network::ops::cuda::launch::{Address, Arguments, Launch, Number, OperandOn};
use candle_core::backend::BackendStorage;
use candle_core::cuda_backend::WrapErr;
use candle_core::cuda_backend::cudarc::driver::sys::CUfunction_attribute_enum::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
use candle_core::cuda_backend::cudarc::driver::{
    CudaSlice, DevicePtr, DeviceRepr, LaunchConfig, PushKernelArg,
};
use candle_core::op::BackpropOp;
pub(crate) use candle_core::{CudaDevice as Gpu, CudaStorage as Memory};
use candle_core::{CudaDevice, CudaStorage, DType, Layout, Result, Shape, Storage, Tensor};

/// All kernels, as build.rs compiled them.
const PTX: &str = include_str!(concat!(env!("OUT_DIR"), "/kernels.ptx"));
/// Shared memory that a block may have without being asked for.
const SHARED_BYTES: u32 = 48 << 10;

/// Bytes of a GPU's memory that nobody has taken.
///
/// # Errors
/// The device fails.
pub(crate) fn free_bytes(device: &CudaDevice) -> Result<u64> {
    let (free, _) = device.cuda_stream().context().mem_get_info().w()?;
    Ok(free as u64)
}

/// The arguments of a kernel as CUDA takes them.
#[repr(transparent)]
struct One<A>(A);

// SAFETY: plain numbers, as `Arguments` promises.
unsafe impl<A: Arguments> DeviceRepr for One<A> {}

/// Runs a kernel after all that was asked of the device before.
///
/// # Errors
/// The device fails.
pub(crate) fn run<A: Arguments>(device: &CudaDevice, launch: Launch<A>) -> Result<()> {
    let [x, y, z] = launch.blocks;
    if x == 0 || y == 0 || z == 0 {
        return Ok(());
    }
    let function = device.get_or_load_custom_func(launch.kernel, "cairn", PTX)?;
    if launch.shared_bytes > SHARED_BYTES {
        let bytes = launch.shared_bytes as i32;
        function.set_attribute(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, bytes).w()?;
    }
    let arguments = One(launch.arguments);
    let mut builder = function.builder();
    builder.arg(&arguments);
    let config = LaunchConfig {
        grid_dim: (x, y, z),
        block_dim: (launch.threads, 1, 1),
        shared_mem_bytes: launch.shared_bytes,
    };
    // SAFETY: the arguments are those of the kernel, which the tests check with its twin; what they point to
    // lives until the stream has come past the kernel, for memory is given back in the stream as well.
    unsafe { builder.launch(config) }.w()?;
    Ok(())
}

fn address_of_slice<T: DeviceRepr>(device: &CudaDevice, slice: &CudaSlice<T>) -> Address {
    // One stream does all the work of a device, so that nothing has to be waited for.
    slice.device_ptr(&device.cuda_stream()).0
}

/// A tensor on a GPU.
pub(crate) type Operand<'a> = OperandOn<'a, Gpu>;

impl<'a> Operand<'a> {
    /// # Errors
    /// It is not contiguous, or of other numbers.
    pub(crate) fn of(storage: &'a CudaStorage, layout: &Layout) -> Result<Operand<'a>> {
        let Some((from, to)) = layout.contiguous_offsets() else {
            candle_core::bail!("expected a contiguous tensor of shape {:?}", layout.shape());
        };
        let (device, number) = (&storage.device, Number::of(storage.dtype())?);
        let size = storage.dtype().size_in_bytes();
        let address = address_of(storage)? + (from * size) as Address;
        Ok(Operand { device, number, address, count: to - from })
    }
}

/// Where the memory of a storage begins.
///
/// # Errors
/// Its elements are no f32 and no bf16.
pub(crate) fn address_of(storage: &CudaStorage) -> Result<Address> {
    let device = &storage.device;
    Ok(match storage.dtype() {
        DType::F32 => address_of_slice(device, storage.as_cuda_slice::<f32>()?),
        DType::BF16 => address_of_slice(device, storage.as_cuda_slice::<half::bf16>()?),
        other => candle_core::bail!("expected f32 or bf16, found {}", other.as_str()),
    })
}

/// Runs `f` on tensors on a GPU, each made contiguous if it is not.
///
/// # Errors
/// One is somewhere else, or what `f` says.
pub(crate) fn with<const N: usize, T>(
    tensors: [&Tensor; N],
    f: impl FnOnce([Operand<'_>; N]) -> Result<T>,
) -> Result<T> {
    let tensors = tensors.into_iter().map(Tensor::contiguous).collect::<Result<Vec<_>>>()?;
    let held: Vec<_> = tensors.iter().map(Tensor::storage_and_layout).collect();
    let mut operands = Vec::with_capacity(N);
    for (storage, layout) in &held {
        operands.push(match &**storage {
            Storage::Cuda(storage) => Operand::of(storage, layout)?,
            _ => candle_core::bail!("expected a tensor on a GPU"),
        });
    }
    match <[Operand<'_>; N]>::try_from(operands) {
        Ok(operands) => f(operands),
        Err(_) => candle_core::bail!("expected {N} tensors"),
    }
}

/// Memory that a kernel is to fill.
///
/// # Errors
/// There is none left.
pub(crate) fn room(device: &CudaDevice, number: Number, count: usize) -> Result<CudaStorage> {
    // CUDA gives no memory of no bytes.
    let count = count.max(1);
    // SAFETY: every element is written before it is read.
    Ok(unsafe {
        match number {
            Number::F32 => {
                CudaStorage::wrap_cuda_slice(device.alloc::<f32>(count)?, device.clone())
            }
            Number::Bf16 => {
                CudaStorage::wrap_cuda_slice(device.alloc::<half::bf16>(count)?, device.clone())
            }
        }
    })
}

/// Plain numbers on a GPU that a kernel reads; they live until the stream has come past what was asked
/// of it before they are dropped.
pub(crate) struct Uploaded<T> {
    _slice: CudaSlice<T>,
    address: Address,
}

impl<T> Uploaded<T> {
    pub(crate) fn address(&self) -> Address {
        self.address
    }
}

/// # Errors
/// There is no memory left.
pub(crate) fn upload<T: DeviceRepr + 'static>(
    device: &CudaDevice,
    data: &[T],
) -> Result<Uploaded<T>> {
    let slice = match data.is_empty() {
        // CUDA gives no memory of no bytes. SAFETY: of no data nothing is read.
        true => unsafe { device.alloc::<T>(1)? },
        false => device.clone_htod(data)?,
    };
    let address = address_of_slice(device, &slice);
    Ok(Uploaded { _slice: slice, address })
}

/// A tensor of what a kernel has filled; it has no gradient of its own.
pub(crate) fn tensor(storage: CudaStorage, shape: impl Into<Shape>) -> Tensor {
    Tensor::from_storage(Storage::Cuda(storage), shape, BackpropOp::none(), false)
}
