//! Names of fields as they are typed, and what they mean in each format.

use super::super::nearest::nearest_first;
use super::access_log::AccessField;
use super::cri::CriField;
use super::format::Format;
use super::json::Path;
use super::klog::KlogField;
use super::syslog::SyslogField;

/// One part of a record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Part {
    /// A field by its number, counted from 1 as awk does, or a column of a table.
    Number(usize),
    Access(AccessField),
    Json(Path),
    /// A column of a table, counted from 0.
    Column(usize),
    Logfmt(Vec<u8>),
    Syslog(SyslogField),
    Cri(CriField),
    Klog(KlogField),
    /// No record of this format has it.
    Absent,
}

/// Names as they were typed after one flag.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Names {
    pub flag: &'static str,
    pub names: Vec<String>,
}

impl Names {
    /// `a,b` and repeats of the flag make a list. A comma between double quotes is part of a name.
    pub fn parse(flag: &'static str, texts: &[String]) -> Result<Names, String> {
        let names: Vec<String> = texts.iter().flat_map(|text| split(text)).map(|name| name.trim().to_owned()).collect();
        for name in &names {
            check(flag, name)?;
        }
        Ok(Names { flag, names })
    }

    pub fn none(flag: &'static str) -> Names {
        Names { flag, names: Vec::new() }
    }

    /// In words.
    pub fn describe(&self) -> String {
        let describe = |name: &String| number(name).map_or_else(|| name.clone(), |number| format!("field {number}"));
        self.names.iter().map(describe).collect::<Vec<_>>().join(" and ")
    }

    /// Whether one of them is a path, which makes the records JSON.
    pub fn have_path(&self) -> bool {
        self.names.iter().any(|name| name.starts_with('.'))
    }

    /// Whether all of them that are no numbers are fields of an access log, and there is one.
    pub fn are_of_access_log(&self) -> bool {
        let mut named = self.names.iter().filter(|name| number(name).is_none()).peekable();
        named.peek().is_some() && named.all(|name| AccessField::from_name(name).is_some())
    }

    /// The first that is no number.
    pub fn first_name(&self) -> Option<&str> {
        self.names.iter().find(|name| number(name).is_none()).map(String::as_str)
    }

    /// Whether any is no number.
    pub fn have_name(&self) -> bool {
        self.first_name().is_some()
    }

    /// What each means in records of `format`.
    pub fn parts(&self, format: &Format) -> Result<Vec<Part>, String> {
        self.parts_after(format, true)
    }

    /// The same; where a heading before has named fields (not `is_first`), a name that this one lacks is no mistake.
    pub fn parts_after(&self, format: &Format, is_first: bool) -> Result<Vec<Part>, String> {
        self.names.iter().map(|name| part(self.flag, name, format, is_first)).collect()
    }
}

fn split(text: &str) -> Vec<&str> {
    let (mut start, mut quoted) = (0, false);
    let mut names = Vec::new();
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'"' => quoted = !quoted,
            b',' if !quoted => {
                names.push(&text[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    names.push(&text[start..]);
    names
}

fn number(name: &str) -> Option<usize> {
    name.parse().ok()
}

/// What can be said of a name whatever the format is.
fn check(flag: &str, name: &str) -> Result<(), String> {
    match number(name) {
        Some(0) => Err(format!("{flag}: fields are counted from 1; the whole record is the key without -k")),
        Some(_) => Ok(()),
        None if name.is_empty() => Err(format!("{flag}: a field has no name; wanted is one such as {flag} 1,3")),
        None if name.split('-').all(|bound| bound.bytes().all(|byte| byte.is_ascii_digit())) => {
            Err(format!("{flag}: `{name}` is no list of fields; wanted is one such as {flag} 1,2,3"))
        }
        None if name.starts_with('.') => Path::parse(name).map(drop).map_err(|error| format!("{flag}: {error}")),
        None => Ok(()),
    }
}

/// A name without the quotes that hold its comma together.
fn unquoted(name: &str) -> &str {
    name.strip_prefix('"').and_then(|name| name.strip_suffix('"')).unwrap_or(name)
}

fn part(flag: &str, name: &str, format: &Format, is_first: bool) -> Result<Part, String> {
    let number = number(name);
    if name.starts_with('.') && !matches!(format, Format::Json | Format::JsonStream | Format::Cri) {
        return Err(format!("{flag}: `{name}` is a path in a JSON record, and these are {}", format.describe()));
    }
    if let Format::Csv(table) = format {
        let names = &table.names;
        return match number {
            Some(number) => Ok(Part::Column(number - 1)),
            None if !is_first && !names.iter().any(|column| column == unquoted(name).as_bytes()) => Ok(Part::Absent),
            None => column(flag, unquoted(name), names).map(Part::Column),
        };
    }
    if let Some(number) = number {
        return Ok(Part::Number(number));
    }
    match format {
        Format::Lines => Ok(Part::Absent),
        Format::Access => {
            known(flag, name, "an access log", AccessField::from_name, &AccessField::ALL.map(AccessField::name))
                .map(Part::Access)
        }
        Format::Json | Format::JsonStream => {
            Path::parse(name).map(Part::Json).map_err(|error| format!("{flag}: {error}"))
        }
        // Nothing has named the fields yet.
        Format::W3c(schema) if !schema.is_known() => Ok(Part::Absent),
        Format::W3c(schema) => match schema.number(unquoted(name).as_bytes()) {
            Some(number) => Ok(Part::Number(number)),
            None if !is_first => Ok(Part::Absent),
            None => Err(unknown(flag, name, "these records", &schema.names)),
        },
        Format::Logfmt => Ok(Part::Logfmt(name.as_bytes().to_vec())),
        Format::Syslog => known(flag, name, "syslog", SyslogField::from_name, &SyslogField::ALL.map(SyslogField::name))
            .map(Part::Syslog),
        Format::Cri if name.starts_with('.') => Path::parse(name).map(Part::Json),
        Format::Cri => {
            known(flag, name, "a container log", CriField::from_name, &CriField::ALL.map(CriField::name)).map(Part::Cri)
        }
        Format::Klog => {
            known(flag, name, "klog", KlogField::from_name, &KlogField::ALL.map(KlogField::name)).map(Part::Klog)
        }
        Format::Csv(_) => unreachable!("columns were looked for above"),
    }
}

fn known<T>(
    flag: &str,
    name: &str,
    of: &str,
    from_name: impl Fn(&str) -> Option<T>,
    names: &[&str],
) -> Result<T, String> {
    from_name(name).ok_or_else(|| {
        format!("{flag}: `{name}` is no field of {of}; there are {}", nearest_first(name, names).join(", "))
    })
}

fn unknown(flag: &str, name: &str, of: &str, names: &[Vec<u8>]) -> String {
    let names: Vec<String> = names.iter().map(|name| String::from_utf8_lossy(name).into_owned()).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    format!("{flag}: `{name}` is no field of {of}; there are {}", nearest_first(name, &names).join(", "))
}

/// The column of a table by its name.
fn column(flag: &str, name: &str, names: &[Vec<u8>]) -> Result<usize, String> {
    let same: Vec<usize> = (0..names.len()).filter(|index| names[*index] == name.as_bytes()).collect();
    match same.as_slice() {
        [column] => Ok(*column),
        [] if names.is_empty() => {
            Err(format!("{flag}: `{name}` is the name of a column, and the table has no header: wanted is a number"))
        }
        [] => Err(unknown(flag, name, "this table", names)),
        several => {
            let numbers: Vec<String> = several.iter().map(|index| (index + 1).to_string()).collect();
            Err(format!(
                "{flag}: `{name}` is the name of several columns: wanted is one of their numbers, {}",
                numbers.join(" or ")
            ))
        }
    }
}
