//! Guided search: one account of work, one fresh e-graph a stage. It must not know where guides come
//! from, nor which methods there are.

pub(crate) mod advice;
pub(crate) mod answer;
pub(crate) mod budget;
pub(crate) mod frontier_terms;
pub(crate) mod guide_source;
pub(crate) mod known;
pub(crate) mod one_egraph;
mod plan;
pub(crate) mod portfolio;
pub(crate) mod prove;
pub(crate) mod randomness;
pub(crate) mod stage;
pub(crate) mod turns;
pub(crate) mod united;
pub(crate) mod walking;
