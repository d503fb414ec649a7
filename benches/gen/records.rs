//! The same events as objects and as rows: `json` and `csv`.

use crate::clock::{Clock, Date, MICROS_A_SECOND, SECONDS_A_DAY, digits};
use crate::random::{GOLDEN, Random, Zipf, below, mix, pick};
use std::io::{self, Write};

pub const USER_KEYS: u64 = 100_000;
/// Numbers of users have at most eight digits.
pub const USER_MAX_KEYS: u64 = 1 << 24;
const PATHS: u64 = 20_000;
/// 2026-03-01 10:00:00 UTC.
const START: u64 = 1_772_359_200;

/// The latencies of a server have a long tail: the cube of a uniform draw, up to this many tenths of a millisecond.
const MOST_TENTHS: f64 = 4_000.0;
/// Fewest and most bytes of a response.
const SIZES: std::ops::Range<u64> = 40..60_000;
/// Of ten messages, how many need quoting.
const MARKED_TENTHS: u64 = 1;

const LEVELS: [(&str, u64); 3] = [("info", 91), ("warn", 6), ("error", 3)];
const METHODS: [(&str, u64); 4] = [("GET", 90), ("POST", 7), ("HEAD", 2), ("PUT", 1)];
const STATUSES: [(&str, u64); 7] =
    [("200", 86), ("304", 5), ("201", 3), ("404", 3), ("403", 1), ("429", 1), ("500", 1)];
const SECTIONS: [&str; 4] = ["/api/v1/items/", "/api/v1/orders/", "/api/v2/search/", "/users/"];
const PLAIN: [(&str, u64); 5] = [
    ("request done", 70),
    ("served from cache", 15),
    ("upstream was slow", 8),
    ("retried once", 5),
    ("client went away", 2),
];
/// The last one looks like a key to a program that only searches for `"id":`.
const MARKED: [(&str, u64); 4] = [
    ("request done, cache filled", 40),
    ("no route for \"items\"", 30),
    ("body is \"gzip\", passed on", 20),
    ("sent {\"id\":\"u1\"}", 10),
];
const FIRST_NAMES: [&str; 12] =
    ["Ada", "Grace", "Alan", "Edsger", "Zo\u{eb}", "Jos\u{e9}", "Barbara", "Ken", "Mei", "Radia", "Donald", "Ines"];
const LAST_NAMES: [&str; 10] =
    ["Smith", "Okafor", "Garc\u{ed}a", "Tanaka", "Novak", "Kim", "Rossi", "Haddad", "M\u{fc}ller", "Patel"];

/// Objects in the form that most libraries write: no spaces, no zero after a decimal point.
pub fn json(lines: u64, keys: u64, seed: u64, out: &mut impl Write) -> io::Result<()> {
    let mut events = Events::new(keys, seed);
    (0..lines).try_for_each(|_| events.next().write_json(out))
}

/// A header and `rows` rows.
pub fn csv(rows: u64, keys: u64, seed: u64, out: &mut impl Write) -> io::Result<()> {
    let mut events = Events::new(keys, seed);
    out.write_all(b"ts,level,message,user,method,path,status,bytes,latency_ms,trace\n")?;
    (0..rows).try_for_each(|_| events.next().write_csv(out))
}

struct Events {
    random: Random,
    users: Zipf,
    paths: Zipf,
    clock: Clock,
}

impl Events {
    fn new(keys: u64, seed: u64) -> Self {
        Self {
            random: Random::new(seed),
            users: Zipf::new(keys),
            paths: Zipf::new(PATHS),
            clock: Clock::starting(START),
        }
    }

    fn next(&mut self) -> Event {
        let random = &mut self.random;
        let stamp_us = self.clock.stamp(random);
        let user = self.users.sample(random);
        let path = self.paths.sample(random);
        let messages: &[_] = if random.below(10) < MARKED_TENTHS { &MARKED } else { &PLAIN };
        let share = random.unit();
        Event {
            stamp_us,
            level: pick(&LEVELS, random.next()),
            user,
            method: pick(&METHODS, random.next()),
            path,
            status: pick(&STATUSES, random.next()),
            tenths: (share * share * share * MOST_TENTHS) as u64,
            message: pick(messages, random.next()),
            trace: [random.next(), random.next()],
        }
    }
}

struct Event {
    stamp_us: u64,
    level: &'static str,
    /// Ranks: the most frequent user, the most frequent path is 1.
    user: u64,
    path: u64,
    method: &'static str,
    status: &'static str,
    /// The latency in tenths of a millisecond.
    tenths: u64,
    message: &'static str,
    trace: [u64; 2],
}

impl Event {
    fn write_json(&self, out: &mut impl Write) -> io::Result<()> {
        out.write_all(b"{\"ts\":\"")?;
        self.write_stamp(out)?;
        let (level, method, status) = (self.level, self.method, self.status);
        write!(out, "\",\"level\":\"{level}\",\"user\":{{\"id\":\"u{}\",", self.user_number())?;
        let person = mix(self.user.wrapping_mul(GOLDEN));
        let first = FIRST_NAMES[below(person, FIRST_NAMES.len() as u64) as usize];
        let last = LAST_NAMES[below(person.rotate_left(u64::BITS / 2), LAST_NAMES.len() as u64) as usize];
        write!(out, "\"name\":\"{first} {last}\"}},\"request\":{{\"method\":\"{method}\",\"path\":\"")?;
        self.write_path(out)?;
        write!(out, "\",\"status\":{status},\"bytes\":{}}},\"latency_ms\":", self.size())?;
        self.write_latency(out)?;
        out.write_all(b",\"msg\":\"")?;
        write_escaped(self.message, b"\\", out)?;
        out.write_all(b"\"}\n")
    }

    fn write_csv(&self, out: &mut impl Write) -> io::Result<()> {
        self.write_stamp(out)?;
        write!(out, ",{},", self.level)?;
        if self.message.contains([',', '"']) {
            out.write_all(b"\"")?;
            write_escaped(self.message, b"\"", out)?;
            out.write_all(b"\"")?;
        } else {
            out.write_all(self.message.as_bytes())?;
        }
        write!(out, ",u{},{},", self.user_number(), self.method)?;
        self.write_path(out)?;
        write!(out, ",{},{},", self.status, self.size())?;
        self.write_latency(out)?;
        let [high, low] = self.trace;
        writeln!(out, ",{high:016x}{low:016x}")
    }

    /// RFC 3339 with milliseconds, in UTC.
    fn write_stamp(&self, out: &mut impl Write) -> io::Result<()> {
        let second = self.stamp_us / MICROS_A_SECOND;
        let date = Date::of(second);
        let time = second % SECONDS_A_DAY;
        let mut text = *b"yyyy-mm-ddThh:mm:ss.mmmZ";
        text[..4].copy_from_slice(&digits::<4>(date.year));
        let pairs = [(5, date.month), (8, date.day), (11, time / 3600), (14, time / 60 % 60), (17, time % 60)];
        for (at, number) in pairs {
            text[at..at + 2].copy_from_slice(&digits::<2>(number));
        }
        text[20..23].copy_from_slice(&digits::<3>(self.stamp_us / 1_000 % 1_000));
        out.write_all(&text)
    }

    /// A permutation of the ranks, so that a frequent user has no short number.
    fn user_number(&self) -> u64 {
        self.user.wrapping_mul(GOLDEN) % USER_MAX_KEYS
    }

    fn page(&self) -> u64 {
        mix(self.path.wrapping_mul(GOLDEN) ^ GOLDEN)
    }

    fn write_path(&self, out: &mut impl Write) -> io::Result<()> {
        let section = SECTIONS[below(self.page(), SECTIONS.len() as u64) as usize];
        write!(out, "{section}{}", self.path)
    }

    /// A page has one size.
    fn size(&self) -> u64 {
        SIZES.start + below(self.page().rotate_left(u64::BITS / 2), SIZES.end - SIZES.start)
    }

    fn write_latency(&self, out: &mut impl Write) -> io::Result<()> {
        match (self.tenths / 10, self.tenths % 10) {
            (whole, 0) => write!(out, "{whole}"),
            (whole, tenth) => write!(out, "{whole}.{tenth}"),
        }
    }
}

/// Writes `text` with `mark` before every quote.
fn write_escaped(text: &str, mark: &[u8], out: &mut impl Write) -> io::Result<()> {
    for (index, part) in text.split('"').enumerate() {
        if index > 0 {
            out.write_all(mark)?;
            out.write_all(b"\"")?;
        }
        out.write_all(part.as_bytes())?;
    }
    Ok(())
}
