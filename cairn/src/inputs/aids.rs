//! What methods and optimisers may draw on beside the question: arguments, and what they come to.

use crate::inputs::args::{DeviceChoice, load_model, read_ranker};
use crate::inputs::ranker_file;
use crate::inputs::shipped::ranker_of;
use crate::inputs::shipped_models::model_parser;
use anyhow::Result;
use egraph::System;
use guided_search::{AidFiles, Aids, GuideWriter, Need};
use model::{GuideModel, content_hash};
use ranking::Ranker;
use std::path::PathBuf;
use std::sync::Arc;
use support::{InputFile, note};

/// A model and a ranker.
#[derive(Clone, Debug, clap::Args)]
pub struct AidArgs {
    /// The directory of a trained model, or the name of one that comes with the program, for the methods that need one
    #[arg(long, value_name = "DIR", value_parser = model_parser())]
    pub model: Option<PathBuf>,
    /// Where the model computes
    #[arg(long, value_enum, default_value_t, requires = "model")]
    device: DeviceChoice,
    #[command(flatten)]
    pub ranker: RankerArgs,
}

/// Which ranker.
#[derive(Clone, Debug, clap::Args)]
pub struct RankerArgs {
    /// A ranker, or the directory of `cairn learn`, or a shipped one by its name: in which order best-first chooses
    /// matches [default: the one that is shipped for the system, if one is; if not, `any`, but for `optimise`, which takes none]
    #[arg(id = "ranker", long, value_name = "FILE", value_parser = ranker_file::parser())]
    pub given: Option<InputFile>,
    /// Use no ranker: best-first begins with the matches that lead to the smallest terms
    #[arg(id = "no_ranker", long = "no-ranker", conflicts_with = "ranker")]
    pub none: bool,
}

impl RankerArgs {
    /// The file of the one that is asked for, or else, unless none is to be used, the `shipped` one.
    pub fn or(&self, shipped: impl FnOnce() -> Option<InputFile>) -> Option<InputFile> {
        self.given.clone().or_else(|| if self.none { None } else { shipped() })
    }
}

/// For what a ranker is wanted.
#[derive(Clone, Copy)]
pub struct Wanted {
    /// Something would use one.
    pub used: bool,
    /// Nobody said what is to be used.
    pub by_default: bool,
}

impl AidArgs {
    /// Which are given, and in which file the ranker is that is taken.
    pub fn there(&self, ranker: Option<&InputFile>) -> Vec<Need> {
        let model = self.model.as_ref().map(|_| Need::Model);
        model.into_iter().chain(ranker.map(|_| Need::Ranker)).collect()
    }

    /// The ranker that is asked for, or the shipped one where something uses one, and its file. One that `refuse` refuses,
    /// for what it has seen, is done without by default, where nobody asked for it.
    ///
    /// # Errors
    /// It can't be read, or is refused.
    pub fn read_ranker<T>(
        &self,
        system: &System,
        wanted: Wanted,
        quiet: bool,
        refuse: impl FnOnce(&Ranker) -> Result<T>,
    ) -> Result<Option<(InputFile, Arc<Ranker>, T)>> {
        let file = self.ranker.or(|| wanted.used.then(|| ranker_of(system)));
        let Some(file) = file else { return Ok(None) };
        let ranker = read_ranker(&file, system)?;
        match refuse(&ranker) {
            Err(seen) if self.ranker.given.is_none() && wanted.by_default => {
                if !quiet {
                    note(&format!("no ranker is used: {seen}"));
                }
                Ok(None)
            }
            refused => refused.map(|found| Some((file, ranker, found))),
        }
    }

    /// The options that are given.
    pub fn given(&self) -> Vec<&'static str> {
        let ranker = &self.ranker;
        let all = [
            ("--model", self.model.is_some()),
            ("--ranker", ranker.given.is_some()),
            ("--no-ranker", ranker.none),
        ];
        all.into_iter().filter(|(_, given)| *given).map(|(option, _)| option).collect()
    }

    /// Reads them, the model only if it is used; but for the ranker, which depends on what it may have seen.
    ///
    /// # Errors
    /// One can't be read, or is of another rewrite system.
    pub fn read(&self, system: &System, uses_model: bool) -> Result<ReadAids<'_>> {
        let model = self.model.as_deref().filter(|_| uses_model);
        let model = model.map(|directory| load_model(directory, system, self.device));
        Ok(ReadAids { args: self, model: model.transpose()?, ranker: None })
    }
}

/// Aids that were read.
pub struct ReadAids<'a> {
    args: &'a AidArgs,
    model: Option<GuideModel>,
    /// The ranker, and its file.
    pub ranker: Option<(InputFile, Arc<Ranker>)>,
}

impl ReadAids<'_> {
    /// For methods.
    pub fn aids(&self) -> Aids<'_> {
        let model = self.model.as_ref().map(|model| model as &dyn GuideWriter);
        let ranker = self.ranker.as_ref().map(|(_, ranker)| ranker);
        Aids { model, ranker, ..Aids::default() }
    }

    /// What results say of them.
    ///
    /// # Errors
    /// A file can't be read.
    pub fn files(&self) -> Result<AidFiles> {
        let (model, ranker) = (self.args.model.as_deref(), self.ranker.as_ref());
        Ok(AidFiles {
            model: model.map(|directory| directory.display().to_string()),
            model_hash: model.map(content_hash).transpose()?,
            ranker: ranker.map(|(file, _)| file.to_string()),
            ranker_hash: ranker.map(|(_, ranker)| ranker.hash()).transpose()?,
        })
    }
}
