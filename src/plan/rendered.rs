//! Which texts a placeholder can render, and whether different values stay different.
//!
//! A placeholder of a key is never empty: such rows are rejected. Both answers lean to the safe side: a language may be too large, and "different stays different" is
//! said only where it is certain.

use crate::mapping::{Format, Step, ValueType};
use crate::source::{Class, Column, MysqlType, PgType, RawType, SqliteType};

use super::ReadSettings;
use super::affinity::{Affinity, affinity};
use super::language::{Atom, ByteSet};
use super::strftime::{Directive, Piece, directives, pieces};

/// The texts of one placeholder.
#[derive(Debug, Clone)]
pub(super) struct Rendered {
    pub(super) atoms: Vec<Atom>,
    /// Values that the database holds to be different render differently.
    ///
    /// A unique key under a coarser equality (a case-insensitive collation, PAD SPACE, `1.0 = 1`) is
    /// fine: values that differ there differ in bytes as well.
    pub(super) injective: bool,
}

/// A value of which nothing is known.
pub(super) fn unknown(steps: &[Step]) -> Rendered {
    let start = Rendered { atoms: vec![Atom::some(ByteSet::ANY)], injective: false };
    steps.iter().fold(start, |rendered, step| after(rendered, step, None))
}

pub(super) fn rendered(column: &Column, settings: &ReadSettings, steps: &[Step]) -> Rendered {
    let start = formatted(column, settings);
    let fresh = settings.format.is_none();
    let (first, rest) = match steps.split_first() {
        Some((first, rest)) if fresh => (Some(first), rest),
        _ => (None, steps),
    };
    let start = match first {
        Some(first) => after(start, first, Some(column)),
        None => start,
    };
    rest.iter().fold(start, |rendered, step| after(rendered, step, None))
}

fn formatted(column: &Column, settings: &ReadSettings) -> Rendered {
    let value = value(column, settings);
    match &settings.format {
        None => value,
        Some(Format::Epoch) => after(value, &Step::Epoch, Some(column)),
        Some(Format::EpochMillis) => after(value, &Step::EpochMillis, Some(column)),
        Some(Format::Strftime(format)) => after(value, &Step::Strftime(format.clone()), Some(column)),
    }
}

/// The text of a value without any step (mapping, "Text of a value in a key").
fn value(column: &Column, settings: &ReadSettings) -> Rendered {
    if let RawType::Sqlite(kind) = &column.raw {
        return sqlite(*kind, column, settings);
    }
    let class = column.raw.class();
    match settings.kind {
        Some(ValueType::Uuid | ValueType::UuidSwapped) => {
            return Rendered { atoms: uuid(), injective: matches!(class, Class::Bytes | Class::Uuid) };
        }
        Some(ValueType::Bool) if class != Class::Boolean => {
            return Rendered { atoms: boolean(), injective: false };
        }
        Some(ValueType::N) if matches!(class, Class::Text | Class::Json) => {
            return Rendered { atoms: decimal(), injective: false };
        }
        Some(ValueType::N) if class == Class::Boolean => {
            return Rendered { atoms: vec![Atom::exactly(ByteSet::of(b"01"), 1)], injective: true };
        }
        // Beyond what DynamoDB's numbers can be: NaN as well.
        Some(ValueType::S) if class == Class::Decimal => {
            let letters = ByteSet::digits().or(ByteSet::of(b"-+.eENaInfity"));
            return Rendered { atoms: vec![Atom::some(letters)], injective: true };
        }
        _ => {}
    }
    let atoms = match class {
        Class::Integer => integer(&column.raw),
        Class::Decimal => decimal(),
        Class::Boolean => boolean(),
        Class::Uuid => uuid(),
        Class::Date => date(),
        Class::Time => time(&column.raw),
        Class::Timestamp => timestamp(&column.raw, settings.zone.is_some()),
        Class::TimestampTz => timestamp(&column.raw, true),
        _ => any(),
    };
    let injective = !matches!(class, Class::Float | Class::Json | Class::Array | Class::Dynamic);
    Rendered { atoms, injective }
}

/// SQLite keeps values of other types than the declared one, so that `1` and `'1'` may both be there;
/// the column's affinity tells what is converted when it is stored. Dates and times of day are written
/// as they are stored; the other declared types have one text for several stored ones (`1.5`, `1.50`).
fn sqlite(kind: SqliteType, column: &Column, settings: &ReadSettings) -> Rendered {
    let plain = matches!(settings.kind, None | Some(ValueType::S));
    let as_stored = matches!(kind, SqliteType::Any | SqliteType::Date | SqliteType::Time);
    let converts =
        matches!(affinity(&column.sql_type), Affinity::Text | Affinity::Integer | Affinity::Numeric);
    Rendered { atoms: any(), injective: plain && as_stored && converts }
}

/// What a step makes of a text. `column` is the value's own when this is the first step.
fn after(before: Rendered, step: &Step, column: Option<&Column>) -> Rendered {
    match step {
        Step::Pad(width) => Rendered {
            atoms: vec![Atom::exactly(ByteSet::digits(), *width)],
            injective: before.injective && pads_integers(column),
        },
        Step::Strftime(format) => {
            let injective = before.injective && column.is_some_and(|column| keeps_all(column, format));
            Rendered { atoms: strftime(format), injective }
        }
        Step::Epoch | Step::EpochMillis => {
            let digits = if *step == Step::Epoch { 0 } else { 3 };
            let exact = column.is_some_and(|column| fraction(&column.raw).is_some_and(|has| has <= digits));
            Rendered { atoms: signed_digits(), injective: before.injective && exact }
        }
        // A number has one such text, none of them begins another, and what is no number is rejected.
        Step::Sortable => Rendered { atoms: sortable(), ..before },
        Step::Shard(count) => Rendered { atoms: shard(*count), injective: false },
        Step::Hex => {
            // SQLite: `'a'` and `x'61'` have the same hex.
            let text_too = column.is_some_and(|column| matches!(column.raw, RawType::Sqlite(_)));
            let injective = before.injective && !text_too;
            Rendered { atoms: vec![Atom::some(hex_digits())], injective }
        }
        Step::Escape => escape(before),
        Step::Lower => fold(before, ByteSet::upper_case(), ByteSet::lower_case(), u8::to_ascii_lowercase),
        Step::Upper => fold(before, ByteSet::lower_case(), ByteSet::upper_case(), u8::to_ascii_uppercase),
        Step::Trim => trim(before),
    }
}

/// SQLite: text that looks like an integer is one only where the affinity converts it; elsewhere
/// `'7'` and `'07'` pad to the same.
fn pads_integers(column: Option<&Column>) -> bool {
    column.is_none_or(|column| match column.raw {
        RawType::Sqlite(_) => matches!(affinity(&column.sql_type), Affinity::Integer | Affinity::Numeric),
        _ => true,
    })
}

/// Whether a strftime text holds every part of the column's values.
fn keeps_all(column: &Column, format: &str) -> bool {
    let directives = directives(format);
    let all = |parts: &[Directive]| parts.iter().all(|part| directives.contains(part));
    let day = all(&[Directive::Year, Directive::Month, Directive::Day])
        || all(&[Directive::Year, Directive::DayOfYear]);
    let time = all(&[Directive::Hour, Directive::Minute, Directive::Second]);
    let fraction = match fraction(&column.raw) {
        Some(0) => true,
        Some(1..=3) => all(&[Directive::Millis]) || all(&[Directive::Micros]),
        _ => all(&[Directive::Micros]),
    };
    match column.raw.class() {
        Class::Date => day,
        Class::Timestamp | Class::TimestampTz => day && time && fraction,
        _ => false,
    }
}

/// Fraction digits of seconds; `None` where the type does not tell.
fn fraction(raw: &RawType) -> Option<u8> {
    match raw {
        RawType::Postgres(
            PgType::Time { precision } | PgType::Timestamp { precision } | PgType::TimestampTz { precision },
        )
        | RawType::Mysql(
            MysqlType::DateTime { precision }
            | MysqlType::Timestamp { precision }
            | MysqlType::Time { precision },
        ) => Some(*precision),
        RawType::Postgres(PgType::Date) | RawType::Mysql(MysqlType::Date) => Some(0),
        _ => None,
    }
}

fn escape(before: Rendered) -> Rendered {
    let escaped = ByteSet::of(b"#%");
    let written = ByteSet::of(b"%235");
    let change = |atom: Atom| match atom.set.meets(escaped) {
        false => atom,
        true => Atom { set: atom.set.without(ByteSet::of(b"#")).or(written), min: atom.min, max: None },
    };
    Rendered { atoms: before.atoms.into_iter().map(change).collect(), ..before }
}

/// `lower` and `upper`: harmless only where there is nothing to fold, or where folding loses nothing
/// (hex digits and hyphens of one case).
fn fold(before: Rendered, from: ByteSet, to: ByteSet, byte: fn(&u8) -> u8) -> Rendered {
    let foreign = ByteSet::ANY.without(ByteSet::ASCII);
    let all = before.atoms.iter().fold(ByteSet::EMPTY, |all, atom| all.or(atom.set));
    let loses = all.meets(foreign) || (all.meets(from) && all.meets(to));
    let change = |atom: Atom| match atom.set.meets(foreign) {
        // Folding beyond ASCII may change the length, and may end in ASCII ('K' for kelvin).
        true => Atom { set: atom.set.or(to).without(from), min: atom.min.min(1), max: None },
        false => {
            let folded: Vec<u8> = atom.set.bytes().map(|one| byte(&one)).collect();
            Atom { set: ByteSet::of(&folded), ..atom }
        }
    };
    let atoms = before.atoms.into_iter().map(change).collect();
    Rendered { atoms, injective: before.injective && !loses }
}

fn trim(before: Rendered) -> Rendered {
    let foreign = ByteSet::ANY.without(ByteSet::ASCII);
    let blank = ByteSet::of(b" \t\n\r\x0b\x0c").or(foreign);
    let all = before.atoms.iter().fold(ByteSet::EMPTY, |all, atom| all.or(atom.set));
    match all.meets(blank) {
        false => before,
        true => Rendered { atoms: vec![Atom::some(all)], injective: false },
    }
}

fn any() -> Vec<Atom> {
    vec![Atom::some(ByteSet::ANY)]
}

fn integer(raw: &RawType) -> Vec<Atom> {
    let unsigned = match raw {
        RawType::Mysql(MysqlType::Integer { unsigned } | MysqlType::TinyInt1 { unsigned }) => *unsigned,
        RawType::Mysql(MysqlType::Year | MysqlType::Bit { .. })
        | RawType::Postgres(PgType::Oid | PgType::Xid8 | PgType::Bit { .. }) => true,
        _ => false,
    };
    match unsigned {
        true => vec![Atom::some(ByteSet::digits())],
        false => signed_digits(),
    }
}

fn signed_digits() -> Vec<Atom> {
    vec![Atom::optional(ByteSet::of(b"-")), Atom::some(ByteSet::digits())]
}

fn decimal() -> Vec<Atom> {
    vec![Atom::some(ByteSet::digits().or(ByteSet::of(b"-+.eE")))]
}

fn sortable() -> Vec<Atom> {
    let end = Atom::exactly(ByteSet::of(b".~"), 1);
    vec![Atom::optional(ByteSet::of(b"-")), Atom::some(ByteSet::digits()), end]
}

fn boolean() -> Vec<Atom> {
    vec![Atom { set: ByteSet::of(b"truefals"), min: 4, max: Some(5) }]
}

fn hex_digits() -> ByteSet {
    ByteSet::digits().or(ByteSet::of(b"abcdef"))
}

fn uuid() -> Vec<Atom> {
    let groups = [8, 4, 4, 4, 12].map(|width| vec![Atom::exactly(hex_digits(), width)]);
    groups.join(&Atom::exactly(ByteSet::of(b"-"), 1))
}

fn digits(width: usize) -> Vec<Atom> {
    vec![Atom::exactly(ByteSet::digits(), width)]
}

fn date() -> Vec<Atom> {
    [digits(4), digits(2), digits(2)].join(&Atom::exactly(ByteSet::of(b"-"), 1))
}

fn time(raw: &RawType) -> Vec<Atom> {
    let hours = match raw {
        RawType::Mysql(_) => {
            vec![Atom::optional(ByteSet::of(b"-")), Atom { set: ByteSet::digits(), min: 2, max: Some(3) }]
        }
        _ => digits(2),
    };
    let mut atoms = [hours, digits(2), digits(2)].join(&Atom::exactly(ByteSet::of(b":"), 1));
    match fraction(raw) {
        Some(0) => {}
        Some(precision) => {
            atoms.push(Atom::exactly(ByteSet::of(b"."), 1));
            atoms.push(Atom::exactly(ByteSet::digits(), usize::from(precision)));
        }
        None => return any(),
    }
    atoms
}

fn timestamp(raw: &RawType, utc: bool) -> Vec<Atom> {
    let Some(precision) = fraction(raw) else { return any() };
    let clock = RawType::Postgres(PgType::Time { precision });
    let mut atoms = [date(), time(&clock)].join(&Atom::exactly(ByteSet::of(b"T"), 1));
    if utc {
        atoms.push(Atom::exactly(ByteSet::of(b"Z"), 1));
    }
    atoms
}

fn strftime(format: &str) -> Vec<Atom> {
    let mut atoms = Vec::new();
    for piece in pieces(format) {
        match piece {
            Piece::Literal(character) => atoms.extend(super::language::literal(&character.to_string())),
            Piece::Directive(directive) => atoms.push(match directive.width() {
                Some(width) => Atom::exactly(ByteSet::digits(), width),
                None => Atom::some(ByteSet::ANY),
            }),
        }
    }
    atoms
}

fn shard(count: u32) -> Vec<Atom> {
    let widest = count.saturating_sub(1).to_string().len();
    vec![Atom { set: ByteSet::digits(), min: 1, max: Some(widest) }]
}
