//! A table for people and for programs: `-o text|json|csv|tsv`.

use super::record::csv::push_field;
use super::stats::show_rate;
use clap::ValueEnum;
use std::fmt::Write;

/// How a table is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum Style {
    /// Aligned, for people
    #[default]
    Text,
    /// A JSON object a row
    Json,
    /// Comma-separated values below a header
    Csv,
    /// Tab-separated values below a header
    Tsv,
}

/// A value of a table.
#[derive(Debug, Clone, PartialEq)]
pub enum Cell {
    Text(String),
    Count(u64),
    /// A fraction, with as many digits as it is shown with.
    Real(f64, usize),
    /// A share that may be tiny, as `--stats` shows it.
    Rate(f64),
}

/// Rows under the names of their columns.
#[derive(Debug, Clone, PartialEq)]
pub struct Table {
    names: Vec<&'static str>,
    rows: Vec<Vec<Cell>>,
}

impl Table {
    pub fn new(names: &[&'static str]) -> Table {
        Table { names: names.to_vec(), rows: Vec::new() }
    }

    /// Adds a row: a cell for each name.
    pub fn push(&mut self, row: Vec<Cell>) {
        debug_assert_eq!(row.len(), self.names.len());
        self.rows.push(row);
    }

    pub fn show(&self, style: Style) -> String {
        match style {
            Style::Text => self.aligned(),
            Style::Json => self.objects(),
            Style::Csv => self.separated(b','),
            Style::Tsv => self.separated(b'\t'),
        }
    }

    /// Numbers on the right of their columns, texts on the left.
    fn aligned(&self) -> String {
        let header = self.names.iter().map(|name| (*name).to_owned()).collect();
        let rows: Vec<Vec<String>> =
            std::iter::once(header).chain(self.rows.iter().map(|row| row.iter().map(Cell::show).collect())).collect();
        let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or_default();
        let widths: Vec<usize> = (0..self.names.len()).map(width).collect();
        let is_text =
            |column: usize| self.rows.first().is_some_and(|row| matches!(row.get(column), Some(Cell::Text(_))));
        let mut text = String::new();
        for row in &rows {
            let mut line = String::new();
            for (column, (value, width)) in row.iter().zip(&widths).enumerate() {
                // Writing to a string cannot fail.
                let _ = match is_text(column) {
                    true => write!(line, "{value:<width$}  "),
                    false => write!(line, "{value:>width$}  "),
                };
            }
            text += line.trim_end();
            text.push('\n');
        }
        text
    }

    fn objects(&self) -> String {
        let object = |row: &Vec<Cell>| {
            let members = self.names.iter().zip(row).map(|(name, cell)| ((*name).to_owned(), cell.to_json()));
            format!("{}\n", serde_json::Value::Object(members.collect()))
        };
        self.rows.iter().map(object).collect()
    }

    fn separated(&self, delimiter: u8) -> String {
        let mut text = Vec::new();
        let mut line = |values: &mut dyn Iterator<Item = String>| {
            for (index, value) in values.enumerate() {
                if index > 0 {
                    text.push(delimiter);
                }
                push_field(&mut text, value.as_bytes(), delimiter);
            }
            text.push(b'\n');
        };
        line(&mut self.names.iter().map(|name| (*name).to_owned()));
        self.rows.iter().for_each(|row| line(&mut row.iter().map(Cell::show)));
        String::from_utf8_lossy(&text).into_owned()
    }
}

impl Cell {
    pub fn text(text: impl Into<String>) -> Cell {
        Cell::Text(text.into())
    }

    fn show(&self) -> String {
        match self {
            Cell::Text(text) => text.clone(),
            Cell::Count(count) => count.to_string(),
            Cell::Real(real, digits) => format!("{real:.digits$}"),
            Cell::Rate(rate) => show_rate(*rate),
        }
    }

    fn to_json(&self) -> serde_json::Value {
        match self {
            Cell::Text(text) => text.as_str().into(),
            Cell::Count(count) => (*count).into(),
            // The digits that are shown, and no more, so that every style says the same.
            Cell::Real(..) | Cell::Rate(_) => self.show().parse::<f64>().map_or(serde_json::Value::Null, Into::into),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_has_four_faces() {
        let mut table = Table::new(&["rate", "denied", "share"]);
        table.push(vec![Cell::text("10/min"), Cell::Count(1234), Cell::Real(0.5, 3)]);
        table.push(vec![Cell::text("a,b"), Cell::Count(5), Cell::Real(0.0, 3)]);
        assert_eq!(table.show(Style::Text), "rate    denied  share\n10/min    1234  0.500\na,b          5  0.000\n");
        assert_eq!(table.show(Style::Csv), "rate,denied,share\n10/min,1234,0.500\n\"a,b\",5,0.000\n");
        assert_eq!(table.show(Style::Tsv), "rate\tdenied\tshare\n10/min\t1234\t0.500\na,b\t5\t0.000\n");
        let objects =
            "{\"rate\":\"10/min\",\"denied\":1234,\"share\":0.5}\n{\"rate\":\"a,b\",\"denied\":5,\"share\":0.0}\n";
        assert_eq!(table.show(Style::Json), objects);
    }
}
