//! What THEORY.md says of the sketch and the limiter, measured: `cargo bench --bench theory`. The same tables on every machine.

mod floats;
mod late;
mod limits;
mod over;
mod signed;
mod streams;

fn main() {
    over::formula();
    over::conservative();
    late::lateness();
    signed::negative_deltas();
    limits::float_against_integer();
    limits::sliding_window();
    floats::short_scores();
}
