//! Hands out what is to be read again, to several readers.

use std::io;

use super::Line;

/// Rows looked up with one request.
const ROWS: usize = 100;

/// Hands out lines of one entity at a time.
pub(super) struct Lines<I> {
    lines: I,
    next: Option<Line>,
    ended: bool,
}

impl<I: Iterator<Item = io::Result<Line>>> Lines<I> {
    pub(super) fn new(lines: I) -> Self {
        Self { lines, next: None, ended: false }
    }

    /// Nothing more is handed out.
    pub(super) fn end(&mut self) {
        self.ended = true;
    }

    pub(super) fn some(&mut self) -> io::Result<Vec<Line>> {
        if self.ended {
            return Ok(Vec::new());
        }
        let mut some: Vec<Line> = self.next.take().into_iter().collect();
        while some.len() < ROWS {
            let Some(line) = self.lines.next().transpose()? else { break };
            if some.first().is_some_and(|first| first.entity != line.entity) {
                self.next = Some(line);
                break;
            }
            some.push(line);
        }
        Ok(some)
    }
}

#[cfg(test)]
mod tests {
    use super::super::Place;
    use super::*;

    fn line(entity: usize, row: usize) -> io::Result<Line> {
        let place = Place { row, ..Place::default() };
        Ok(Line { entity, place, missing: true, source_key: Vec::new(), key: String::new() })
    }

    #[test]
    fn lines_are_handed_out_by_entity_and_a_hundred_at_a_time() {
        let lines = (0..250).map(|row| line(0, row)).chain((0..3).map(|row| line(1, row)));
        let mut lines = Lines::new(lines);
        let mut sizes = Vec::new();
        loop {
            let some = lines.some().unwrap();
            let Some(first) = some.first() else { break };
            assert!(some.iter().all(|line| line.entity == first.entity));
            sizes.push((first.entity, some.len()));
        }
        assert_eq!(sizes, [(0, 100), (0, 100), (0, 50), (1, 3)]);
    }

    #[test]
    fn nothing_is_handed_out_after_the_end() {
        let lines = (0..250).map(|row| line(0, row)).chain((0..3).map(|row| line(1, row)));
        let mut lines = Lines::new(lines);
        assert_eq!(lines.some().unwrap().len(), ROWS);
        lines.end();
        assert!(lines.some().unwrap().is_empty());
    }
}
