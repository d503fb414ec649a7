//! The fields of a record by the names one would type: for people who look for the right one.

use super::access_log::{self, AccessField};
use super::cri::{self, CriField};
use super::fields::{Fields, Separator};
use super::format::Format;
use super::found::Found;
use super::klog::{self, KlogField};
use super::syslog::{self, SyslogField};
use super::{csv, json, logfmt};

/// Fields of one record that are listed at most.
const MOST: usize = 100;

/// Calls `each` with the name and the value of every field of `record`.
pub fn list(format: &Format, separator: Separator, record: &[u8], mut each: impl FnMut(&str, &[u8])) {
    let mut found = Found::default();
    let named = |found: &Found, names: &[&str], each: &mut dyn FnMut(&str, &[u8])| {
        for (part, name) in names.iter().enumerate() {
            if let Some(text) = found.text(record, part) {
                each(name, text);
            }
        }
    };
    match format {
        Format::Json | Format::JsonStream => return json::walk(record, MOST, &mut each),
        Format::Csv(table) => {
            let columns: Vec<usize> = (0..table.names.len().max(1)).collect();
            csv::columns(record, table.delimiter, &columns, &mut found);
            for column in columns {
                let name = table.names.get(column).map(|name| quote(&String::from_utf8_lossy(name)));
                if let Some(text) = found.text(record, column) {
                    each(&name.unwrap_or_else(|| (column + 1).to_string()), text);
                }
            }
            return;
        }
        Format::W3c(schema) => {
            for (range, name) in Fields::new(record, schema.separator).zip(&schema.names) {
                each(&String::from_utf8_lossy(name), &record[range]);
            }
        }
        Format::Access => {
            for field in AccessField::ALL {
                if let Some(range) = access_log::field(record, field) {
                    each(field.name(), &record[range]);
                }
            }
        }
        Format::Logfmt => logfmt::walk(record, &mut |name, value| each(&String::from_utf8_lossy(name), value)),
        Format::Syslog => {
            syslog::fields(record, &SyslogField::ALL, &mut found);
            named(&found, &SyslogField::ALL.map(SyslogField::name), &mut each);
        }
        Format::Cri => {
            cri::fields(record, &CriField::ALL, &mut found);
            named(&found, &CriField::ALL.map(CriField::name), &mut each);
        }
        Format::Klog => {
            klog::fields(record, &KlogField::ALL, &mut found);
            named(&found, &KlogField::ALL.map(KlogField::name), &mut each);
        }
        Format::Lines => {}
    }
    let separator = if let Format::W3c(schema) = format { schema.separator } else { separator };
    for (index, range) in Fields::new(record, separator).take(MOST).enumerate() {
        each(&(index + 1).to_string(), &record[range]);
    }
}

/// A name as it is typed: one with a comma in quotes.
fn quote(name: &str) -> String {
    if name.contains(',') { format!("\"{name}\"") } else { name.to_owned() }
}
