//! What people see: the console, progress, numbers, pages, charts. It must not know what is shown.

pub(crate) mod console;
pub(crate) mod numbers;
pub(crate) mod page;
pub(crate) mod progress;
pub mod svg_chart;
