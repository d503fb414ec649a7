//! The bare loop that is the limit of `dedup`: `cargo bench --bench limit -- FILE TABLE_BYTES [--stage STAGE]
//! [--key record|first] [--finder memchr|mask]`.
//!
//! It does what no exact or nearly exact filter of lines can leave out, and nothing else: read the bytes, find the
//! newlines, hash each line, touch one random place of a table. Each stage includes those before it:
//!
//! | stage | work |
//! |---|---|
//! | `read` | read() into one page-aligned block |
//! | `newlines` | and find the end of every line |
//! | `hash` | and XXH3-64 of every line (`--key first`: of its first blank-separated field) |
//! | `touch` | and one load and store at the slot the hash picks, its cache line fetched a batch ahead |
//!
//! `--finder mask` compares 64 bytes at a time and walks the bits of the result, where memchr starts anew after each
//! newline; it is quicker on short lines. The default is memchr, as a program is usually written.
//!
//! The table is reserved zeroed, so the system hands out its pages at the first touch and that cost is in the figure,
//! as it is in any program's that starts with an empty table. The result goes to stderr; nothing is written to stdout.

use std::fs::File;
use std::hint::black_box;
use std::io::{self, ErrorKind, Read};
use std::process::ExitCode;
use std::time::Instant;

use memchr::{memchr, memchr_iter};
use xxhash_rust::xxh3::xxh3_64_with_seed;

const USAGE: &str =
    "usage: limit FILE TABLE_BYTES [--stage read|newlines|hash|touch] [--key record|first] [--finder memchr|mask]";

/// One read(): small enough to be still in a core's own cache when its lines are hashed.
const BLOCK: usize = 256 << 10;
/// read() copies up to four times slower into a buffer that does not start on a page.
const PAGE: usize = 4096;
/// The part of a line that a block ends in is carried in front of the next one; a longer line is refused.
const CARRY: usize = 1 << 20;
/// Lines between the fetch of a slot and its touch: more than a core has fetches in flight (10 to 48), few enough that
/// the fetched lines (4 KiB) stay in the first-level cache.
const BATCH: usize = 64;
/// Any fixed seed will do: no one attacks a bench.
const SEED: u64 = 0x9E37_79B9_7F4A_7C15;

fn main() -> ExitCode {
    let options = match Options::parse(std::env::args().skip(1)) {
        Ok(Some(options)) => options,
        // `cargo bench` and `cargo test --all-targets` start every bench without arguments: that is no failure.
        Ok(None) => {
            eprintln!("{USAGE}");
            return ExitCode::SUCCESS;
        }
        Err(message) => {
            eprintln!("limit: {message}\n{USAGE}");
            return ExitCode::from(2);
        }
    };
    let start = Instant::now();
    match run(&options) {
        Ok(totals) => {
            totals.report(start.elapsed().as_secs_f64());
            ExitCode::SUCCESS
        }
        Err(e) => {
            eprintln!("limit: {}: {e}", options.file);
            ExitCode::from(2)
        }
    }
}

#[derive(Clone, Copy)]
enum Stage {
    Read,
    Newlines,
    Hash,
    Touch,
}

#[derive(Clone, Copy)]
enum Key {
    Record,
    First,
}

#[derive(Clone, Copy)]
enum Finder {
    Memchr,
    Mask,
}

struct Options {
    file: String,
    table_bytes: usize,
    stage: Stage,
    key: Key,
    finder: Finder,
}

impl Options {
    fn parse(arguments: impl Iterator<Item = String>) -> Result<Option<Self>, String> {
        // Cargo adds --bench.
        let mut arguments = arguments.filter(|a| a != "--bench");
        let (mut stage, mut key, mut finder) = (Stage::Touch, Key::Record, Finder::Memchr);
        let mut words = Vec::new();
        while let Some(argument) = arguments.next() {
            let mut value = || arguments.next().unwrap_or_default();
            match argument.as_str() {
                "--stage" => {
                    stage = match value().as_str() {
                        "read" => Stage::Read,
                        "newlines" => Stage::Newlines,
                        "hash" => Stage::Hash,
                        "touch" => Stage::Touch,
                        other => return Err(format!("--stage: unknown {other:?}")),
                    }
                }
                "--key" => {
                    key = match value().as_str() {
                        "record" => Key::Record,
                        "first" => Key::First,
                        other => return Err(format!("--key: unknown {other:?}")),
                    }
                }
                "--finder" => {
                    finder = match value().as_str() {
                        "memchr" => Finder::Memchr,
                        "mask" => Finder::Mask,
                        other => return Err(format!("--finder: unknown {other:?}")),
                    }
                }
                _ => words.push(argument),
            }
        }
        let [file, bytes] = match words.as_slice() {
            [] => return Ok(None),
            [file, bytes] => [file, bytes],
            _ => return Err(format!("found {} words, wanted FILE and TABLE_BYTES", words.len())),
        };
        let table_bytes = bytes.replace('_', "").parse().map_err(|_| format!("TABLE_BYTES: found {bytes:?}"))?;
        if table_bytes < size_of::<u64>() {
            return Err(format!("TABLE_BYTES: found {table_bytes}, wanted at least one slot of {}", size_of::<u64>()));
        }
        Ok(Some(Self { file: file.clone(), table_bytes, stage, key, finder }))
    }
}

struct Totals {
    lines: u64,
    bytes: u64,
    /// Depends on everything the stage computed, so that none of it can be left out by the compiler.
    digest: u64,
}

impl Totals {
    fn report(&self, seconds: f64) {
        let Self { lines, bytes, digest } = *self;
        eprint!("lines {lines} bytes {bytes} secs {seconds:.4}");
        // The stage `read` knows no lines.
        if lines > 0 {
            eprint!(" ns/line {:.2}", seconds * 1e9 / lines as f64);
        }
        eprintln!(" GB/s {:.2} digest {digest:016x}", bytes as f64 / seconds / 1e9);
    }
}

fn run(options: &Options) -> io::Result<Totals> {
    let file = File::open(&options.file)?;
    // One loop for each combination: the choices cost nothing inside it.
    match options.stage {
        Stage::Read => read(file),
        Stage::Newlines => each_line(file, options, Newlines(0)),
        Stage::Hash => each_line(file, options, Hash(0)),
        Stage::Touch => each_line(file, options, Touch::new(options.table_bytes)),
    }
}

fn each_line(file: File, options: &Options, work: impl Work) -> io::Result<Totals> {
    match (options.key, options.finder) {
        (Key::Record, Finder::Memchr) => lines::<Memchr>(file, work, record),
        (Key::Record, Finder::Mask) => lines::<Mask>(file, work, record),
        (Key::First, Finder::Memchr) => lines::<Memchr>(file, work, first_field),
        (Key::First, Finder::Mask) => lines::<Mask>(file, work, first_field),
    }
}

fn record(line: &[u8]) -> &[u8] {
    line
}

fn first_field(line: &[u8]) -> &[u8] {
    memchr(b' ', line).map_or(line, |end| &line[..end])
}

/// What is done with the key of each line.
trait Work {
    fn key(&mut self, key: &[u8]);
    /// Ends what is under way and gives the digest.
    fn finish(self) -> u64;
}

struct Newlines(u64);

impl Work for Newlines {
    #[inline(always)]
    fn key(&mut self, key: &[u8]) {
        self.0 += key.len() as u64;
    }

    fn finish(self) -> u64 {
        self.0
    }
}

struct Hash(u64);

impl Work for Hash {
    #[inline(always)]
    fn key(&mut self, key: &[u8]) {
        self.0 ^= xxh3_64_with_seed(key, SEED);
    }

    fn finish(self) -> u64 {
        self.0
    }
}

struct Touch {
    /// One slot more than asked for: the entries of an empty ring name it.
    table: Vec<u64>,
    slots: u64,
    /// Slots that were fetched and not yet touched; the one to be replaced is the oldest.
    ring: [usize; BATCH],
    at: usize,
}

impl Touch {
    fn new(table_bytes: usize) -> Self {
        let slots = table_bytes / size_of::<u64>();
        Self { table: vec![0; slots + 1], slots: slots as u64, ring: [slots; BATCH], at: 0 }
    }

    #[inline(always)]
    fn turn(&mut self, slot: usize) {
        let oldest = std::mem::replace(&mut self.ring[self.at], slot);
        self.table[oldest] += 1;
        self.at = (self.at + 1) % BATCH;
    }
}

impl Work for Touch {
    #[inline(always)]
    fn key(&mut self, key: &[u8]) {
        let hash = xxh3_64_with_seed(key, SEED);
        let slot = ((u128::from(hash) * u128::from(self.slots)) >> 64) as usize;
        prefetch(&self.table[slot]);
        self.turn(slot);
    }

    fn finish(mut self) -> u64 {
        for _ in 0..BATCH {
            self.turn(self.slots as usize);
        }
        // A sum over the table would be timed with the rest; a look at it from outside is enough to keep the stores.
        black_box(&self.table);
        black_box(self.table[0])
    }
}

/// Fetches the cache line of `place`, without waiting for it.
#[inline(always)]
fn prefetch(place: &u64) {
    #[cfg(target_arch = "x86_64")]
    #[allow(unsafe_code)]
    // SAFETY: the instruction is in every x86-64 processor, and a prefetch never faults and changes no value.
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(place).cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = place;
}

/// A buffer that begins on a page once its first bytes are skipped: a carry, then a block.
struct Buffer {
    bytes: Vec<u8>,
    /// Where the block begins.
    block: usize,
}

impl Buffer {
    fn new() -> Self {
        let bytes = vec![0; CARRY + PAGE + BLOCK];
        let block = CARRY + bytes[CARRY..].as_ptr().align_offset(PAGE);
        Self { bytes, block }
    }

    /// Fills the block as far as one read() does, and says how far; 0 at the end of the file.
    fn fill(&mut self, file: &mut File) -> io::Result<usize> {
        loop {
            match file.read(&mut self.bytes[self.block..self.block + BLOCK]) {
                Err(e) if e.kind() == ErrorKind::Interrupted => {}
                result => return result,
            }
        }
    }
}

fn read(mut file: File) -> io::Result<Totals> {
    let mut buffer = Buffer::new();
    let mut bytes = 0;
    loop {
        let count = buffer.fill(&mut file)?;
        if count == 0 {
            break;
        }
        black_box(&buffer.bytes);
        bytes += count as u64;
    }
    Ok(Totals { lines: 0, bytes, digest: 0 })
}

/// Calls `work` with the key of each line of the file.
#[inline(always)]
fn lines<F: Find>(mut file: File, mut work: impl Work, key: impl Fn(&[u8]) -> &[u8]) -> io::Result<Totals> {
    let mut buffer = Buffer::new();
    let (mut lines, mut bytes) = (0, 0);
    // Bytes of an unfinished line, right in front of the block.
    let mut carried = 0;
    loop {
        let count = buffer.fill(&mut file)?;
        let (begin, end) = (buffer.block - carried, buffer.block + count);
        let text = &buffer.bytes[begin..end];
        if count == 0 {
            // The last line may have no newline.
            if carried > 0 {
                work.key(key(text));
                lines += 1;
            }
            break;
        }
        bytes += count as u64;
        let mut from = 0;
        // The carried bytes hold no newline.
        F::each(&text[carried..], |place| {
            let to = carried + place;
            work.key(key(&text[from..to]));
            from = to + 1;
            lines += 1;
        });
        carried = text.len() - from;
        if carried > CARRY {
            return Err(io::Error::new(ErrorKind::InvalidData, format!("a line of over {CARRY} bytes")));
        }
        buffer.bytes.copy_within(end - carried..end, buffer.block - carried);
    }
    Ok(Totals { lines, bytes, digest: work.finish() })
}

/// A way to find newlines.
trait Find {
    /// Calls `found` with the place of every newline, in order.
    fn each(bytes: &[u8], found: impl FnMut(usize));
}

struct Memchr;

impl Find for Memchr {
    #[inline(always)]
    fn each(bytes: &[u8], found: impl FnMut(usize)) {
        memchr_iter(b'\n', bytes).for_each(found);
    }
}

/// Compares a chunk of 64 bytes into 64 bits, one a byte, and walks the bits that are set.
struct Mask;

const CHUNK: usize = u64::BITS as usize;

impl Find for Mask {
    #[inline(always)]
    fn each(bytes: &[u8], mut found: impl FnMut(usize)) {
        let (chunks, rest) = bytes.as_chunks::<CHUNK>();
        for (i, chunk) in chunks.iter().enumerate() {
            let mut mask = newline_mask(chunk);
            while mask != 0 {
                found(i * CHUNK + mask.trailing_zeros() as usize);
                mask &= mask - 1;
            }
        }
        let start = bytes.len() - rest.len();
        rest.iter().enumerate().filter(|(_, byte)| **byte == b'\n').for_each(|(i, _)| found(start + i));
    }
}

#[cfg(target_arch = "x86_64")]
#[inline(always)]
#[allow(unsafe_code)]
fn newline_mask(chunk: &[u8; CHUNK]) -> u64 {
    use std::arch::x86_64::{_mm_cmpeq_epi8, _mm_movemask_epi8, _mm_set_epi64x, _mm_set1_epi8};
    let (quarters, _) = chunk.as_chunks::<16>();
    quarters.iter().rev().fold(0, |mask, quarter| {
        let word = u128::from_le_bytes(*quarter);
        // SAFETY: SSE2 is in every x86-64 processor, and these take and give values only.
        let bits = unsafe {
            let bytes = _mm_set_epi64x((word >> 64) as i64, word as i64);
            _mm_movemask_epi8(_mm_cmpeq_epi8(bytes, _mm_set1_epi8(b'\n' as i8)))
        };
        mask << 16 | u64::from(bits as u16)
    })
}

#[cfg(not(target_arch = "x86_64"))]
fn newline_mask(chunk: &[u8; CHUNK]) -> u64 {
    chunk.iter().rev().fold(0, |mask, byte| mask << 1 | u64::from(*byte == b'\n'))
}
