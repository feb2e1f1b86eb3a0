//! Rows that are wrong by two looks, on disk until they are read once more.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{self, BufRead as _, BufReader, BufWriter, Seek as _, Write as _};

use serde::{Deserialize, Serialize};

use super::batch::{Place, SourceKey};
use super::compare::Suspect;

/// A file without a name: one line a row, with its keys and nothing else of it.
#[derive(Debug, Default)]
pub(super) struct Suspects {
    file: Option<BufWriter<File>>,
    pub(super) rows: u64,
    pub(super) entities: BTreeSet<usize>,
}

#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Line {
    pub(super) entity: usize,
    pub(super) place: Place,
    pub(super) missing: bool,
    pub(super) source_key: SourceKey,
    /// The members of its item's key, as text.
    pub(super) key: String,
}

impl Suspects {
    pub(super) fn add(&mut self, suspect: &Suspect) -> io::Result<()> {
        let file = match &mut self.file {
            Some(file) => file,
            none => none.insert(BufWriter::new(tempfile::tempfile()?)),
        };
        let line = Line {
            entity: suspect.entity,
            place: suspect.place,
            missing: suspect.missing,
            source_key: suspect.source_key.clone(),
            key: String::from_utf8_lossy(&suspect.key).into_owned(),
        };
        serde_json::to_writer(&mut *file, &line)?;
        file.write_all(b"\n")?;
        self.rows += 1;
        self.entities.insert(suspect.entity);
        Ok(())
    }

    /// All of them, in the order in which they were found.
    pub(super) fn lines(self) -> io::Result<impl Iterator<Item = io::Result<Line>> + Send> {
        let file = match self.file {
            Some(file) => {
                let mut file = file.into_inner().map_err(io::IntoInnerError::into_error)?;
                file.rewind()?;
                Some(file)
            }
            None => None,
        };
        let lines = file.into_iter().flat_map(|file| BufReader::new(file).lines());
        Ok(lines.map(|line| serde_json::from_str(&line?).map_err(io::Error::other)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_added_is_read_again_in_its_order() {
        assert_eq!(Suspects::default().lines().unwrap().count(), 0);
        let mut suspects = Suspects::default();
        for row in 0..3 {
            let place = Place { range: 1, page: 2, row };
            let source_key = vec![("id".to_owned(), format!("{row}\n\"é"))];
            let key = br#""PK":{"S":"a"}"#.to_vec();
            let suspect = Suspect { entity: 4, place, source_key, key, missing: row == 1, difference: None };
            suspects.add(&suspect).unwrap();
        }
        assert_eq!((suspects.rows, &suspects.entities), (3, &BTreeSet::from([4])));
        let lines: Vec<Line> = suspects.lines().unwrap().map(Result::unwrap).collect();
        let rows: Vec<_> =
            lines.iter().map(|line| (line.place.row, line.missing, &*line.source_key[0].1)).collect();
        assert_eq!(rows, [(0, false, "0\n\"é"), (1, true, "1\n\"é"), (2, false, "2\n\"é")]);
        assert_eq!((lines[0].entity, lines[0].key.as_str()), (4, r#""PK":{"S":"a"}"#));
    }
}
