//! JSON text → DynamoDB JSON, written straight through: no document is built and nothing recurses, so
//! neither its size nor its depth can hurt. Numbers stay exact; strings get the one spelling of
//! [`super::escape`]; of equal names in an object the last wins.

mod lexer;
mod rest;

use crate::mapping::Overflow;

use super::attribute::{FLAG_SIZE, Wire};
use super::number::{Number, NumberError};
use super::rejection::{Rule, Violation};
use lexer::Lexer;
use rest::Next;

/// A value may sit in at most 31 maps and lists (drivers.md, "Nesting").
const MAX_WRAPPERS: usize = 31;
/// Billed bytes of an empty map or list, and of each member beyond name and value.
pub(super) const CONTAINER_SIZE: usize = 3;
pub(super) const MEMBER_SIZE: usize = 1;

/// Buffers kept between documents.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    /// Lists that the document itself sits in: those of an array.
    pub(super) around: usize,
    frames: Vec<Frame>,
    members: Vec<Member>,
    order: Vec<usize>,
    kept: Vec<u8>,
    /// Objects so far with equal names.
    pub(super) equal_names: u64,
}

/// An open map or list.
#[derive(Debug, Clone, Copy)]
struct Frame {
    map: bool,
    size: usize,
    /// Where its members start, in the output and in `members`.
    body: usize,
    first: usize,
}

/// A member of a map or list in the output: `"name":{…}` or `{…}`.
#[derive(Debug, Clone, Copy)]
struct Member {
    start: usize,
    /// Behind the quoted name.
    name_end: usize,
    end: usize,
    size: usize,
}

/// Appends a document as an attribute value and returns its type and billed size.
///
/// `overflow` decides about numbers inside it; one that is the whole document, and too deep nesting,
/// are the caller's. In a list an omitted number leaves NULL in its place.
pub(super) fn write(
    text: &str,
    overflow: Overflow,
    scratch: &mut Scratch,
    out: &mut Vec<u8>,
) -> Result<(Wire, usize), Violation> {
    scratch.frames.clear();
    scratch.members.clear();
    Writer { lexer: Lexer::new(text), overflow, scratch, out }.document()
}

#[derive(Debug)]
struct Writer<'t, 'a> {
    lexer: Lexer<'t>,
    overflow: Overflow,
    scratch: &'a mut Scratch,
    out: &'a mut Vec<u8>,
}

/// What stands where a value was expected.
enum Begun {
    /// A whole value of this type and size.
    Value(Wire, usize),
    /// A number to be left out.
    Omitted,
    /// A map or list that has members.
    Opened,
}

impl Writer<'_, '_> {
    fn document(&mut self) -> Result<(Wire, usize), Violation> {
        loop {
            match self.begin_value()? {
                Begun::Opened => continue,
                Begun::Omitted => self.omit_member(),
                Begun::Value(wire, size) => {
                    if let Some(done) = self.end_value(wire, size)? {
                        return Ok(done);
                    }
                    continue;
                }
            }
            if let Some(done) = self.after_member()? {
                return Ok(done);
            }
        }
    }

    /// Takes a value, or the start of a map or list and the name of its first member.
    fn begin_value(&mut self) -> Result<Begun, Violation> {
        if self.scratch.frames.len() + self.scratch.around > MAX_WRAPPERS {
            let message = "JSON nested deeper than 32 levels";
            return Err(self.of_valid(Violation::new(Rule::Nesting, message), Next::Value));
        }
        self.lexer.skip_blanks();
        match self.lexer.peek() {
            Some(b'{') => self.open(true),
            Some(b'[') => self.open(false),
            Some(b'"') => {
                self.lexer.skip();
                self.out.extend_from_slice(b"{\"S\":");
                let size = self.lexer.string(self.out)?;
                self.out.push(b'}');
                Ok(Begun::Value(Wire::S, size))
            }
            Some(b'-' | b'0'..=b'9') => self.number(),
            Some(b't') => self.word(b"true", Wire::Bool, b"{\"BOOL\":true}"),
            Some(b'f') => self.word(b"false", Wire::Bool, b"{\"BOOL\":false}"),
            Some(b'n') => self.word(b"null", Wire::Null, b"{\"NULL\":true}"),
            _ => Err(self.lexer.no_value()),
        }
    }

    /// A violation by something in a document, or what makes that no document at all.
    fn of_valid(&self, violation: Violation, next: Next) -> Violation {
        let open = self.scratch.frames.iter().map(|frame| frame.map).collect();
        rest::check(self.lexer, open, next).err().unwrap_or(violation)
    }

    fn open(&mut self, map: bool) -> Result<Begun, Violation> {
        self.lexer.skip();
        self.out.extend_from_slice(if map { b"{\"M\":{" } else { b"{\"L\":[" });
        let frame =
            Frame { map, size: CONTAINER_SIZE, body: self.out.len(), first: self.scratch.members.len() };
        self.lexer.skip_blanks();
        if self.lexer.peek() == Some(if map { b'}' } else { b']' }) {
            self.lexer.skip();
            self.out.extend_from_slice(if map { b"}}" } else { b"]}" });
            return Ok(Begun::Value(if map { Wire::M } else { Wire::L }, CONTAINER_SIZE));
        }
        self.scratch.frames.push(frame);
        self.begin_member(map)?;
        Ok(Begun::Opened)
    }

    /// Writes the comma and, in a map, the name of the next member.
    fn begin_member(&mut self, map: bool) -> Result<(), Violation> {
        if self.scratch.frames.last().is_some_and(|frame| self.out.len() > frame.body) {
            self.out.push(b',');
        }
        let start = self.out.len();
        let mut size = MEMBER_SIZE;
        if map {
            size += self.lexer.name(self.out)?;
        }
        let name_end = self.out.len();
        if map {
            self.out.push(b':');
            self.lexer.skip_blanks();
            self.lexer.expect(b':')?;
        }
        self.scratch.members.push(Member { start, name_end, end: start, size });
        Ok(())
    }

    /// Closes what ends behind a value; the whole document when nothing is open.
    fn end_value(&mut self, wire: Wire, size: usize) -> Result<Option<(Wire, usize)>, Violation> {
        let Some(frame) = self.scratch.frames.last_mut() else {
            self.lexer.skip_blanks();
            return match self.lexer.peek() {
                None => Ok(Some((wire, size))),
                Some(_) => Err(self.lexer.behind()),
            };
        };
        if let Some(member) = self.scratch.members.last_mut() {
            member.size += size;
            member.end = self.out.len();
            frame.size += member.size;
        }
        self.after_member()
    }

    /// Goes on to the next member, or closes the map or list.
    fn after_member(&mut self) -> Result<Option<(Wire, usize)>, Violation> {
        let Some(frame) = self.scratch.frames.last().copied() else {
            return Err(self.lexer.no_value());
        };
        self.lexer.skip_blanks();
        match self.lexer.peek() {
            Some(b',') => {
                self.lexer.skip();
                self.begin_member(frame.map)?;
                Ok(None)
            }
            Some(b'}') if frame.map => {
                let size = frame.size - self.drop_duplicates(frame);
                self.close(frame, b"}}", Wire::M, size)
            }
            Some(b']') if !frame.map => self.close(frame, b"]}", Wire::L, frame.size),
            _ => Err(self.lexer.not_closed()),
        }
    }

    fn close(
        &mut self,
        frame: Frame,
        end: &[u8],
        wire: Wire,
        size: usize,
    ) -> Result<Option<(Wire, usize)>, Violation> {
        self.lexer.skip();
        self.out.extend_from_slice(end);
        self.scratch.members.truncate(frame.first);
        self.scratch.frames.pop();
        self.end_value(wire, size)
    }

    /// Leaves the name of a member without value, until all members are known: it counts among equal names.
    fn omit_member(&mut self) {
        if let Some(member) = self.scratch.members.last_mut() {
            member.end = member.start;
            member.size = 0;
        }
    }

    /// Removes all but the last of equal names, and what is omitted; returns the billed bytes that go with
    /// them.
    fn drop_duplicates(&mut self, frame: Frame) -> usize {
        let Scratch { members, order, kept, equal_names, .. } = &mut *self.scratch;
        let members = members.get(frame.first..).unwrap_or_default();
        let name = |at: usize| {
            let member = members.get(at);
            member.and_then(|member| self.out.get(member.start..member.name_end)).unwrap_or_default()
        };
        order.clear();
        order.extend(0..members.len());
        order.sort_unstable_by(|a, b| name(*a).cmp(name(*b)).then(a.cmp(b)));
        let omitted = |(at, member): (usize, &Member)| (member.end == member.start).then_some(at);
        let mut lost: Vec<usize> = members.iter().enumerate().filter_map(omitted).collect();
        let omitted = lost.len();
        for pair in order.windows(2) {
            if let [earlier, later] = pair
                && name(*earlier) == name(*later)
            {
                lost.push(*earlier);
            }
        }
        if lost.is_empty() {
            return 0;
        }
        *equal_names += u64::from(lost.len() > omitted);
        lost.sort_unstable();
        lost.dedup();
        kept.clear();
        let mut size = 0;
        for (at, member) in members.iter().enumerate() {
            if lost.binary_search(&at).is_ok() {
                size += member.size;
                continue;
            }
            if !kept.is_empty() {
                kept.push(b',');
            }
            kept.extend_from_slice(self.out.get(member.start..member.end).unwrap_or_default());
        }
        self.out.truncate(frame.body);
        self.out.extend_from_slice(kept);
        size
    }

    fn word(&mut self, word: &[u8], wire: Wire, written: &[u8]) -> Result<Begun, Violation> {
        self.lexer.word(word)?;
        self.out.extend_from_slice(written);
        Ok(Begun::Value(wire, FLAG_SIZE))
    }

    fn number(&mut self) -> Result<Begun, Violation> {
        let start = self.lexer.at();
        let text = self.lexer.number()?;
        match Number::parse(text) {
            Ok(number) => {
                self.out.extend_from_slice(b"{\"N\":\"");
                number.write(self.out);
                self.out.extend_from_slice(b"\"}");
                Ok(Begun::Value(Wire::N, number.size()))
            }
            Err(error) => self.overflowing_number(start, text, error),
        }
    }

    fn overflowing_number(
        &mut self,
        start: usize,
        text: &[u8],
        error: NumberError,
    ) -> Result<Begun, Violation> {
        let in_map = self.scratch.frames.last().map(|frame| frame.map);
        match (self.overflow, in_map) {
            (Overflow::Reject, _) | (_, None) => {
                let violation = Violation::from(error);
                let message = format!("in the JSON, at byte {start}: {}", violation.message);
                Err(self.of_valid(Violation::new(violation.rule, message), Next::End))
            }
            (Overflow::String, _) => {
                self.out.extend_from_slice(b"{\"S\":\"");
                self.out.extend_from_slice(text);
                self.out.extend_from_slice(b"\"}");
                Ok(Begun::Value(Wire::S, text.len()))
            }
            (Overflow::Omit, Some(true)) => Ok(Begun::Omitted),
            (Overflow::Omit | Overflow::Null, _) => {
                self.out.extend_from_slice(b"{\"NULL\":true}");
                Ok(Begun::Value(Wire::Null, 1))
            }
        }
    }
}
