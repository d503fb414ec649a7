//! The combined access log: `access`.

use crate::clock::{Clock, Day, MICROS_A_SECOND, digits};
use crate::random::{GOLDEN, Random, Zipf, below, fill, mix, pick};
use std::io::{self, Write};

pub const ACCESS_KEYS: u64 = 100_000;
/// An address has a first byte of its own and three bytes that hold the key.
pub const ACCESS_MAX_KEYS: u64 = 1 << 24;
const ACCESS_PATHS: u64 = 20_000;
/// 2025-01-29 06:25:00 UTC, an hour at which logs are rotated.
const ACCESS_START: u64 = 1_738_131_900;

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

pub fn access(lines: u64, keys: u64, seed: u64, out: &mut impl Write) -> io::Result<()> {
    let mut random = Random::new(seed);
    let addresses = Zipf::new(keys);
    let paths = Zipf::new(ACCESS_PATHS);
    let mut clock = Clock::starting(ACCESS_START);
    let mut day = Day::of(ACCESS_START);
    for _ in 0..lines {
        let stamp = clock.stamp(&mut random) / MICROS_A_SECOND;
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
    let time = [second / 3600, second / 60 % 60, second % 60];
    for part in time {
        out.write_all(b":")?;
        out.write_all(&digits::<2>(part))?;
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
