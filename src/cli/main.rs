//! grudge: a stream filter that holds grudges and forgives.

#![forbid(unsafe_code)]

mod args;
mod block;
mod clock;
mod config;
mod dedup;
mod diag;
mod exit;
mod filter;
mod input;
mod output;
mod pipeline;
mod record;
mod signals;
mod stats;
mod timestamp;
mod units;
mod usage;

use args::{Arguments, Verb};
use clap::{CommandFactory, Parser, error::ErrorKind};
use diag::Diag;
use exit::Status;
use std::process::ExitCode;

fn main() -> ExitCode {
    match Arguments::try_parse() {
        Ok(arguments) => run(arguments).into(),
        Err(error) => refuse(&error).into(),
    }
}

fn run(arguments: Arguments) -> Status {
    match arguments.verb {
        Verb::Dedup(arguments) => {
            let diag = Diag::new(arguments.report.quiet);
            dedup::run(arguments, &diag)
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
