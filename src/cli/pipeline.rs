//! The path of a record: a block of whole records is read, its records are found and hashed, and the verb takes them over
//! in order.

use super::block::{Block, Broken, Content};
use super::diag::Diag;
use super::input::Input;
use super::output::{Output, Stop};
use super::progress::Progress;
use super::record::format::Layout;
use super::record::{Reader, Records, Why};
use std::sync::atomic::AtomicU64;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, SyncSender, TryRecvError};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// The records of one block, as the ordered stage gets them.
pub struct Batch<'a> {
    pub bytes: &'a [u8],
    pub records: &'a mut Records,
    pub layout: &'a Arc<Layout>,
    /// The name of its file.
    pub file: &'a str,
    /// The number of its first line in its file, counted from 1.
    pub first_line: u64,
}

impl Batch<'_> {
    /// The number of the line in its file on which the `index`th record begins.
    pub fn line(&self, index: usize) -> u64 {
        if self.layout.format.spans_lines() {
            let before = &self.bytes[..self.records.start(index)];
            self.first_line + memchr::memchr_iter(b'\n', before).count() as u64
        } else {
            self.first_line + index as u64
        }
    }
}

/// A piece of a record that is broken.
pub struct Fragment<'a> {
    pub bytes: &'a [u8],
    pub first: bool,
    pub why: Why,
    /// The name of its file.
    pub file: &'a str,
    /// The number of its line in its file, counted from 1.
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

    /// In how long the stage will have something to say by itself, if no record comes before.
    fn speaks_in(&self) -> Option<Duration>;

    /// That time is over.
    fn speak(&mut self, output: &mut Output) -> Result<(), Halt>;
}

/// Blocks for each reader: one that it reads, and one on the way to even out the pace.
const BLOCKS_A_READER: usize = 2;

/// Blocks beyond those: one at the ordered stage, one for it to go on with.
const BLOCKS_IN_ORDER: usize = 2;

/// A block and what was read from it, recycled.
struct Piece {
    block: Block,
    records: Records,
}

/// A run, ready to start.
pub struct Run<'a> {
    pub input: Input<'a>,
    pub reader: Reader,
    /// With more than one, reading and hashing run beside the ordered stage and beside each other; the result is the same.
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

    /// The same with readers on threads of their own.
    fn beside(self, ordered: &mut Ordered<'_, impl Stage>, output: &mut Output, diag: &Diag) -> Result<(), Halt> {
        let Run { input, reader, threads, .. } = self;
        let signals = input.signals();
        // Where reading costs little the ordered stage is what all wait for: it gets a core of its own.
        let readers = if reader.is_light() { threads - 1 } else { threads };
        let blocks = readers * BLOCKS_A_READER + BLOCKS_IN_ORDER;
        let (full, filled) = mpsc::sync_channel(blocks);
        let (empty, emptied) = mpsc::sync_channel(blocks);
        for _ in 0..blocks {
            // There is room for all of them, and the other end is still here.
            let _ = empty.send(Piece::new(&input));
        }
        let source = Mutex::new(Source { input, emptied, reader: reader.clone(), next: 0 });
        std::thread::scope(|scope| {
            for _ in 0..readers {
                let (source, full, reader) = (&source, full.clone(), reader.clone());
                scope.spawn(move || read_on(source, &full, reader, diag));
            }
            drop(full);
            let ended = drain(&filled, &empty, ordered, output);
            if ended.is_err() {
                // A reader may be waiting for input that nobody wants any more.
                signals.stop();
            }
            drop((filled, empty));
            ended
        })
    }
}

/// What the readers take their blocks from, one at a time.
struct Source<'a> {
    input: Input<'a>,
    emptied: Receiver<Piece>,
    /// Reads the first blocks, as long as a record of theirs may decide something for those behind it.
    reader: Reader,
    /// The number of the next block.
    next: u64,
}

/// What comes from the readers: a piece and its number, or the word that one of them panicked and its piece will never
/// come.
type Read = Option<(u64, Piece)>;

/// Tells the ordered stage when its reader panics.
struct Alarm<'a>(&'a SyncSender<Read>);

impl Drop for Alarm<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            // Where nobody listens any more the run has ended already.
            let _ = self.0.send(None);
        }
    }
}

/// Takes blocks and reads them, until there are no more.
fn read_on(source: &Mutex<Source<'_>>, full: &SyncSender<Read>, mut reader: Reader, diag: &Diag) {
    let _alarm = Alarm(full);
    loop {
        // A reader that panicked has ended the run.
        let Ok(mut turn) = source.lock() else { return };
        let Ok(mut piece) = turn.emptied.recv() else { return };
        // The ordered stage sees to what is to be written before a wait.
        if turn.input.fill(&mut piece.block, diag, || Ok(())) != Ok(true) {
            return;
        }
        let number = turn.next;
        turn.next += 1;
        if turn.reader.is_decided(&piece.block.layout) {
            reader.adopt(turn.reader.decided());
            drop(turn);
            piece.read(&mut reader);
        } else {
            piece.read(&mut turn.reader);
            drop(turn);
        }
        if full.send(Some((number, piece))).is_err() {
            return;
        }
    }
}

/// Takes pieces over in their order until there are no more, writing what has passed whenever the next one is not there
/// yet.
fn drain(
    filled: &Receiver<Read>,
    empty: &SyncSender<Piece>,
    ordered: &mut Ordered<'_, impl Stage>,
    output: &mut Output,
) -> Result<(), Halt> {
    // Those that came before their turn; few, as blocks are.
    let mut early: Vec<(u64, Piece)> = Vec::new();
    for next in 0.. {
        let mut piece = loop {
            if let Some(place) = early.iter().position(|(number, _)| *number == next) {
                break early.swap_remove(place).1;
            }
            let read = match filled.try_recv() {
                Ok(read) => read,
                Err(TryRecvError::Disconnected) => return Ok(()),
                Err(TryRecvError::Empty) => {
                    output.flush()?;
                    let read = match ordered.stage.speaks_in() {
                        None => filled.recv().map_err(|_| RecvTimeoutError::Disconnected),
                        Some(time) => filled.recv_timeout(time),
                    };
                    match read {
                        Ok(read) => read,
                        Err(RecvTimeoutError::Disconnected) => return Ok(()),
                        Err(RecvTimeoutError::Timeout) => {
                            ordered.stage.speak(output)?;
                            continue;
                        }
                    }
                }
            };
            let Some((number, piece)) = read else {
                return Err(Halt::Trouble("internal error: a reader panicked".to_owned()));
            };
            if number == next {
                break piece;
            }
            early.push((number, piece));
        };
        ordered.take(&mut piece, output)?;
        // The readers may have come to the end and gone.
        let _ = empty.send(piece);
    }
    Ok(())
}

impl Piece {
    fn new(input: &Input<'_>) -> Piece {
        Piece { block: Block::new(input.read_bytes()), records: Records::default() }
    }

    fn read(&mut self, reader: &mut Reader) {
        match self.block.content {
            Content::Records => reader.read(self.block.content(), &self.block.layout, &mut self.records),
            Content::Heading => reader.read_heading(self.block.content(), &self.block.layout, &mut self.records),
            Content::Fragment { .. } => {}
        }
    }
}

/// The ordered stage, and where in its file the stream is.
struct Ordered<'a, S> {
    stage: &'a mut S,
    names: Vec<String>,
    source: usize,
    /// Lines of the file that have been taken over.
    line: u64,
    /// The bar, and how many bytes have been read.
    progress: Option<(Progress, Arc<AtomicU64>)>,
}

impl<S: Stage> Ordered<'_, S> {
    fn take(&mut self, piece: &mut Piece, output: &mut Output) -> Result<(), Halt> {
        let Piece { block, records } = piece;
        let file = self.names[block.source].as_str();
        if let Some((progress, read)) = &mut self.progress {
            progress.show(read);
        }
        if self.source != block.source {
            self.stage.end_file(&self.names[self.source]);
            self.source = block.source;
            self.line = 0;
        }
        let done = match block.content {
            Content::Records | Content::Heading => {
                let trouble = records.trouble.take();
                let first_line = self.line + 1;
                self.line += records.lines;
                let mut batch = Batch { bytes: block.content(), records, layout: &block.layout, file, first_line };
                let taken = self.stage.batch(&mut batch, output);
                taken.and(trouble.map_or(Ok(()), |trouble| Err(Halt::Trouble(trouble))))
            }
            Content::Fragment { first, why } => {
                self.line += u64::from(first);
                let why = match why {
                    Broken::TooLong => Why::TooLong,
                    Broken::Cut => Why::Cut,
                    Broken::OpenQuote => Why::OpenQuote,
                };
                let fragment = Fragment { bytes: block.content(), first, why, file, line: self.line };
                self.stage.fragment(&fragment, output)
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
