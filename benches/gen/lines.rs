//! Lines without fields: `zipf`, `distinct` and `unique`.

use crate::random::{GOLDEN, LETTER_BITS, Random, Zipf, below, fill, letters, mix};
use std::io::{self, Write};

/// Keys of `zipf`: enough that a table of them is far from fitting in a core's own cache.
pub const ZIPF_KEYS: u64 = 5_000_000;
/// Length of a line of `zipf` with its newline.
const ZIPF_LINE: std::ops::RangeInclusive<u64> = 10..=40;
/// Letters of a `zipf` line that name the key, at 5 bits a letter; the others are filler.
const ZIPF_NAME_LETTERS: usize = 5;
pub const ZIPF_MAX_KEYS: u64 = 1 << (ZIPF_NAME_LETTERS as u32 * LETTER_BITS);

/// Length of a line of `distinct` and `unique` with its newline.
const WIDE_LINE: usize = 24;
/// Letters that hold 64 bits: ceil(64 / 5).
const WIDE_NAME_LETTERS: usize = 13;
/// Of ten lines of `distinct`, how many are new.
const DISTINCT_TENTHS: u64 = 7;

pub fn zipf(lines: u64, keys: u64, seed: u64, out: &mut impl Write) -> io::Result<()> {
    let mut random = Random::new(seed);
    let zipf = Zipf::new(keys);
    let mut line = [b'\n'; *ZIPF_LINE.end() as usize];
    for _ in 0..lines {
        let length = zipf_line(zipf.sample(&mut random), &mut line);
        out.write_all(&line[..length])?;
    }
    Ok(())
}

/// Writes the line of `key` and gives its length: letters that name the key, filler drawn from it, a newline.
fn zipf_line(key: u64, line: &mut [u8]) -> usize {
    let digest = mix(key.wrapping_mul(GOLDEN));
    let lengths = ZIPF_LINE.end() - ZIPF_LINE.start() + 1;
    let length = (ZIPF_LINE.start() + below(digest, lengths)) as usize;
    // A permutation of the key numbers, so that neighbours share no prefix.
    let (name, filler) = line[..length - 1].split_at_mut(ZIPF_NAME_LETTERS);
    letters(key.wrapping_mul(GOLDEN) % ZIPF_MAX_KEYS, name);
    fill(digest, filler);
    line[length - 1] = b'\n';
    length
}

pub fn distinct(lines: u64, seed: u64, out: &mut impl Write) -> io::Result<()> {
    let mut random = Random::new(seed);
    let mut names = WideNames::new(seed);
    let wanted = (lines * DISTINCT_TENTHS).div_ceil(10);
    let mut keys = 0;
    for written in 0..lines {
        // Selection sampling (Knuth, volume 2, algorithm S): exactly `wanted` of the lines are new. The first has to be.
        let is_new = keys == 0 || random.below(lines - written) < wanted - keys;
        let key = if is_new {
            keys += 1;
            keys - 1
        } else {
            random.below(keys)
        };
        out.write_all(names.line(key))?;
    }
    Ok(())
}

pub fn unique(lines: u64, seed: u64, out: &mut impl Write) -> io::Result<()> {
    let mut names = WideNames::new(seed);
    (0..lines).try_for_each(|key| out.write_all(names.line(key)))
}

/// Names of 64-bit keys: a permutation of 64 bits in letters, then filler. Different keys have different names.
struct WideNames {
    offset: u64,
    line: [u8; WIDE_LINE],
}

impl WideNames {
    fn new(seed: u64) -> Self {
        Self { offset: mix(seed), line: [b'\n'; WIDE_LINE] }
    }

    fn line(&mut self, key: u64) -> &[u8] {
        let digest = mix(key.wrapping_mul(GOLDEN).wrapping_add(self.offset));
        let (name, filler) = self.line[..WIDE_LINE - 1].split_at_mut(WIDE_NAME_LETTERS);
        letters(digest, name);
        fill(digest, filler);
        &self.line
    }
}
