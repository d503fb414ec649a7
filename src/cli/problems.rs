//! What was wrong with records: how many for each reason, and where the first ones are.

use super::record::Why;

/// Places that are kept for each reason: enough to go and look.
const FIRST: usize = 3;

/// What was wrong, in the order in which it was first met.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Problems {
    pub problems: Vec<Problem>,
}

/// One reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    pub why: Why,
    pub count: u64,
    /// The first records, by file and line.
    pub first: Vec<(String, u64)>,
}

impl Problems {
    /// Counts a record; `place` tells its file and line where that is wanted.
    pub fn add(&mut self, why: Why, place: impl FnOnce() -> (String, u64)) {
        let known = self.problems.iter().position(|problem| problem.why == why);
        let index = known.unwrap_or_else(|| {
            self.problems.push(Problem { why, count: 0, first: Vec::new() });
            self.problems.len() - 1
        });
        let problem = &mut self.problems[index];
        problem.count += 1;
        if problem.first.len() < FIRST {
            problem.first.push(place());
        }
    }

    /// The broken records, one reason after the other, each with its count and the place of the first.
    pub fn describe_broken(&self) -> String {
        let broken: Vec<&Problem> = self.problems.iter().filter(|problem| problem.why.is_broken()).collect();
        let texts: Vec<String> = broken
            .iter()
            .map(|Problem { why, count, first }| {
                let (file, line) = first.first().map_or(("", 0), |(file, line)| (file.as_str(), *line));
                let counted = match (count, broken.len()) {
                    (1, 1) => String::new(),
                    (1, _) => "1, in ".to_owned(),
                    _ => format!("{count}, first in "),
                };
                format!("{} ({counted}{file}, line {line})", why.describe())
            })
            .collect();
        texts.join("; ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_reason_has_its_count_and_its_first_places() {
        let mut problems = Problems::default();
        for line in 1..=5 {
            problems.add(Why::BadStamp, || ("a.log".to_owned(), line));
        }
        problems.add(Why::Cut, || ("b.log".to_owned(), 7));
        problems.add(Why::Missing, || ("b.log".to_owned(), 8));
        assert_eq!(problems.problems[0].count, 5);
        assert_eq!(problems.problems[0].first.len(), FIRST);
        assert_eq!(
            problems.describe_broken(),
            "the record's stamp cannot be read (5, first in a.log, line 1); the record is cut short (1, in b.log, line 7)"
        );
        problems.problems.remove(0);
        assert_eq!(problems.describe_broken(), "the record is cut short (b.log, line 7)");
    }
}
