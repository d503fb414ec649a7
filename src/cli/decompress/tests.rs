//! Tests of the module above.

use super::worker::{GZIP_WINDOW_LOG, ZSTD_BLOCK_HEADER_BYTES};
use super::*;
use flate2::{Compression, Crc, GzBuilder, write::GzEncoder};
use flate2::{Decompress, FlushDecompress, Status};
use rustix::event::Timespec;
use std::collections::HashSet;
use std::io::Write;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// No step of a test takes so long, unless something hangs.
const PATIENCE: Duration = Duration::from_secs(30);

/// What a block of a zstd frame holds at most.
const ZSTD_BLOCK_BYTES: usize = 128 << 10;

/// Input that comes in pieces of `step` bytes.
struct Pieces {
    bytes: Vec<u8>,
    at: usize,
    step: usize,
}

impl Read for Pieces {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let rest = &self.bytes[self.at..];
        let len = rest.len().min(self.step).min(buffer.len());
        buffer[..len].copy_from_slice(&rest[..len]);
        self.at += len;
        Ok(len)
    }
}

/// Everything that came out, how it ended, and the bytes ignored.
#[derive(Debug)]
struct Outcome {
    bytes: Vec<u8>,
    error: Option<DecodeError>,
    garbage: u64,
}

impl Outcome {
    fn told(&self) -> String {
        self.error.as_ref().map(DecodeError::to_string).unwrap_or_default()
    }

    fn is_cut(&self) -> bool {
        matches!(self.error, Some(DecodeError::Cut { decoded, .. }) if decoded == self.bytes.len() as u64)
    }
}

fn is_ready(decompressor: &Decompressor, patience: Duration) -> bool {
    let timeout = Timespec::try_from(patience).unwrap();
    poll(&mut [PollFd::new(decompressor, PollFlags::IN)], Some(&timeout)).unwrap() > 0
}

/// Reads to the end, never before the descriptor says that there is something.
fn drain(mut decompressor: Decompressor, out: usize) -> Outcome {
    let mut buffer = vec![0; out];
    let mut outcome = Outcome { bytes: Vec::new(), error: None, garbage: 0 };
    loop {
        assert!(is_ready(&decompressor, PATIENCE), "hangs after {} bytes", outcome.bytes.len());
        match decompressor.read(&mut buffer) {
            Ok(0) => break,
            Ok(count) => outcome.bytes.extend_from_slice(&buffer[..count]),
            Err(error) => assert!(outcome.error.replace(error).is_none(), "an error told twice"),
        }
    }
    outcome.garbage = decompressor.garbage();
    outcome
}

fn decode_in(compressed: &[u8], start: usize, step: usize, out: usize) -> Outcome {
    let (start, rest) = compressed.split_at(start.min(compressed.len()));
    drain(Decompressor::spawn_reader(start, Pieces { bytes: rest.to_vec(), at: 0, step }).unwrap(), out)
}

fn decode(compressed: &[u8]) -> Outcome {
    decode_in(compressed, MAGIC_BYTES, usize::MAX, CHUNK_BYTES)
}

/// Lines like those of a log: they compress to about a fifth.
fn log(lines: u64) -> Vec<u8> {
    let mut text = String::new();
    let mut state = 1_u64;
    for line in 0..lines {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        text += &format!("2026-03-01T10:{:02}:{:02}Z key={} n={line}\n", line / 60 % 60, line % 60, state >> 50);
    }
    text.into_bytes()
}

/// Bytes that do not compress.
fn noise(len: usize) -> Vec<u8> {
    let mut state = 7_u64;
    let next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 32) as u8
    };
    std::iter::repeat_with(next).take(len).collect()
}

fn gzip(data: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(data).unwrap();
    encoder.finish().unwrap()
}

/// With a checksum, as the tool makes them.
fn zstd(data: &[u8]) -> Vec<u8> {
    let mut encoder = zstd::Encoder::new(Vec::new(), 3).unwrap();
    encoder.include_checksum(true).unwrap();
    encoder.write_all(data).unwrap();
    encoder.finish().unwrap()
}

fn compress(codec: Codec, data: &[u8]) -> Vec<u8> {
    match codec {
        Codec::Gzip => gzip(data),
        Codec::Zstd => zstd(data),
    }
}

fn skippable(data: &[u8]) -> Vec<u8> {
    [b"\x5a\x2a\x4d\x18", &(data.len() as u32).to_le_bytes(), data].concat()
}

#[test]
fn content_tells_the_codec_and_few_bytes_leave_it_open() {
    let compressed = [
        (Codec::Gzip, gzip(b"a")),
        (Codec::Zstd, zstd(b"a")),
        (Codec::Zstd, skippable(b"a")),
        (Codec::Gzip, gzip(b"")),
    ];
    for (codec, bytes) in compressed {
        assert_eq!(detect(&bytes), Start::Compressed(codec));
        assert_eq!(detect(&bytes[..MAGIC_BYTES]), Start::Compressed(codec));
        for len in 0..3 {
            assert_eq!(detect(&bytes[..len]), Start::Unsure);
        }
    }
    for low in 0..16 {
        assert_eq!(detect(&[0x50 | low, 0x2a, 0x4d, 0x18]), Start::Compressed(Codec::Zstd));
    }
    for plain in ["a", "\n", "P\n", "PUT /", "(", "\u{1f}\u{1f}", "{\"a\":1}", "P*M", "\0\0\0\0"] {
        let unsure = matches!(plain, "(" | "P*M");
        assert_eq!(detect(plain.as_bytes()), if unsure { Start::Unsure } else { Start::Plain }, "{plain:?}");
    }
    for bytes in noise(1 << 16).windows(MAGIC_BYTES) {
        assert_ne!(detect(bytes), Start::Unsure);
    }
}

#[test]
fn any_sizes_of_reads_give_the_same_bytes() {
    let data = log(300);
    for compressed in [gzip(&data), zstd(&data), zstd::bulk::compress(&data, 3).unwrap()] {
        for step in [1, 7, 1000, usize::MAX] {
            for out in [1, 13, 4096, CHUNK_BYTES] {
                for start in [1, MAGIC_BYTES, 500, usize::MAX] {
                    let outcome = decode_in(&compressed, start, step, out);
                    assert!(outcome.bytes == data && outcome.error.is_none(), "{step} {out} {start}");
                    assert_eq!(outcome.garbage, 0);
                }
            }
        }
    }
}

#[test]
fn large_inputs_pass_through_a_few_buffers() {
    for data in [noise(3 << 20), vec![b'a'; 30 << 20], log(100_000)] {
        for compressed in [gzip(&data), zstd(&data), zstd::bulk::compress(&data, 1).unwrap()] {
            let pieces = Pieces { bytes: compressed, at: 0, step: usize::MAX };
            let mut decompressor = Decompressor::spawn_reader(&[], pieces).unwrap();
            let mut buffers = HashSet::new();
            let mut at = 0;
            while let Some(chunk) = decompressor.chunk(true) {
                assert!(chunk.len > 0 && chunk.bytes.len() == CHUNK_BYTES);
                assert!(chunk.bytes[..chunk.len] == data[at..][..chunk.len]);
                at += chunk.len;
                buffers.insert(chunk.bytes.as_ptr() as usize);
                decompressor.recycle();
            }
            assert_eq!((at, decompressor.error.is_none()), (data.len(), true));
            assert!(buffers.len() <= CHUNKS, "{} buffers", buffers.len());
        }
    }
}

#[test]
fn a_small_input_needs_one_buffer() {
    let mut decompressor =
        Decompressor::spawn_reader(&gzip(b"small"), Pieces { bytes: Vec::new(), at: 0, step: 1 }).unwrap();
    assert_eq!(decompressor.read(&mut [0; 2]).unwrap(), 2);
    assert!(is_ready(&decompressor, Duration::ZERO), "three bytes are left");
    assert_eq!(decompressor.read(&mut [0; 9]).unwrap(), 3);
    assert_eq!(decompressor.read(&mut [0; 9]).unwrap(), 0);
    assert_eq!(decompressor.read(&mut [0; 9]).unwrap(), 0);
    assert!(is_ready(&decompressor, Duration::ZERO), "the end is there");
}

#[test]
fn all_members_are_read_empty_ones_and_padding_between_them_too() {
    for step in [1, 3, usize::MAX] {
        for codec in [Codec::Gzip, Codec::Zstd] {
            let member = |data: &[u8]| compress(codec, data);
            let padded = [member(b"a 1\n"), member(b""), vec![0; 7], member(b"b 2\n"), vec![0; 512]].concat();
            let outcome = decode_in(&padded, MAGIC_BYTES, step, 100);
            assert_eq!((&outcome.bytes[..], outcome.garbage), (&b"a 1\nb 2\n"[..], 0), "{:?}", outcome.error);
            assert!(outcome.error.is_none());
        }
        let frames =
            [skippable(b"note"), zstd(b"a"), skippable(b""), skippable(&[9; 999]), zstd(b"b"), skippable(b"x")];
        let outcome = decode_in(&frames.concat(), MAGIC_BYTES, step, 100);
        assert_eq!((&outcome.bytes[..], outcome.told().as_str()), (&b"ab"[..], ""));
    }
    let many: Vec<u8> = (0..2_000).flat_map(|n| gzip(format!("{n}\n").as_bytes())).collect();
    let outcome = decode(&many);
    assert_eq!(outcome.bytes.iter().filter(|byte| **byte == b'\n').count(), 2_000);
    assert!(outcome.bytes.ends_with(b"\n1999\n") && outcome.error.is_none());
}

#[test]
fn garbage_behind_the_last_member_is_counted_and_nothing_else() {
    for codec in [Codec::Gzip, Codec::Zstd] {
        for garbage in [&b"garbage\n"[..], b"x", b"\x1f\x8b\x07rest", &[7; 300_000]] {
            for padding in [0, 9] {
                for step in [1000, usize::MAX] {
                    let bytes = [compress(codec, b"a 1\n"), vec![0; padding], garbage.to_vec()].concat();
                    let outcome = decode_in(&bytes, MAGIC_BYTES, step, 100);
                    assert_eq!((&outcome.bytes[..], outcome.told().as_str()), (&b"a 1\n"[..], ""));
                    assert_eq!(outcome.garbage, garbage.len() as u64);
                }
            }
        }
    }
}

#[test]
fn headers_with_every_field_are_passed_over() {
    let mut encoder = GzBuilder::new()
        .extra(vec![5; 300])
        .filename("access.log")
        .comment("rotated")
        .mtime(1)
        .write(Vec::new(), Compression::best());
    encoder.write_all(b"data\n").unwrap();
    let mut bytes = encoder.finish().unwrap();
    let header_len = 10 + 2 + 300 + 11 + 8;
    let header_crc = |header: &[u8]| {
        let mut crc = Crc::new();
        crc.update(header);
        (crc.sum() as u16).to_le_bytes()
    };
    assert_eq!(decode(&bytes).bytes, b"data\n");
    const HEADER_CRC: u8 = 2;
    bytes[3] |= HEADER_CRC;
    let checked = [&bytes[..header_len], &header_crc(&bytes[..header_len]), &bytes[header_len..]].concat();
    for step in [1, usize::MAX] {
        let outcome = decode_in(&checked, MAGIC_BYTES, step, 100);
        assert_eq!((&outcome.bytes[..], outcome.told().as_str()), (&b"data\n"[..], ""));
    }
    for len in MAGIC_BYTES..header_len + 2 {
        let outcome = decode(&checked[..len]);
        assert!(outcome.is_cut() && outcome.bytes.is_empty(), "{len}");
    }
    let mut wrong = checked;
    wrong[header_len] ^= 1;
    assert_eq!(decode(&wrong).told(), "its gzip data cannot be decoded past 0 decompressed bytes: header crc mismatch");
}

#[test]
fn wrong_checksums_and_lengths_are_told_after_the_data() {
    let data = log(20_000);
    let told = |bytes: &[u8]| {
        let outcome = decode(bytes);
        assert!(outcome.bytes == data, "{} of {} bytes", outcome.bytes.len(), data.len());
        let told = outcome.told();
        told.rsplit_once(": ").expect("an error").1.to_owned()
    };
    let flip = |mut bytes: Vec<u8>, from_end: usize| {
        let at = bytes.len() - from_end;
        bytes[at] ^= 1;
        bytes
    };
    assert_eq!(told(&flip(gzip(&data), 8)), "incorrect data check");
    assert_eq!(told(&flip(gzip(&data), 1)), "incorrect length check");
    assert_eq!(told(&flip(zstd(&data), 1)), "restored data doesn't match checksum");
    // A frame that says how little it holds could be decoded in one go, and all of it be lost.
    let small = log(50);
    let mut compressor = zstd::bulk::Compressor::new(3).unwrap();
    compressor.include_checksum(true).unwrap();
    let outcome = decode_in(&flip(compressor.compress(&small).unwrap(), 1), usize::MAX, 1, CHUNK_BYTES);
    assert!(outcome.bytes == small && outcome.told().ends_with("checksum"), "{outcome:?}");
}

/// The slow obvious twin: the whole input at once into one large buffer, member for member.
fn decodable(mut bytes: &[u8]) -> Vec<u8> {
    let mut all = Vec::new();
    while !bytes.is_empty() {
        let mut inflate = Decompress::new_gzip(GZIP_WINDOW_LOG);
        let mut member = Vec::with_capacity(1 << 20);
        let status = inflate.decompress_vec(bytes, &mut member, FlushDecompress::None);
        all.extend_from_slice(&member);
        bytes = &bytes[inflate.total_in() as usize..];
        if !matches!(status, Ok(Status::StreamEnd)) {
            break;
        }
    }
    all
}

#[test]
fn an_input_cut_anywhere_gives_all_that_can_be_decoded() {
    let (first, second) = (log(60), log(30));
    let whole = [&first[..], &second].concat();
    for codec in [Codec::Gzip, Codec::Zstd] {
        let members = [compress(codec, &first), compress(codec, &second)];
        let bytes = members.concat();
        let mut before = 0;
        for len in 1..=bytes.len() {
            let outcome = decode_in(&bytes[..len], MAGIC_BYTES, if len % 2 == 0 { usize::MAX } else { 5 }, 1000);
            let count = outcome.bytes.len();
            assert!(whole.starts_with(&outcome.bytes) && count >= before, "{codec} {len}");
            before = count;
            if codec == Codec::Gzip {
                assert_eq!(outcome.bytes, decodable(&bytes[..len]), "{len}");
            }
            if len >= members[0].len() {
                assert!(count >= first.len());
            }
            let at_an_end = len == members[0].len() || len == bytes.len();
            assert_eq!((outcome.is_cut(), outcome.error.is_none()), (!at_an_end, at_an_end), "{codec} {len}");
        }
        assert_eq!(before, whole.len());
    }
}

#[test]
fn a_cut_zstd_frame_gives_all_blocks_before_the_cut() {
    for data in [noise(1 << 20), log(30_000)] {
        for frame in [zstd(&data), zstd::bulk::compress(&data, 3).unwrap()] {
            for tenths in 1..10 {
                let len = frame.len() * tenths / 10;
                let outcome = decode(&frame[..len]);
                assert!(outcome.is_cut() && data.starts_with(&outcome.bytes));
                // Blocks of like data are of like size: at most one is missing, and a quarter for what is unlike.
                let least = (data.len() * tenths / 10).saturating_sub(ZSTD_BLOCK_BYTES * 5 / 4);
                assert!(outcome.bytes.len() >= least, "{} of {least}", outcome.bytes.len());
            }
        }
    }
}

#[test]
fn a_zstd_frame_damaged_in_a_block_gives_all_blocks_before_it() {
    /// In both low bits of a block header's type: a kind of block that does not exist.
    const RESERVED_TYPE: u8 = 0b110;
    for blocks in [2, 3, 8] {
        // Noise is stored as it is, in whole blocks, so that the last block's header can be found.
        let data = noise(blocks * ZSTD_BLOCK_BYTES);
        let mut frame = zstd::bulk::compress(&data, 3).unwrap();
        let header = frame.len() - ZSTD_BLOCK_BYTES - ZSTD_BLOCK_HEADER_BYTES;
        frame[header] |= RESERVED_TYPE;
        let outcome = decode(&frame);
        assert!(outcome.told().ends_with("data corruption detected"), "{}", outcome.told());
        assert!(outcome.bytes == data[..data.len() - ZSTD_BLOCK_BYTES], "{}", outcome.bytes.len());
    }
}

#[test]
fn a_flipped_bit_never_hangs_nor_gives_more_than_the_formats_can() {
    let data = log(12);
    for codec in [Codec::Gzip, Codec::Zstd] {
        let whole = [compress(codec, &data), compress(codec, &data)].concat();
        // A zstd block header can stand for a whole block; a deflate symbol gives far less.
        let most = whole.len() * ZSTD_BLOCK_BYTES;
        for at in 0..whole.len() {
            for mask in [0x01, 0x10, 0x80, 0xff] {
                let mut bytes = whole.clone();
                bytes[at] ^= mask;
                let outcome = decode_in(&bytes, MAGIC_BYTES, usize::MAX, CHUNK_BYTES);
                assert!(outcome.bytes.len() <= most, "{codec} {at} {mask:#x}");
            }
        }
    }
}

#[test]
fn noise_behind_a_magic_number_is_an_error() {
    for seed in 0..200 {
        for magic in [&b"\x1f\x8b\x08\0"[..], b"\x28\xb5\x2f\xfd"] {
            let outcome = decode(&[magic, &noise(2_000)[seed..]].concat());
            assert!(outcome.error.is_some());
        }
    }
}

#[test]
fn a_zstd_window_is_taken_up_to_128_mib() {
    // A frame of one stored block, "a"; the window's logarithm less ten stands in the upper five bits.
    let frame = |log: u8| [&b"\x28\xb5\x2f\xfd\0"[..], &[(log - 10) << 3], b"\x09\0\0a"].concat();
    assert_eq!(decode(&frame(20)).bytes, b"a");
    assert_eq!(decode(&frame(27)).bytes, b"a");
    let large = "its zstd data cannot be decoded past 0 decompressed bytes: \
                 its window is larger than 128 MiB: try zstd -dc --long=31";
    assert_eq!(decode(&frame(28)).told(), large);
}

#[test]
fn what_is_flushed_comes_out_while_the_pipe_stays_open() {
    for codec in [Codec::Gzip, Codec::Zstd] {
        for blocking in [true, false] {
            let (sender, receiver) = UnixStream::pair().unwrap();
            receiver.set_nonblocking(!blocking).unwrap();
            let mut sender: Box<dyn Write> = match codec {
                Codec::Gzip => Box::new(GzEncoder::new(sender, Compression::fast())),
                Codec::Zstd => Box::new(zstd::Encoder::new(sender, 1).unwrap().auto_finish()),
            };
            let mut decompressor = Decompressor::spawn(&[], receiver.into()).unwrap();
            let mut buffer = [0; 4096];
            for line in ["one\n", "two\n", "three\n"] {
                assert!(!is_ready(&decompressor, Duration::ZERO));
                sender.write_all(line.as_bytes()).unwrap();
                sender.flush().unwrap();
                let mut got = Vec::new();
                while got.len() < line.len() {
                    assert!(is_ready(&decompressor, PATIENCE), "{codec}: {line:?} is kept back");
                    let count = decompressor.read(&mut buffer).unwrap();
                    got.extend_from_slice(&buffer[..count]);
                }
                assert_eq!(got, line.as_bytes());
            }
            drop(sender);
            let outcome = drain(decompressor, 100);
            assert!(outcome.bytes.is_empty() && outcome.error.is_none(), "{:?}", outcome.error);
        }
    }
}

#[test]
fn a_reader_that_goes_ends_a_thread_that_waits_for_input() {
    let (mut sender, receiver) = UnixStream::pair().unwrap();
    let mut decompressor = Decompressor::spawn(&gzip(b"first"), receiver.into()).unwrap();
    assert_eq!(decompressor.read(&mut [0; 100]).unwrap(), 5);
    drop(decompressor);
    // With the next data the thread finds that nobody wants them, and closes its end.
    let start = Instant::now();
    while sender.write_all(&gzip(b"next")).is_ok() {
        assert!(start.elapsed() < PATIENCE, "the thread goes on");
        std::thread::yield_now();
    }
}

#[test]
fn a_reader_that_goes_ends_a_thread_that_waits_for_buffers() {
    struct Endless {
        _alive: Arc<()>,
        member: Vec<u8>,
    }
    impl Read for Endless {
        fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
            buffer[..self.member.len()].copy_from_slice(&self.member);
            Ok(self.member.len())
        }
    }
    let alive = Arc::new(());
    let endless = Endless { _alive: Arc::clone(&alive), member: gzip(&log(2_000)) };
    drop(Decompressor::spawn_reader(&[], endless).unwrap());
    let start = Instant::now();
    while Arc::strong_count(&alive) > 1 {
        assert!(start.elapsed() < PATIENCE, "the thread goes on");
        std::thread::yield_now();
    }
}

#[test]
fn a_failed_read_and_a_dead_thread_are_told_after_the_data() {
    struct Failing(bool);
    impl Read for Failing {
        fn read(&mut self, _: &mut [u8]) -> std::io::Result<usize> {
            assert!(self.0, "a fault of the thread");
            Err(Errno::IO.into())
        }
    }
    let start = gzip(b"data");
    for (fails, told) in
        [(true, "cannot be read: input/output error"), (false, "cannot be read: the thread that decompresses has died")]
    {
        let outcome = drain(Decompressor::spawn_reader(&start, Failing(fails)).unwrap(), 100);
        assert_eq!((&outcome.bytes[..], outcome.told().as_str()), (&b"data"[..], told));
    }
}

/// Files as other programs left them, with what is right for them; only where they are at hand.
#[test]
fn collected_files_give_what_is_known_of_them() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/cases");
    let case = |name: &str| -> Option<(Outcome, usize)> {
        let Ok(bytes) = std::fs::read(folder.join(name)) else {
            eprintln!("{name} is not here: skipped");
            return None;
        };
        assert_eq!(detect(&bytes), Start::Compressed(Codec::Gzip));
        let outcome = decode(&bytes);
        let lines = outcome.bytes.iter().filter(|byte| **byte == b'\n').count();
        Some((outcome, lines))
    };
    if let Some((outcome, lines)) = case("35-gzip-cut/cut.log.gz") {
        assert_eq!((outcome.bytes.len(), lines, outcome.is_cut()), (41_954, 1_202, true));
    }
    if let Some((outcome, _)) = case("35-gzip-cut/header-only.gz") {
        assert_eq!((outcome.bytes.len(), outcome.is_cut()), (0, true));
    }
    for (name, lines, garbage) in [
        ("35-gzip-cut/good.log.gz", 1, 0),
        ("36-gzip-members/two.log.gz", 4, 0),
        ("36-gzip-members/padded.log.gz", 2, 0),
        ("36-gzip-members/garbage.log.gz", 2, 8),
    ] {
        if let Some((outcome, found)) = case(name) {
            assert_eq!((found, outcome.garbage, outcome.told().as_str()), (lines, garbage, ""), "{name}");
        }
    }
}
