//! Names of fields as they are typed, and which format they make a record.

use super::args::FormatName;
use super::record::access_log::AccessField;
use super::record::fields::Separator;
use super::record::parts::{Part, Parts};

/// The parts that the texts of `flag` (`1,3`, `ip,path`) name.
pub fn parse_parts(flag: &str, texts: &[String], format: FormatName, separator: Separator) -> Result<Parts, String> {
    let names = texts.iter().flat_map(|text| text.split(','));
    let parts = names.map(|name| parse_part(flag, name.trim(), format, separator)).collect::<Result<_, _>>()?;
    Ok(Parts::new(parts, separator))
}

fn parse_part(flag: &str, name: &str, format: FormatName, separator: Separator) -> Result<Part, String> {
    match name.parse::<usize>() {
        Ok(0) => return Err(format!("{flag}: fields are counted from 1; the whole record is the key without -k")),
        Ok(number) => return Ok(Part::Number(number)),
        Err(_) if name.is_empty() => {
            return Err(format!("{flag}: a field has no name; wanted is one such as {flag} 1,3"));
        }
        Err(_) => {}
    }
    if format == FormatName::Lines || separator != Separator::Blanks {
        return Err(format!("{flag}: `{name}` is not the number of a field; the fields of plain lines have no names"));
    }
    if name.split('-').all(|bound| bound.bytes().all(|byte| byte.is_ascii_digit())) {
        return Err(format!("{flag}: `{name}` is no list of fields; wanted is one such as {flag} 1,2,3"));
    }
    AccessField::from_name(name).map(Part::Access).ok_or_else(|| {
        let names = AccessField::ALL.map(AccessField::name);
        format!("{flag}: `{name}` is no field of an access log; there are {}", nearest_first(name, &names).join(", "))
    })
}

/// Whether any of the parts has a name, which makes the records an access log.
pub fn names_access_fields(parts: &Parts) -> bool {
    parts.as_slice().iter().any(|part| matches!(part, Part::Access(_)))
}

/// The names, those that look most like `typed` first.
pub fn nearest_first<'a>(typed: &str, names: &[&'a str]) -> Vec<&'a str> {
    let mut names = names.to_vec();
    // A name that was typed with something around it is nearer than any other.
    names.sort_by_key(|name| (!typed.contains(name), distance(typed, name)));
    names
}

/// How many letters must be changed, left out or added to make one word of the other (Levenshtein).
fn distance(from: &str, to: &str) -> usize {
    let to: Vec<char> = to.chars().collect();
    let mut row: Vec<usize> = (0..=to.len()).collect();
    for (index, letter) in from.chars().enumerate() {
        let mut diagonal = index;
        row[0] = index + 1;
        for (column, other) in to.iter().enumerate() {
            let changed = diagonal + usize::from(letter != *other);
            diagonal = row[column + 1];
            row[column + 1] = changed.min(row[column] + 1).min(diagonal + 1);
        }
    }
    row[to.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_name_comes_first() {
        let names = AccessField::ALL.map(AccessField::name);
        for (typed, nearest) in [("pth", "path"), ("clientip", "ip"), ("referrer", "referer"), ("stat", "status")] {
            assert_eq!(nearest_first(typed, &names)[0], nearest);
        }
        assert_eq!(distance("kitten", "sitting"), 3);
        assert_eq!(distance("", "abc"), 3);
    }
}
