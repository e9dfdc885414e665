//! The named parameters of a model: drawn from a seed, or read from a safetensors file.

use anyhow::{Context, Result, anyhow, bail, ensure};
use candle_core::{DType, Device, Tensor, Var};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use safetensors::SafeTensors;
use std::collections::{BTreeMap, HashMap};
use std::path::Path;

/// How a parameter begins.
#[derive(Clone, Copy, Debug)]
pub enum Init {
    /// All zero.
    Zeros,
    /// All one.
    Ones,
    /// Normal with mean 0 and this standard deviation.
    Normal(f64),
}

enum Source {
    Random(Box<ChaCha8Rng>),
    Given(BTreeMap<String, Tensor>),
    /// Only counts: how many numbers were asked for.
    Counted(usize),
}

/// Hands out parameters by name while a model is built, and keeps them in the order of the names.
pub struct Parameters {
    device: Device,
    source: Source,
    /// Whether they are variables, for which gradients are computed.
    trained: bool,
    vars: BTreeMap<String, Var>,
}

impl Parameters {
    /// Parameters that begin at random, the same for the same seed.
    pub fn random(seed: u64, device: &Device) -> Parameters {
        let source = Source::Random(Box::new(ChaCha8Rng::seed_from_u64(seed)));
        Parameters { device: device.clone(), source, trained: true, vars: BTreeMap::new() }
    }

    /// No parameters: what is built with these takes no memory, and can't compute anything.
    pub fn counted() -> Parameters {
        let source = Source::Counted(0);
        Parameters { device: Device::Cpu, source, trained: false, vars: BTreeMap::new() }
    }

    /// How many numbers were asked for of parameters that are only counted.
    pub fn count(&self) -> usize {
        match self.source {
            Source::Counted(count) => count,
            _ => self.vars.values().map(|var| var.elem_count()).sum(),
        }
    }

    /// Parameters with given values, to be trained further.
    pub fn given(tensors: BTreeMap<String, Tensor>, device: &Device) -> Parameters {
        let source = Source::Given(tensors);
        Parameters { device: device.clone(), source, trained: true, vars: BTreeMap::new() }
    }

    /// Parameters with given values that stay as they are: what is computed with them keeps
    /// nothing for gradients.
    pub fn fixed(tensors: BTreeMap<String, Tensor>, device: &Device) -> Parameters {
        Parameters { trained: false, ..Parameters::given(tensors, device) }
    }

    /// Variables as they are at any time, for a second network: what is computed with it keeps nothing
    /// for gradients, and follows every change of theirs.
    pub fn views(vars: &BTreeMap<String, Var>, device: &Device) -> Parameters {
        let view = |(name, var): (&String, &Var)| (name.clone(), var.as_detached_tensor());
        Parameters::fixed(vars.iter().map(view).collect(), device)
    }

    /// The parameter called `name`.
    ///
    /// # Errors
    /// It is not among the given ones, or has another shape there.
    pub fn get(&mut self, name: &str, shape: &[usize], init: Init) -> Result<Tensor> {
        let var = match &mut self.source {
            Source::Random(rng) => {
                let n: usize = shape.iter().product();
                let data: Vec<f32> = match init {
                    Init::Zeros => vec![0.0; n],
                    Init::Ones => vec![1.0; n],
                    Init::Normal(deviation) => (0..n).map(|_| normal(rng, deviation)).collect(),
                };
                Var::from_vec(data, shape, &self.device)?
            }
            Source::Counted(count) => {
                let n = shape.iter().try_fold(1usize, |n, size| n.checked_mul(*size));
                *count = count.saturating_add(n.unwrap_or(usize::MAX));
                return Ok(Tensor::zeros(0, DType::F32, &self.device)?);
            }
            Source::Given(tensors) => {
                let tensor = tensors.remove(name).with_context(|| format!("no tensor '{name}'"))?;
                ensure!(
                    tensor.dims() == shape,
                    "tensor '{name}' has shape {:?}, expected {shape:?}",
                    tensor.dims()
                );
                let tensor = tensor.to_device(&self.device)?;
                if !self.trained {
                    return Ok(tensor);
                }
                Var::from_tensor(&tensor)?
            }
        };
        let tensor = var.as_tensor().clone();
        self.vars.insert(name.to_owned(), var);
        Ok(tensor)
    }

    /// All parameters that are trained by name, after the model is built.
    ///
    /// # Errors
    /// A given tensor was not asked for.
    pub fn finish(self) -> Result<BTreeMap<String, Var>> {
        if let Source::Given(rest) = &self.source
            && let Some(name) = rest.keys().next()
        {
            bail!("unexpected tensor '{name}'");
        }
        Ok(self.vars)
    }
}

/// Box and Muller's transform; the second number is not used, so that every call is alike.
fn normal(rng: &mut ChaCha8Rng, deviation: f64) -> f32 {
    let (u, v): (f64, f64) = (rng.random(), rng.random());
    let radius = (-2.0 * (1.0 - u).ln()).sqrt();
    (deviation * radius * (std::f64::consts::TAU * v).cos()) as f32
}

/// The bytes of a safetensors file with these f32 tensors.
///
/// # Errors
/// The device fails.
pub fn to_safetensors(
    tensors: &BTreeMap<String, Tensor>,
    metadata: HashMap<String, String>,
) -> Result<Vec<u8>> {
    let mut data: Vec<(&String, &[usize], Vec<u8>)> = Vec::new();
    for (name, tensor) in tensors {
        let floats: Vec<f32> = tensor.flatten_all()?.to_vec1()?;
        let bytes = floats.iter().flat_map(|x| x.to_le_bytes()).collect();
        data.push((name, tensor.dims(), bytes));
    }
    let mut views = Vec::new();
    for (name, shape, bytes) in &data {
        let view =
            safetensors::tensor::TensorView::new(safetensors::Dtype::F32, shape.to_vec(), bytes)?;
        views.push((name.as_str(), view));
    }
    Ok(safetensors::serialize(views, Some(metadata))?)
}

/// Reads a safetensors file of f32 tensors, and its metadata.
///
/// # Errors
/// The file is missing, truncated or holds something else; it is named.
pub fn load_safetensors(
    path: &Path,
    device: &Device,
) -> Result<(BTreeMap<String, Tensor>, HashMap<String, String>)> {
    let name = path.display().to_string();
    let bytes = std::fs::read(path).with_context(|| format!("cannot read {name}"))?;
    from_safetensors(&bytes, device).map_err(|e| anyhow!("{name}: {e}"))
}

fn from_safetensors(
    bytes: &[u8],
    device: &Device,
) -> Result<(BTreeMap<String, Tensor>, HashMap<String, String>)> {
    let broken = |e| anyhow!("truncated, or not a safetensors file ({e})");
    let (_, header) = SafeTensors::read_metadata(bytes).map_err(broken)?;
    let file = SafeTensors::deserialize(bytes).map_err(broken)?;
    let mut tensors = BTreeMap::new();
    for (name, view) in file.iter() {
        ensure!(view.dtype() == safetensors::Dtype::F32, "tensor '{name}' is not of type f32");
        let floats: Vec<f32> =
            view.data().as_chunks::<4>().0.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect();
        // Nothing that is computed with such a value would mean anything.
        ensure!(floats.iter().all(|x| x.is_finite()), "tensor '{name}' holds what is no number");
        let tensor = Tensor::from_vec(floats, view.shape(), device)?.to_dtype(DType::F32)?;
        tensors.insert(name.to_owned(), tensor);
    }
    Ok((tensors, header.metadata().clone().unwrap_or_default()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tensors(values: &[f32]) -> BTreeMap<String, Tensor> {
        let tensor = Tensor::from_slice(values, values.len(), &Device::Cpu).unwrap();
        BTreeMap::from([("x".to_owned(), tensor)])
    }

    #[test]
    fn fixed_parameters_are_no_variables() {
        let get = |mut parameters: Parameters| {
            let tensor = parameters.get("x", &[2], Init::Ones).unwrap();
            (tensor, parameters.finish().unwrap().len())
        };
        let (trained, vars) = get(Parameters::given(tensors(&[1.0, 2.0]), &Device::Cpu));
        assert!(trained.is_variable() && vars == 1);
        assert!(
            trained.sqr().unwrap().sum_all().unwrap().backward().unwrap().get(&trained).is_some()
        );
        let (fixed, vars) = get(Parameters::fixed(tensors(&[1.0, 2.0]), &Device::Cpu));
        assert!(!fixed.is_variable() && vars == 0);
        assert!(fixed.sqr().unwrap().sum_all().unwrap().backward().unwrap().get(&fixed).is_none());
    }

    #[test]
    fn what_is_only_counted_takes_no_memory() {
        let mut parameters = Parameters::counted();
        for _ in 0..2 {
            let tensor = parameters.get("x", &[1 << 20, 1 << 20], Init::Ones).unwrap();
            assert_eq!(tensor.elem_count(), 0);
        }
        assert_eq!(parameters.count(), 1 << 41);
        let mut parameters = Parameters::random(0, &Device::Cpu);
        parameters.get("x", &[2, 3], Init::Ones).unwrap();
        assert_eq!(parameters.count(), 6);
    }

    #[test]
    fn weights_that_are_no_numbers_are_refused() {
        let load = |values: &[f32]| {
            let bytes = to_safetensors(&tensors(values), HashMap::new()).unwrap();
            from_safetensors(&bytes, &Device::Cpu)
        };
        load(&[1.0, -2.0]).unwrap();
        for wrong in [f32::NAN, f32::INFINITY] {
            let message = load(&[1.0, wrong]).unwrap_err().to_string();
            assert_eq!(message, "tensor 'x' holds what is no number");
        }
    }
}
