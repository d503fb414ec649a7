//! A block: one buffer with whole records in it, filled from the input and recycled.

use super::record::format::Layout;
use std::sync::Arc;

/// Memory pages: read() into a buffer that starts on one runs up to four times as fast as 16 bytes beside it, where a
/// large vector's memory begins.
const PAGE_BYTES: usize = 4096;

/// Room before the page-aligned start for what was left over from the block before: most records are far shorter.
const LEFTOVER_ROOM: usize = 16 * PAGE_BYTES;

/// What the bytes of a block are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Content {
    /// Whole records, each with its terminator.
    Records,
    /// Lines that are no records, and say how those behind them are laid out.
    Heading,
    /// A piece of one broken record, the first one or a later one.
    Fragment { first: bool, why: Broken },
}

/// Why a record comes in fragments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Broken {
    /// It is longer than the limit.
    TooLong,
    /// Its input could not be read to the record's end.
    Cut,
    /// A quote is opened in it that nothing closes.
    OpenQuote,
}

/// A buffer whose bytes `start..end` came from one file; the first `whole` of them are its content, the rest is left for
/// the next block.
#[derive(Debug)]
pub struct Block {
    bytes: Vec<u8>,
    aligned: usize,
    read_bytes: usize,
    start: usize,
    end: usize,
    whole: usize,
    pub content: Content,
    /// How its records are laid out.
    pub layout: Arc<Layout>,
    /// Which of the inputs the bytes came from.
    pub source: usize,
}

impl Block {
    /// A block that is read into in pieces of at least `read_bytes`.
    pub fn new(read_bytes: usize) -> Block {
        // One byte more leaves room for the terminator that a file's last record may lack.
        let bytes = vec![0; PAGE_BYTES + LEFTOVER_ROOM + read_bytes + 1];
        let aligned = bytes.as_ptr().align_offset(PAGE_BYTES) + LEFTOVER_ROOM;
        Block {
            bytes,
            aligned,
            read_bytes,
            start: aligned,
            end: aligned,
            whole: 0,
            content: Content::Records,
            layout: Arc::default(),
            source: 0,
        }
    }

    /// Starts anew with what was left over from the block before.
    pub fn restart(&mut self, leftover: &[u8], source: usize) {
        // What a long record made it grow to is given back.
        let usual = PAGE_BYTES + LEFTOVER_ROOM + self.read_bytes + 1;
        if self.bytes.len() > usual && leftover.len() <= LEFTOVER_ROOM {
            *self = Block::new(self.read_bytes);
        }
        self.start = self.aligned.saturating_sub(leftover.len());
        self.end = self.start;
        self.whole = 0;
        self.content = Content::Records;
        self.source = source;
        self.make_room(leftover.len());
        self.bytes[self.start..][..leftover.len()].copy_from_slice(leftover);
        self.end = self.start + leftover.len();
    }

    /// The buffer's next `len` bytes, to be read into; those that were are taken by [`Block::filled`].
    pub fn room(&mut self, len: usize) -> &mut [u8] {
        self.make_room(len);
        &mut self.bytes[self.end..][..len]
    }

    pub fn filled(&mut self, len: usize) {
        self.end += len;
    }

    /// Doubles the buffer until `len` bytes and a terminator fit behind its end. Only a record that is longer than a
    /// block makes it, and the limit on records bounds it.
    fn make_room(&mut self, len: usize) {
        let needed = self.end + len + 1;
        if needed > self.bytes.len() {
            let doubled = needed.max(2 * self.bytes.len());
            self.bytes.resize(doubled, 0);
        }
    }

    /// All bytes, those of an unfinished record at the end with them.
    pub fn held(&self) -> &[u8] {
        &self.bytes[self.start..self.end]
    }

    /// The content.
    pub fn content(&self) -> &[u8] {
        &self.held()[..self.whole]
    }

    /// What follows the content and is for the next block.
    pub fn leftover(&self) -> &[u8] {
        &self.held()[self.whole..]
    }

    /// Drops bytes at the front.
    pub fn skip(&mut self, len: usize) {
        self.start += len;
    }

    /// Says how much of what is held is the content.
    pub fn set_content(&mut self, content: Content, len: usize) {
        self.content = content;
        self.whole = len;
    }

    /// Gives what is held the terminator that it lacks.
    pub fn terminate(&mut self, terminator: u8) {
        if self.held().last().is_some_and(|last| *last != terminator) {
            self.make_room(0);
            self.bytes[self.end] = terminator;
            self.end += 1;
        }
    }

    /// Makes all that is held the content, and gives it the terminator that it lacks.
    pub fn finish(&mut self, content: Content, terminator: u8) {
        self.terminate(terminator);
        self.set_content(content, self.held().len());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_land_on_a_page_and_leftovers_before_it() {
        let mut block = Block::new(1 << 16);
        for leftover in [&b""[..], b"left", &[7; LEFTOVER_ROOM]] {
            block.restart(leftover, 3);
            assert_eq!(block.room(1 << 16).as_ptr() as usize % PAGE_BYTES, 0);
            block.filled(10);
            assert_eq!(&block.held()[..leftover.len()], leftover);
            assert_eq!(block.held().len(), leftover.len() + 10);
        }
    }

    #[test]
    fn a_leftover_longer_than_its_room_makes_the_block_grow() {
        let mut block = Block::new(16);
        let long: Vec<u8> = (0..200_000).map(|n| n as u8).collect();
        block.restart(&long, 0);
        assert_eq!(block.held(), long);
        block.room(100)[0] = b'x';
        block.filled(1);
        assert_eq!(block.held().len(), long.len() + 1);
    }

    #[test]
    fn a_missing_terminator_is_added_once() {
        let mut block = Block::new(16);
        block.restart(b"a\nb", 0);
        block.finish(Content::Records, b'\n');
        assert_eq!(block.content(), b"a\nb\n");
        block.finish(Content::Records, b'\n');
        assert_eq!(block.content(), b"a\nb\n");
        block.restart(b"", 0);
        block.finish(Content::Records, b'\n');
        assert_eq!(block.content(), b"");
    }
}
