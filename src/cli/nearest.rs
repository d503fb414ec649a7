//! Which of several names somebody most likely meant.

/// The names, those that look most like `typed` first.
pub fn nearest_first<'a>(typed: &str, names: &[&'a str]) -> Vec<&'a str> {
    let mut names = names.to_vec();
    // A name that was typed with something around it is nearer than any other.
    // So is one that was typed without its path, or in another case.
    let is_near = |name: &str| typed.contains(name) || name.ends_with(typed) || name.eq_ignore_ascii_case(typed);
    names.sort_by_key(|name| (!is_near(name), distance(typed, name)));
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
    use crate::record::access_log::AccessField;

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
