//! The path of a record: a block of whole records is read, its records are found and hashed, and the verb takes them over
//! in order.

use super::block::{Block, Broken, Content};
use super::diag::Diag;
use super::input::Input;
use super::output::{Output, Stop};
use super::progress::Progress;
use super::record::{Reader, Records, Why};
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::sync::mpsc::{self, Receiver, SyncSender, TryRecvError};

/// The records of one block, as the ordered stage gets them.
pub struct Batch<'a> {
    pub bytes: &'a [u8],
    pub records: &'a mut Records,
    /// The number of the first record in its file, counted from 1.
    pub first_line: u64,
}

/// A piece of a record that is broken.
pub struct Fragment<'a> {
    pub bytes: &'a [u8],
    pub first: bool,
    pub why: Why,
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
    fn batch(&mut self, batch: &mut Batch<'_>, output: &mut Output) -> Result<(), Halt>;

    /// A file is at its end; `name` is its name.
    fn end_file(&mut self, name: &str);

    /// Takes a piece of a record that is broken.
    fn fragment(&mut self, fragment: &Fragment<'_>, output: &mut Output) -> Result<(), Halt>;
}

/// Blocks between the reader and the ordered stage: one at either, and two between them to even out their pace.
const BLOCKS_IN_FLIGHT: usize = 4;

/// A block and what was read from it, recycled.
struct Piece {
    block: Block,
    records: Records,
}

/// A run, ready to start.
pub struct Run<'a> {
    pub input: Input<'a>,
    pub reader: Reader,
    /// With more than one, reading and hashing run beside the ordered stage; the result is the same.
    pub threads: usize,
    pub progress: Option<Progress>,
}

impl Run<'_> {
    /// Reads all input through `stage`. What has passed is written before each wait for more input, and at the end.
    pub fn through(mut self, stage: &mut impl Stage, output: &mut Output, diag: &Diag) -> Result<(), Halt> {
        let names = self.input.names();
        let progress = self.progress.take().map(|progress| (progress, self.input.bytes_read()));
        let mut ordered = Ordered { stage, names, source: 0, line: 0, progress };
        if self.threads > 1 {
            self.beside(&mut ordered, output, diag)?;
        } else {
            let mut piece = Piece::new(&self.input);
            while self.input.fill(&mut piece.block, diag, || output.flush())? {
                piece.read(&mut self.reader);
                ordered.take(&mut piece, output)?;
            }
        }
        ordered.stage.end_file(&ordered.names[ordered.source]);
        Ok(output.flush()?)
    }

    /// The same with the reader on a thread of its own.
    fn beside(self, ordered: &mut Ordered<'_, impl Stage>, output: &mut Output, diag: &Diag) -> Result<(), Halt> {
        let Run { mut input, mut reader, .. } = self;
        let signals = input.signals();
        let (full, filled) = mpsc::sync_channel(BLOCKS_IN_FLIGHT);
        let (empty, emptied) = mpsc::sync_channel(BLOCKS_IN_FLIGHT);
        for _ in 0..BLOCKS_IN_FLIGHT {
            // There is room for all of them, and the other end is still here.
            let _ = empty.send(Piece::new(&input));
        }
        std::thread::scope(|scope| {
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
        })
    }
}

/// Takes pieces over until there are no more, writing what has passed whenever the next one is not there yet.
fn drain(
    filled: &Receiver<Piece>,
    empty: &SyncSender<Piece>,
    ordered: &mut Ordered<'_, impl Stage>,
    output: &mut Output,
) -> Result<(), Halt> {
    loop {
        let mut piece = match filled.try_recv() {
            Ok(piece) => piece,
            Err(TryRecvError::Disconnected) => return Ok(()),
            Err(TryRecvError::Empty) => {
                output.flush()?;
                let Ok(piece) = filled.recv() else { return Ok(()) };
                piece
            }
        };
        ordered.take(&mut piece, output)?;
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
    /// The bar, and how many bytes have been read.
    progress: Option<(Progress, Arc<AtomicU64>)>,
}

impl<S: Stage> Ordered<'_, S> {
    fn take(&mut self, piece: &mut Piece, output: &mut Output) -> Result<(), Halt> {
        let Piece { block, records } = piece;
        if let Some((progress, read)) = &mut self.progress {
            progress.show(read);
        }
        if self.source != block.source {
            self.stage.end_file(&self.names[self.source]);
            self.source = block.source;
            self.line = 0;
        }
        let done = match block.content {
            Content::Records => {
                let first_line = self.line + 1;
                self.line += records.len() as u64;
                let mut batch = Batch { bytes: block.content(), records, first_line };
                self.stage.batch(&mut batch, output)
            }
            Content::Fragment { first, why } => {
                self.line += u64::from(first);
                let why = match why {
                    Broken::TooLong => Why::TooLong,
                    Broken::Cut => Why::Cut,
                };
                self.stage.fragment(&Fragment { bytes: block.content(), first, why, line: self.line }, output)
            }
        };
        match done {
            Err(Halt::Record { line, why }) => {
                output.flush()?;
                Err(Halt::Trouble(format!("{}, line {line}: {}", self.names[self.source], why.describe())))
            }
            Err(Halt::Trouble(message)) => {
                output.flush()?;
                Err(Halt::Trouble(message))
            }
            other => other,
        }
    }
}
