//! Stamps in a row that are doubted on the same side of the watermark, until there are enough to believe them.

use crate::time::{Span, Timestamp};

/// Doubted stamps in a row, ahead of the watermark, that are believed. A pause costs one less; where one record in a
/// thousand is false by chance there is no such row.
pub(super) const AHEAD: usize = 8;

/// Stamps in a row behind the watermark that may bring it back: twice as many, because a late record is judged nearly as
/// well at the watermark, whereas stepping back forgets.
pub(super) const BEHIND: usize = 16;

/// A run behind brings the clock back only from a distance of over eight times the spread of the run's middle half (about
/// four times its whole spread). So a stream whose stamps are scattered over days is left alone, whatever its pace.
pub(super) const SPREADS: i64 = 8;

/// Which side of the watermark a doubted stamp is on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    Ahead,
    Behind,
}

/// A run of doubted stamps: at most the last sixteen of one side.
#[derive(Debug, Clone)]
pub(super) struct Run {
    len: usize,
    side: Side,
    stamps: [Timestamp; BEHIND],
}

impl Default for Run {
    fn default() -> Self {
        Run { len: 0, side: Side::Ahead, stamps: [Timestamp::default(); BEHIND] }
    }
}

impl Run {
    /// A stamp came that is not doubted.
    #[inline(always)]
    pub(super) fn end(&mut self) {
        self.len = 0;
    }

    /// A doubted stamp came, with the watermark at `now`: where the watermark is to go, if now it is to go anywhere.
    pub(super) fn add(&mut self, side: Side, stamp: Timestamp, now: Timestamp, reach: Span) -> Option<Timestamp> {
        if side != self.side {
            (self.side, self.len) = (side, 0);
        }
        if self.len == BEHIND {
            self.stamps.copy_within(1.., 0);
            self.len -= 1;
        }
        self.stamps[self.len] = stamp;
        self.len += 1;
        let believed = self.believed(now, reach)?;
        self.end();
        Some(believed)
    }

    fn believed(&self, now: Timestamp, reach: Span) -> Option<Timestamp> {
        let needed = match self.side {
            Side::Ahead => AHEAD,
            Side::Behind => BEHIND,
        };
        if self.len < needed {
            return None;
        }
        let mut sorted = self.stamps;
        let sorted = &mut sorted[..needed];
        sorted.sort_unstable();
        let limit = sorted[(needed - 1) / 2].plus(reach);
        let believed = *sorted.iter().rfind(|stamp| **stamp <= limit)?;
        let spread = sorted[needed * 3 / 4 - 1].since(sorted[needed / 4]);
        let stands_apart = now.since(believed) > spread.times(SPREADS);
        (self.side == Side::Ahead || stands_apart).then_some(believed)
    }
}
