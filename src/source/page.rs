//! A page of rows as raw cells: read whole, so that its connection is free before anything waits.

/// Rows with their cells in one buffer.
#[derive(Debug, Default)]
pub struct Page {
    columns: usize,
    bytes: Vec<u8>,
    cells: Vec<Cell>,
}

#[derive(Debug, Clone, Copy)]
enum Cell {
    Null,
    Integer(i64),
    Real(f64),
    Span { kind: SpanKind, start: usize, len: usize },
}

#[derive(Debug, Clone, Copy)]
enum SpanKind {
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
        self.cells.len().checked_div(self.columns).unwrap_or(0)
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
}

impl<'a> Row<'a> {
    /// The cell of a column; NULL beyond the last.
    pub fn cell(&self, column: usize) -> RawCell<'a> {
        if column >= self.page.columns {
            return RawCell::Null;
        }
        match self.page.cells.get(self.first + column) {
            None | Some(Cell::Null) => RawCell::Null,
            Some(Cell::Integer(value)) => RawCell::Integer(*value),
            Some(Cell::Real(value)) => RawCell::Real(*value),
            Some(Cell::Span { kind, start, len }) => {
                let bytes = self.page.bytes.get(*start..*start + *len).unwrap_or_default();
                match kind {
                    SpanKind::Bytes => RawCell::Bytes(bytes),
                    SpanKind::Text => RawCell::Text(bytes),
                    SpanKind::Blob => RawCell::Blob(bytes),
                }
            }
        }
    }
}

/// Collects cells row by row; every row must get exactly `columns` cells.
#[derive(Debug)]
pub struct PageBuilder {
    page: Page,
}

impl PageBuilder {
    pub fn new(columns: usize) -> Self {
        Self { page: Page { columns, bytes: Vec::new(), cells: Vec::new() } }
    }

    pub fn push(&mut self, cell: RawCell<'_>) {
        let cell = match cell {
            RawCell::Null => Cell::Null,
            RawCell::Integer(value) => Cell::Integer(value),
            RawCell::Real(value) => Cell::Real(value),
            RawCell::Bytes(bytes) => self.span(SpanKind::Bytes, bytes),
            RawCell::Text(bytes) => self.span(SpanKind::Text, bytes),
            RawCell::Blob(bytes) => self.span(SpanKind::Blob, bytes),
        };
        self.page.cells.push(cell);
    }

    fn span(&mut self, kind: SpanKind, bytes: &[u8]) -> Cell {
        let start = self.page.bytes.len();
        self.page.bytes.extend_from_slice(bytes);
        Cell::Span { kind, start, len: bytes.len() }
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
