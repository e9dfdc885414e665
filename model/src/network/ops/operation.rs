//! How an operation with a gradient is told to candle: its file says shape, loops and gradient over plain
//! numbers, and here stands what holds for all of them.

#[cfg(feature = "cuda")]
use crate::network::ops::cuda::device;
#[cfg(any(test, feature = "cuda"))]
use crate::network::ops::cuda::{Memory, Operand};
use crate::network::ops::tensors::{floats, like, with_floats};
#[cfg(feature = "cuda")]
use candle_core::CudaStorage;
use candle_core::{CpuStorage, CustomOp1, CustomOp2, CustomOp3, Layout, Result, Shape, Tensor};
#[cfg(any(test, feature = "cuda"))]
use std::any::type_name;

/// A differentiable function of N contiguous tensors.
pub(crate) trait Operation<const N: usize>: Kernels<N> {
    const NAME: &'static str;

    /// The shape of the result, given those of the tensors.
    fn shape(&self, shapes: [&Shape; N]) -> Result<Shape> {
        Ok(shapes[0].clone())
    }

    /// The result, on the CPU.
    fn forward(&self, tensors: [&[f32]; N]) -> Result<Vec<f32>>;

    /// The gradients of the tensors, given that of the result, on the CPU.
    fn backward(&self, tensors: [&[f32]; N], grad: &[f32]) -> Result<[Vec<f32>; N]>;
}

/// What an [`Operation`] is on a GPU.
#[cfg(any(test, feature = "cuda"))]
pub(crate) trait Kernels<const N: usize> {
    /// The result.
    fn forward_on_gpu(&self, _tensors: [Operand<'_>; N]) -> Result<Memory> {
        candle_core::bail!("no kernel for {}", type_name::<Self>())
    }

    /// The gradients of the tensors, given the result and its gradient.
    fn backward_on_gpu(
        &self,
        _tensors: [Operand<'_>; N],
        _result: Operand<'_>,
        _grad: Operand<'_>,
    ) -> Result<[Memory; N]> {
        candle_core::bail!("no kernel for the gradient of {}", type_name::<Self>())
    }
}

/// Nothing, where no GPU is asked for.
#[cfg(not(any(test, feature = "cuda")))]
pub(crate) trait Kernels<const N: usize> {}

#[cfg(not(any(test, feature = "cuda")))]
impl<T, const N: usize> Kernels<N> for T {}

/// An [`Operation`] as candle takes it.
pub(crate) struct Fused<T>(pub(crate) T);

macro_rules! custom_op {
    ($custom:ident, $n:literal, $gradients:ty, $($storage:ident $layout:ident $tensor:ident),+) => {
        impl<T: Operation<$n>> $custom for Fused<T> {
            fn name(&self) -> &'static str {
                T::NAME
            }

            fn cpu_fwd(
                &self,
                $($storage: &CpuStorage, $layout: &Layout),+
            ) -> Result<(CpuStorage, Shape)> {
                let shape = self.0.shape([$($layout.shape()),+])?;
                let result = self.0.forward([$(floats($storage, $layout)?),+])?;
                Ok((CpuStorage::F32(result), shape))
            }

            #[cfg(feature = "cuda")]
            fn cuda_fwd(
                &self,
                $($storage: &CudaStorage, $layout: &Layout),+
            ) -> Result<(CudaStorage, Shape)> {
                let shape = self.0.shape([$($layout.shape()),+])?;
                Ok((self.0.forward_on_gpu([$(Operand::of($storage, $layout)?),+])?, shape))
            }

            fn bwd(
                &self,
                $($tensor: &Tensor,)+
                result: &Tensor,
                grad: &Tensor,
            ) -> Result<$gradients> {
                let [$($tensor),+] = gradients(&self.0, [$($tensor),+], result, grad)?;
                Ok(($($tensor),+))
            }
        }
    };
}

custom_op!(CustomOp1, 1, Option<Tensor>, s1 l1 x);
custom_op!(CustomOp2, 2, (Option<Tensor>, Option<Tensor>), s1 l1 x, s2 l2 y);
custom_op!(CustomOp3, 3, (Option<Tensor>, Option<Tensor>, Option<Tensor>), s1 l1 x, s2 l2 y, s3 l3 z);

/// The gradients of the tensors, in their shapes and numbers.
#[cfg_attr(not(feature = "cuda"), expect(unused_variables))] // the CPU computes the result anew
fn gradients<const N: usize>(
    operation: &impl Operation<N>,
    tensors: [&Tensor; N],
    result: &Tensor,
    grad: &Tensor,
) -> Result<[Option<Tensor>; N]> {
    let mut gradients = [const { None }; N];
    #[cfg(feature = "cuda")]
    if !grad.device().is_cpu() {
        let of_all = device::with(tensors, |tensors| {
            device::with([result, grad], |[result, grad]| {
                operation.backward_on_gpu(tensors, result, grad)
            })
        })?;
        for ((gradient, found), tensor) in gradients.iter_mut().zip(of_all).zip(tensors) {
            *gradient = Some(device::tensor(found, tensor.shape()).to_dtype(tensor.dtype())?);
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
