//! A page of rows as raw cells: read whole, so that its connection is free before anything waits.

/// Rows with their cells in one buffer.
#[derive(Debug, Default)]
pub struct Page {
    columns: usize,
    bytes: Vec<u8>,
    /// What each cell is, row by row.
    kinds: Vec<CellKind>,
    /// Where each cell ends in `bytes`; it begins where the one before it ends.
    ends: Vec<usize>,
}

#[derive(Debug, Clone, Copy)]
enum CellKind {
    Null,
    /// Eight bytes, as are those of `Real`.
    Integer,
    Real,
    Bytes,
    Text,
    Blob,
}

/// One value as the database sent it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum RawCell<'a> {
    Null,
    /// PostgreSQL and MySQL: bytes whose form the column's [`super::RawType`] tells.
    Bytes(&'a [u8]),
    /// SQLite's storage classes, and conditions of every database.
    Integer(i64),
    Real(f64),
    /// Not checked to be UTF-8.
    Text(&'a [u8]),
    Blob(&'a [u8]),
}

/// One row of a page.
#[derive(Debug, Clone, Copy)]
pub struct Row<'a> {
    page: &'a Page,
    first: usize,
}

impl Page {
    pub fn rows(&self) -> usize {
        self.kinds.len().checked_div(self.columns).unwrap_or(0)
    }

    /// Bytes that the cells hold.
    pub fn size(&self) -> usize {
        self.bytes.len()
    }

    pub fn row(&self, index: usize) -> Option<Row<'_>> {
        (index < self.rows()).then_some(Row { page: self, first: index * self.columns })
    }

    pub fn iter(&self) -> impl Iterator<Item = Row<'_>> {
        (0..self.rows()).map(|index| Row { page: self, first: index * self.columns })
    }

    fn cell(&self, at: usize) -> RawCell<'_> {
        let (Some(kind), Some(end)) = (self.kinds.get(at), self.ends.get(at)) else { return RawCell::Null };
        let start = at.checked_sub(1).and_then(|before| self.ends.get(before)).copied().unwrap_or(0);
        let bytes = self.bytes.get(start..*end).unwrap_or_default();
        match kind {
            CellKind::Null => RawCell::Null,
            CellKind::Integer => {
                bytes.try_into().map_or(RawCell::Null, |b| RawCell::Integer(i64::from_le_bytes(b)))
            }
            CellKind::Real => {
                bytes.try_into().map_or(RawCell::Null, |b| RawCell::Real(f64::from_le_bytes(b)))
            }
            CellKind::Bytes => RawCell::Bytes(bytes),
            CellKind::Text => RawCell::Text(bytes),
            CellKind::Blob => RawCell::Blob(bytes),
        }
    }
}

impl<'a> Row<'a> {
    /// The cell of a column; NULL beyond the last.
    pub fn cell(&self, column: usize) -> RawCell<'a> {
        if column >= self.page.columns {
            return RawCell::Null;
        }
        self.page.cell(self.first + column)
    }
}

/// Collects cells row by row; every row must get exactly `columns` cells.
#[derive(Debug)]
pub struct PageBuilder {
    page: Page,
}

impl PageBuilder {
    pub fn new(columns: usize) -> Self {
        Self::reusing(Page::default(), columns)
    }

    /// Fills the memory of a page that nobody needs any more.
    pub fn reusing(page: Page, columns: usize) -> Self {
        let Page { mut bytes, mut kinds, mut ends, .. } = page;
        bytes.clear();
        kinds.clear();
        ends.clear();
        Self { page: Page { columns, bytes, kinds, ends } }
    }

    pub fn push(&mut self, cell: RawCell<'_>) {
        match cell {
            RawCell::Null => self.add(CellKind::Null, &[]),
            RawCell::Integer(value) => self.add(CellKind::Integer, &value.to_le_bytes()),
            RawCell::Real(value) => self.add(CellKind::Real, &value.to_le_bytes()),
            RawCell::Bytes(bytes) => self.add(CellKind::Bytes, bytes),
            RawCell::Text(bytes) => self.add(CellKind::Text, bytes),
            RawCell::Blob(bytes) => self.add(CellKind::Blob, bytes),
        }
    }

    fn add(&mut self, kind: CellKind, bytes: &[u8]) {
        self.page.bytes.extend_from_slice(bytes);
        self.page.kinds.push(kind);
        self.page.ends.push(self.page.bytes.len());
    }

    pub fn size(&self) -> usize {
        self.page.bytes.len()
    }

    pub fn rows(&self) -> usize {
        self.page.rows()
    }

    pub fn finish(self) -> Page {
        self.page
    }
}
