//! A formula in candle's operations of which nothing is kept for the backward pass but its arguments: there it
//! is computed anew. So a formula takes no more memory than an operation with loops or a kernel of its own.

use candle_core::backend::BackendStorage;
use candle_core::{
    CpuStorage, CudaStorage, CustomOp2, Layout, Result, Shape, Storage, Tensor, Var,
};
use std::sync::{Mutex, PoisonError};

/// The formula of two tensors; that of one is asked with it twice.
///
/// # Errors
/// What the formula says, or the device fails.
pub(crate) fn recomputed<F>(x: &Tensor, y: &Tensor, formula: F) -> Result<Tensor>
where
    F: Fn(&Tensor, &Tensor) -> Result<Tensor> + Send + Sync + 'static,
{
    let value = formula(&x.detach(), &y.detach())?.contiguous()?;
    match x.track_op() || y.track_op() {
        true => x.apply_op2(y, Recomputed { formula, value: Mutex::new(Some(value)) }),
        false => Ok(value),
    }
}

struct Recomputed<F> {
    formula: F,
    /// Until the forward pass has taken it.
    value: Mutex<Option<Tensor>>,
}

impl<F> Recomputed<F> {
    fn take<S>(&self, copy: impl Fn(&Storage, &Layout) -> Result<S>) -> Result<(S, Shape)> {
        let value = self.value.lock().unwrap_or_else(PoisonError::into_inner).take();
        let Some(value) = value else { candle_core::bail!("a forward pass for the second time") };
        let (storage, layout) = value.storage_and_layout();
        Ok((copy(&storage, layout)?, layout.shape().clone()))
    }
}

impl<F: Fn(&Tensor, &Tensor) -> Result<Tensor>> CustomOp2 for Recomputed<F> {
    fn name(&self) -> &'static str {
        "recomputed"
    }

    fn cpu_fwd(
        &self,
        _s1: &CpuStorage,
        _l1: &Layout,
        _s2: &CpuStorage,
        _l2: &Layout,
    ) -> Result<(CpuStorage, Shape)> {
        self.take(|storage, layout| match storage {
            Storage::Cpu(storage) => storage.try_clone(layout),
            _ => candle_core::bail!("a formula on another device than its tensors"),
        })
    }

    fn cuda_fwd(
        &self,
        _s1: &CudaStorage,
        _l1: &Layout,
        _s2: &CudaStorage,
        _l2: &Layout,
    ) -> Result<(CudaStorage, Shape)> {
        self.take(|storage, layout| match storage {
            Storage::Cuda(storage) => storage.try_clone(layout),
            _ => candle_core::bail!("a formula on another device than its tensors"),
        })
    }

    fn bwd(
        &self,
        x: &Tensor,
        y: &Tensor,
        _result: &Tensor,
        grad: &Tensor,
    ) -> Result<(Option<Tensor>, Option<Tensor>)> {
        let (x, y) = (Var::from_tensor(x)?, Var::from_tensor(y)?);
        let mut all = ((self.formula)(&x, &y)? * grad)?.sum_all()?.backward()?;
        Ok((all.remove(&x), all.remove(&y)))
    }
}
