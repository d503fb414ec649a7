//! grudge
//! # Structures
#![deny(unsafe_code)]
#![warn(missing_docs)]

mod bucket;
pub mod hash;
pub mod lines;
mod processor;
pub mod seen;
pub mod time;
pub mod watermark;
