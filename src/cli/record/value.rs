//! The number that a record gives: 1, what a field says, or what its content is worth.

use super::Why;
use super::found::Found;
use super::names::Names;
use regex::bytes::Regex;

/// Which number it is.
#[derive(Debug, Clone)]
pub enum ValueSpec {
    /// 1 for each record.
    One,
    /// The number in a field.
    Field { names: Names, may_be_negative: bool },
    /// What the value of a field is worth: that of the first pattern it fits, else 0.
    Map { names: Names, worths: Vec<(Glob, f64)> },
    /// The sum of what each pattern is worth that the record matches.
    Add(Vec<(f64, Regex)>),
}

/// A text in which `*` stands for any other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Glob(Vec<Vec<u8>>);

impl ValueSpec {
    /// The number in a field; a record without the field has none.
    pub fn field(names: Names, may_be_negative: bool) -> ValueSpec {
        ValueSpec::Field { names, may_be_negative }
    }

    /// The field it is read from, if any.
    pub fn names(&self) -> Option<&Names> {
        match self {
            ValueSpec::Field { names, .. } | ValueSpec::Map { names, .. } => Some(names),
            ValueSpec::One | ValueSpec::Add(_) => None,
        }
    }

    /// Whether every record gives 1.
    pub fn is_one(&self) -> bool {
        matches!(self, ValueSpec::One)
    }

    /// Whether it may be negative.
    pub fn may_be_negative(&self) -> bool {
        match self {
            ValueSpec::One => false,
            ValueSpec::Field { may_be_negative, .. } => *may_be_negative,
            ValueSpec::Map { worths, .. } => worths.iter().any(|(_, worth)| *worth < 0.0),
            ValueSpec::Add(patterns) => patterns.iter().any(|(worth, _)| *worth < 0.0),
        }
    }

    /// The number of `record`, whose field is the `part`th that was found; none where a map has no field to go by, which
    /// adds nothing. `missing` takes a record without the field for one where it is empty.
    pub fn read(&self, record: &[u8], found: &Found, part: usize, missing: bool) -> Result<Option<f64>, Why> {
        let text = || found.text(record, part).or(missing.then_some(&[]));
        Ok(Some(match self {
            ValueSpec::One => 1.0,
            ValueSpec::Field { may_be_negative, .. } => {
                let number = parse(text().ok_or(Why::NoValue)?).ok_or(Why::BadValue)?;
                if number < 0.0 && !may_be_negative {
                    return Err(Why::NegativeValue);
                }
                number
            }
            ValueSpec::Map { worths, .. } => {
                let Some(text) = text() else { return Ok(None) };
                worths.iter().find(|(glob, _)| glob.fits(text)).map_or(0.0, |(_, worth)| *worth)
            }
            ValueSpec::Add(patterns) => {
                patterns.iter().filter(|(_, pattern)| pattern.is_match(record)).map(|(worth, _)| worth).sum()
            }
        }))
    }
}

impl Glob {
    pub fn new(text: &str) -> Glob {
        Glob(text.split('*').map(|piece| piece.as_bytes().to_vec()).collect())
    }

    /// Whether `text` is one of those it stands for.
    pub fn fits(&self, text: &[u8]) -> bool {
        let [first, middle @ .., last] = self.0.as_slice() else {
            return self.0.first().is_some_and(|whole| whole == text);
        };
        let Some(mut rest) = text.strip_prefix(first.as_slice()).and_then(|text| text.strip_suffix(last.as_slice()))
        else {
            return false;
        };
        // The first place where a piece fits leaves the most room for those behind it.
        for piece in middle {
            let Some(place) = bstr::ByteSlice::find(rest, piece) else { return false };
            rest = &rest[place + piece.len()..];
        }
        true
    }
}

/// The number that `text` is; nothing and `-`, as logs write it, are 0.
fn parse(text: &[u8]) -> Option<f64> {
    /// Digits of a number that is exact in every step: 10^15 is below 2^53.
    const EXACT_DIGITS: usize = 15;
    let text = text.trim_ascii();
    if text.is_empty() || text == b"-" {
        return Some(0.0);
    }
    if text.len() <= EXACT_DIGITS && text.iter().all(u8::is_ascii_digit) {
        return Some(text.iter().fold(0, |number, digit| number * 10 + u64::from(digit - b'0')) as f64);
    }
    // `nan`, `inf` and `infinity` are words here.
    if text.iter().any(|byte| byte.is_ascii_alphabetic() && !matches!(byte, b'e' | b'E')) {
        return None;
    }
    std::str::from_utf8(text).ok()?.parse::<f64>().ok().filter(|number| number.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_and_words_are_not() {
        for (text, number) in
            [("12", 12.0), ("-3.5", -3.5), ("+5", 5.0), ("1e-5", 1e-5), (" 7 ", 7.0), ("-", 0.0), ("", 0.0)]
        {
            assert_eq!(parse(text.as_bytes()), Some(number), "{text}");
        }
        for word in ["nan", "inf", "-infinity", "12ms", "1,5", "0x10", "true", "1e999", "--"] {
            assert_eq!(parse(word.as_bytes()), None, "{word}");
        }
    }

    #[test]
    fn a_star_stands_for_any_text() {
        let fits = |glob: &str, text: &str| Glob::new(glob).fits(text.as_bytes());
        for (glob, text) in
            [("401", "401"), ("4*", "404"), ("*", ""), ("*", "x"), ("*/api/*", "/v1/api/x"), ("a*b*c", "abbc")]
        {
            assert!(fits(glob, text), "{glob} {text}");
        }
        for (glob, text) in [("401", "4010"), ("4*", "504"), ("a*a", "a"), ("a*b*c", "acb"), ("", "x")] {
            assert!(!fits(glob, text), "{glob} {text}");
        }
    }
}
