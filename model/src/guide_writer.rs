//! A model as what writes guides for a search.

use crate::decoding::decode::DecodeOptions;
use crate::guide_model::{Guide, GuideModel};
use anyhow::Result;
use egraph::{TermBank, TermId};
use guided_search::{Drawn, GuideWriter, WrittenTerm};

impl GuideWriter for GuideModel {
    fn write(
        &self,
        bank: &mut TermBank,
        [start, target]: [TermId; 2],
        drawn: &Drawn,
    ) -> Result<Vec<WrittenTerm>> {
        let Drawn { nucleus, terms: guides, max_size, seed } = *drawn;
        let max_size = usize::try_from(max_size).unwrap_or(usize::MAX);
        let options = DecodeOptions { nucleus, temperature: 1.0, guides, max_size, seed };
        let written = self.guides(bank, &[(start, target)], &options)?.pop().unwrap_or_default();
        let term =
            |Guide { term, node_probabilities, .. }| WrittenTerm { term, node_probabilities };
        Ok(written.into_iter().map(term).collect())
    }

    fn can_read(&self, bank: &TermBank, [start, target]: [TermId; 2]) -> Result<bool> {
        GuideModel::can_read(self, bank, start, target)
    }
}
