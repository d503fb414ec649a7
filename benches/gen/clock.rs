//! Time as a busy server writes it: a clock that only rises, and stamps that come late.

use crate::random::Random;

pub const MICROS_A_SECOND: u64 = 1_000_000;
pub const SECONDS_A_DAY: u64 = 86_400;

/// Mean advance of the clock by a line: 200 lines a second.
const STEP_US: u64 = 5_000;
/// A line is written up to this long after the request began. A stamp of whole seconds is not late only when it is the
/// newest second seen: 86 % of such lines are late, as in logs of busy servers.
const JITTER_US: u64 = 5_000_000;

pub struct Clock {
    now_us: u64,
}

impl Clock {
    /// `second` counts from 1970.
    pub fn starting(second: u64) -> Self {
        Self { now_us: second * MICROS_A_SECOND }
    }

    /// Goes one line on and gives the stamp of the line, in microseconds since 1970.
    pub fn stamp(&mut self, random: &mut Random) -> u64 {
        self.now_us += random.below(2 * STEP_US + 1);
        self.now_us - random.below(JITTER_US)
    }
}

/// A civil date; months and days count from 1.
pub struct Date {
    pub year: u64,
    pub month: u64,
    pub day: u64,
}

impl Date {
    /// The date of a second since 1970, in eras of 400 years that begin on 1 March of the year 0 (H. Hinnant,
    /// "chrono-compatible low-level date algorithms").
    pub fn of(second: u64) -> Self {
        let shifted = second / SECONDS_A_DAY + 719_468;
        let era_day = shifted % 146_097;
        let era_year = (era_day - era_day / 1_460 + era_day / 36_524 - era_day / 146_096) / 365;
        let year_day = era_day - (365 * era_year + era_year / 4 - era_year / 100);
        let march_month = (5 * year_day + 2) / 153;
        let day = year_day - (153 * march_month + 2) / 5 + 1;
        let month = (march_month + 2) % 12 + 1;
        let year = shifted / 146_097 * 400 + era_year + u64::from(month <= 2);
        Self { year, month, day }
    }
}

/// A day of an access log: its first second and its text, `29/Jan/2025`.
pub struct Day {
    pub start: u64,
    pub text: [u8; 11],
}

impl Day {
    pub fn of(stamp: u64) -> Self {
        const MONTHS: &[u8; 36] = b"JanFebMarAprMayJunJulAugSepOctNovDec";
        let date = Date::of(stamp);
        let mut text = *b"dd/Mmm/yyyy";
        text[..2].copy_from_slice(&digits::<2>(date.day));
        text[3..6].copy_from_slice(&MONTHS[(date.month as usize - 1) * 3..][..3]);
        text[7..].copy_from_slice(&digits::<4>(date.year));
        Self { start: stamp / SECONDS_A_DAY * SECONDS_A_DAY, text }
    }

    pub fn holds(&self, stamp: u64) -> bool {
        (self.start..self.start + SECONDS_A_DAY).contains(&stamp)
    }
}

/// The last `N` decimal digits of a number, with zeros in front.
pub fn digits<const N: usize>(mut number: u64) -> [u8; N] {
    let mut text = [b'0'; N];
    for digit in text.iter_mut().rev() {
        *digit += (number % 10) as u8;
        number /= 10;
    }
    text
}
