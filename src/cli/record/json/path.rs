//! Paths to values, as typed after `-k`.
//!
//! ```text
//! .user.id   ."a.b"   .["a.b"]   .list[0]   .list[-1]   .a[0][1].b    a path: it begins with a dot
//! user   id.orig_h   list[0]                                          a name: it does not
//! ```
//!
//! A name is that of a member of the record itself, dots and all, as Zeek and many others write them. Where a record has
//! no such member, a name with dots or brackets is read as the path it would be with a dot in front.

use super::text::{escape, unescape_checked};
use memchr::{memchr2, memchr3};
use std::fmt;

/// A path to a value, as typed after -k.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Path {
    /// The name of a member of the record itself, which comes first.
    literal: Option<String>,
    /// From the record down to the value; empty if there is nothing but the name.
    steps: Vec<Step>,
}

/// One step down.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    Member(String),
    /// Counted from 0, or if negative from the end.
    Element(i64),
}

impl Path {
    /// Reads a path, or says in one line what is wrong with it.
    pub fn parse(text: &str) -> Result<Path, String> {
        if text.starts_with('.') {
            return Ok(Path { literal: None, steps: Parser { text, at: 0 }.steps()? });
        }
        if text.is_empty() {
            return Err("found nothing, wanted the name of a member or a path such as .user.id".to_owned());
        }
        let is_name = memchr3(b'.', b'[', b'"', text.as_bytes()).is_none();
        let dotted = format!(".{text}");
        let steps = if is_name { Vec::new() } else { Parser { text: &dotted, at: 0 }.steps().unwrap_or_default() };
        Ok(Path { literal: Some(text.to_owned()), steps })
    }

    /// The name of the member that comes first, if it is not a path only.
    pub fn literal(&self) -> Option<&str> {
        self.literal.as_deref()
    }

    /// The steps of the path; none if it is a name only.
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }
}

impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.literal {
            Some(name) => f.write_str(name),
            None => self.steps.iter().try_for_each(|step| step.fmt(f)),
        }
    }
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Step::Member(name) if is_bare(name) => write!(f, ".{name}"),
            Step::Member(name) => {
                let mut quoted = Vec::new();
                escape(name.as_bytes(), &mut quoted);
                write!(f, ".{}", String::from_utf8_lossy(&quoted))
            }
            Step::Element(index) => write!(f, "[{index}]"),
        }
    }
}

/// Whether a name needs no quotes in a path.
fn is_bare(name: &str) -> bool {
    let is_plain = |byte: u8| byte > b' ' && byte.is_ascii() && !b".[]\"\\".contains(&byte);
    !name.is_empty() && name.bytes().all(|byte| is_plain(byte) || !byte.is_ascii())
}

/// Reads the steps of a path that begins with a dot.
struct Parser<'a> {
    text: &'a str,
    at: usize,
}

impl Parser<'_> {
    fn steps(mut self) -> Result<Vec<Step>, String> {
        let mut steps = Vec::new();
        while self.at < self.text.len() {
            let step = self.step()?;
            if steps.is_empty() && matches!(step, Step::Element(_)) {
                return Err(format!(
                    "found an index at the start of {}, wanted a name: a record is an object",
                    self.text.replace(char::is_control, "?")
                ));
            }
            steps.push(step);
        }
        Ok(steps)
    }

    fn step(&mut self) -> Result<Step, String> {
        let rest = &self.text[self.at..];
        let name = match rest.as_bytes() {
            [b'.', b'[', ..] if self.at == 0 => return self.bracket(2),
            [b'[', ..] => return self.bracket(1),
            [b'.', b'"', ..] => return self.quoted(1).map(Step::Member),
            [b'.', ..] => &rest[1..],
            _ => return Err(self.wanted("a dot or a bracket")),
        };
        let len = name.find(['.', '[', ']', '"']).unwrap_or(name.len());
        self.at += 1 + len;
        if len == 0 || name[len..].starts_with([']', '"']) {
            let wanted = if len == 0 { "a name (in quotes if it is an odd one)" } else { "a dot or a bracket" };
            return Err(self.wanted(wanted));
        }
        Ok(Step::Member(name[..len].to_owned()))
    }

    /// What is in the brackets, the first of which is just before `ahead` bytes from here.
    fn bracket(&mut self, ahead: usize) -> Result<Step, String> {
        let rest = &self.text[self.at + ahead..];
        let step = if rest.starts_with('"') {
            Step::Member(self.quoted(ahead)?)
        } else {
            let len = rest.find(']').unwrap_or(rest.len());
            self.at += ahead;
            let index = rest[..len].parse();
            let index = index.map_err(|_| self.wanted("an index such as 0 or -1, or a name in quotes"))?;
            self.at += len;
            Step::Element(index)
        };
        if !self.text[self.at..].starts_with(']') {
            return Err(self.wanted("a closing bracket"));
        }
        self.at += 1;
        Ok(step)
    }

    /// The name in the quotes that open `ahead` bytes from here.
    fn quoted(&mut self, ahead: usize) -> Result<String, String> {
        self.at += ahead;
        let open = self.at + 1;
        let mut close = open;
        loop {
            match memchr2(b'"', b'\\', &self.text.as_bytes()[close..]).map(|len| close + len) {
                Some(at) if self.text.as_bytes()[at] == b'"' => {
                    close = at;
                    break;
                }
                Some(at) if at + 1 < self.text.len() => close = at + 2,
                _ => return Err(self.wanted("a closing quote")),
            }
        }
        let name = unescape_checked(&self.text.as_bytes()[open..close]).and_then(|name| String::from_utf8(name).ok());
        let name = name.ok_or_else(|| self.wanted("a name with escapes as in JSON"))?;
        self.at = close + 1;
        Ok(name)
    }

    /// The message where `wanted` was wanted here.
    fn wanted(&self, wanted: &str) -> String {
        let (before, found) = (&self.text[..self.at], &self.text[self.at..]);
        let found = if found.is_empty() { "nothing" } else { found };
        format!("found {found} after {before}, wanted {wanted}").replace(char::is_control, "?")
    }
}
