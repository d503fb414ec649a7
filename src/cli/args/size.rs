//! The command line of `size`.

use super::super::report::Style;
use super::super::units::{self, Length};
use clap::{Args, ValueEnum};

#[derive(Debug, Args)]
pub struct SizeArguments {
    /// The verb whose memory is asked for
    #[arg(value_name = "VERB")]
    pub verb: SizedVerb,
    /// Keys at once: those that have not yet been forgiven
    #[arg(long, value_name = "N", value_parser = units::count)]
    pub keys: Option<u64>,
    /// The share of them that may be wrong
    #[arg(long, value_name = "SHARE", value_parser = units::share)]
    pub error: Option<f64>,
    /// The other way round: what this memory holds
    #[arg(short = 'm', long, value_name = "SIZE", value_parser = units::size)]
    pub memory: Option<u64>,
    /// For observe: what a half-life means in ticks
    #[arg(long, value_name = "DURATION", value_parser = units::length)]
    pub half_life: Option<Length>,
    /// How the table is written [default: text]
    #[arg(short = 'o', long = "output", value_name = "STYLE", default_value = "text", hide_default_value = true)]
    pub style: Style,
}

/// A verb that keeps keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum SizedVerb {
    Dedup,
    Score,
    Limit,
    Observe,
}
