//! Utilities shared by all stages: files that appear only when complete, tables, hashes; pages, charts,
//! progress; errors, threads, random choices.
//!
//! ```
//! use support::{FileKind, OutputFile, counted, first_bytes, hash};
//! use std::io::Write;
//!
//! # fn main() -> anyhow::Result<()> {
//! let directory = tempfile::tempdir()?;
//! let path = directory.path().join("list.txt");
//! let list = FileKind {
//!     name: "a list",
//!     recognise: |path| first_bytes(path).is_ok_and(|text| text.starts_with("; list")),
//! };
//! // A file of another kind is never replaced, and the name appears when the content is complete.
//! OutputFile::new(&path, list)?.write(|file| Ok(file.write_all(b"; list\n1\n2\n")?))?;
//! assert_eq!(hash::of_file(&path)?.1, 11);
//! assert_eq!(counted(11_000, "byte"), "11,000 bytes");
//! # Ok(())
//! # }
//! ```
//!
//! What this crate must not know: terms, e-graphs, models, the command line.

mod allocator;
mod errors;
mod files;
mod own_threads;
pub mod random;
mod run;
mod show;

pub use allocator::{EndsInWords, give_back_large_blocks};
pub use errors::{Internal, exit_code};
pub use files::input::{CarriedFile, InputFile};
pub use files::numbered::{NumberedFiles, numbered_files};
pub use files::output_dir::{OutputDir, StagedDir};
pub use files::sealed::{read_sealed, seal_json, unseal_json, write_sealed};
pub use files::table::{
    Columns, Record, TableWriter, for_each_batch, read_note, read_table, write_table,
};
pub use files::text::{read_bytes, read_text, text_of};
pub use files::toml::read_toml;
pub use files::whole_file::{
    FileKind, OutputFile, cannot_write, first_bytes, named_inside, own_directory, write_atomic,
    write_atomic_with,
};
pub use files::{columns, hash};
pub use own_threads::in_order;
pub use run::Run;
pub use show::console::{note, print};
pub use show::numbers::{counted, counted_as, thousands};
pub use show::page::{has_title, page};
pub use show::progress::Progress;
pub use show::svg_chart;
