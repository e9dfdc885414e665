//! The sizes of a ladder: networks of given shapes, or of given numbers of parameters in the shape of a
//! base configuration.

use crate::config::{Config, ModelConfig};
use crate::tokens::vocabulary::Vocabulary;
use crate::training::forecast::count_parameters;
use anyhow::{Result, ensure};
use serde::{Deserialize, Serialize};

/// What is asked for as a size.
#[derive(Clone, Debug)]
pub struct SizeAsked {
    /// What it is called, in names of directories, too.
    pub name: String,
    /// What it is.
    pub kind: SizeKind,
}

/// What a size is.
#[derive(Clone, Debug)]
pub enum SizeKind {
    /// About this many parameters without those of the embeddings: the base configuration in another
    /// width.
    Parameters(u64),
    /// The network and the learning rate of another configuration.
    Config(Box<Config>),
}

/// A size of a ladder.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Size {
    /// What it is called.
    pub name: String,
    /// All parameters of the network.
    pub parameters: usize,
    /// Those that are not in the table of embeddings.
    pub non_embedding: usize,
    /// Its configuration.
    pub config: Config,
}

impl Size {
    /// The size that is asked for. Of the base configuration it has all of the training but the
    /// learning rate, and `max_tokens`, so that all sizes read the same triples. The learning rate of
    /// one that is wider than the base is smaller in proportion.
    ///
    /// # Errors
    /// There is no such network.
    pub fn new(asked: &SizeAsked, base: &Config, vocabulary: &Vocabulary) -> Result<Size> {
        let mut config = base.clone();
        match &asked.kind {
            SizeKind::Config(other) => {
                config.model = other.model.clone();
                config.model.max_tokens = base.model.max_tokens;
                config.training.learning_rate = other.training.learning_rate;
            }
            SizeKind::Parameters(wanted) => {
                config.model = with_parameters(*wanted, &base.model, vocabulary)?;
                let wider = config.model.width as f64 / base.model.width as f64;
                config.training.learning_rate /= wider.max(1.0);
            }
        }
        config.check()?;
        let count = count_parameters(&config.model, vocabulary)?;
        let (parameters, non_embedding) = (count.all, count.all - count.embedding);
        Ok(Size { name: asked.name.clone(), parameters, non_embedding, config })
    }
}

/// The base in the width in which its parameters come nearest to a number. Heads and layers stay.
fn with_parameters(
    wanted: u64,
    base: &ModelConfig,
    vocabulary: &Vocabulary,
) -> Result<ModelConfig> {
    let shape = |width: usize| ModelConfig {
        width,
        feed_forward: (base.feed_forward * width / base.width).max(1),
        ..base.clone()
    };
    let parameters = |width: usize| -> Result<u64> {
        let count = count_parameters(&shape(width), vocabulary)?;
        Ok((count.all - count.embedding) as u64)
    };
    // Even in every head, as rotary positions need it.
    let step = 2 * base.heads;
    let (mut width, mut least) = (step, parameters(step)?);
    ensure!(
        wanted >= least / 2,
        "--sizes: {wanted} parameters are too few for {} heads and {} layers: the narrowest network \
         has {least}",
        base.heads,
        base.encoders.count() * base.encoder_layers + base.decoder_layers
    );
    // What is too wide is refused by the check of the configuration.
    while least < wanted && width <= 16_384 {
        let more = parameters(width + step)?;
        if more > wanted && more - wanted > wanted - least {
            break;
        }
        width += step;
        least = more;
    }
    Ok(shape(width))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures;

    #[test]
    fn a_number_of_parameters_gives_the_width_that_comes_nearest() {
        let (base, vocabulary) = (Config::default(), fixtures::vocabulary());
        let of = |n: u64| {
            let asked = SizeAsked { name: n.to_string(), kind: SizeKind::Parameters(n) };
            Size::new(&asked, &base, &vocabulary)
        };
        for n in [100_000, 350_000, 1_200_000, 4_000_000] {
            let size = of(n).unwrap();
            assert!((size.non_embedding as f64 / n as f64 - 1.0).abs() < 0.15, "{n} {size:?}");
            assert_eq!(size.config.model.feed_forward, 4 * size.config.model.width);
            assert!(size.parameters > size.non_embedding);
        }
        let (narrow, wide) = (of(100_000).unwrap().config, of(4_000_000).unwrap().config);
        assert_eq!(narrow.training.learning_rate, base.training.learning_rate);
        let ratio = base.training.learning_rate / wide.training.learning_rate;
        assert!((ratio - wide.model.width as f64 / base.model.width as f64).abs() < 1e-9);
        assert!(of(10).unwrap_err().to_string().contains("10 parameters are too few"));
        assert!(of(1 << 50).unwrap_err().to_string().contains("width: expected at most 16384"));
    }

    #[test]
    fn a_configuration_gives_the_network_and_the_base_the_training() {
        let (base, vocabulary) = (Config::default(), fixtures::vocabulary());
        let mut other = base.clone();
        other.model.width = 32;
        other.model.max_tokens = 7;
        other.training.batch_tokens = 9;
        other.training.learning_rate = 0.5;
        let kind = SizeKind::Config(Box::new(other));
        let size =
            Size::new(&SizeAsked { name: "n".to_owned(), kind }, &base, &vocabulary).unwrap();
        let Config { model, training } = size.config;
        assert_eq!((model.width, model.max_tokens), (32, base.model.max_tokens));
        assert_eq!(
            (training.batch_tokens, training.learning_rate),
            (base.training.batch_tokens, 0.5)
        );
    }
}
