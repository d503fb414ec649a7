//! Every example of the README, of the help texts and of the manual pages is run, and the manual pages are those that the
//! program prints. `GRUDGE_BLESS=1` rewrites what the README shows and the pages.

mod support;

use std::path::{Path, PathBuf};
use std::process::Output;

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// Runs a command line as a reader would type it, among the example files.
fn type_in(command: &str) -> Output {
    support::run(support::shell_command(command, &root().join("testdata/examples")), b"")
}

/// The document with what each `$ command` of its console blocks prints now.
fn with_outputs(document: &str) -> (String, usize) {
    let (mut result, mut commands) = (String::new(), 0);
    let mut lines = document.lines();
    while let Some(line) = lines.next() {
        result += line;
        result += "\n";
        if line != "```console" {
            continue;
        }
        for line in lines.by_ref().take_while(|line| *line != "```") {
            if let Some(command) = line.strip_prefix("$ ") {
                commands += 1;
                let output = type_in(command);
                assert!(output.status.success(), "{command}: {output:?}");
                result += &format!("{line}\n{}", String::from_utf8_lossy(&output.stdout));
                result += &String::from_utf8_lossy(&output.stderr);
            }
        }
        result += "```\n";
    }
    (result, commands)
}

/// Compares a file with what it should hold, or rewrites it.
fn check(path: &Path, right: &str) {
    if support::blessing() {
        std::fs::write(path, right).unwrap();
    }
    let found = std::fs::read_to_string(path).unwrap_or_default();
    let differing = found.lines().zip(right.lines()).find(|(found, right)| found != right);
    assert!(found == right, "{} differs at {differing:?}; GRUDGE_BLESS=1 rewrites it", path.display());
}

#[test]
fn the_readme_shows_what_its_examples_print() {
    let path = root().join("README.md");
    let (right, commands) = with_outputs(&std::fs::read_to_string(&path).unwrap());
    assert!(commands >= 6, "only {commands} examples were found");
    check(&path, &right);
}

#[test]
fn the_examples_of_help_run_and_pass_something() {
    let mut commands = 0;
    for help in
        ["grudge --help", "grudge dedup --help", "grudge score --help", "grudge limit --help", "grudge size --help"]
    {
        let text = String::from_utf8(type_in(help).stdout).unwrap();
        let examples = text
            .lines()
            .filter_map(|line| line.strip_prefix("  "))
            .filter(|line| ["grudge ", "tail -F "].iter().any(|start| line.starts_with(start)));
        for example in examples {
            // What comes of it may stand beside the command.
            let command = example.split("  ").next().unwrap();
            // `tail -F` never ends; to grudge it is a pipe like any other.
            let output = type_in(&command.replace("tail -F ", "cat "));
            assert!(output.status.success() && !output.stdout.is_empty(), "{command}: {output:?}");
            commands += 1;
        }
    }
    assert!(commands >= 25, "only {commands} examples were found");
}

#[test]
fn the_manual_pages_are_those_the_program_prints() {
    let pages = ["", "dedup", "score", "limit", "size", "man", "completions"];
    for verb in pages {
        let output = type_in(&format!("grudge man {verb}"));
        assert!(output.status.success(), "{output:?}");
        let file = if verb.is_empty() { "grudge.1".to_owned() } else { format!("grudge-{verb}.1") };
        check(&root().join("man").join(file), &String::from_utf8(output.stdout).unwrap());
    }
    // The page of grudge itself lists the verbs: none has been forgotten here.
    let listed = std::fs::read_to_string(root().join("man/grudge.1")).unwrap();
    let listed = listed.lines().filter(|line| line.starts_with("grudge\\-") && line.ends_with("(1)")).count();
    assert_eq!(listed, pages.len() - 1);
}

#[test]
fn every_shell_has_completions_that_know_the_verb() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let output = type_in(&format!("grudge completions {shell}"));
        assert!(output.status.success() && String::from_utf8_lossy(&output.stdout).contains("dedup"), "{shell}");
    }
}
