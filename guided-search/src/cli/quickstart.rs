//! placeholder
use anyhow::Result;
/// a
#[derive(Clone, Debug, clap::Args)]
pub struct QuickstartArgs {}
/// # Errors
/// x
pub fn run(_args: &QuickstartArgs) -> Result<()> { Ok(()) }
