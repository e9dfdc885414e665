//! The optimiser: which parameters are updated with which moments, and the state that can be saved.

use crate::network::ops::adamw::{Parameter, update};
use anyhow::{Context, Result, ensure};
use candle_core::{DType, Tensor, Var};
use std::collections::BTreeMap;

/// The optimiser: moments of the gradients by parameter.
pub struct AdamW {
    /// First and second moments.
    moments: [BTreeMap<String, Var>; 2],
    /// Updates made.
    pub step: u64,
    /// Decoupled decay of the matrices, per unit of learning rate.
    pub weight_decay: f64,
}

impl AdamW {
    /// Moments that are all zero.
    ///
    /// # Errors
    /// The device fails.
    pub fn new(vars: &BTreeMap<String, Var>, weight_decay: f64) -> Result<AdamW> {
        let zeros = || -> Result<BTreeMap<String, Var>> {
            let zeros = |var: &Var| Var::zeros(var.shape(), DType::F32, var.device());
            vars.iter().map(|(name, var)| Ok((name.clone(), zeros(var)?))).collect()
        };
        Ok(AdamW { moments: [zeros()?, zeros()?], step: 0, weight_decay })
    }

    /// Goes on after `step` updates with the moments that there were.
    ///
    /// # Errors
    /// The device fails.
    pub fn resume(&mut self, step: u64, moments: [BTreeMap<String, Tensor>; 2]) -> Result<()> {
        let var = |(name, tensor): (String, Tensor)| Ok((name, Var::from_tensor(&tensor)?));
        for (mine, given) in self.moments.iter_mut().zip(moments) {
            *mine = given.into_iter().map(var).collect::<Result<_>>()?;
        }
        self.step = step;
        Ok(())
    }

    /// First and second moments of the gradients by parameter, as they are now.
    pub fn moments(&self) -> [BTreeMap<String, Tensor>; 2] {
        let tensor = |(name, var): (&String, &Var)| (name.clone(), var.as_detached_tensor());
        [0, 1].map(|which: usize| self.moments[which].iter().map(tensor).collect())
    }

    /// Updates the parameters. Gradients longer than `clip_norm` together are shortened to it.
    /// Returns their length before.
    ///
    /// # Errors
    /// A parameter has no gradient, a gradient is no number (then nothing is changed), or the device
    /// fails.
    pub fn update(
        &mut self,
        vars: &BTreeMap<String, Var>,
        gradients: &BTreeMap<String, Tensor>,
        learning_rate: f64,
        clip_norm: f64,
    ) -> Result<f64> {
        let matching = vars.iter().map(|(name, var)| {
            let gradient = gradients.get(name).with_context(|| format!("no gradient of {name}"))?;
            debug_assert_eq!(gradient.shape(), var.shape());
            let moment = |which: usize| {
                self.moments[which].get(name).with_context(|| format!("no moment of {name}"))
            };
            // Vectors do not decay.
            let decay = if var.dims().len() > 1 { self.weight_decay } else { 0.0 };
            Ok(Parameter { p: var, g: gradient, m: moment(0)?, v: moment(1)?, decay })
        });
        let parameters = matching.collect::<Result<Vec<_>>>()?;
        let norm = update(&parameters, self.step, learning_rate, clip_norm)?;
        // No clipping mends a gradient that is no number, and it would spoil every parameter.
        ensure!(
            norm.is_finite(),
            "the gradient is not a number any more at step {}: try a smaller learning_rate",
            self.step
        );
        self.step += 1;
        Ok(norm)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use candle_core::Device;

    #[test]
    fn a_gradient_that_is_no_number_changes_nothing() {
        let x = Var::new(&[3f32, -2.0], &Device::Cpu).unwrap();
        let vars = BTreeMap::from([("x".to_owned(), x.clone())]);
        let mut adam = AdamW::new(&vars, 0.0).unwrap();
        for wrong in [f32::NAN, f32::INFINITY, f32::MAX] {
            let gradient = Tensor::new(&[wrong, 1.0], &Device::Cpu).unwrap();
            let gradients = BTreeMap::from([("x".to_owned(), gradient)]);
            let message = adam.update(&vars, &gradients, 0.03, 1.0).unwrap_err().to_string();
            assert!(message.contains("the gradient is not a number any more"), "{message}");
            assert_eq!(x.to_vec1::<f32>().unwrap(), [3.0, -2.0]);
            assert_eq!(adam.step, 0);
        }
    }

    #[test]
    fn a_quadratic_is_minimised() {
        let x = Var::new(&[3f32, -2.0], &Device::Cpu).unwrap();
        let vars = BTreeMap::from([("x".to_owned(), x.clone())]);
        let mut adam = AdamW::new(&vars, 0.0).unwrap();
        for _ in 0..400 {
            let gradients = x.sqr().unwrap().sum_all().unwrap().backward().unwrap();
            let gradients = BTreeMap::from([("x".to_owned(), gradients.get(&x).unwrap().clone())]);
            adam.update(&vars, &gradients, 0.03, 1.0).unwrap();
        }
        let x: Vec<f32> = x.to_vec1().unwrap();
        assert!(x.iter().all(|x| x.abs() < 0.01), "{x:?}");
    }
}
