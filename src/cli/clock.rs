//! Which time each record is judged at: the ordered stage's clock.

use super::record::Records;
use super::timestamp::{Stamp, YearRule};
use grudge::seen::Seen;
use grudge::time::Timestamp;
use grudge::watermark::Watermark;
use std::time::{SystemTime, UNIX_EPOCH};

/// What time is measured by.
#[derive(Debug)]
pub enum Clock {
    /// By nothing: no record's time matters.
    Off,
    /// By the records' own stamps.
    Event(Box<EventClock>),
    /// By the time at which a block is read.
    Wall,
    /// By the number of records read so far.
    Count(i64),
}

/// The watermark, and what it leaves out.
#[derive(Debug)]
pub struct EventClock {
    watermark: Watermark,
    years: YearRule,
    untimed: u64,
    records: u64,
}

/// Records within which a time must be found where one is needed.
pub const FIND_TIME_WITHIN: u64 = 1000;

impl Clock {
    pub fn event(years: YearRule) -> Clock {
        Clock::Event(Box::new(EventClock { watermark: Watermark::new(), years, untimed: 0, records: 0 }))
    }

    /// The instant at which each of `records` is judged, in order; nothing where no time matters.
    pub fn instants(&mut self, records: &Records, instants: &mut Vec<Timestamp>) {
        instants.clear();
        match self {
            Clock::Off => {}
            Clock::Event(clock) => {
                clock.records += records.len() as u64;
                instants.extend(records.stamps.iter().map(|stamp| clock.instant(*stamp)));
            }
            Clock::Wall => instants.resize(records.len(), wall_time()),
            Clock::Count(read) => {
                instants.extend((*read + 1..).take(records.len()).map(Timestamp::from_nanos));
                *read += records.len() as i64;
            }
        }
    }

    /// A record that came in pieces has no stamp, but it counts.
    pub fn pass_over(&mut self) {
        match self {
            Clock::Event(clock) => {
                clock.records += 1;
                clock.untimed += 1;
            }
            Clock::Count(read) => *read += 1,
            Clock::Off | Clock::Wall => {}
        }
    }

    /// The event clock, where it is the one.
    pub fn as_event(&self) -> Option<&EventClock> {
        match self {
            Clock::Event(clock) => Some(clock),
            _ => None,
        }
    }
}

impl EventClock {
    #[inline(always)]
    fn instant(&mut self, stamp: Stamp) -> Timestamp {
        match stamp {
            Stamp::At(time) => self.watermark.advance(time),
            Stamp::None | Stamp::Bad => {
                self.untimed += 1;
                self.watermark.now().unwrap_or(Seen::UNDATED)
            }
            Stamp::NoYear(stamp) => {
                let time = self.years.resolve(stamp, self.watermark.now());
                self.watermark.advance(time)
            }
        }
    }

    pub fn watermark(&self) -> &Watermark {
        &self.watermark
    }

    /// Records read so far.
    pub fn records(&self) -> u64 {
        self.records
    }

    /// Records without a stamp.
    pub fn untimed(&self) -> u64 {
        self.untimed
    }

    /// Whether so many records have come without any stamp that there will be none.
    pub fn is_hopeless(&self, at_end: bool) -> bool {
        self.watermark.now().is_none() && (self.records >= FIND_TIME_WITHIN || at_end && self.records > 0)
    }
}

fn wall_time() -> Timestamp {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Timestamp::from_nanos(i64::try_from(since.as_nanos()).unwrap_or(i64::MAX))
}
