//! Which format records have: as `-i` says, as the names of the fields tell, or as the first records will show.

use super::args::{FormatName, InputArguments, KeyArguments};
use super::record::fields::Separator;
use super::record::format::{Format, Table};
use super::record::framing::Choice;
use super::record::key::KeySource;
use super::record::names::Names;
use super::record::plan::Wanted;
use super::record::time::TimeSource;

/// Which format the records have.
pub fn choice(
    name: FormatName,
    key: &KeyArguments,
    input: &InputArguments,
    wanted: &Wanted,
    plain: bool,
) -> Result<Choice, String> {
    let none = Names::none("-k");
    let names: Vec<&Names> = [
        if let KeySource::Fields(names) = &wanted.key.source { names } else { &none },
        &wanted.key.ignore,
        match wanted.time.as_ref().map(|time| &time.source) {
            Some(TimeSource::Fields(names)) => names,
            _ => &none,
        },
        wanted.value.names().unwrap_or(&none),
    ]
    .to_vec();
    let table = |usual| {
        let delimiter = match wanted.separator {
            Separator::Byte(delimiter) => delimiter,
            Separator::Blanks => usual,
        };
        Format::Csv(Table { delimiter, names: Vec::new(), header: Vec::new() })
    };
    let format = match name {
        FormatName::Auto => {
            let choice = auto(&names, wanted, plain);
            if matches!(choice, Choice::Fixed(Format::Lines)) && names.iter().any(|names| names.have_name()) {
                return Err(nameless(&names, key.delimiter.as_deref()));
            }
            if let Choice::Fixed(format) = &choice {
                check(&names, format)?;
            }
            return Ok(choice);
        }
        FormatName::Lines if names.iter().any(|names| names.have_name()) => {
            return Err(nameless(&names, key.delimiter.as_deref()));
        }
        FormatName::Lines => Format::Lines,
        FormatName::Combined | FormatName::Common => Format::Access,
        FormatName::Json => Format::Json,
        FormatName::JsonStream => Format::JsonStream,
        FormatName::Csv => table(b','),
        FormatName::Tsv => table(b'\t'),
        FormatName::Logfmt => Format::Logfmt,
        FormatName::Syslog => Format::Syslog,
        FormatName::W3c => Format::W3c(Default::default()),
        FormatName::Cri => Format::Cri,
        FormatName::Klog => Format::Klog,
    };
    if matches!(&format, Format::Csv(table) if matches!(table.delimiter, b'"' | b'\n' | b'\r')) {
        return Err("-d: a quote, a newline or a carriage return cannot stand between the fields of a table".to_owned());
    }
    if input.no_header && !matches!(format, Format::Csv(_)) {
        return Err("--no-header is for tables: -i csv or -i tsv".to_owned());
    }
    check(&names, &format)?;
    Ok(Choice::Fixed(format))
}

/// The format where none was named.
fn auto(names: &[&Names], wanted: &Wanted, plain: bool) -> Choice {
    let finds_itself = |source: &TimeSource| matches!(source, TimeSource::Pattern(_));
    let is_pattern = matches!(wanted.key.source, KeySource::Pattern(_));
    if names.iter().any(|names| names.have_path()) {
        Choice::Fixed(Format::Json)
    } else if plain || wanted.separator != Separator::Blanks {
        Choice::Fixed(Format::Lines)
    } else if is_pattern && wanted.time.as_ref().is_none_or(|time| finds_itself(&time.source)) {
        // Nothing that is wanted depends on the format.
        Choice::Fixed(Format::Lines)
    } else if names.iter().any(|names| names.are_of_access_log()) {
        Choice::Auto(Format::Access)
    } else {
        Choice::Auto(Format::Lines)
    }
}

/// Refuses names that no record of a format has, where the format alone tells.
fn check(names: &[&Names], format: &Format) -> Result<(), String> {
    if matches!(format, Format::Csv(_) | Format::W3c(_)) {
        return Ok(());
    }
    names.iter().try_for_each(|names| names.parts(format).map(drop))
}

/// The message about names for fields that have none.
fn nameless(names: &[&Names], delimiter: Option<&str>) -> String {
    let (flag, name) =
        names.iter().find_map(|names| names.first_name().map(|name| (names.flag, name))).unwrap_or_default();
    let table = match delimiter {
        Some(delimiter) => format!("; those of a table with a header do: -i csv -d '{delimiter}'"),
        None => String::new(),
    };
    format!("{flag}: `{name}` is not the number of a field; the fields of plain lines have no names{table}")
}
