//! A mapping file as it lies on disk: read whole, with places counted as editors count them.

use std::fmt;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

pub(super) const BYTE_ORDER_MARK: char = '\u{feff}';
const MEGABYTE: u64 = 1024 * 1024;
const MAX_MEGABYTES: u64 = 16;

/// A mapping file as read: its path for messages, its text for spans.
#[derive(Clone)]
pub struct MappingFile {
    pub path: PathBuf,
    pub text: String,
}

/// Why a mapping file could not be read.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    #[error("there is no mapping file {}", path.display())]
    NotFound { path: PathBuf },
    #[error("the mapping {} is a folder, not a file", path.display())]
    Folder { path: PathBuf },
    #[error("the mapping {} is not UTF-8 text: line {line}, byte {offset} of the file", path.display())]
    NotUtf8 { path: PathBuf, line: usize, offset: usize },
    #[error("the mapping {} is larger than {MAX_MEGABYTES} MB", path.display())]
    TooLarge { path: PathBuf },
    #[error("cannot read the mapping {}", path.display())]
    Io { path: PathBuf, source: io::Error },
}

impl ReadError {
    /// What to do about it.
    pub fn help(&self) -> Option<String> {
        match self {
            ReadError::NotFound { .. } => {
                Some("name it with --mapping; `migrate demo` shows a whole example".into())
            }
            ReadError::Folder { .. } => Some("name the TOML file inside it".into()),
            ReadError::NotUtf8 { .. } => Some("save it as UTF-8".into()),
            ReadError::TooLarge { .. } => Some("is it the right file? A mapping is a few KB of TOML".into()),
            ReadError::Io { .. } => None,
        }
    }
}

impl MappingFile {
    /// Reads the file whole; a byte order mark is dropped.
    pub fn read(path: &Path) -> Result<MappingFile, ReadError> {
        let bytes = read_bytes(path)?;
        let text = String::from_utf8(bytes).map_err(|error| not_utf8(path, &error))?;
        let text = match text.strip_prefix(BYTE_ORDER_MARK) {
            Some(rest) => rest.to_owned(),
            None => text,
        };
        Ok(MappingFile { path: path.to_owned(), text })
    }

    /// Line and column of a byte offset, both from 1; columns are characters. An offset outside the
    /// text, or inside a character, is taken for the nearest place before it.
    pub fn line_column(&self, offset: usize) -> (usize, usize) {
        let before = self.text.get(..self.boundary(offset)).unwrap_or_default();
        let line = before.matches('\n').count().saturating_add(1);
        let start_of_line = before.rsplit('\n').next().unwrap_or_default();
        let column = start_of_line.trim_start_matches(BYTE_ORDER_MARK).chars().count().saturating_add(1);
        (line, column)
    }

    /// The last place at or before `offset` where a character starts.
    pub(super) fn boundary(&self, offset: usize) -> usize {
        self.text.floor_char_boundary(offset)
    }
}

/// The text stays out: it may hold a password.
impl fmt::Debug for MappingFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MappingFile")
            .field("path", &self.path)
            .field("bytes", &self.text.len())
            .finish_non_exhaustive()
    }
}

fn read_bytes(path: &Path) -> Result<Vec<u8>, ReadError> {
    let io_error = |source: io::Error| match source.kind() {
        io::ErrorKind::NotFound => ReadError::NotFound { path: path.to_owned() },
        io::ErrorKind::IsADirectory => ReadError::Folder { path: path.to_owned() },
        _ => ReadError::Io { path: path.to_owned(), source },
    };
    if path.is_dir() {
        return Err(ReadError::Folder { path: path.to_owned() });
    }
    let limit = MAX_MEGABYTES * MEGABYTE;
    let mut bytes = Vec::new();
    let file = File::open(path).map_err(io_error)?;
    file.take(limit.saturating_add(1)).read_to_end(&mut bytes).map_err(io_error)?;
    match u64::try_from(bytes.len()) {
        Ok(length) if length <= limit => Ok(bytes),
        _ => Err(ReadError::TooLarge { path: path.to_owned() }),
    }
}

fn not_utf8(path: &Path, error: &std::string::FromUtf8Error) -> ReadError {
    let offset = error.utf8_error().valid_up_to();
    let newlines = error.as_bytes().iter().take(offset).filter(|byte| **byte == b'\n').count();
    ReadError::NotUtf8 { path: path.to_owned(), line: newlines.saturating_add(1), offset }
}
