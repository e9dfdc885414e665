//! The numbers of tensors on the CPU, and what a device has of plain data.

use candle_core::{CpuStorage, Layout, Result, Storage, Tensor};
use std::any::Any;
use std::fmt;
use std::sync::{Arc, OnceLock};

/// The elements of a contiguous f32 tensor on the CPU.
pub(crate) fn floats<'a>(storage: &'a CpuStorage, layout: &Layout) -> Result<&'a [f32]> {
    match layout.contiguous_offsets() {
        Some((from, to)) => Ok(&storage.as_slice::<f32>()?[from..to]),
        None => candle_core::bail!("expected a contiguous tensor of shape {:?}", layout.shape()),
    }
}

/// Runs `f` on the elements of tensors on the CPU, each made contiguous if it is not.
pub(crate) fn with_floats<const N: usize, T>(
    tensors: [&Tensor; N],
    f: impl FnOnce([&[f32]; N]) -> Result<T>,
) -> Result<T> {
    let tensors = tensors.into_iter().map(Tensor::contiguous).collect::<Result<Vec<_>>>()?;
    let held: Vec<_> = tensors.iter().map(Tensor::storage_and_layout).collect();
    let mut elements = [&[][..]; N];
    for (elements, (storage, layout)) in elements.iter_mut().zip(&held) {
        *elements = match &**storage {
            Storage::Cpu(storage) => floats(storage, layout)?,
            _ => candle_core::bail!("expected a tensor on the CPU"),
        };
    }
    f(elements)
}

/// A tensor of these elements in the shape of another, as gradients are.
pub(crate) fn like(elements: Vec<f32>, tensor: &Tensor) -> Result<Tensor> {
    Tensor::from_vec(elements, tensor.shape(), tensor.device())
}

/// The copy that a GPU has of the data beside it, made once for all operations that want it. The data
/// must not change from then on.
#[derive(Default)]
pub struct OnGpu(OnceLock<Arc<dyn Any + Send + Sync>>);

impl OnGpu {
    /// The copy, which `make` makes if there is none.
    ///
    /// # Errors
    /// What `make` says.
    pub(crate) fn get<T: Any + Send + Sync>(
        &self,
        make: impl FnOnce() -> Result<T>,
    ) -> Result<Arc<T>> {
        let copy = match self.0.get() {
            Some(copy) => copy.clone(),
            None => {
                let copy = Arc::new(make()?);
                self.0.get_or_init(|| copy).clone()
            }
        };
        copy.downcast().map_err(|_| candle_core::Error::Msg("the copy of other data".to_owned()))
    }
}

impl Clone for OnGpu {
    /// None: a clone is made to be changed.
    fn clone(&self) -> OnGpu {
        OnGpu::default()
    }
}

impl fmt::Debug for OnGpu {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "OnGpu({})", self.0.get().is_some())
    }
}
