//! What is read and written: whole files, directories of one writer, tables, text, configuration.
//! It must not know what the files are about.

pub mod columns;
pub mod hash;
pub(crate) mod input;
pub(crate) mod numbered;
pub(crate) mod output_dir;
pub(crate) mod sealed;
pub(crate) mod table;
pub(crate) mod text;
pub(crate) mod toml;
pub(crate) mod whole_file;
