//! IPv4 and IPv6 addresses.

use super::bytes::{MAX_GROUP, byte, byte_before, digits, hex_digits, is_free_of_colon, is_word, was_word};

/// Numbers of an IPv4 address.
const OCTETS: usize = 4;
/// The most digits of one of them.
const OCTET_DIGITS: usize = 3;
/// Groups of an IPv6 address.
const GROUPS: usize = 8;
/// Groups that an IPv4 address at its end stands for.
const TAIL_GROUPS: usize = 2;

/// Where the address at `at` ends, which no letter or digit precedes.
#[inline(always)]
pub fn ip(text: &[u8], at: usize) -> Option<usize> {
    if byte_before(text, at) == b'.' {
        return None;
    }
    let len = hex_digits(text, at);
    match byte(text, at + len) {
        b'.' if len <= OCTET_DIGITS => v4(text, at),
        b':' if len <= MAX_GROUP => v6(text, at),
        _ => None,
    }
}

/// Where the IPv4 address at `at` ends.
fn v4(text: &[u8], at: usize) -> Option<usize> {
    let mut end = octet(text, at)?;
    for _ in 1..OCTETS {
        if byte(text, end) != b'.' {
            return None;
        }
        end = octet(text, end + 1)?;
    }
    ends_without_dot(text, end).then_some(end)
}

/// Where a number up to 255 without leading zeros at `at` ends.
fn octet(text: &[u8], at: usize) -> Option<usize> {
    let len = digits(text, at);
    let octet =
        text[at..at + len].iter().take(OCTET_DIGITS).fold(0, |octet, digit| 10 * octet + u32::from(digit - b'0'));
    let has_zeros = len > 1 && text[at] == b'0';
    ((1..=OCTET_DIGITS).contains(&len) && octet <= u32::from(u8::MAX) && !has_zeros).then_some(at + len)
}

/// Whether no word goes on at `end`, not even behind a dot.
fn ends_without_dot(text: &[u8], end: usize) -> bool {
    match byte(text, end) {
        b'.' => !was_word(byte(text, end + 1)),
        next => !is_word(next),
    }
}

/// Where the IPv6 address at `at` ends, with its zone.
fn v6(text: &[u8], at: usize) -> Option<usize> {
    let begins_with_gap = byte(text, at) == b':';
    // What `::` follows may have been a group, even when it is masked by now.
    if !is_free_of_colon(text, at) || (begins_with_gap && byte_before(text, at) == b'>') {
        return None;
    }
    let end = v6_groups(text, at, begins_with_gap)?;
    text[at..end].iter().any(u8::is_ascii_digit).then(|| zone_end(text, end))
}

/// Where the groups of the IPv6 address at `at` end.
fn v6_groups(text: &[u8], at: usize, begins_with_gap: bool) -> Option<usize> {
    let mut gap = false;
    let mut groups = 0;
    let mut end = at;
    if begins_with_gap {
        if byte(text, at + 1) != b':' {
            return None;
        }
        gap = true;
        end += 2;
    }
    // One round for each group.
    while groups < GROUPS {
        let len = hex_digits(text, end);
        if byte(text, end + len) == b'.'
            && let Some(end) = v4(text, end)
        {
            groups += TAIL_GROUPS;
            return fits(groups, gap).then_some(end);
        }
        if len == 0 {
            break; // Behind the gap at the end.
        }
        if len > MAX_GROUP {
            return None;
        }
        groups += 1;
        end += len;
        match (byte(text, end), byte(text, end + 1)) {
            (b':', b':') if !gap => {
                gap = true;
                end += 2;
            }
            (b':', next) if next.is_ascii_hexdigit() && groups < GROUPS => end += 1,
            _ => break,
        }
    }
    (fits(groups, gap) && v6_ends(text, end)).then_some(end)
}

/// Whether so many groups are a whole address; the gap stands for one at least.
fn fits(groups: usize, gap: bool) -> bool {
    if gap { groups < GROUPS } else { groups == GROUPS }
}

/// Whether neither a word nor an address goes on at `end`.
fn v6_ends(text: &[u8], end: usize) -> bool {
    let goes_on = match (byte_before(text, end), byte(text, end)) {
        (_, b':') => was_word(byte(text, end + 1)) || byte(text, end + 1) == b':',
        (b':', next) => was_word(next),
        _ => false,
    };
    !goes_on && ends_without_dot(text, end)
}

/// Where the zone of the address that ends at `end` ends, if it has one: `%eth0`.
fn zone_end(text: &[u8], end: usize) -> usize {
    if byte(text, end) != b'%' {
        return end;
    }
    let zone = text[end + 1..].iter().take_while(|byte| is_word(**byte) || matches!(byte, b'_' | b'-')).count();
    if zone == 0 { end } else { end + 1 + zone }
}
