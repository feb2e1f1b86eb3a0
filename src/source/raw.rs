//! How the bytes of a cell are to be read: what a dialect promises to its decoder in [`crate::item`].

/// The form in which a column's cells arrive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RawType {
    Postgres(PgType),
    Mysql(MysqlType),
    Sqlite(SqliteType),
}

/// What a value means, whatever database it comes from: decides which steps and settings fit it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Class {
    Integer,
    Decimal,
    Float,
    Boolean,
    Text,
    Uuid,
    Bytes,
    Date,
    /// Time of day, or MySQL's signed TIME.
    Time,
    /// Without zone.
    Timestamp,
    /// An instant.
    TimestampTz,
    Json,
    Array,
    /// SQLite: only the value itself tells.
    Dynamic,
}

/// PostgreSQL: the binary format of each type, unless said otherwise.
/// `precision` is the number of fraction digits of seconds, 0 to 6.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PgType {
    Bool,
    Int2,
    Int4,
    Int8,
    /// oid, xid, cid: unsigned 32 bits.
    Oid,
    /// xid8: unsigned 64 bits.
    Xid8,
    Float4,
    Float8,
    Numeric,
    /// text, varchar, name, enums, citext, xml …: UTF-8.
    Text,
    /// char(n): UTF-8, padded with blanks that do not count.
    Char,
    Bytea,
    Uuid,
    Date,
    Time {
        precision: u8,
    },
    Timestamp {
        precision: u8,
    },
    TimestampTz {
        precision: u8,
    },
    /// UTF-8 text.
    Json,
    /// A version byte 1, then UTF-8 text.
    Jsonb,
    /// bit(n): 32-bit count, then bits from the left.
    Bit {
        width: u32,
    },
    /// As the server prints it, which its cast to text does not: without `/32` behind one address.
    Inet,
    /// The binary array format with elements of one type, of any dimension. Cast to the array of the
    /// element's own type where it is of another, such as a domain or an enum.
    Array(Box<PgType>),
    /// Cast to text by the server in the SELECT (money arrives as numeric instead).
    ServerText,
}

/// MySQL and MariaDB: the binary protocol's form of each type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MysqlType {
    /// Little endian, 1, 2, 4 or 8 bytes as they arrive.
    Integer {
        unsigned: bool,
    },
    /// `tinyint(1)`: an integer; BOOL only when the mapping says so.
    TinyInt1 {
        unsigned: bool,
    },
    Float,
    Double,
    /// Decimal text.
    Decimal,
    /// Unsigned 16 bits, little endian; 0 is the zero year.
    Year,
    /// Cast to an unsigned integer in the SELECT, as which it arrives: MariaDB says BIT of an expression, and
    /// sends digits.
    Bit {
        width: u32,
    },
    /// Length byte, then up to 4 bytes; shortened when trailing parts are zero.
    Date,
    /// Length byte, then up to 11 bytes; shortened when trailing parts are zero.
    DateTime {
        precision: u8,
    },
    /// As `DateTime`; an instant, since every session runs at +00:00.
    Timestamp {
        precision: u8,
    },
    /// Length byte, then sign, days, h, m, s, µs; shortened when trailing parts are zero.
    Time {
        precision: u8,
    },
    /// UTF-8 (char, varchar, text, enum, MariaDB's uuid and inet6 …).
    Text,
    /// As `Text`, of a character set in which the server has no Unicode for some characters: where its
    /// conversion loses one, the cell is the byte FF, which is no UTF-8.
    Recoded {
        charset: String,
        collation: String,
    },
    /// Members joined by commas, UTF-8.
    Set,
    Json,
    Binary,
    /// Cast to CHAR by the server in the SELECT.
    ServerText,
}

/// SQLite: the value's own storage class wins; the declared type decides dates, booleans and decimals
/// where the value fits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SqliteType {
    /// INTEGER, REAL, TEXT, BLOB, NUMERIC, nothing, or anything unknown.
    Any,
    /// Declared BOOLEAN or BOOL: the integers 0 and 1.
    Boolean,
    /// Declared DECIMAL(…) or NUMERIC(…).
    Decimal,
    /// Declared DATE: text `YYYY-MM-DD`.
    Date,
    /// Declared DATETIME or TIMESTAMP: text `YYYY-MM-DD HH:MM:SS[.f]`.
    DateTime,
    /// Declared TIME.
    Time,
    /// Declared JSON or JSONB: text.
    Json,
    /// Declared UUID or GUID: text.
    Uuid,
}

impl RawType {
    pub fn class(&self) -> Class {
        match self {
            RawType::Postgres(kind) => kind.class(),
            RawType::Mysql(kind) => kind.class(),
            RawType::Sqlite(kind) => kind.class(),
        }
    }
}

impl PgType {
    fn class(&self) -> Class {
        match self {
            PgType::Bool => Class::Boolean,
            PgType::Int2 | PgType::Int4 | PgType::Int8 | PgType::Oid | PgType::Xid8 => Class::Integer,
            PgType::Float4 | PgType::Float8 => Class::Float,
            PgType::Numeric => Class::Decimal,
            PgType::Text | PgType::Char | PgType::Inet | PgType::ServerText => Class::Text,
            PgType::Bytea => Class::Bytes,
            PgType::Uuid => Class::Uuid,
            PgType::Date => Class::Date,
            PgType::Time { .. } => Class::Time,
            PgType::Timestamp { .. } => Class::Timestamp,
            PgType::TimestampTz { .. } => Class::TimestampTz,
            PgType::Json | PgType::Jsonb => Class::Json,
            PgType::Bit { width: 1 } => Class::Boolean,
            PgType::Bit { width: 0..=64 } => Class::Integer,
            PgType::Bit { .. } => Class::Bytes,
            PgType::Array(_) => Class::Array,
        }
    }
}

impl MysqlType {
    fn class(&self) -> Class {
        match self {
            MysqlType::Integer { .. } | MysqlType::TinyInt1 { .. } | MysqlType::Year => Class::Integer,
            MysqlType::Float | MysqlType::Double => Class::Float,
            MysqlType::Decimal => Class::Decimal,
            MysqlType::Bit { width: 1 } => Class::Boolean,
            MysqlType::Bit { .. } => Class::Integer,
            MysqlType::Date => Class::Date,
            MysqlType::DateTime { .. } => Class::Timestamp,
            MysqlType::Timestamp { .. } => Class::TimestampTz,
            MysqlType::Time { .. } => Class::Time,
            MysqlType::Text | MysqlType::Recoded { .. } | MysqlType::ServerText => Class::Text,
            MysqlType::Set => Class::Array,
            MysqlType::Json => Class::Json,
            MysqlType::Binary => Class::Bytes,
        }
    }
}

impl SqliteType {
    fn class(self) -> Class {
        match self {
            SqliteType::Any => Class::Dynamic,
            SqliteType::Boolean => Class::Boolean,
            SqliteType::Decimal => Class::Decimal,
            SqliteType::Date => Class::Date,
            SqliteType::DateTime => Class::Timestamp,
            SqliteType::Time => Class::Time,
            SqliteType::Json => Class::Json,
            SqliteType::Uuid => Class::Uuid,
        }
    }
}
