//! The named parameters of a model: drawn from a seed, or read from a safetensors file.

use anyhow::{Context, Result, anyhow, bail, ensure};
use candle_core::{DType, Device, Tensor, Var};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use safetensors::SafeTensors;
use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use support::hash::of_parts;
use support::random::normal;

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

/// What the metadata of a file of tensors says of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stamp {
    /// The step of the training after which the tensors were taken.
    pub step: u64,
    /// SHA-256 of the step and the tensors.
    pub sha256: String,
}

/// The one key of the metadata: the library writes several in the order of a hash map.
const STAMP: &str = "cairn";

impl Stamp {
    /// Of tensors in the order of their names, each with its shape and bytes.
    fn new<'a>(
        step: u64,
        tensors: impl Iterator<Item = (&'a str, &'a [usize], &'a [u8])>,
    ) -> Stamp {
        let first = Cow::Owned(format!("{step}\n").into_bytes());
        let parts = tensors.flat_map(|(name, shape, bytes)| {
            [Cow::Owned(format!("{name} {shape:?}\n").into_bytes()), Cow::Borrowed(bytes)]
        });
        Stamp { step, sha256: of_parts(std::iter::once(first).chain(parts)) }
    }

    fn metadata(&self) -> HashMap<String, String> {
        HashMap::from([(STAMP.to_owned(), format!("{} {}", self.step, self.sha256))])
    }

    fn read(metadata: &HashMap<String, String>) -> Option<Stamp> {
        let (step, sha256) = metadata.get(STAMP)?.split_once(' ')?;
        Some(Stamp { step: step.parse().ok()?, sha256: sha256.to_owned() })
    }
}

/// The bytes of a safetensors file with these f32 tensors, taken after a step, and its stamp.
///
/// # Errors
/// The device fails.
pub fn to_safetensors(tensors: &BTreeMap<String, Tensor>, step: u64) -> Result<(Vec<u8>, Stamp)> {
    let mut data: Vec<(&String, &[usize], Vec<u8>)> = Vec::new();
    for (name, tensor) in tensors {
        let floats: Vec<f32> = tensor.flatten_all()?.to_vec1()?;
        let bytes = floats.iter().flat_map(|x| x.to_le_bytes()).collect();
        data.push((name, tensor.dims(), bytes));
    }
    let parts = data.iter().map(|(name, shape, bytes)| (name.as_str(), *shape, bytes.as_slice()));
    let stamp = Stamp::new(step, parts);
    let mut views = Vec::new();
    for (name, shape, bytes) in &data {
        let view =
            safetensors::tensor::TensorView::new(safetensors::Dtype::F32, shape.to_vec(), bytes)?;
        views.push((name.as_str(), view));
    }
    Ok((safetensors::serialize(views, Some(stamp.metadata()))?, stamp))
}

/// Reads a safetensors file of f32 tensors, and its stamp.
///
/// # Errors
/// The file is missing, truncated, holds something else, or is not as it was written; it is named.
pub fn load_safetensors(path: &Path, device: &Device) -> Result<(BTreeMap<String, Tensor>, Stamp)> {
    let name = path.display().to_string();
    let bytes = std::fs::read(path).with_context(|| format!("cannot read {name}"))?;
    from_safetensors(&bytes, device).map_err(|e| anyhow!("{name}: {e}"))
}

fn from_safetensors(bytes: &[u8], device: &Device) -> Result<(BTreeMap<String, Tensor>, Stamp)> {
    let broken = |e| anyhow!("truncated, or not a safetensors file ({e})");
    let (_, header) = SafeTensors::read_metadata(bytes).map_err(broken)?;
    let file = SafeTensors::deserialize(bytes).map_err(broken)?;
    let views: BTreeMap<_, _> = file.iter().collect();
    let said = header.metadata().as_ref().and_then(Stamp::read);
    let said =
        said.context("no hash of its content: it is damaged, or an earlier version wrote it")?;
    let found = views.iter().map(|(name, view)| (*name, view.shape(), view.data()));
    ensure!(
        Stamp::new(said.step, found) == said,
        "it is not as it was written: its content has another hash"
    );
    let mut tensors = BTreeMap::new();
    for (name, view) in views {
        ensure!(view.dtype() == safetensors::Dtype::F32, "tensor '{name}' is not of type f32");
        let floats: Vec<f32> =
            view.data().as_chunks::<4>().0.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect();
        // Nothing that is computed with such a value would mean anything.
        ensure!(floats.iter().all(|x| x.is_finite()), "tensor '{name}' holds what is no number");
        let tensor = Tensor::from_vec(floats, view.shape(), device)?.to_dtype(DType::F32)?;
        tensors.insert(name.to_owned(), tensor);
    }
    Ok((tensors, said))
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
            let (bytes, stamp) = to_safetensors(&tensors(values), 7).unwrap();
            let (_, found) = from_safetensors(&bytes, &Device::Cpu)?;
            assert_eq!((found.step, &found), (7, &stamp));
            anyhow::Ok(())
        };
        load(&[1.0, -2.0]).unwrap();
        for wrong in [f32::NAN, f32::INFINITY] {
            let message = load(&[1.0, wrong]).unwrap_err().to_string();
            assert_eq!(message, "tensor 'x' holds what is no number");
        }
    }

    #[test]
    fn every_flipped_bit_of_a_file_is_noticed() {
        let (bytes, _) = to_safetensors(&tensors(&[1.0, -2.0, 0.5]), 12).unwrap();
        for at in 0..bytes.len() {
            for bit in 0..8 {
                let mut damaged = bytes.clone();
                damaged[at] ^= 1 << bit;
                assert!(from_safetensors(&damaged, &Device::Cpu).is_err(), "{at} {bit}");
            }
        }
        let other =
            safetensors::serialize::<&str, safetensors::tensor::TensorView<'_>, _>([], None);
        let message = from_safetensors(&other.unwrap(), &Device::Cpu).unwrap_err().to_string();
        assert!(message.starts_with("no hash of its content"), "{message}");
    }
}
