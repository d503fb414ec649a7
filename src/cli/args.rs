//! The command line as it is typed. What it means is worked out in `config` and by the verbs.

mod dedup;
mod limit;
mod score;
mod size;
mod sketch;
mod stream;

pub use dedup::{DedupArguments, LatchName};
pub use limit::{AlgorithmName, LimitArguments};
pub use score::{AggregateName, ScoreArguments};
pub use size::{SizeArguments, SizedVerb};
pub use sketch::{GenerationArguments, ShapeArguments, SketchArguments};
pub use stream::{
    ClockName, FormatName, InputArguments, JumpLimit, KeyArguments, OnError, OnMissing, RecordArguments, RunArguments,
    TimeArguments,
};

use super::examples::{DEDUP_EXAMPLES, LIMIT_EXAMPLES, SCORE_EXAMPLES, SIZE_EXAMPLES, TOP_EXAMPLES, show_examples};
use clap::builder::styling::{AnsiColor, Styles};
use clap::{Args, Parser, Subcommand};

const STYLES: Styles =
    Styles::styled().header(AnsiColor::Yellow.on_default().bold()).literal(AnsiColor::Green.on_default());

/// Examples stand before the options: most readers need no more.
const TEMPLATE: &str = "{about-with-newline}\n{before-help}{usage-heading} {usage}\n\n{all-args}{after-help}";

/// Remembers the keys of an endless stream in constant memory, and forgives with time.
#[derive(Debug, Parser)]
#[command(name = "grudge", version, styles = STYLES, help_template = TEMPLATE, before_help = show_examples(TOP_EXAMPLES))]
#[command(subcommand_required = true, disable_help_subcommand = true)]
pub struct Arguments {
    #[command(subcommand)]
    pub verb: Verb,
}

#[derive(Debug, Subcommand)]
pub enum Verb {
    /// Pass the first record of each key and drop the repeats.
    #[command(help_template = TEMPLATE, before_help = show_examples(DEDUP_EXAMPLES))]
    Dedup(Box<DedupArguments>),
    /// Keep a score for each key, which fades with time, and write it in front of each record.
    #[command(help_template = TEMPLATE, before_help = show_examples(SCORE_EXAMPLES))]
    Score(Box<ScoreArguments>),
    /// Pass what a rate allows each key and drop the rest: a token bucket for every key.
    #[command(help_template = TEMPLATE, before_help = show_examples(LIMIT_EXAMPLES))]
    Limit(Box<LimitArguments>),
    /// Tell the memory for a number of keys and an error, or the keys and the error for a memory.
    #[command(help_template = TEMPLATE, before_help = show_examples(SIZE_EXAMPLES))]
    Size(SizeArguments),
    /// Print the manual page of grudge or of a verb.
    Man(ManArguments),
    /// Print a shell's completions.
    Completions(CompletionsArguments),
}

#[derive(Debug, Args)]
pub struct ManArguments {
    /// The verb; without one, grudge itself
    #[arg(value_name = "VERB")]
    pub verb: Option<String>,
}

#[derive(Debug, Args)]
pub struct CompletionsArguments {
    /// The shell
    #[arg(value_name = "SHELL")]
    pub shell: clap_complete::Shell,
}
