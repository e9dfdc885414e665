//! AdamW (Loshchilov and Hutter, 2019) over the weights of a ranker, with clipping by the norm of the whole gradient.
//!
//! With g a gradient times min(1, c / norm of all gradients), c the norm at most, in step t:
//!
//! ```text
//! m ← β₁·m + (1 − β₁)·g,  v ← β₂·v + (1 − β₂)·g²
//! p ← (1 − rate·decay)·p − rate/(1 − β₁ᵗ) · m / (√(v/(1 − β₂ᵗ)) + ε)
//! ```

use crate::weights::{Part, Weights};
use anyhow::{Result, ensure};

const BETAS: [f32; 2] = [0.9, 0.98];
const EPSILON: f32 = 1e-8;

/// What parameters lose, per unit of the rate; biases lose nothing.
#[derive(Clone, Copy)]
pub(crate) struct Decay {
    pub(crate) tables: f64,
    pub(crate) layers: f64,
}

/// First and second moments of the gradients.
pub(crate) struct AdamW {
    moments: [Weights; 2],
    step: i32,
    decay: Decay,
}

impl AdamW {
    pub(crate) fn new(weights: &Weights, decay: Decay) -> AdamW {
        AdamW { moments: [0, 1].map(|_| Weights::zeros(weights.rows())), step: 0, decay }
    }

    /// Changes the weights by the sum of gradients, shortened to the norm `clip`.
    ///
    /// # Errors
    /// That is no number any more; then nothing is changed.
    pub(crate) fn update(
        &mut self,
        weights: &mut Weights,
        shares: &[Weights],
        rate: f64,
        clip: f64,
    ) -> Result<()> {
        let mut gradient = Weights::zeros(weights.rows());
        for share in shares {
            for ((sum, _), (part, _)) in gradient.parameters_mut().zip(share.parameters()) {
                sum.iter_mut().zip(part).for_each(|(sum, part)| *sum += part);
            }
        }
        let squares = |numbers: &[f32]| numbers.iter().map(|&g| f64::from(g * g)).sum::<f64>();
        let norm = gradient.parameters().map(|(numbers, _)| squares(numbers)).sum::<f64>().sqrt();
        ensure!(norm.is_finite(), "the gradient is no number any more at step {}", self.step);
        let clip = if norm > clip { (clip / norm) as f32 } else { 1.0 };
        self.step = self.step.saturating_add(1);
        let unbiased = BETAS.map(|beta| 1.0 - f64::from(beta).powi(self.step));
        let (by, second) = ((rate / unbiased[0]) as f32, (1.0 / unbiased[1]) as f32);
        let keep = |part| match part {
            Part::Table => (1.0 - rate * self.decay.tables) as f32,
            Part::Layer => (1.0 - rate * self.decay.layers) as f32,
            Part::Bias => 1.0,
        };
        let [first_moments, second_moments] = &mut self.moments;
        let moments = first_moments.parameters_mut().zip(second_moments.parameters_mut());
        let parameters = weights.parameters_mut().zip(gradient.parameters()).zip(moments);
        for (((p, part), (g, _)), ((m, _), (v, _))) in parameters {
            let keep = keep(part);
            for (((p, &g), m), v) in p.iter_mut().zip(g).zip(m).zip(v) {
                let g = g * clip;
                *m = BETAS[0] * *m + (1.0 - BETAS[0]) * g;
                *v = BETAS[1] * *v + (1.0 - BETAS[1]) * g * g;
                *p = keep * *p - by * *m / ((*v * second).sqrt() + EPSILON);
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quadratic_is_minimised_and_each_part_decays_by_its_own() {
        let mut weights = Weights::zeros([1; 7]);
        weights.last[0] = 3.0;
        weights.last_bias = -2.0;
        let mut optimiser = AdamW::new(&weights, Decay { tables: 0.0, layers: 0.0 });
        for _ in 0..400 {
            let mut gradient = Weights::zeros([1; 7]);
            (gradient.last[0], gradient.last_bias) = (weights.last[0], weights.last_bias);
            // In two parts, which are added up.
            optimiser.update(&mut weights, &[gradient.clone(), gradient], 0.03, 1.0).unwrap();
        }
        assert!(weights.last[0].abs() < 0.01 && weights.last_bias.abs() < 0.01, "{weights:?}");
        (weights.last[0], weights.last_bias) = (3.0, -2.0);
        (weights.tables[0][0], weights.sets[1][2], weights.values[1]) = (2.0, 4.0, -4.0);
        let (nothing, decay) = (Weights::zeros([1; 7]), Decay { tables: 5.0, layers: 0.5 });
        AdamW::new(&weights, decay).update(&mut weights, &[nothing], 0.1, 1.0).unwrap();
        assert_eq!((weights.last[0], weights.last_bias), (3.0 * 0.95, -2.0));
        let others = [weights.tables[0][0], weights.sets[1][2], weights.values[1]];
        assert_eq!(others, [1.0, 2.0, -4.0 * 0.95]);
    }

    #[test]
    fn a_gradient_that_is_no_number_changes_nothing() {
        let mut weights = Weights::random([1; 7], 0);
        let before = weights.clone();
        let mut optimiser = AdamW::new(&weights, Decay { tables: 0.1, layers: 0.1 });
        for wrong in [f32::NAN, f32::INFINITY, f32::MAX] {
            let mut gradient = Weights::zeros([1; 7]);
            gradient.values[3] = wrong;
            let error = optimiser.update(&mut weights, &[gradient], 0.1, 1.0).unwrap_err();
            assert!(error.to_string().contains("no number any more at step 0"), "{error}");
            assert_eq!(weights, before);
        }
    }
}
