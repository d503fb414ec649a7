//! Which time each record is judged at: the ordered stage's clock.

use super::record::{Keyless, Records};
use super::timestamp::{Stamp, YearRule};
use grudge::seen::Seen;
use grudge::time::{Span, Timestamp};
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

/// When each record of a batch is judged.
#[derive(Debug, Default)]
pub struct Moments {
    /// One for each record; empty where no time matters.
    pub instants: Vec<Timestamp>,
    /// How long before that its own time lies; empty where that is nothing for all.
    pub lateness: Vec<Span>,
    /// Whether lateness matters.
    pub wants_lateness: bool,
}

impl Moments {
    /// Leaves those of records without a key out, as their hashes are.
    pub fn leave_out(&mut self, keyless: &[Keyless]) {
        fn keep<T>(moments: &mut Vec<T>, keyless: &[Keyless]) {
            if moments.is_empty() || keyless.is_empty() {
                return;
            }
            let (mut index, mut left_out) = (0, keyless.iter().map(|record| record.index).peekable());
            moments.retain(|_| {
                let keep = left_out.next_if_eq(&index).is_none();
                index += 1;
                keep
            });
        }
        keep(&mut self.instants, keyless);
        keep(&mut self.lateness, keyless);
    }
}

/// The watermark, and what it leaves out.
#[derive(Debug)]
pub struct EventClock {
    watermark: Watermark,
    years: YearRule,
    untimed: u64,
    records: u64,
    first: Option<Timestamp>,
    steps: Steps,
}

/// How one file's stamps follow each other.
#[derive(Debug, Default, Clone, Copy)]
struct Steps {
    first: Option<Timestamp>,
    last: Option<Timestamp>,
    ahead: u64,
    back: u64,
}

/// Records within which a time must be found where one is needed.
pub const FIND_TIME_WITHIN: u64 = 1000;

impl Clock {
    /// A clock that goes by stamps.
    pub fn event(watermark: Watermark, years: YearRule) -> Clock {
        Clock::Event(Box::new(EventClock {
            watermark,
            years,
            untimed: 0,
            records: 0,
            first: None,
            steps: Steps::default(),
        }))
    }

    /// A file is at its end: whether its records stood newest first.
    pub fn end_file(&mut self) -> bool {
        match self {
            Clock::Event(clock) => std::mem::take(&mut clock.steps).are_backwards(),
            _ => false,
        }
    }

    /// When each of `records` is judged, in order; nothing where no time matters.
    pub fn moments(&mut self, records: &Records, moments: &mut Moments) {
        let Moments { instants, lateness, wants_lateness } = moments;
        instants.clear();
        lateness.clear();
        // What is no record no clock counts.
        let mut no_records = records.no_records().peekable();
        let mut is_record = |index: usize| no_records.next_if_eq(&index).is_none();
        match self {
            Clock::Off => {}
            Clock::Event(clock) if *wants_lateness => {
                for (index, stamp) in records.stamps.iter().enumerate() {
                    let (now, time) = clock.instant(*stamp, is_record(index));
                    instants.push(now);
                    lateness.push(if time < now { now.since(time) } else { Span::ZERO });
                }
            }
            Clock::Event(clock) => {
                let stamps = records.stamps.iter().enumerate();
                instants.extend(stamps.map(|(index, stamp)| clock.instant(*stamp, is_record(index)).0));
            }
            Clock::Wall => instants.resize(records.len(), wall_time()),
            Clock::Count(read) => instants.extend((0..records.len()).map(|index| {
                *read += i64::from(is_record(index));
                Timestamp::from_nanos(*read)
            })),
        }
    }

    /// The instant at which the next record without a stamp would be judged, if any is known.
    pub fn now(&self) -> Option<Timestamp> {
        match self {
            Clock::Off => None,
            Clock::Event(clock) => clock.watermark.now(),
            Clock::Wall => Some(wall_time()),
            Clock::Count(read) => Some(Timestamp::from_nanos(*read)),
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
    /// When a record is judged, and its own time; where it has none, the same.
    #[inline(always)]
    fn instant(&mut self, stamp: Stamp, is_record: bool) -> (Timestamp, Timestamp) {
        self.records += u64::from(is_record);
        let time = match stamp {
            Stamp::At(time) => time,
            Stamp::NoYear(stamp) => self.years.resolve(stamp, self.steps.last.or(self.watermark.now())),
            Stamp::None | Stamp::Bad => {
                // What cannot be read is counted as broken.
                self.untimed += u64::from(is_record && stamp == Stamp::None);
                let now = self.watermark.now().unwrap_or(Seen::UNDATED);
                return (now, now);
            }
        };
        self.first.get_or_insert(time);
        self.steps.take(time);
        (self.watermark.advance(time), time)
    }

    /// The first stamp of all.
    pub fn first(&self) -> Option<Timestamp> {
        self.first
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

    /// The number of the record among the next ones with which hope of any time is lost: none has come so far, nor does
    /// one until there.
    pub fn hope_is_lost_after(&self, next: &Records) -> Option<usize> {
        if self.first.is_some() || self.records >= FIND_TIME_WITHIN {
            return None;
        }
        let mut left = FIND_TIME_WITHIN - self.records;
        let mut no_records = next.no_records().peekable();
        for (index, stamp) in next.stamps.iter().enumerate() {
            if !matches!(stamp, Stamp::None | Stamp::Bad) {
                return None;
            }
            left -= u64::from(no_records.next_if_eq(&index).is_none());
            if left == 0 {
                return Some(index + 1);
            }
        }
        None
    }

    /// Whether there were records, and no time in any of them.
    pub fn found_none(&self) -> bool {
        self.records > 0 && self.first.is_none()
    }
}

/// The records' own times, for those who show them.
#[derive(Debug)]
pub struct OwnTimes {
    years: YearRule,
    last: Option<Timestamp>,
    times: Vec<Option<Timestamp>>,
}

impl OwnTimes {
    pub fn new(years: YearRule) -> OwnTimes {
        OwnTimes { years, last: None, times: Vec::new() }
    }

    /// The own time of each of `records`, where it has one.
    pub fn of(&mut self, records: &Records) -> &[Option<Timestamp>] {
        self.times.clear();
        for stamp in &records.stamps {
            let time = match stamp {
                Stamp::At(time) => Some(*time),
                Stamp::NoYear(stamp) => Some(self.years.resolve(*stamp, self.last)),
                Stamp::None | Stamp::Bad => None,
            };
            self.last = time.or(self.last);
            self.times.push(time);
        }
        &self.times
    }
}

impl Steps {
    #[inline(always)]
    fn take(&mut self, time: Timestamp) {
        match self.last {
            Some(last) if time == last => return,
            Some(last) if time > last => self.ahead += 1,
            Some(_) => self.back += 1,
            None => self.first = Some(time),
        }
        self.last = Some(time);
    }

    /// The last stamp lies before the first, and at least half of the steps go back.
    fn are_backwards(self) -> bool {
        self.last < self.first && self.back >= self.ahead
    }
}

fn wall_time() -> Timestamp {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Timestamp::from_nanos(i64::try_from(since.as_nanos()).unwrap_or(i64::MAX))
}
