//! The path of a record: a block of whole records is read, its records are found and hashed, and the verb takes them over
//! in order.

use super::block::{Block, Content};
use super::diag::Diag;
use super::input::Input;
use super::output::{Output, Stop};
use super::record::{Reader, Records, Why};
use std::sync::mpsc::{self, Receiver, SyncSender, TryRecvError};

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

/// Blocks between the reader and the ordered stage: one at either, and two between them to even out their pace.
const BLOCKS_IN_FLIGHT: usize = 4;

/// A block and what was read from it, recycled.
struct Piece {
    block: Block,
    records: Records,
}

/// Reads all input through `stage`. What has passed is written before each wait for more input, and at the end. With more
/// than one thread, reading and hashing run beside the ordered stage; the result is the same.
pub fn run(
    mut input: Input<'_>,
    mut reader: Reader,
    stage: &mut impl Stage,
    output: &mut Output,
    diag: &Diag,
    threads: usize,
) -> Result<(), Halt> {
    let names = input.names();
    let mut ordered = Ordered { stage, names, source: 0, line: 0 };
    if threads > 1 {
        beside(input, reader, &mut ordered, output, diag)?;
    } else {
        let mut piece = Piece::new(&input);
        while input.fill(&mut piece.block, diag, || output.flush())? {
            piece.read(&mut reader);
            ordered.take(&piece, output)?;
        }
    }
    Ok(output.flush()?)
}

/// The same with the reader on a thread of its own.
fn beside(
    mut input: Input<'_>,
    mut reader: Reader,
    ordered: &mut Ordered<'_, impl Stage>,
    output: &mut Output,
    diag: &Diag,
) -> Result<(), Halt> {
    let signals = input.signals();
    let (full, filled) = mpsc::sync_channel(BLOCKS_IN_FLIGHT);
    let (empty, emptied) = mpsc::sync_channel(BLOCKS_IN_FLIGHT);
    let ended = std::thread::scope(|scope| {
        for _ in 0..BLOCKS_IN_FLIGHT {
            // There is room for all of them, and the other end is still here.
            let _ = empty.send(Piece::new(&input));
        }
        scope.spawn(move || {
            while let Ok(mut piece) = emptied.recv() {
                // The ordered stage sees to what is to be written before a wait.
                if input.fill(&mut piece.block, diag, || Ok(())) != Ok(true) {
                    break;
                }
                piece.read(&mut reader);
                if full.send(piece).is_err() {
                    break;
                }
            }
        });
        let ended = drain(&filled, &empty, ordered, output);
        if ended.is_err() {
            // The reader may be waiting for input that nobody wants any more.
            signals.stop();
        }
        drop((filled, empty));
        ended
    });
    ended
}

/// Takes pieces over until there are no more, writing what has passed whenever the next one is not there yet.
fn drain(
    filled: &Receiver<Piece>,
    empty: &SyncSender<Piece>,
    ordered: &mut Ordered<'_, impl Stage>,
    output: &mut Output,
) -> Result<(), Halt> {
    loop {
        let piece = match filled.try_recv() {
            Ok(piece) => piece,
            Err(TryRecvError::Disconnected) => return Ok(()),
            Err(TryRecvError::Empty) => {
                output.flush()?;
                let Ok(piece) = filled.recv() else { return Ok(()) };
                piece
            }
        };
        ordered.take(&piece, output)?;
        // The reader may have come to the end and gone.
        let _ = empty.send(piece);
    }
}

impl Piece {
    fn new(input: &Input<'_>) -> Piece {
        Piece { block: Block::new(input.read_bytes()), records: Records::default() }
    }

    fn read(&mut self, reader: &mut Reader) {
        if self.block.content == Content::Records {
            reader.read(self.block.content(), &mut self.records);
        }
    }
}

/// The ordered stage, and where in its file the stream is.
struct Ordered<'a, S> {
    stage: &'a mut S,
    names: Vec<String>,
    source: usize,
    /// Records of the file that have been taken over.
    line: u64,
}

impl<S: Stage> Ordered<'_, S> {
    fn take(&mut self, piece: &Piece, output: &mut Output) -> Result<(), Halt> {
        let Piece { block, records } = piece;
        if self.source != block.source {
            self.source = block.source;
            self.line = 0;
        }
        let done = match block.content {
            Content::Records => {
                let batch = Batch { bytes: block.content(), records, first_line: self.line + 1 };
                self.line += records.len() as u64;
                self.stage.batch(&batch, output)
            }
            Content::Fragment { first, .. } => {
                self.line += u64::from(first);
                self.stage.fragment(&Fragment { bytes: block.content(), first, line: self.line }, output)
            }
        };
        match done {
            Err(Halt::Record { line, why }) => {
                output.flush()?;
                Err(Halt::Trouble(format!("{}, line {line}: {}", self.names[self.source], why.describe())))
            }
            other => other,
        }
    }
}
