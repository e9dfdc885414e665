//! How an operation with a gradient is told to candle. Its file says shape, loops and gradient over plain numbers, for
//! the processor, and the same as a formula in candle's operations, for a GPU; here stands what holds for all of them.
//!
//! Of a formula nothing is kept for the backward pass but its arguments: there it is computed anew. So it keeps no
//! more memory than the loops do. Formulas run wherever tensors are: the tests compare them with the loops.

use crate::network::ops::tensors::{floats, like, with_floats};
use candle_core::backend::BackendStorage;
use candle_core::{
    CpuStorage, CudaStorage, CustomOp1, CustomOp2, CustomOp3, Layout, Result, Shape, Storage,
    Tensor, Var,
};
use std::sync::{Mutex, PoisonError};

/// A differentiable function of N contiguous tensors.
pub(crate) trait Operation<const N: usize>: Send + Sync + 'static {
    const NAME: &'static str;

    /// The shape of the result, given those of the tensors.
    fn shape(&self, shapes: [&Shape; N]) -> Result<Shape> {
        Ok(shapes[0].clone())
    }

    /// The result, on the CPU.
    fn forward(&self, tensors: [&[f32]; N]) -> Result<Vec<f32>>;

    /// The gradients of the tensors, given that of the result, on the CPU.
    fn backward(&self, tensors: [&[f32]; N], grad: &[f32]) -> Result<[Vec<f32>; N]>;

    /// The result, by candle's operations.
    fn formula(&self, tensors: [&Tensor; N]) -> Result<Tensor>;

    /// The gradients of the tensors, given that of the result, by candle's operations. They may be in other numbers
    /// than the tensors.
    fn formula_backward(&self, tensors: [&Tensor; N], grad: &Tensor) -> Result<[Tensor; N]> {
        let vars = tensors.iter().map(|x| Var::from_tensor(x)).collect::<Result<Vec<_>>>()?;
        let result = self.formula(std::array::from_fn(|i| vars[i].as_tensor()))?;
        let all = (result * grad)?.sum_all()?.backward()?;
        // Some of candle's operations lose gradients in silence.
        let gradients = vars.iter().map(|var| match all.get(var) {
            Some(gradient) => Ok(gradient.clone()),
            None => candle_core::bail!("the formula of {} lost a gradient", Self::NAME),
        });
        let gradients: Vec<Tensor> = gradients.collect::<Result<_>>()?;
        Ok(std::array::from_fn(|i| gradients[i].clone()))
    }
}

/// Whether what is asked of a tensor is computed by formulas: on a GPU.
pub(crate) fn by_formulas(x: &Tensor) -> bool {
    #[cfg(test)]
    if test::everywhere() {
        return true;
    }
    !x.device().is_cpu()
}

/// An [`Operation`] as candle takes it.
struct Fused<T> {
    operation: T,
    /// What its formula gave, until the forward pass has taken it; `None` where loops compute.
    value: Option<Mutex<Option<Tensor>>>,
}

impl<T> Fused<T> {
    /// What the formula gave.
    fn take<S>(&self, copy: impl Fn(&Storage, &Layout) -> Result<S>) -> Result<(S, Shape)> {
        let value = self.value.as_ref();
        let value =
            value.and_then(|value| value.lock().unwrap_or_else(PoisonError::into_inner).take());
        let Some(value) = value else { candle_core::bail!("no value, or a second forward pass") };
        let (storage, layout) = value.storage_and_layout();
        Ok((copy(&storage, layout)?, layout.shape().clone()))
    }
}

macro_rules! custom_op {
    ($custom:ident $apply:ident, $n:literal, $gradients:ty, $($storage:ident $layout:ident $tensor:ident),+) => {
        /// The operation of its tensors.
        ///
        /// # Errors
        /// What the operation says.
        pub(crate) fn $apply<T: Operation<$n>>(
            operation: T,
            $($tensor: &Tensor),+
        ) -> Result<Tensor> {
            $(let $tensor = &$tensor.contiguous()?;)+
            let tensors: [&Tensor; $n] = [$($tensor),+];
            if !by_formulas(tensors[0]) {
                return Tensor::$apply($($tensor,)+ Fused { operation, value: None });
            }
            let value = operation.formula([$(&$tensor.detach()),+])?.contiguous()?;
            if !tensors.iter().any(|x| x.track_op()) {
                return Ok(value);
            }
            let value = Some(Mutex::new(Some(value)));
            Tensor::$apply($($tensor,)+ Fused { operation, value })
        }

        impl<T: Operation<$n>> $custom for Fused<T> {
            fn name(&self) -> &'static str {
                T::NAME
            }

            fn cpu_fwd(
                &self,
                $($storage: &CpuStorage, $layout: &Layout),+
            ) -> Result<(CpuStorage, Shape)> {
                if self.value.is_some() {
                    return self.take(|storage, layout| match storage {
                        Storage::Cpu(storage) => storage.try_clone(layout),
                        _ => candle_core::bail!("a formula on another device than its tensors"),
                    });
                }
                let shape = self.operation.shape([$($layout.shape()),+])?;
                let result = self.operation.forward([$(floats($storage, $layout)?),+])?;
                Ok((CpuStorage::F32(result), shape))
            }

            #[expect(unused_variables)] // the value is there
            fn cuda_fwd(
                &self,
                $($storage: &CudaStorage, $layout: &Layout),+
            ) -> Result<(CudaStorage, Shape)> {
                self.take(|storage, layout| match storage {
                    Storage::Cuda(storage) => storage.try_clone(layout),
                    _ => candle_core::bail!("a formula on another device than its tensors"),
                })
            }

            fn bwd(
                &self,
                $($tensor: &Tensor,)+
                _result: &Tensor,
                grad: &Tensor,
            ) -> Result<$gradients> {
                let by_formula = self.value.is_some();
                let [$($tensor),+] =
                    gradients(&self.operation, by_formula, [$($tensor),+], grad)?;
                Ok(($($tensor),+))
            }
        }
    };
}

custom_op!(CustomOp1 apply_op1, 1, Option<Tensor>, s1 l1 x);
custom_op!(CustomOp2 apply_op2, 2, (Option<Tensor>, Option<Tensor>), s1 l1 x, s2 l2 y);
custom_op!(CustomOp3 apply_op3, 3, (Option<Tensor>, Option<Tensor>, Option<Tensor>), s1 l1 x, s2 l2 y, s3 l3 z);

/// The gradients of the tensors, in their shapes and numbers.
fn gradients<const N: usize>(
    operation: &impl Operation<N>,
    by_formula: bool,
    tensors: [&Tensor; N],
    grad: &Tensor,
) -> Result<[Option<Tensor>; N]> {
    let mut gradients = [const { None }; N];
    if by_formula {
        let of_all = operation.formula_backward(tensors, &grad.contiguous()?)?;
        for ((gradient, found), tensor) in gradients.iter_mut().zip(of_all).zip(tensors) {
            *gradient = Some(found.to_dtype(tensor.dtype())?);
        }
        return Ok(gradients);
    }
    let of_all = with_floats(tensors, |tensors| {
        with_floats([grad], |[grad]| operation.backward(tensors, grad))
    })?;
    for ((gradient, found), tensor) in gradients.iter_mut().zip(of_all).zip(tensors) {
        *gradient = Some(like(found, tensor)?);
    }
    Ok(gradients)
}

#[cfg(test)]
pub(crate) mod test {
    use std::cell::Cell;

    thread_local! {
        static EVERYWHERE: Cell<bool> = const { Cell::new(false) };
    }

    /// Whether this thread computes by formulas on the CPU, too.
    pub(super) fn everywhere() -> bool {
        EVERYWHERE.get()
    }

    /// `f`, with formulas as on a GPU. What threads compute that it asks is not meant.
    pub(crate) fn with_formulas<T>(f: impl FnOnce() -> T) -> T {
        EVERYWHERE.set(true);
        let result = f();
        EVERYWHERE.set(false);
        result
    }
}
