//! grudge: a stream filter that holds grudges and forgives.

#![forbid(unsafe_code)]

mod args;
mod block;
mod choice;
mod clock;
mod columns;
mod config;
mod decompress;
mod dedup;
mod diag;
mod engine;
mod examples;
mod exit;
mod explain;
mod filter;
mod input;
mod likely;
mod limit;
mod man;
mod nearest;
mod order;
mod output;
mod pipeline;
mod problems;
mod progress;
mod record;
mod report;
mod sampler;
mod score;
mod shape;
mod signals;
mod size;
mod source;
mod stats;
mod stream;
mod timestamp;
mod units;
mod usage;

use args::{Arguments, Verb};
use clap::{CommandFactory, Parser, error::ErrorKind};
use diag::Diag;
use exit::Status;
use output::Stop;
use std::process::ExitCode;

fn main() -> ExitCode {
    match Arguments::try_parse() {
        Ok(arguments) => run(arguments).into(),
        Err(error) => refuse(&error).into(),
    }
}

fn run(arguments: Arguments) -> Status {
    match arguments.verb {
        Verb::Dedup(arguments) => filter(arguments.run.quiet(), |diag| dedup::run(&arguments, diag)),
        Verb::Score(arguments) => filter(arguments.run.quiet(), |diag| score::run(&arguments, diag)),
        Verb::Limit(arguments) => filter(arguments.run.quiet(), |diag| limit::run(&arguments, diag)),
        Verb::Size(arguments) => print(size::run(&arguments)),
        Verb::Man(arguments) => print(man::page(arguments.verb.as_deref())),
        Verb::Completions(arguments) => print(Ok(man::completions(arguments.shell))),
    }
}

/// Runs a verb over records.
fn filter(quiet: bool, verb: impl FnOnce(&Diag) -> Result<Status, String>) -> Status {
    let diag = Diag::new(quiet);
    verb(&diag).unwrap_or_else(|message| {
        diag.error(message);
        Status::Trouble
    })
}

/// Writes a text that was asked for.
fn print(text: Result<Vec<u8>, String>) -> Status {
    let written = text.and_then(|text| match output::print(&text) {
        Err(stop @ Stop::Failed(_)) => Err(stop.describe()),
        Ok(()) | Err(Stop::ReaderGone) => Ok(()),
    });
    match written {
        Ok(()) => Status::Done,
        Err(message) => {
            Diag::new(false).error(message);
            Status::Trouble
        }
    }
}

/// Help that was asked for goes to stdout; everything else is one line on stderr.
fn refuse(error: &clap::Error) -> Status {
    match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => {
            // A reader that has gone, as `head` does, is no fault.
            let _ = error.print();
            Status::Done
        }
        ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand | ErrorKind::MissingSubcommand => {
            Diag::new(false).print(&Arguments::command().render_help().to_string());
            Status::Trouble
        }
        _ => {
            Diag::new(false).error(usage::explain(error));
            Status::Trouble
        }
    }
}
