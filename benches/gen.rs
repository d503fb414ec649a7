//! A seeded generator of test data: `cargo bench --bench gen -- KIND N [--seed S] [--keys K] > file`.
//!
//! | kind | lines |
//! |---|---|
//! | `zipf` | 10 to 40 bytes, keys by Zipf's law of exponent 1 over 5,000,000 (`--keys`) keys |
//! | `distinct` | 24 bytes, 70 % of them new, the others drawn from the keys before them |
//! | `unique` | 24 bytes, no two alike |
//! | `access` | combined access log, about 225 bytes, addresses by Zipf's law over 100,000 (`--keys`), jittered stamps |
//!
//! Sizes count the newline. One seed gives one output; the sampler of Zipf's law calls `exp` and `ln` of the system's
//! libm, so two systems may differ in a rare line. The text of a key depends on the key alone (`zipf`, `access`) or on
//! the key and the seed (`distinct`, `unique`), never on where it stands.

use std::io::{self, BufWriter, ErrorKind, Write};
use std::process::ExitCode;

const USAGE: &str = "usage: gen zipf|distinct|unique|access N [--seed S] [--keys K]";

const DEFAULT_SEED: u64 = 1;

/// Large enough that the calls of write() do not show.
const OUTPUT_BUFFER: usize = 1 << 20;

/// Keys of `zipf`: enough that a table of them is far from fitting in a core's own cache.
const ZIPF_KEYS: u64 = 5_000_000;
/// Length of a line of `zipf` with its newline.
const ZIPF_LINE: std::ops::RangeInclusive<u64> = 10..=40;
/// Letters of a `zipf` line that name the key, at 5 bits a letter; the others are filler.
const ZIPF_NAME_LETTERS: usize = 5;
const ZIPF_MAX_KEYS: u64 = 1 << (ZIPF_NAME_LETTERS as u32 * LETTER_BITS);

/// Length of a line of `distinct` and `unique` with its newline.
const WIDE_LINE: usize = 24;
/// Letters that hold 64 bits: ceil(64 / 5).
const WIDE_NAME_LETTERS: usize = 13;
/// Of ten lines of `distinct`, how many are new.
const DISTINCT_TENTHS: u64 = 7;

const ACCESS_KEYS: u64 = 100_000;
/// An address has a first byte of its own and three bytes that hold the key.
const ACCESS_MAX_KEYS: u64 = 1 << 24;
const ACCESS_PATHS: u64 = 20_000;
/// 2025-01-29 06:25:00 UTC, an hour at which logs are rotated.
const ACCESS_START: u64 = 1_738_131_900;
/// Mean advance of the clock by a line: 200 lines a second.
const ACCESS_STEP_US: u64 = 5_000;
/// A line is written up to this long after the request began. A stamp has whole seconds, so a line is not late only
/// when it began in the newest second seen: 86 % of the lines are late, as in logs of busy servers.
const ACCESS_JITTER_US: u64 = 5_000_000;

const ALPHABET: &[u8; 32] = b"abcdefghijklmnopqrstuvwxyz234567";
const LETTER_BITS: u32 = 5;
const LETTER_MASK: u64 = (1 << LETTER_BITS) - 1;
/// Whole letters in 64 bits.
const LETTERS_A_WORD: usize = (u64::BITS / LETTER_BITS) as usize;

/// 2^64 / golden ratio, made odd: the increment of splitmix64, and a multiplier that permutes any 2^k.
const GOLDEN: u64 = 0x9E37_79B9_7F4A_7C15;

fn main() -> ExitCode {
    let options = match Options::parse(std::env::args().skip(1)) {
        Ok(Some(options)) => options,
        // `cargo bench` and `cargo test --all-targets` start every bench without arguments: that is no failure.
        Ok(None) => {
            eprintln!("{USAGE}");
            return ExitCode::SUCCESS;
        }
        Err(message) => {
            eprintln!("gen: {message}\n{USAGE}");
            return ExitCode::from(2);
        }
    };
    let mut out = BufWriter::with_capacity(OUTPUT_BUFFER, io::stdout().lock());
    match write_lines(&options, &mut out).and_then(|()| out.flush()) {
        Err(e) if e.kind() != ErrorKind::BrokenPipe => {
            eprintln!("gen: {e}");
            ExitCode::from(2)
        }
        _ => ExitCode::SUCCESS,
    }
}

#[derive(Clone, Copy)]
enum Kind {
    Zipf,
    Distinct,
    Unique,
    Access,
}

struct Options {
    kind: Kind,
    lines: u64,
    seed: u64,
    keys: Option<u64>,
}

impl Options {
    fn parse(arguments: impl Iterator<Item = String>) -> Result<Option<Self>, String> {
        // Cargo adds --bench.
        let mut arguments = arguments.filter(|a| a != "--bench");
        let (mut seed, mut keys, mut words) = (DEFAULT_SEED, None, Vec::new());
        while let Some(argument) = arguments.next() {
            match argument.as_str() {
                "--seed" => seed = number(&argument, arguments.next())?,
                "--keys" => keys = Some(number(&argument, arguments.next())?),
                _ => words.push(argument),
            }
        }
        let [kind, lines] = match words.as_slice() {
            [] => return Ok(None),
            [kind, lines] => [kind, lines],
            _ => return Err(format!("found {} words, wanted KIND and N", words.len())),
        };
        let (kind, most_keys) = match kind.as_str() {
            "zipf" => (Kind::Zipf, ZIPF_MAX_KEYS),
            "distinct" => (Kind::Distinct, 0),
            "unique" => (Kind::Unique, 0),
            "access" => (Kind::Access, ACCESS_MAX_KEYS),
            _ => return Err(format!("unknown kind {kind:?}")),
        };
        if let Some(keys) = keys
            && !(1..=most_keys).contains(&keys)
        {
            return Err(if most_keys == 0 {
                format!("--keys: {kind} has no number of keys", kind = words[0])
            } else {
                format!("--keys: found {keys}, wanted 1 to {most_keys}")
            });
        }
        let lines = number("N", Some(lines.clone()))?;
        Ok(Some(Self { kind, lines, seed, keys }))
    }
}

fn number(name: &str, value: Option<String>) -> Result<u64, String> {
    let value = value.ok_or_else(|| format!("{name}: wanted a number"))?;
    value.replace('_', "").parse().map_err(|_| format!("{name}: found {value:?}, wanted a number"))
}

fn write_lines(options: &Options, out: &mut impl Write) -> io::Result<()> {
    match options.kind {
        Kind::Zipf => zipf(options.lines, options.keys.unwrap_or(ZIPF_KEYS), options.seed, out),
        Kind::Distinct => distinct(options.lines, options.seed, out),
        Kind::Unique => unique(options.lines, options.seed, out),
        Kind::Access => access(options.lines, options.keys.unwrap_or(ACCESS_KEYS), options.seed, out),
    }
}

fn zipf(lines: u64, keys: u64, seed: u64, out: &mut impl Write) -> io::Result<()> {
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

fn distinct(lines: u64, seed: u64, out: &mut impl Write) -> io::Result<()> {
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

fn unique(lines: u64, seed: u64, out: &mut impl Write) -> io::Result<()> {
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

const METHODS: [(&str, u64); 4] = [("GET", 90), ("POST", 7), ("HEAD", 2), ("PUT", 1)];
const STATUSES: [(&str, u64); 7] =
    [("200", 84), ("304", 6), ("301", 3), ("404", 4), ("302", 1), ("403", 1), ("500", 1)];
const SECTIONS: [&str; 8] =
    ["/blog/", "/docs/guide/", "/static/js/app-", "/static/img/", "/api/v1/items/", "/search?q=", "/user/", "/feed/"];
const ENDINGS: [&str; 8] = ["/", ".html", ".js", ".webp", "", "&page=2", "/profile", ".xml"];
const REFERERS: [(&str, u64); 4] = [
    ("-", 45),
    ("https://www.example.com/", 25),
    ("https://search.example.org/", 20),
    ("https://news.example.net/item?id=41872", 10),
];
const AGENTS: [(&str, u64); 7] = [
    (
        "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36",
        35,
    ),
    (
        "Mozilla/5.0 (iPhone; CPU iPhone OS 17_6_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) \
         Version/17.6 Mobile/15E148 Safari/604.1",
        20,
    ),
    (
        "Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Mobile \
         Safari/537.36",
        18,
    ),
    ("Mozilla/5.0 (X11; Linux x86_64; rv:133.0) Gecko/20100101 Firefox/133.0", 10),
    ("Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)", 8),
    ("Mozilla/5.0 (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)", 5),
    ("curl/8.5.0", 4),
];

fn access(lines: u64, keys: u64, seed: u64, out: &mut impl Write) -> io::Result<()> {
    let mut random = Random::new(seed);
    let addresses = Zipf::new(keys);
    let paths = Zipf::new(ACCESS_PATHS);
    let mut now = ACCESS_START * 1_000_000;
    let mut day = Day::of(ACCESS_START);
    for _ in 0..lines {
        now += random.below(2 * ACCESS_STEP_US + 1);
        let stamp = (now - random.below(ACCESS_JITTER_US)) / 1_000_000;
        if !day.holds(stamp) {
            day = Day::of(stamp);
        }
        let address = addresses.sample(&mut random);
        access_line(address, paths.sample(&mut random), stamp - day.start, &day, &mut random, out)?;
    }
    Ok(())
}

fn access_line(
    address: u64,
    path: u64,
    second: u64,
    day: &Day,
    random: &mut Random,
    out: &mut impl Write,
) -> io::Result<()> {
    // What belongs to a client (its agent) or to a page (its place, its size) is drawn from it.
    let client = mix(address.wrapping_mul(GOLDEN));
    let page = mix(path.wrapping_mul(GOLDEN) ^ GOLDEN);
    let low = address.wrapping_mul(GOLDEN) % ACCESS_MAX_KEYS;
    // 11 to 210: no reserved network at either end.
    let first = 11 + below(client, 200);
    let kind = below(page, SECTIONS.len() as u64) as usize;
    let mut slug = [0; 12];
    fill(page, &mut slug);
    let slug = &slug[..5 + (page % 8) as usize];

    write!(out, "{first}.{}.{}.{} - - [", low >> 16, low >> 8 & 0xff, low & 0xff)?;
    out.write_all(&day.text)?;
    let time = [two(second / 3600), two(second / 60 % 60), two(second % 60)];
    for part in time {
        out.write_all(&[b':', part[0], part[1]])?;
    }
    out.write_all(b" +0000] \"")?;
    out.write_all(pick(&METHODS, random.next()).as_bytes())?;
    out.write_all(b" ")?;
    out.write_all(SECTIONS[kind].as_bytes())?;
    out.write_all(slug)?;
    out.write_all(ENDINGS[kind].as_bytes())?;
    out.write_all(b" HTTP/1.1\" ")?;
    out.write_all(pick(&STATUSES, random.next()).as_bytes())?;
    write!(out, " {} \"", 200 + page % 60_000)?;
    out.write_all(pick(&REFERERS, random.next()).as_bytes())?;
    out.write_all(b"\" \"")?;
    out.write_all(pick(&AGENTS, client.rotate_left(32)).as_bytes())?;
    out.write_all(b"\"\n")
}

/// A day of the log: its first second and its text, `29/Jan/2025`.
struct Day {
    start: u64,
    text: [u8; 11],
}

impl Day {
    const SECONDS: u64 = 86_400;

    fn of(stamp: u64) -> Self {
        const MONTHS: &[u8; 36] = b"JanFebMarAprMayJunJulAugSepOctNovDec";
        let days = stamp / Self::SECONDS;
        // Days to a civil date from 1 March of the year 0, in eras of 400 years (H. Hinnant, "chrono-compatible
        // low-level date algorithms").
        let shifted = days + 719_468;
        let era_day = shifted % 146_097;
        let era_year = (era_day - era_day / 1_460 + era_day / 36_524 - era_day / 146_096) / 365;
        let year_day = era_day - (365 * era_year + era_year / 4 - era_year / 100);
        let march_month = (5 * year_day + 2) / 153;
        let month_day = year_day - (153 * march_month + 2) / 5 + 1;
        let month = (march_month + 2) % 12;
        let year = shifted / 146_097 * 400 + era_year + u64::from(month < 2);

        let mut text = *b"dd/Mmm/yyyy";
        text[..2].copy_from_slice(&two(month_day));
        text[3..6].copy_from_slice(&MONTHS[month as usize * 3..][..3]);
        text[7..9].copy_from_slice(&two(year / 100));
        text[9..].copy_from_slice(&two(year % 100));
        Self { start: days * Self::SECONDS, text }
    }

    fn holds(&self, stamp: u64) -> bool {
        (self.start..self.start + Self::SECONDS).contains(&stamp)
    }
}

fn two(number: u64) -> [u8; 2] {
    [b'0' + (number / 10) as u8, b'0' + (number % 10) as u8]
}

/// One of `choices` by weight; `word` is uniform over 64 bits.
fn pick(choices: &[(&'static str, u64)], word: u64) -> &'static str {
    let mut rest = below(word, choices.iter().map(|(_, weight)| weight).sum());
    for (choice, weight) in choices {
        if rest < *weight {
            return choice;
        }
        rest -= weight;
    }
    unreachable!("the rest is below the sum of the weights")
}

/// `name.len()` letters of `word`, the lowest five bits first. It keeps the word apart from every other one when
/// `5 · name.len()` bits hold it.
fn letters(mut word: u64, name: &mut [u8]) {
    for letter in name {
        *letter = ALPHABET[(word & LETTER_MASK) as usize];
        word >>= LETTER_BITS;
    }
}

/// Fills `text` with letters drawn from `seed`.
fn fill(seed: u64, text: &mut [u8]) {
    let mut state = seed;
    for chunk in text.chunks_mut(LETTERS_A_WORD) {
        state = state.wrapping_add(GOLDEN);
        letters(mix(state), chunk);
    }
}

/// Takes a word uniform over 64 bits to `0..limit` (Lemire's multiplication, without the correction of a bias that is
/// under 2^-32 here).
fn below(word: u64, limit: u64) -> u64 {
    ((u128::from(word) * u128::from(limit)) >> 64) as u64
}

/// The finaliser of splitmix64 (Steele, Lea and Flood 2014): a permutation of 64 bits.
fn mix(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

/// xoshiro256++ 1.0 (Blackman and Vigna 2019), its state filled by splitmix64 as its authors advise.
struct Random {
    state: [u64; 4],
}

impl Random {
    fn new(seed: u64) -> Self {
        Self { state: [1, 2, 3, 4].map(|i: u64| mix(seed.wrapping_add(GOLDEN.wrapping_mul(i)))) }
    }

    fn next(&mut self) -> u64 {
        let s = &mut self.state;
        let result = s[0].wrapping_add(s[3]).rotate_left(23).wrapping_add(s[0]);
        let t = s[1] << 17;
        s[2] ^= s[0];
        s[3] ^= s[1];
        s[1] ^= s[2];
        s[0] ^= s[3];
        s[2] ^= t;
        s[3] = s[3].rotate_left(45);
        result
    }

    fn below(&mut self, limit: u64) -> u64 {
        below(self.next(), limit)
    }

    /// Uniform over [0, 1): the top 53 bits.
    fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
    }
}

/// Ranks 1..=n with probability proportional to 1/rank, by rejection-inversion (W. Hörmann and G. Derflinger,
/// "Rejection-inversion to generate variates from monotone discrete distributions", ACM TOMACS 6(3), 1996). At the
/// exponent 1 the hat 1/x has the integral ln x, so its inverse is exp. No table; about one draw a sample.
struct Zipf {
    n: f64,
    /// Ends of the interval of u: H(1.5) - h(1), so that rank 1 has its whole share, and H(n + 0.5).
    low: f64,
    high: f64,
    /// A rank that is not further over its x than this is always accepted: 2 - H⁻¹(H(2.5) - h(2)).
    squeeze: f64,
}

impl Zipf {
    fn new(n: u64) -> Self {
        let n = n as f64;
        let low = 1.5f64.ln() - 1.0;
        Self { n, low, high: (n + 0.5).ln(), squeeze: 2.0 - (2.5f64.ln() - 0.5).exp() }
    }

    fn sample(&self, random: &mut Random) -> u64 {
        loop {
            let u = self.high + random.unit() * (self.low - self.high);
            let x = u.exp();
            let rank = (x + 0.5).floor().clamp(1.0, self.n);
            if rank - x <= self.squeeze || u >= (rank + 0.5).ln() - 1.0 / rank {
                return rank as u64;
            }
        }
    }
}
