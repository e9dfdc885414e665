//! What is read and written: whole files, directories of one writer, tables, text, configuration.
//! It must not know what the files are about.

pub mod columns;
pub mod hash;
pub mod input;
pub mod numbered;
pub mod output_dir;
pub mod sealed;
pub mod table;
pub mod text;
pub mod toml;
pub mod whole_file;
