//! Whole mappings: what is read, and that nothing makes the parser or the renderer panic.

mod example;
mod fuzz;
mod patterns;
mod rendering;

use super::{Diagnostic, Mapping, MappingFile};

const EXAMPLE: &str = include_str!("example.toml");

fn file(text: &str) -> MappingFile {
    MappingFile { path: "shop.toml".into(), text: text.to_owned() }
}

fn environment(name: &str) -> Option<String> {
    (name == "DATABASE_URL").then(|| "postgres://shop:s3cret@localhost/shop".to_owned())
}

fn parse(text: &str) -> Result<Mapping, Vec<Diagnostic>> {
    Mapping::parse(&file(text), &environment)
}
