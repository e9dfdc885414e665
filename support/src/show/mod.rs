//! What people see: the console, progress, numbers, pages, charts. It must not know what is shown.

pub mod console;
pub mod numbers;
pub mod page;
pub mod progress;
pub mod svg_chart;
