//! The counts of a run under stable names: printed, and asked about by `--fail-if`.

use super::problems::Problem;
use std::fmt::Write;

/// The counts of a run, in the order they are printed.
#[derive(Debug, Default)]
pub struct Stats {
    entries: Vec<(&'static str, Value)>,
    problems: Vec<Problem>,
}

#[derive(Debug, Clone, PartialEq)]
enum Value {
    Count(u64),
    Real(f64),
    Text(String),
}

/// How counts are printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Layout {
    /// A name and a value a line.
    Text,
    /// One JSON object on one line.
    Json,
}

/// `--fail-if NAME[OP N]`.
#[derive(Debug, Clone, PartialEq)]
pub struct Condition {
    pub name: String,
    operator: Operator,
    limit: f64,
    text: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Operator {
    Greater,
    GreaterOrEqual,
    Less,
    LessOrEqual,
    Equal,
    NotEqual,
}

/// Two-letter ones first, so that `>=` is not read as `>`.
const OPERATORS: [(&str, Operator); 7] = [
    (">=", Operator::GreaterOrEqual),
    ("<=", Operator::LessOrEqual),
    ("!=", Operator::NotEqual),
    ("==", Operator::Equal),
    (">", Operator::Greater),
    ("<", Operator::Less),
    ("=", Operator::Equal),
];

impl Stats {
    pub fn count(&mut self, name: &'static str, value: u64) {
        self.entries.push((name, Value::Count(value)));
    }

    pub fn real(&mut self, name: &'static str, value: f64) {
        self.entries.push((name, Value::Real(value)));
    }

    pub fn text(&mut self, name: &'static str, value: impl Into<String>) {
        self.entries.push((name, Value::Text(value.into())));
    }

    /// Adds what was wrong with some records.
    pub fn problem(&mut self, problem: Problem) {
        self.problems.push(problem);
    }

    fn number(&self, name: &str) -> Option<f64> {
        match &self.entries.iter().find(|(entry, _)| *entry == name)?.1 {
            Value::Count(count) => Some(*count as f64),
            Value::Real(real) => Some(*real),
            Value::Text(_) => None,
        }
    }

    pub fn show(&self, layout: Layout) -> String {
        match layout {
            Layout::Text => {
                let width = self.entries.iter().map(|(name, _)| name.len()).max().unwrap_or_default();
                let mut text = self.entries.iter().fold(String::new(), |mut text, (name, value)| {
                    let _ = match value {
                        Value::Count(count) => writeln!(text, "{name:width$}  {count}"),
                        Value::Real(real) => writeln!(text, "{name:width$}  {}", show_rate(*real)),
                        Value::Text(value) => writeln!(text, "{name:width$}  {value}"),
                    };
                    text
                });
                for Problem { why, count, first } in &self.problems {
                    let places: Vec<String> = first.iter().map(|(file, line)| format!("{file}, line {line}")).collect();
                    let _ =
                        writeln!(text, "{:width$}  {count}: {}, in {}", "problem", why.describe(), places.join("; "));
                }
                text
            }
            Layout::Json => {
                let entries = self.entries.iter().map(|(name, value)| {
                    let value = match value {
                        Value::Count(count) => serde_json::Value::from(*count),
                        Value::Real(real) => serde_json::Value::from(*real),
                        Value::Text(text) => serde_json::Value::from(text.as_str()),
                    };
                    (name.to_string(), value)
                });
                let mut object: serde_json::Map<_, _> = entries.collect();
                if !self.problems.is_empty() {
                    let problems = self.problems.iter().map(|Problem { why, count, first }| {
                        let place = |(file, line): &(String, u64)| serde_json::json!({"file": file, "line": line});
                        let first: Vec<_> = first.iter().map(place).collect();
                        serde_json::json!({"why": why.describe(), "count": count, "first": first})
                    });
                    object.insert("problems".to_owned(), problems.collect());
                }
                format!("{}\n", serde_json::Value::Object(object))
            }
        }
    }
}

/// Seconds as they are, rates by their magnitude.
pub fn show_rate(rate: f64) -> String {
    /// Below this it is the magnitude that tells.
    const SMALL: f64 = 0.001;
    if rate == 0.0 || rate >= SMALL { format!("{rate}") } else { format!("{rate:.1e}") }
}

impl Condition {
    /// `late`, `dropped>=5`; a name alone means more than none.
    pub fn parse(text: &str) -> Result<Condition, String> {
        let found = OPERATORS.iter().find_map(|(sign, operator)| {
            text.split_once(sign).map(|(name, limit)| (name.trim(), *operator, limit.trim()))
        });
        let (name, operator, limit) = found.unwrap_or((text.trim(), Operator::Greater, "0"));
        let wanted = "wanted is a name of --stats and perhaps a comparison, such as late or 'dropped>=5'";
        let limit = limit.parse::<f64>().map_err(|_| format!("`{limit}` is not a number; {wanted}"))?;
        if name.is_empty() || !name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_') {
            return Err(format!("`{name}` is not a name of --stats; {wanted}"));
        }
        Ok(Condition { name: name.to_owned(), operator, limit, text: text.to_owned() })
    }

    /// Whether it holds; `None` where `stats` has no such number.
    pub fn holds(&self, stats: &Stats) -> Option<bool> {
        let value = stats.number(&self.name)?;
        Some(match self.operator {
            Operator::Greater => value > self.limit,
            Operator::GreaterOrEqual => value >= self.limit,
            Operator::Less => value < self.limit,
            Operator::LessOrEqual => value <= self.limit,
            Operator::Equal => value == self.limit,
            Operator::NotEqual => value != self.limit,
        })
    }

    /// The condition as it was typed.
    pub fn as_str(&self) -> &str {
        &self.text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn holds(condition: &str) -> Option<bool> {
        let mut stats = Stats::default();
        stats.count("late", 5);
        stats.text("seed", "5");
        Condition::parse(condition).unwrap().holds(&stats)
    }

    #[test]
    fn conditions_compare() {
        for condition in ["late", "late>4", "late >= 5", "late<=5", "late<6", "late=5", "late==5", "late!=4"] {
            assert_eq!(holds(condition), Some(true), "{condition}");
        }
        for condition in ["late>5", "late>=6", "late<5", "late<=4", "late=4", "late!=5"] {
            assert_eq!(holds(condition), Some(false), "{condition}");
        }
        assert_eq!(holds("seed"), None);
        assert_eq!(holds("nothing"), None);
        for broken in ["", ">5", "late>", "late>x", "la te", "late 5"] {
            assert!(Condition::parse(broken).is_err(), "{broken}");
        }
    }

    #[test]
    fn both_layouts_show_every_entry_in_order() {
        let mut stats = Stats::default();
        stats.count("read", 3);
        stats.real("rate", 2.5e-7);
        stats.text("seed", "a\"b");
        assert_eq!(stats.show(Layout::Json), "{\"read\":3,\"rate\":2.5e-7,\"seed\":\"a\\\"b\"}\n");
        assert_eq!(stats.show(Layout::Text), "read  3\nrate  2.5e-7\nseed  a\"b\n");
    }
}
