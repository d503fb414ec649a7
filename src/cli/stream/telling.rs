//! What a person is told of a run: that no record has the key or the time, and what went less than well.

use super::super::args::{OnError, OnMissing};
use super::super::clock::{EventClock, FIND_TIME_WITHIN};
use super::super::columns::show_time;
use super::super::config::Measure;
use super::super::output::Output;
use super::super::pipeline::Halt;
use super::super::problems::Problem;
use super::super::record::framing::Choice;
use super::super::record::json::Broken;
use super::super::record::key::KeySource;
use super::super::record::time::TimeSource;
use super::super::record::{Records, Why};
use super::super::timestamp::Form;
use super::{Stream, Verb};

/// A person is told of records without a stamp when they are more than one in so many.
const UNTIMED_WORTH_A_NOTE: u64 = 20;

/// What records lack that have no key, and the options that say what it is.
const KEY: (&str, &str) = ("the key", "-k, -K and -d");

impl<V: Verb> Stream<'_, V> {
    /// Says at once when the first records have no key: a live stream never comes to its end.
    pub(super) fn tell_keyless(&mut self) {
        let read = self.filter.counts().read;
        if self.keyed > self.unfound || self.told_keyless || read < FIND_TIME_WITHIN {
            return;
        }
        self.told_keyless = true;
        if let Some((what, _, why)) = self.nothing_judged() {
            self.diag
                .warning(format_args!("none of the first {FIND_TIME_WITHIN} records has {what}: {why}the run goes on"));
        }
    }

    /// Says once what stamps were found.
    pub(super) fn tell_form(&mut self, records: &Records) {
        if self.form.is_some() || records.form.is_none() {
            return;
        }
        self.form = records.form;
        if let (Some(form), Some(first)) = (records.form, self.clock.as_event().and_then(EventClock::first)) {
            self.diag.note(format_args!("time: {}; the first is {}", form.describe(), show_time(first)));
            if matches!(form, Form::Syslog | Form::Klog) && self.year_is_unknown {
                self.diag.note("the stamps have no year, and 2000 is taken for the first: --year sets another");
            }
        }
    }

    pub(super) fn no_time(&self, records: u64) -> String {
        let time = self.config.wanted.time.as_ref();
        let fields = time.map(|time| self.sampler.likely_times(&time.stamps)).unwrap_or_default();
        let asked = match self.config.wanted.time.as_ref().map(|time| &time.source) {
            Some(TimeSource::Fields(names)) => self.sampler.describe_fields(names),
            _ => String::new(),
        };
        let likely = match fields.as_slice() {
            [] => asked + "name its field with -t",
            fields => asked + &format!("its field may be {}", fields.join(" or ")),
        };
        let (flag, in_records) =
            self.config.measure.map_or(("the clock", "1000r"), |measure| (measure.flag, measure.in_records));
        format!(
            "{flag} needs a time, and none can be read in the first {}: {likely}, or measure by --clock wall, or by \
             --clock count with a {flag} such as {in_records}{}",
            if records == 1 { "record".to_owned() } else { format!("{records} records") },
            if records == FIND_TIME_WITHIN { "; the rest was not read" } else { "" },
        )
    }

    /// The end of the input: the books must balance.
    pub(super) fn finish(&mut self, output: &mut Output) -> Result<(), Halt> {
        let counts = self.filter.counts();
        if counts.read != counts.passed + counts.dropped + counts.skipped {
            return Err(Halt::Trouble(format!("internal error: the counts do not add up: {counts:?}")));
        }
        if let Some(clock) = self.needed_clock().filter(|clock| clock.found_none()) {
            return Err(Halt::Trouble(self.no_time(clock.records())));
        }
        if counts.continued > 0 && counts.read == 0 {
            return Err(Halt::Trouble(format!(
                "--multiline: none of {} lines begins a record; say how records begin, as in --multiline='^[0-9]'",
                counts.continued
            )));
        }
        match self.nothing_judged() {
            // The rest was said when the first records had none.
            Some((what, ..)) if self.told_keyless => {
                Err(Halt::Trouble(format!("no record has {what} ({} read), so nothing was {}", counts.read, V::DONE)))
            }
            Some((what, options, why)) => Err(Halt::Trouble(format!(
                "no record has {what} ({} read), so nothing was {}: {why}look at {}, or say --missing pass",
                counts.read,
                V::DONE,
                options,
            ))),
            None => {
                self.verb.finish(output)?;
                Ok(output.flush()?)
            }
        }
    }

    /// What no record so far had, and why, where that is a mistake.
    fn nothing_judged(&self) -> Option<(String, &'static str, String)> {
        let counts = self.filter.counts();
        if counts.exempt > 0 || self.config.missing_is_expected {
            return None;
        }
        if let Some(names) = self.config.wanted.value.names().filter(|_| self.keyed > 0 && self.unfound == self.keyed) {
            let what = format!("the field of {}", names.flag);
            return Some((what, names.flag, self.sampler.describe_fields(names)));
        }
        if self.keyed > 0 {
            return None;
        }
        let no_key = |why: String| Some((KEY.0.to_owned(), KEY.1, why));
        let is_json = |problem: &Problem| matches!(problem.why, Why::Json(_));
        let problems = &self.filter.problems().problems;
        let is_cut_json = problems.iter().any(|problem| problem.why == Why::Json(Broken::CutShort));
        if counts.missing == 0 && is_cut_json {
            return no_key("objects that go over several lines are read by -i json-stream; ".to_owned());
        }
        let of_value = |problem: &Problem| match problem.why {
            Why::NoValue => Some(""),
            Why::BadValue | Why::NegativeValue => Some("a number of that kind in "),
            _ => None,
        };
        if let (Some(names), Some(what)) = (self.config.wanted.value.names(), problems.iter().find_map(of_value)) {
            return Some((
                format!("{what}the field of {}", names.flag),
                names.flag,
                self.sampler.describe_fields(names),
            ));
        }
        match &self.config.wanted.key.source {
            KeySource::Fields(names) if counts.missing + counts.bad > 0 => no_key(self.sampler.describe_fields(names)),
            _ if counts.missing > 0 || problems.iter().any(is_json) => no_key(String::new()),
            _ => None,
        }
    }

    /// What went less than well.
    pub(super) fn warn(&self) {
        let (diag, counts) = (self.diag, self.filter.counts());
        if self.sampler.is_guessed_access_log() && matches!(self.config.cut.framing.choice, Choice::Auto(_)) {
            diag.warning(
                "none of the first records is an access-log line, so its fields may not be what their names say: look at \
                 --explain, or name fields by number (-k 1)",
            );
        }
        if let Some(Measure { flag, .. }) = self.config.measure {
            for name in &self.backwards {
                diag.warning(format_args!(
                    "{name} has its newest records first, so {flag} measured little: turn it round with tac"
                ));
            }
        }
        if let (Some(clock), Some(form)) = (self.needed_clock(), self.form)
            && clock.untimed() > clock.records() / UNTIMED_WORTH_A_NOTE
        {
            diag.note(format_args!(
                "{} of {} records have no {} and were judged at the time before them; --multiline makes lines without one \
                 part of the record before them, -t and -T name another place",
                clock.untimed(),
                clock.records(),
                form.describe()
            ));
        }
        if counts.bad > 0 {
            let fate = if self.config.on_error == OnError::Pass { "passed on" } else { "left out" };
            diag.warning(format_args!(
                "{} of {} records were broken and {fate}: {}",
                counts.bad,
                counts.read,
                self.filter.problems().describe_broken()
            ));
        }
        if counts.missing > counts.read / 2 && self.keyed > 0 && !self.config.missing_is_expected {
            let fate = if self.config.missing == OnMissing::Skip { "left out" } else { "passed on" };
            diag.warning(format_args!("{} of {} records lack the key and were {fate}", counts.missing, counts.read));
        }
        self.verb.warn(diag);
    }
}
