//! How large the tables of cells are: by memory, by keys and error, or by their shape.

use super::super::units::{self, Length};
use clap::Args;

#[derive(Debug, Args)]
#[command(next_help_heading = "Memory and hash")]
pub struct SketchArguments {
    /// Memory for the cells; it is all there will be, however many keys come [default: 64MiB]
    #[arg(short = 'm', long, value_name = "SIZE", value_parser = units::size)]
    pub memory: Option<u64>,
    /// The memory for so many keys at once, instead of -m: 100000, 5M
    #[arg(long, value_name = "N", value_parser = units::count, conflicts_with = "memory")]
    pub keys: Option<u64>,
    /// With --keys: the share of them that may be over-estimated [default: 0.1%]
    #[arg(long, value_name = "SHARE", value_parser = units::share)]
    pub error: Option<f64>,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "For those who know the sketch")]
pub struct ShapeArguments {
    /// Cells a key has, each in a table of its own [default: 4]
    #[arg(long, value_name = "L")]
    pub levels: Option<u32>,
    /// Cells of each of those tables, instead of -m
    #[arg(long, value_name = "M", value_parser = units::count)]
    pub cells: Option<u64>,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "For those who know the sketch")]
pub struct GenerationArguments {
    /// Tables that are filled side by side; the oldest is read, and is emptied every --rotate
    #[arg(long, value_name = "N", requires = "rotate")]
    pub generations: Option<u32>,
    /// The time after which the oldest of the --generations makes room: an error lives for N of these at most
    #[arg(long, value_name = "DURATION", value_parser = units::length, requires = "generations")]
    pub rotate: Option<Length>,
}
