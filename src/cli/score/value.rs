//! What a record adds to its key's score: `--value`, `--add`, `--map`.

use super::super::args::ScoreArguments;
use super::super::config::pattern;
use super::super::record::names::Names;
use super::super::record::value::{Glob, ValueSpec};
use super::super::units::number;

/// What is asked for.
pub fn value(arguments: &ScoreArguments) -> Result<ValueSpec, String> {
    if let Some(field) = &arguments.value {
        let names = one_field("--value", field)?;
        return Ok(ValueSpec::field(names, true));
    }
    if let Some(text) = &arguments.map {
        return map(text);
    }
    if arguments.add.is_empty() {
        return Ok(ValueSpec::One);
    }
    arguments.add.iter().map(|text| add(text)).collect::<Result<_, _>>().map(ValueSpec::Add)
}

/// One field of a record.
pub fn one_field(flag: &'static str, text: &str) -> Result<Names, String> {
    let names = Names::parse(flag, &[text.to_owned()])?;
    match names.names.len() {
        1 => Ok(names),
        _ => Err(format!("{flag}: `{text}` is more than one field; a number stands in one")),
    }
}

/// `5:Failed password`.
fn add(text: &str) -> Result<(f64, regex::bytes::Regex), String> {
    let wanted = "wanted is a number, a colon and a pattern, such as '5:Failed password'";
    let (delta, regex) = text.split_once(':').ok_or_else(|| format!("--add: `{text}` has no colon; {wanted}"))?;
    let delta = number(delta).map_err(|_| format!("--add: `{delta}` is not a number; {wanted}"))?;
    Ok((delta, pattern("--add", regex)?))
}

/// `status:401=+5,403=+2,*=0`. The first colon is the one, but for those between the quotes of a path in JSON.
fn map(text: &str) -> Result<ValueSpec, String> {
    let wanted = "wanted is a field, a colon, and values with what they add, such as 'status:401=+5,403=+2,*=0'";
    let mut is_quoted = false;
    let colon = text.find(|letter| {
        is_quoted ^= letter == '"';
        letter == ':' && !is_quoted
    });
    let colon = colon.ok_or_else(|| format!("--map: `{text}` names no field; {wanted}"))?;
    let names = one_field("--map", &text[..colon])?;
    let worth = |entry: &str| {
        let (value, delta) = entry.rsplit_once('=').ok_or_else(|| format!("--map: `{entry}` has no =; {wanted}"))?;
        let delta = number(delta).map_err(|_| format!("--map: `{delta}` is not a number; {wanted}"))?;
        Ok((Glob::new(value), delta))
    };
    let worths = text[colon + 1..].split(',').map(worth).collect::<Result<Vec<_>, String>>()?;
    Ok(ValueSpec::Map { names, worths })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_map_names_a_field_and_what_its_values_add() {
        let Ok(ValueSpec::Map { names, worths }) = map("status:401=+5,4*=2.5,200=-1,*=0") else { panic!() };
        assert_eq!(names.names, ["status"]);
        assert_eq!(worths.iter().map(|(_, worth)| *worth).collect::<Vec<_>>(), [5.0, 2.5, -1.0, 0.0]);
        assert!(worths[1].0.fits(b"404"));
        let Ok(ValueSpec::Map { names, worths }) = map(".\"a:b\":12:30=1") else { panic!() };
        assert_eq!((names.names, worths[0].0.fits(b"12:30")), (vec![".\"a:b\"".to_owned()], true));
        for broken in ["401=5", "status:401", "status:401=x", "status:", ":1=2"] {
            assert!(map(broken).is_err(), "{broken}");
        }
    }

    #[test]
    fn an_addition_is_a_number_and_a_pattern() {
        let (delta, pattern) = add("-2:Accepted (password|publickey):").unwrap();
        assert_eq!(delta, -2.0);
        assert!(pattern.is_match(b"Accepted password:"));
        for broken in ["5", "x:y", "5:("] {
            assert!(add(broken).is_err(), "{broken}");
        }
    }
}
