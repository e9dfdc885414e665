//! The arguments of a command as data, for whoever has functions that are called as the commands are.

use clap::Command;
use clap::builder::ValueParser;
use std::any::TypeId;

/// An argument of a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Argument {
    /// Its name, as a keyword: `link_nodes`.
    pub name: String,
    /// The struct that says what it is, as `SearchOptions`.
    pub said_by: String,
    /// `flag`, `whole`, `number`, `text`, or `whole or text`.
    pub kind: &'static str,
    /// What help says of it.
    pub sentence: String,
}

/// The arguments of a command, in the order of its help; one inside of another is called so, as `rules find`.
pub fn arguments(program: &mut Command, command: &str) -> Vec<Argument> {
    program.build();
    let mut inside: Option<&Command> = Some(program);
    for name in command.split(' ') {
        inside = inside.and_then(|command| command.find_subcommand(name));
    }
    let Some(command) = inside else { return Vec::new() };
    let argument = |argument: &clap::Arg| {
        let of = |group: &&clap::ArgGroup| group.get_args().any(|id| id == argument.get_id());
        Argument {
            name: argument.get_id().to_string(),
            said_by: command
                .get_groups()
                .find(of)
                .map_or(String::new(), |g| g.get_id().to_string()),
            kind: kind(argument),
            sentence: argument.get_help().map_or(String::new(), ToString::to_string),
        }
    };
    command.get_arguments().map(argument).collect()
}

fn kind(argument: &clap::Arg) -> &'static str {
    let is = |kinds: &[TypeId]| {
        let parser: &ValueParser = argument.get_value_parser();
        kinds.iter().any(|kind| parser.type_id() == *kind)
    };
    match () {
        () if !argument.get_action().takes_values() => "flag",
        () if is(&[
            TypeId::of::<u16>(),
            TypeId::of::<u32>(),
            TypeId::of::<u64>(),
            TypeId::of::<usize>(),
        ]) =>
        {
            "whole"
        }
        () if is(&[TypeId::of::<f64>(), TypeId::of::<guided_search::Seconds>()]) => "number",
        () if is(&[
            TypeId::of::<guided_search::Cap>(),
            TypeId::of::<guided_search::Patience>(),
        ]) =>
        {
            "whole or text"
        }
        () => "text",
    }
}
