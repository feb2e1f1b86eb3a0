//! A table's export to S3, copied to this machine's disk: which files it has, and whether they are all there.
//!
//! `manifest-summary.json` and `manifest-files.json` beside the folder `data`, or data files alone.

mod lines;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde::de::DeserializeOwned;

const SUMMARY: &str = "manifest-summary.json";
const FILES: &str = "manifest-files.json";
/// The folder into which the service exports.
const HOME: &str = "AWSDynamoDB";

/// A whole table as it was at one moment.
#[derive(Debug)]
pub struct Export {
    files: Vec<DataFile>,
    /// What the manifest says; `None` without one.
    summary: Option<Summary>,
}

#[derive(Debug, Clone)]
struct DataFile {
    path: PathBuf,
    /// Items, as the manifest says.
    items: Option<u64>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Summary {
    item_count: u64,
    output_format: String,
    #[serde(default)]
    export_type: Option<String>,
    #[serde(default)]
    export_time: Option<String>,
    #[serde(default)]
    table_arn: Option<String>,
    #[serde(default)]
    table_id: Option<String>,
}

/// A line of `manifest-files.json`.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Listed {
    item_count: u64,
    #[serde(rename = "dataFileS3Key")]
    key: String,
}

/// Why a folder is no export that proves anything.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    #[error("read {}: {error}", path.display())]
    Read { path: PathBuf, error: io::Error },
    #[error("{} is no manifest of an export (line {line})", path.display())]
    Manifest { path: PathBuf, line: usize },
    #[error("{} holds no export: neither {SUMMARY} nor data files (*.json.gz)", folder.display())]
    None { folder: PathBuf },
    #[error("{} holds several exports: {}", folder.display(), names.join(", "))]
    Several { folder: PathBuf, names: Vec<String> },
    #[error("{} is an export in Amazon Ion", folder.display())]
    Ion { folder: PathBuf },
    #[error("{} is an incremental export: it holds what changed, not the table", folder.display())]
    Incremental { folder: PathBuf },
    #[error("{} is an export in the unknown format {format}", folder.display())]
    Format { folder: PathBuf, format: String },
    #[error("the export is not whole: {} is missing", path.display())]
    Missing { path: PathBuf },
    #[error("the export is not whole: {SUMMARY} counts {summary} items, {FILES} {files}")]
    Totals { summary: u64, files: u64 },
    #[error("{} holds {found} items, the manifest says {expected}", path.display())]
    Items { path: PathBuf, found: u64, expected: u64 },
    #[error("the export has items twice: {lines} lines hold {items} items; is a file there under two names?")]
    Twice { lines: u64, items: u64 },
    #[error("{}, line {line}: {what}", path.display())]
    Line { path: PathBuf, line: u64, what: String },
    #[error("the export is of {exported}, the mapping's table is {table}")]
    OtherTable { exported: String, table: String },
}

impl Export {
    /// Finds the files. What they hold is only seen when they are read.
    pub fn open(folder: &Path) -> Result<Export, ExportError> {
        match with_manifest(folder)?.as_slice() {
            [] => Self::without_manifest(folder),
            [one] => Self::by_manifest(one),
            several => Err(ExportError::Several {
                folder: folder.to_owned(),
                names: several.iter().map(|one| file_name(one)).collect(),
            }),
        }
    }

    fn by_manifest(folder: &Path) -> Result<Export, ExportError> {
        let summary: Summary = parse(&folder.join(SUMMARY), 1, &text(&folder.join(SUMMARY))?)?;
        match summary.output_format.as_str() {
            "DYNAMODB_JSON" => {}
            "ION" => return Err(ExportError::Ion { folder: folder.to_owned() }),
            format => {
                return Err(ExportError::Format { folder: folder.to_owned(), format: format.to_owned() });
            }
        }
        if summary.export_type.as_deref() == Some("INCREMENTAL_EXPORT") {
            return Err(ExportError::Incremental { folder: folder.to_owned() });
        }
        let files = listed(folder)?;
        let counted = files.iter().filter_map(|file| file.items).sum();
        if counted != summary.item_count {
            return Err(ExportError::Totals { summary: summary.item_count, files: counted });
        }
        Ok(Self { files, summary: Some(summary) })
    }

    fn without_manifest(folder: &Path) -> Result<Export, ExportError> {
        let mut names = names_in(folder)?;
        if folder.join("data").is_dir() {
            names.extend(names_in(&folder.join("data"))?);
        }
        let ends = |path: &PathBuf, end: &str| file_name(path).ends_with(end);
        let is_manifest = |path: &PathBuf| file_name(path).starts_with("manifest-");
        let is_data = |path: &PathBuf| !is_manifest(path) && (ends(path, ".json.gz") || ends(path, ".json"));
        let files: Vec<DataFile> = names
            .iter()
            .filter(|path| is_data(path) && path.is_file())
            .map(|path| DataFile { path: path.clone(), items: None })
            .collect();
        match files.is_empty() {
            false => Ok(Self { files, summary: None }),
            true if names.iter().any(|path| ends(path, ".ion.gz") || ends(path, ".ion")) => {
                Err(ExportError::Ion { folder: folder.to_owned() })
            }
            true => Err(ExportError::None { folder: folder.to_owned() }),
        }
    }

    /// Refuses the export of another table, or of one that is gone.
    pub fn must_be_of(&self, table: &str, id: Option<&str>) -> Result<(), ExportError> {
        let Some(summary) = &self.summary else { return Ok(()) };
        let exported = summary.table_arn.as_deref().and_then(|arn| arn.rsplit_once(":table/"));
        if let Some((_, exported)) = exported.filter(|(_, exported)| *exported != table) {
            return Err(ExportError::OtherTable {
                exported: format!("table `{exported}`"),
                table: format!("`{table}`"),
            });
        }
        match (summary.table_id.as_deref(), id) {
            (Some(exported), Some(id)) if exported != id => Err(ExportError::OtherTable {
                exported: format!("an earlier table of that name ({exported})"),
                table: format!("`{table}` ({id})"),
            }),
            _ => Ok(()),
        }
    }

    /// The moment whose items it holds, as the manifest writes it.
    pub fn made_at(&self) -> Option<&str> {
        self.summary.as_ref()?.export_time.as_deref()
    }

    /// Whether a manifest says how many items there must be.
    pub fn has_manifest(&self) -> bool {
        self.summary.is_some()
    }

    pub fn files(&self) -> usize {
        self.files.len()
    }
}

impl ExportError {
    /// What to do about it.
    pub fn help(&self) -> &'static str {
        match self {
            ExportError::Read { .. } => "copy the export once more, and mend its permissions",
            ExportError::None { .. } => {
                "name the folder that holds manifest-summary.json, as S3 has it: AWSDynamoDB/<export>"
            }
            ExportError::Several { .. } => "name one of them",
            ExportError::Ion { .. } | ExportError::Format { .. } => "export the table as DYNAMODB_JSON",
            ExportError::Incremental { .. } => "make a full export (FULL_EXPORT)",
            ExportError::Manifest { .. }
            | ExportError::Missing { .. }
            | ExportError::Totals { .. }
            | ExportError::Items { .. }
            | ExportError::Twice { .. }
            | ExportError::Line { .. } => "copy the whole export once more: `aws s3 sync`",
            ExportError::OtherTable { .. } => "export the mapping's table",
        }
    }
}

/// Folders with a manifest: this one, or those in it.
fn with_manifest(folder: &Path) -> Result<Vec<PathBuf>, ExportError> {
    let has_manifest = |folder: &Path| folder.join(SUMMARY).is_file();
    if has_manifest(folder) {
        return Ok(vec![folder.to_owned()]);
    }
    let mut inner = names_in(folder)?;
    if folder.join(HOME).is_dir() {
        inner.extend(names_in(&folder.join(HOME))?);
    }
    inner.retain(|path| has_manifest(path));
    Ok(inner)
}

fn listed(folder: &Path) -> Result<Vec<DataFile>, ExportError> {
    let manifest = folder.join(FILES);
    let mut files = Vec::new();
    for (line, text) in (1..).zip(text(&manifest)?.lines()).filter(|(_, text)| !text.trim().is_empty()) {
        let Listed { item_count, key } = parse(&manifest, line, text)?;
        let name = key.rsplit('/').next().unwrap_or_default();
        let path = folder.join("data").join(name);
        if !path.is_file() {
            return Err(ExportError::Missing { path });
        }
        files.push(DataFile { path, items: Some(item_count) });
    }
    Ok(files)
}

fn parse<T: DeserializeOwned>(path: &Path, line: usize, text: &str) -> Result<T, ExportError> {
    serde_json::from_str(text).map_err(|_| ExportError::Manifest { path: path.to_owned(), line })
}

fn text(path: &Path) -> Result<String, ExportError> {
    fs::read_to_string(path).map_err(|error| ExportError::Read { path: path.to_owned(), error })
}

/// What a folder holds, in order.
fn names_in(folder: &Path) -> Result<Vec<PathBuf>, ExportError> {
    let failed = |error| ExportError::Read { path: folder.to_owned(), error };
    let entries = fs::read_dir(folder).map_err(failed)?;
    let mut paths = entries
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<io::Result<Vec<_>>>()
        .map_err(failed)?;
    paths.sort();
    Ok(paths)
}

fn file_name(path: &Path) -> String {
    path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}
