//! The event-time clock: the largest stamp that is believed.
//!
//! **Answers** for each record the time at which it is to be judged, in a stream whose records carry their own stamps,
//! not quite in order and now and then false. That time is the watermark W, so no age is ever negative.
//!
//! **Rules.** A stamp that is late is judged at W. A stamp ahead becomes W, unless it is further ahead than this stream
//! has given reason to expect ([`Watermark::max_jump`], J below): then it is judged at W too, and *doubted*.
//! - One record of a machine whose clock is wrong would otherwise carry W away, and everything after it would be late:
//!   all memory forgotten at once, and nothing forgotten again until the stream caught up.
//! - But a stream may pause. So the eighth doubted stamp in a row is believed: W *jumps* there.
//! - And W itself may be false (the first stamp of all; one that was not far enough ahead to be doubted), or another
//!   host's older log may follow in the same stream. So when sixteen stamps in a row lie more than a day (or the scale,
//!   where that is longer) before W, and much closer together than that, W *steps back* to them.
//!
//! W goes neither to the last stamp of such a run nor to its largest, which may be false in turn, but to the largest that
//! lies at most a day (or the scale) over the run's lower median: of eight stamps four may be false and too large, or
//! three too small. Any other stamp, one equal to W too, ends a run.
//!
//! **How far ahead is too far.** J = 200 times the mean advance of W without its largest one, but at most 24 times the
//! second largest, and never less than a day or the scale. This is taken over the last 512 to 1,023 advances. Until 32
//! stamps have passed without doubt, and again after each jump, J is 400 days, so that a stream of one burst a week can
//! show its pace; after a step back in that time it is the day or the scale, since somebody has been found out.
//!
//! **Guarantee.** Stamps more than J ahead, fewer than eight in a row, change nothing at all: every other record is
//! judged as if they were not there. (Only where the others are in doubt themselves does such a stamp join their run, or
//! end it.) After a pause of whatever length at most seven records are judged at the time before it. Where no stamp is
//! ever doubted, W is the running maximum.
//!
//! **Error.** A pause over J that is real costs seven records judged too early: a repeat may be taken for one. A false
//! stamp at most J ahead is believed: where the stream is dense enough the sixteenth record after it brings W back, and
//! the fifteen before are judged too late: something is forgotten too soon. Within a day (or the scale) of W nothing is
//! told apart. Eight stamps in a row from a wrong clock are believed, until sixteen others follow.
//!
//! **Memory** 320 bytes. **Cost** O(1): three nanoseconds a record, no division; ten for an advance of over a day,
//! two hundred for each stamp of a long run behind.
//!
//! ```
//! use grudge::{time::Timestamp, watermark::Watermark};
//!
//! let at = |seconds| Timestamp::from_seconds(seconds, 0);
//! let mut clock = Watermark::new();
//! assert_eq!(clock.advance(at(100)), at(100));
//! assert_eq!(clock.advance(at(70)), at(100)); // late
//! assert_eq!(clock.advance(at(4_000_000_000)), at(100)); // no log jumps 126 years
//! assert_eq!(clock.advance(at(130)), at(130));
//! assert_eq!((clock.late(), clock.future()), (1, 1));
//! ```

mod advances;
mod run;

use crate::time::{NANOS_PER_SECOND, Span, Timestamp};
use advances::Advances;
use run::{Run, Side};

/// A day in nanoseconds. Closer to W than this nothing is doubted: streams pause overnight, and stamps without a zone or
/// with a wrong one are up to 14 hours off.
const DAY: Span = Span::from_nanos(86_400 * NANOS_PER_SECOND);

/// How far ahead a stamp is believed while the pace of the stream is not known: 400 days, so that yearly records are.
const JUMP_AT_FIRST: Span = DAY.times(400);

/// Stamps without doubt after which the pace of the stream is known: two bursts of up to fifteen records and the first of
/// the third show the pauses between bursts twice, and the largest advance does not count.
const RECORDS_TO_LEARN: u32 = 32;

/// How far ahead a stamp is believed at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum MaxJump {
    /// As far as the stream's own pace gives reason to: see the [module](self).
    #[default]
    Auto,
    /// So far, from the first record on, whatever the pace; and stamps so far behind may bring the clock back. The scale
    /// does not matter. Less than nothing is nothing.
    Fixed(Span),
    /// However far: the clock is the running maximum and never steps back.
    Off,
}

/// How a [`Watermark`] is to judge.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct WatermarkOptions {
    scale: Span,
    max_jump: MaxJump,
}

impl WatermarkOptions {
    /// No scale, [`MaxJump::Auto`].
    pub fn new() -> WatermarkOptions {
        WatermarkOptions::default()
    }

    /// The span over which whoever uses the clock remembers: a ttl, a half-life, a period. Being wrong by less than that
    /// does little harm, so nothing closer to W is doubted.
    #[must_use]
    pub fn scale(self, scale: Span) -> WatermarkOptions {
        WatermarkOptions { scale, ..self }
    }

    /// How far ahead a stamp is believed at once.
    #[must_use]
    pub fn max_jump(self, max_jump: MaxJump) -> WatermarkOptions {
        WatermarkOptions { max_jump, ..self }
    }

    /// The distance from W, ahead or behind, up to which nothing is doubted. No distance is over the longest span.
    fn reach(&self) -> Span {
        match self.max_jump {
            MaxJump::Auto => self.scale.max(DAY),
            MaxJump::Fixed(span) => span.max(Span::ZERO),
            MaxJump::Off => Span::MAX,
        }
    }
}

/// The clock of a stream. See the [module](self) for its rules.
#[derive(Debug, Clone)]
pub struct Watermark {
    now: Option<Timestamp>,
    reach: Span,
    /// Stamps still to pass without doubt before the pace is known.
    to_learn: u32,
    run: Run,
    late: u64,
    greatest_lag: Span,
    advances: Advances,
    pace: Pace,
    future: u64,
    jumps: u64,
    steps_back: u64,
}

/// What decides how far ahead a stamp is believed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Pace {
    /// The advances so far; until there are enough, anything up to [`JUMP_AT_FIRST`].
    Trusting,
    /// The advances so far; until there are enough, no more than the reach.
    Wary,
    /// The reach alone.
    Fixed,
}

impl Default for Watermark {
    fn default() -> Self {
        Watermark::with(&WatermarkOptions::new())
    }
}

impl Watermark {
    /// A clock that has seen no stamp, with the default options.
    pub fn new() -> Watermark {
        Watermark::default()
    }

    /// A clock that has seen no stamp.
    pub fn with(options: &WatermarkOptions) -> Watermark {
        Watermark {
            now: None,
            reach: options.reach(),
            to_learn: RECORDS_TO_LEARN,
            run: Run::default(),
            late: 0,
            greatest_lag: Span::ZERO,
            advances: Advances::default(),
            pace: if options.max_jump == MaxJump::Auto { Pace::Trusting } else { Pace::Fixed },
            future: 0,
            jumps: 0,
            steps_back: 0,
        }
    }

    /// Takes a record's stamp and gives the time at which it is to be judged.
    #[inline(always)]
    pub fn advance(&mut self, stamp: Timestamp) -> Timestamp {
        let now = *self.now.get_or_insert(stamp);
        if stamp.since(now) > self.reach || now.since(stamp) > self.reach {
            return self.question(stamp, now);
        }
        self.believe(stamp, now)
    }

    /// A stamp that is taken as it is.
    #[inline(always)]
    fn believe(&mut self, stamp: Timestamp, now: Timestamp) -> Timestamp {
        self.run.end();
        self.to_learn = self.to_learn.saturating_sub(1);
        if stamp <= now {
            self.late += u64::from(stamp < now);
            self.greatest_lag = self.greatest_lag.max(now.since(stamp));
            return now;
        }
        self.advances.add(stamp.since(now));
        self.now = Some(stamp);
        stamp
    }

    /// A stamp that is out of reach, either way.
    #[cold]
    #[inline(never)]
    fn question(&mut self, stamp: Timestamp, now: Timestamp) -> Timestamp {
        let side = if stamp > now { Side::Ahead } else { Side::Behind };
        if side == Side::Ahead && stamp.since(now) <= self.max_jump() {
            return self.believe(stamp, now);
        }
        if let Some(believed) = self.run.add(side, stamp, now, self.reach) {
            self.turn_to(believed, side, now);
        }
        self.judge(stamp)
    }

    /// Moves the watermark to where a run of doubted stamps has it.
    fn turn_to(&mut self, believed: Timestamp, side: Side, now: Timestamp) {
        self.now = Some(believed);
        let learning = match side {
            Side::Ahead => {
                self.jumps += 1;
                self.advances.add(believed.since(now));
                // What comes after a pause may have another pace.
                self.to_learn = RECORDS_TO_LEARN;
                Pace::Trusting
            }
            Side::Behind => {
                self.steps_back += 1;
                Pace::Wary
            }
        };
        if self.pace != Pace::Fixed {
            self.pace = learning;
        }
    }

    /// Counts a stamp for what it is beside the watermark, and gives the watermark.
    fn judge(&mut self, stamp: Timestamp) -> Timestamp {
        let now = self.now.unwrap_or(stamp);
        self.late += u64::from(stamp < now);
        self.greatest_lag = self.greatest_lag.max(now.since(stamp));
        self.future += u64::from(stamp > now);
        now
    }

    /// The time: the largest stamp that is believed; `None` before the first.
    pub fn now(&self) -> Option<Timestamp> {
        self.now
    }

    /// How far ahead of the watermark the next stamp may be and is believed at once.
    pub fn max_jump(&self) -> Span {
        let known = if self.to_learn == 0 { self.advances.expected() } else { None };
        let expected = match self.pace {
            Pace::Trusting => known.unwrap_or(JUMP_AT_FIRST),
            Pace::Wary => known.unwrap_or(Span::ZERO),
            Pace::Fixed => Span::ZERO,
        };
        expected.max(self.reach)
    }

    /// Records that were judged after their own stamp. One that the clock stepped back to later was late all the same
    /// when it came; the one at which it steps back is judged at the new time.
    pub fn late(&self) -> u64 {
        self.late
    }

    /// How long after their own stamp such records were judged, at most.
    pub fn greatest_lag(&self) -> Span {
        self.greatest_lag
    }

    /// Records that were judged before their own stamp, because it was not believed when it came.
    pub fn future(&self) -> u64 {
        self.future
    }

    /// How often a run of stamps was believed that had each been too far ahead.
    pub fn jumps(&self) -> u64 {
        self.jumps
    }

    /// How often the clock stepped back.
    pub fn steps_back(&self) -> u64 {
        self.steps_back
    }
}

#[cfg(test)]
mod tests;
