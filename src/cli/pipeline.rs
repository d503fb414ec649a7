//! The path of a record: a block of whole records is read, its records are found and hashed, and the verb takes them over
//! in order.

use super::block::{Block, Content};
use super::diag::Diag;
use super::input::Input;
use super::output::{Output, Stop};
use super::record::{Reader, Records, Why};

/// The records of one block, as the ordered stage gets them.
pub struct Batch<'a> {
    pub bytes: &'a [u8],
    pub records: &'a Records,
    /// The number of the first record in its file, counted from 1.
    pub first_line: u64,
}

/// A piece of a record that is longer than the limit.
pub struct Fragment<'a> {
    pub bytes: &'a [u8],
    pub first: bool,
    /// The number of its record in its file, counted from 1.
    pub line: u64,
}

/// Why a run ends before its input does.
#[derive(Debug)]
pub enum Halt {
    /// Nothing more can be written.
    Output(Stop),
    /// A record that was not to be met: its line, and what is wrong with it.
    Record { line: u64, why: Why },
    /// Something else; the message says what.
    Trouble(String),
}

impl From<Stop> for Halt {
    fn from(stop: Stop) -> Halt {
        Halt::Output(stop)
    }
}

/// The ordered stage of a verb.
pub trait Stage {
    /// Takes the records of a block.
    fn batch(&mut self, batch: &Batch<'_>, output: &mut Output) -> Result<(), Halt>;

    /// Takes a piece of a record that is too long to be one.
    fn fragment(&mut self, fragment: &Fragment<'_>, output: &mut Output) -> Result<(), Halt>;
}

/// Reads all input through `stage`. What has passed is written before each wait for more input, and at the end.
pub fn run(
    input: &mut Input<'_>,
    reader: &mut Reader,
    stage: &mut impl Stage,
    output: &mut Output,
    diag: &mut Diag,
) -> Result<(), Halt> {
    let mut block = Block::new(input.read_bytes());
    let mut records = Records::default();
    // The file being read, and how many of its records have been.
    let mut place = (0, 0);
    while input.fill(&mut block, diag, || output.flush())? {
        if place.0 != block.source {
            place = (block.source, 0);
        }
        let done = match block.content {
            Content::Records => {
                reader.read(block.content(), &mut records);
                let batch = Batch { bytes: block.content(), records: &records, first_line: place.1 + 1 };
                place.1 += records.len() as u64;
                stage.batch(&batch, output)
            }
            Content::Fragment { first, .. } => {
                place.1 += u64::from(first);
                stage.fragment(&Fragment { bytes: block.content(), first, line: place.1 }, output)
            }
        };
        match done {
            Err(Halt::Record { line, why }) => {
                output.flush()?;
                return Err(Halt::Trouble(format!("{}, line {line}: {}", input.name(block.source), why.describe())));
            }
            other => other?,
        }
    }
    Ok(output.flush()?)
}
