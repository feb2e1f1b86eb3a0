//! Random values as SQL, and whether DynamoDB has room for them by what they are made of.

use fastrand::Rng;

/// A literal, and whether an item can hold it.
pub type Literal = (String, bool);

pub type Generator = fn(&mut Rng) -> Literal;

fn fits(literal: String) -> Literal {
    (literal, true)
}

/// Any of the type's numbers, its limits among them.
pub fn integer<const BITS: u32>(random: &mut Rng) -> Literal {
    let value = i128::from(random.i64(..)) >> (64 - BITS);
    let limit = 1_i128 << (BITS - 1);
    fits(match random.u8(0..8) {
        0 => (-limit).to_string(),
        1 => (limit - 1).to_string(),
        2 => random.i8(-3..3).to_string(),
        _ => (value >> random.u32(0..BITS)).to_string(),
    })
}

pub fn unsigned<const BITS: u32>(random: &mut Rng) -> Literal {
    let most = u128::from(u64::MAX) >> (64 - BITS);
    fits(match random.u8(0..6) {
        0 => most.to_string(),
        1 => (most / 2 + 1).to_string(),
        _ => (u128::from(random.u64(..)) >> (64 - BITS) >> random.u32(0..BITS)).to_string(),
    })
}

fn digits(random: &mut Rng, count: usize) -> String {
    (0..count).map(|_| if random.u8(0..3) == 0 { '0' } else { char::from(b'0' + random.u8(0..10)) }).collect()
}

/// As many significant digits as are left without the zeros at both ends.
fn significant(digits: &str) -> usize {
    digits.trim_matches('0').len()
}

fn decimal(random: &mut Rng, whole: usize, fraction: usize) -> (String, bool) {
    let (whole, fraction) = (random.usize(1..=whole), random.usize(0..=fraction));
    let (whole, fraction) = (digits(random, whole), digits(random, fraction));
    let sign = if random.bool() { "-" } else { "" };
    let point = if fraction.is_empty() { "" } else { "." };
    (format!("{sign}{whole}{point}{fraction}"), significant(&format!("{whole}{fraction}")) <= 38)
}

/// Of any number of digits, and what is no number.
pub fn numeric(random: &mut Rng) -> Literal {
    match random.u8(0..40) {
        0 => ("'NaN'".to_owned(), false),
        1 => ("'Infinity'".to_owned(), false),
        2 => ("'-Infinity'".to_owned(), false),
        3 => {
            let power = random.i32(-160..160);
            (format!("1e{power}"), (-130..=125).contains(&power))
        }
        4..20 => decimal(random, 12, 6),
        _ => decimal(random, 30, 20),
    }
}

/// `DECIMAL(65, 30)`.
pub fn wide_decimal(random: &mut Rng) -> Literal {
    decimal(random, 35, 30)
}

/// `DECIMAL(10, 2)` and the like.
pub fn price(random: &mut Rng) -> Literal {
    decimal(random, 8, 2)
}

/// Any bits that are a number.
fn double(random: &mut Rng) -> f64 {
    loop {
        let value = match random.u8(0..3) {
            0 => f64::from_bits(random.u64(..)),
            1 => f64::from(random.i32(..)) / 100.0,
            _ => random.f64() * 1e6,
        };
        if value.is_finite() {
            return value;
        }
    }
}

/// Whether a number of this size is one of DynamoDB's.
fn is_in_range(value: f64) -> bool {
    value == 0.0 || (1e-130..9.99e125).contains(&value.abs())
}

pub fn float8(random: &mut Rng) -> Literal {
    match random.u8(0..40) {
        0 => ("'NaN'".to_owned(), false),
        1 => ("'-Infinity'".to_owned(), false),
        _ => {
            let value = double(random);
            (format!("'{value:e}'"), is_in_range(value))
        }
    }
}

/// Without what only PostgreSQL has.
pub fn finite_double(random: &mut Rng) -> Literal {
    let value = double(random);
    (format!("{value:e}"), is_in_range(value))
}

pub fn float4(random: &mut Rng) -> Literal {
    loop {
        let value = if random.bool() { f32::from_bits(random.u32(..)) } else { random.f32() * 1000.0 };
        if value.is_normal() || value == 0.0 {
            return fits(format!("'{value:e}'"));
        }
    }
}

pub fn boolean(random: &mut Rng) -> Literal {
    fits(random.bool().to_string())
}

/// Of every length of UTF-8, with all that needs care in SQL and JSON; no NUL.
fn words(random: &mut Rng) -> String {
    const CHARACTERS: [char; 20] = [
        'a', 'Z', '0', ' ', '\'', '"', '\\', '\n', '\t', '\u{1}', '\u{7f}', '#', '%', '{', 'é', 'ß',
        '\u{2028}', '中', '🙂', '\u{fffd}',
    ];
    let len = random.usize(0..24);
    (0..len).map(|_| CHARACTERS[random.usize(0..CHARACTERS.len())]).collect()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

pub fn pg_text(random: &mut Rng) -> Literal {
    fits(format!("convert_from('\\x{}', 'UTF8')", hex(words(random).as_bytes())))
}

/// Also with NUL characters.
pub fn my_text(random: &mut Rng) -> Literal {
    let mut text = words(random);
    if random.u8(0..8) == 0 {
        text.push('\0');
    }
    fits(format!("CONVERT(X'{}' USING utf8mb4)", hex(text.as_bytes())))
}

/// Every character that latin1 has in MySQL, which is windows-1252.
pub fn latin1(random: &mut Rng) -> Literal {
    let len = random.usize(0..12);
    let bytes: Vec<u8> = (0..len).map(|_| random.u8(0x20..)).collect();
    fits(format!("_latin1 X'{}'", hex(&bytes)))
}

/// Also with NUL characters.
pub fn lite_text(random: &mut Rng) -> Literal {
    let nul = if random.u8(0..8) == 0 { "\0x" } else { "" };
    fits(format!("CAST(X'{}' AS TEXT)", hex(format!("{}{nul}", words(random)).as_bytes())))
}

fn bytes(random: &mut Rng) -> String {
    let len = random.usize(0..20);
    hex(&(0..len).map(|_| random.u8(..)).collect::<Vec<_>>())
}

pub fn bytea(random: &mut Rng) -> Literal {
    fits(format!("'\\x{}'::bytea", bytes(random)))
}

pub fn blob(random: &mut Rng) -> Literal {
    fits(format!("X'{}'", bytes(random)))
}

pub fn uuid(random: &mut Rng) -> Literal {
    fits(format!("'{}'", hex(&random.u128(..).to_be_bytes())))
}

pub fn my_uuid(random: &mut Rng) -> Literal {
    let digits = hex(&random.u128(..).to_be_bytes());
    let group = |from: usize, to: usize| &digits[from..to];
    let groups = [group(0, 8), group(8, 12), group(12, 16), group(16, 20), group(20, 32)];
    fits(format!("'{}'", groups.join("-")))
}

/// Days of the years 1 to 9999, from 1970 on.
const DAYS: std::ops::RangeInclusive<i64> = -719_162..=2_932_896;

/// All that PostgreSQL has: 4714 BC to 5874897, and no end.
pub fn pg_date(random: &mut Rng) -> Literal {
    match random.u8(0..20) {
        0 => ("'infinity'".to_owned(), false),
        1 => ("'-infinity'".to_owned(), false),
        _ => {
            let days = match random.u8(0..8) {
                0 => random.i64(-2_440_000..-719_162),
                1 => random.i64(2_932_897..2_000_000_000),
                _ => random.i64(DAYS),
            };
            (format!("date '1970-01-01' + {days}"), DAYS.contains(&days))
        }
    }
}

fn pg_moment(kind: &str, random: &mut Rng) -> Literal {
    match random.u8(0..20) {
        0 => (format!("{kind} 'infinity'"), false),
        1 => (format!("{kind} '-infinity'"), false),
        _ => {
            let days = match random.u8(0..8) {
                0 => random.i64(-2_440_000..-719_170),
                1 => random.i64(2_932_900..100_000_000),
                _ => random.i64(DAYS),
            };
            let (hour, minute, second) = (random.u8(0..24), random.u8(0..60), random.u8(0..60));
            let micros = random.u32(0..1_000_000);
            let clock = format!("{hour} hours {minute} minutes {second} seconds {micros} microseconds");
            let moment = format!("{kind} '1970-01-01' + interval '{days} days' + interval '{clock}'");
            (moment, DAYS.contains(&days))
        }
    }
}

pub fn pg_timestamp(random: &mut Rng) -> Literal {
    pg_moment("timestamp", random)
}

pub fn pg_timestamptz(random: &mut Rng) -> Literal {
    pg_moment("timestamptz", random)
}

fn clock(random: &mut Rng) -> String {
    format!(
        "{:02}:{:02}:{:02}.{:06}",
        random.u8(0..24),
        random.u8(0..60),
        random.u8(0..60),
        random.u32(0..1_000_000)
    )
}

pub fn pg_time(random: &mut Rng) -> Literal {
    fits(if random.u8(0..20) == 0 { "'24:00:00'".to_owned() } else { format!("'{}'", clock(random)) })
}

/// Zero dates and impossible ones among them, which the session's sql_mode lets in.
pub fn my_date(random: &mut Rng) -> Literal {
    match random.u8(0..20) {
        0 => ("'0000-00-00'".to_owned(), false),
        1 => (format!("'{:04}-00-{:02}'", random.u16(1..9999), random.u8(1..28)), false),
        2 => (format!("'{:04}-{:02}-00'", random.u16(1..9999), random.u8(1..13)), false),
        _ => (format!("'{}'", day(random)), true),
    }
}

fn day(random: &mut Rng) -> String {
    format!("{:04}-{:02}-{:02}", random.u16(1000..=9999), random.u8(1..=12), random.u8(1..=28))
}

pub fn my_datetime(random: &mut Rng) -> Literal {
    match random.u8(0..20) {
        0 => ("'0000-00-00 00:00:00'".to_owned(), false),
        1 => ("'2025-06-00 00:00:00'".to_owned(), false),
        2 => (format!("'{} 00:00:00'", day(random)), true),
        _ => (format!("'{} {}'", day(random), clock(random)), true),
    }
}

/// 1970 to 2038.
pub fn my_timestamp(random: &mut Rng) -> Literal {
    let day = format!("{:04}-{:02}-{:02}", random.u16(1971..2038), random.u8(1..=12), random.u8(1..=28));
    fits(format!("'{day} {}'", clock(random)))
}

pub fn my_time(random: &mut Rng) -> Literal {
    let sign = if random.bool() { "-" } else { "" };
    let hours = if random.bool() { 0 } else { random.u16(0..838) };
    let micros = if random.bool() { 0 } else { random.u32(0..1_000_000) };
    fits(format!("'{sign}{hours}:{:02}:{:02}.{micros:06}'", random.u8(0..60), random.u8(0..60)))
}

pub fn bits<const WIDTH: usize>(random: &mut Rng) -> Literal {
    let bits: String = (0..WIDTH).map(|_| if random.bool() { '1' } else { '0' }).collect();
    fits(format!("b'{bits}'"))
}

fn json_number(random: &mut Rng) -> (String, bool) {
    match random.u8(0..12) {
        0 => {
            let power = random.i32(-140..140);
            (format!("1e{power}"), (-130..=125).contains(&power))
        }
        1 => (random.u64(..).to_string(), true),
        2 => (format!("-0.{}5", "0".repeat(random.usize(0..5))), true),
        _ => {
            let whole = random.u64(..) >> random.u8(0..64);
            let fraction = digits(random, 20);
            let text = format!("{whole}.{fraction}");
            let all = format!("{whole}{fraction}");
            (text, significant(&all) <= 38)
        }
    }
}

fn json_string(random: &mut Rng) -> String {
    serde_json::to_string(&words(random)).unwrap()
}

/// A document at most so deep, and whether all its numbers fit.
fn json_value(random: &mut Rng, depth: u32) -> (String, bool) {
    match random.u8(0..if depth == 0 { 5 } else { 8 }) {
        0 => ("null".to_owned(), true),
        1 => (random.bool().to_string(), true),
        2 => (json_string(random), true),
        3 | 4 => json_number(random),
        5 | 6 => {
            let members: Vec<_> = (0..random.usize(0..4)).map(|_| json_value(random, depth - 1)).collect();
            let texts: Vec<&str> = members.iter().map(|(text, _)| text.as_str()).collect();
            (format!("[{}]", texts.join(", ")), members.iter().all(|(_, fits)| *fits))
        }
        _ => {
            // Names that differ: which of two equal ones wins is the databases' own affair.
            let members: Vec<_> = (0..random.usize(0..4))
                .map(|at| (format!("\"n{at}é\\\"\""), json_value(random, depth - 1)))
                .collect();
            let texts: Vec<String> =
                members.iter().map(|(name, (text, _))| format!("{name}: {text}")).collect();
            (format!("{{{}}}", texts.join(",")), members.iter().all(|(_, (_, fits))| *fits))
        }
    }
}

fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

pub fn pg_json(random: &mut Rng) -> Literal {
    let (text, fits) = json_value(random, 4);
    (quoted(&text), fits)
}

pub fn my_json(random: &mut Rng) -> Literal {
    let (text, fits) = json_value(random, 4);
    (format!("CONVERT(X'{}' USING utf8mb4)", hex(text.as_bytes())), fits)
}

fn array(random: &mut Rng, kind: &str, member: Generator) -> Literal {
    let mut all_fit = true;
    let mut member = |random: &mut Rng| match random.u8(0..6) {
        0 => "NULL".to_owned(),
        _ => {
            let (literal, fits) = member(random);
            all_fit &= fits;
            literal
        }
    };
    let mut list = |random: &mut Rng, len: usize| {
        let members: Vec<String> = (0..len).map(|_| member(random)).collect();
        format!("ARRAY[{}]::{kind}[]", members.join(", "))
    };
    let literal = match random.u8(0..4) {
        0 => {
            let len = random.usize(1..4);
            let rows: Vec<String> = (0..random.usize(1..3)).map(|_| list(random, len)).collect();
            format!("ARRAY[{}]", rows.join(", "))
        }
        _ => {
            let len = random.usize(0..5);
            list(random, len)
        }
    };
    (literal, all_fit)
}

pub fn int_array(random: &mut Rng) -> Literal {
    array(random, "int", integer::<32>)
}

pub fn numeric_array(random: &mut Rng) -> Literal {
    array(random, "numeric", numeric)
}

pub fn text_array(random: &mut Rng) -> Literal {
    array(random, "text", pg_text)
}

pub fn moment_array(random: &mut Rng) -> Literal {
    array(random, "timestamptz", pg_timestamptz)
}

pub fn bytea_array(random: &mut Rng) -> Literal {
    array(random, "bytea", bytea)
}

pub fn float_array(random: &mut Rng) -> Literal {
    array(random, "float8", float8)
}

pub fn one_of_three(random: &mut Rng) -> Literal {
    fits(["'a'", "'b c'", "'ü'"][random.usize(0..3)].to_owned())
}

pub fn members(random: &mut Rng) -> Literal {
    fits(["''", "'a'", "'b c'", "'a,b c,ü'", "'a,ü'"][random.usize(0..5)].to_owned())
}

pub fn year(random: &mut Rng) -> Literal {
    fits(if random.u8(0..10) == 0 { "0".to_owned() } else { random.u16(1901..2156).to_string() })
}

/// Any of SQLite's classes.
pub fn anything(random: &mut Rng) -> Literal {
    match random.u8(0..5) {
        0 => integer::<64>(random),
        1 => finite_double(random),
        2 => lite_text(random),
        3 => blob(random),
        _ => fits("NULL".to_owned()),
    }
}

pub fn lite_date(random: &mut Rng) -> Literal {
    match random.u8(0..6) {
        0 => anything(random),
        1 => fits(format!("'{:04}-{:02}-{:02}'", random.u16(0..9999), random.u8(0..14), random.u8(0..33))),
        _ => fits(format!("'{}'", day(random))),
    }
}

pub fn lite_datetime(random: &mut Rng) -> Literal {
    match random.u8(0..6) {
        0 => anything(random),
        1 => fits(format!(
            "'{} {}'",
            day(random),
            ["24:00:00", "10:60:00", "1:2:3", "10:00:60"][random.usize(0..4)]
        )),
        2 => fits(format!("'{}T{}'", day(random), clock(random))),
        _ => fits(format!("'{} {}'", day(random), &clock(random)[..8 + [0, 2, 4, 7][random.usize(0..4)]])),
    }
}

pub fn lite_decimal(random: &mut Rng) -> Literal {
    match random.u8(0..6) {
        0 => anything(random),
        _ => decimal(random, 10, 4),
    }
}

/// In a list: a column declared JSON has numeric affinity, so that a number alone becomes a float.
pub fn lite_json(random: &mut Rng) -> Literal {
    let (text, fits) = json_value(random, 3);
    (quoted(&format!("[{text}]")), fits)
}
