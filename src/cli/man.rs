//! The manual pages and the completions, both made from the command line's own definition.

use super::args::Arguments;
use super::examples::{DEDUP_EXAMPLES, Example, LIMIT_EXAMPLES, SCORE_EXAMPLES, SIZE_EXAMPLES, TOP_EXAMPLES};
use clap::{Command, CommandFactory};
use clap_mangen::{Man, roff::Roff, roff::bold, roff::roman};

/// The page of grudge itself, or of a verb.
pub fn page(verb: Option<&str>) -> Result<Vec<u8>, String> {
    let mut grudge = Arguments::command();
    grudge.build();
    let Some(verb) = verb else {
        return render(grudge, TOP_EXAMPLES);
    };
    let verbs: Vec<String> = grudge.get_subcommands().map(|verb| verb.get_name().to_owned()).collect();
    let command = grudge.find_subcommand(verb).cloned();
    let command = command.ok_or_else(|| format!("{verb} is no verb; there are {}", verbs.join(", ")))?;
    let name = format!("grudge-{verb}");
    let examples = match verb {
        "dedup" => DEDUP_EXAMPLES,
        "score" => SCORE_EXAMPLES,
        "limit" => LIMIT_EXAMPLES,
        "size" => SIZE_EXAMPLES,
        _ => &[],
    };
    render(command.name(name.clone()).display_name(name).version(env!("CARGO_PKG_VERSION")), examples)
}

/// What a page says beside what the definition holds.
fn render(command: Command, examples: &[Example]) -> Result<Vec<u8>, String> {
    let has_verbs = command.has_subcommands();
    // The examples have a section of their own here.
    let man = Man::new(command.before_help(""));
    let mut page = Vec::new();
    let written = (|| {
        man.render_title(&mut page)?;
        man.render_name_section(&mut page)?;
        man.render_synopsis_section(&mut page)?;
        man.render_description_section(&mut page)?;
        if !examples.is_empty() {
            examples_section(examples).to_writer(&mut page)?;
        }
        man.render_options_section(&mut page)?;
        if has_verbs {
            man.render_subcommands_section(&mut page)?;
        }
        exit_section().to_writer(&mut page)?;
        man.render_version_section(&mut page)
    })();
    written.map(|()| page).map_err(|error| format!("the page cannot be made: {error}"))
}

fn examples_section(examples: &[Example]) -> Roff {
    let mut roff = Roff::default();
    roff.control("SH", ["EXAMPLES"]);
    for (command, result) in examples {
        roff.control("TP", []);
        roff.text([bold(*command)]);
        roff.text([roman(*result)]);
    }
    roff
}

/// The exit statuses, in one place for all pages.
fn exit_section() -> Roff {
    const STATUSES: [(&str, &str); 5] = [
        ("0", "all was done, or nobody reads the output any more"),
        ("1", "a condition of --fail-if held"),
        ("2", "something could not be read, written or understood; what could be done was done"),
        ("130", "INT ended the input; what came before it was done (a second INT ends the run at once)"),
        ("143", "TERM ended the input; what came before it was done"),
    ];
    let mut roff = Roff::default();
    roff.control("SH", ["EXIT STATUS"]);
    for (status, meaning) in STATUSES {
        roff.control("TP", []);
        roff.text([bold(status)]);
        roff.text([roman(meaning)]);
    }
    roff
}

/// A shell's completions.
pub fn completions(shell: clap_complete::Shell) -> Vec<u8> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Arguments::command(), "grudge", &mut script);
    script
}
