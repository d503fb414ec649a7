//! `100/min`, `0.5/s`, `10/1000r`: so many in a time.

use super::{Length, count, length, number, size, unit_nanos};
use grudge::time::Span;

/// A whole number in a time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rate {
    pub count: u64,
    pub per: Length,
    /// As it was typed.
    pub text: String,
}

/// Any number in a time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Amount {
    pub amount: f64,
    pub per: Length,
}

/// A limit that may be none.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bound(pub Option<f64>);

const WANTED: &str = "a number in a time such as 100/min, 5/s or 10/90s, or in a number of records such as 10/1000r";

impl Rate {
    /// `100/min`; the number may be a size, for `--value`.
    pub fn parse(text: &str) -> Result<Rate, String> {
        let (amount, per) = split(text)?;
        let count = count(amount).or_else(|_| size(amount)).map_err(|_| format!("`{text}` is not {WANTED}"))?;
        if count == 0 {
            return Err(format!("`{text}` allows nothing; wanted is {WANTED}"));
        }
        Ok(Rate { count, per, text: text.to_owned() })
    }
}

impl Amount {
    /// `0.5/s`.
    pub fn parse(text: &str) -> Result<Amount, String> {
        let (amount, per) = split(text)?;
        let amount = number(amount).map_err(|_| format!("`{text}` is not {WANTED}"))?;
        if amount <= 0.0 {
            return Err(format!("`{text}` drains nothing; wanted is {WANTED}"));
        }
        Ok(Amount { amount, per })
    }
}

impl Bound {
    /// A number, or `none`.
    pub fn parse(text: &str) -> Result<Bound, String> {
        if text == "none" {
            return Ok(Bound(None));
        }
        number(text).map(|bound| Bound(Some(bound))).map_err(|_| format!("`{text}` is neither a number nor none"))
    }
}

/// What stands before the stroke, and the time behind it.
fn split(text: &str) -> Result<(&str, Length), String> {
    let bad = || format!("`{text}` is not {WANTED}");
    let (amount, unit) = text.split_once('/').ok_or_else(bad)?;
    let per = match unit_nanos(unit) {
        _ if unit == "r" => Length::Records(1),
        Some(nanos) => Length::Time(Span::from_nanos(nanos)),
        None => length(unit).map_err(|_| bad())?,
    };
    Ok((amount, per))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_are_read_with_their_units() {
        let rate = |text: &str| Rate::parse(text).map(|rate| (rate.count, rate.per));
        let seconds = |seconds| Length::Time(Span::from_seconds(seconds));
        assert_eq!(rate("100/min"), Ok((100, seconds(60))));
        assert_eq!(rate("5/s"), Ok((5, seconds(1))));
        assert_eq!(rate("10/90s"), Ok((10, seconds(90))));
        assert_eq!(rate("10/10min"), Ok((10, seconds(600))));
        assert_eq!(rate("1/week"), Ok((1, seconds(604_800))));
        assert_eq!(rate("1M/s"), Ok((1_000_000, seconds(1))));
        assert_eq!(rate("10MB/min"), Ok((10_000_000, seconds(60))));
        assert_eq!(rate("10/1000r"), Ok((10, Length::Records(1000))));
        assert_eq!(rate("10/r"), Ok((10, Length::Records(1))));
        for broken in ["100", "100/", "/min", "0/s", "-1/s", "1.5/s", "x/s", "1/x", "1/0s"] {
            assert!(rate(broken).is_err(), "{broken}");
        }
    }

    #[test]
    fn what_drains_may_have_a_fraction() {
        let amount = |text: &str| Amount::parse(text).map(|amount| amount.amount);
        assert_eq!(amount("0.5/s"), Ok(0.5));
        for broken in ["0/s", "-1/s", "nan/s", "inf/s", "1"] {
            assert!(amount(broken).is_err(), "{broken}");
        }
    }
}
