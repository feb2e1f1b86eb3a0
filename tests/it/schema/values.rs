//! Values of keys that parser and schema must agree on.

/// The keys whose values are words, where a mapping has them.
pub const WORDS: [&str; 10] = [
    "defaults.nulls",
    "defaults.overflow",
    "defaults.rename_all",
    "table.partition_key.type",
    "table.indexes.GSI1.projection",
    "table.create.stream",
    "entities.User.rename_all",
    "entities.User.column.a.type",
    "entities.User.attributes.A.type",
    "entities.User.attributes.A.overflow",
];

/// A key, values that parser and schema take, and values that both refuse.
pub type Values = (&'static str, &'static [&'static str], &'static [&'static str]);

pub const VALUES: &[Values] = &[
    (
        "source.url",
        &["'mysql://u@h/db'", "'mariadb://h/db'", "'sqlite:x.db'", "'${URL}'", "'${S:-sqlite}://x'"],
        &["''", "'sqlite://'", "'jdbc:mysql://h/db'", "'postgres:/h'", "5", "'${'"],
    ),
    ("source.snapshot", &["true", "false", "'${SNAPSHOT}'"], &["'yes'", "1"]),
    ("source.snapshot_limit", &["'1h30m'", "'0h90s'", "'2d'"], &["'0s'", "'1 h'", "'1w'", "3600", "'h'"]),
    ("source.readers", &["1", "64"], &["0", "65", "2.5", "'4'"]),
    ("source.page_rows", &["1", "1000000"], &["0", "1000001"]),
    ("source.ca_file", &["'ca.pem'"], &["''", "' '", "true"]),
    ("defaults.zone", &["'UTC'", "'America/Argentina/Buenos_Aires'", "'Etc/GMT+5'"], &["'+02:00'", "''"]),
    ("defaults.nulls", &["'omit'", "'null'"], &["'keep'", "'${NULLS}'", "false"]),
    ("table.name", &["'a.b'", "'a-b_c'", "'shop-${STAGE}'"], &["'ab'", "'my shop'", "'arn:aws:dynamodb'"]),
    (
        "table.partition_key",
        &["'P'", "{ name = 'P', type = 'S' }"],
        &["{ type = 'S' }", "['P']", "false", "''"],
    ),
    ("table.sort_key", &["'S'", "{ name = 'S' }"], &["true", "''", "['S']"]),
    ("table.entity_type", &["'Type'"], &["''", "true"]),
    ("table.region", &["'eu-west-1'", "'${AWS_REGION}'"], &["'EU'", "'eu west'"]),
    ("table.endpoint", &["'embedded'", "'http://h:8000'", "'https://h'"], &["'h:8000'", "'http://'"]),
    ("table.account", &["'123456789012'", "'${ACCOUNT}'"], &["'12345'", "123456789012"]),
    ("table.ttl", &["'expires_at'"], &["''"]),
    (
        "table.create.billing",
        &["'on-demand'", "{ read = 1, write = 1 }"],
        &["'x'", "{ read = 1 }", "{ read = 0, write = 1 }"],
    ),
    ("table.create.point_in_time_recovery", &["true"], &["'yes'"]),
    (
        "table.create.encryption",
        &[
            "'aws-owned'",
            "'aws-managed'",
            "'alias/a'",
            "'arn:aws:kms:x'",
            "'mrk-1'",
            "'1234abcd-12ab-34cd-56ef-1234567890ab'",
        ],
        &["'aws'", "true"],
    ),
    (
        "table.create.tags",
        &["{ team = 'a', empty = '' }"],
        &["{ team = 7 }", "{ 'AWS:x' = 'a' }", "{ '' = 'a' }", "[]"],
    ),
    ("table.create.stream", &["false", "'NEW_IMAGE'"], &["true", "'ALL'"]),
    ("table.create.warm_throughput", &["{ read = 1, write = 1 }"], &["{}", "12000"]),
    (
        "table.indexes.GSI1.sort_key",
        &["false", "'S'", "['S']", "[{ name = 'S', type = 'N' }, 'T', 'U', 'V']"],
        &["true", "[]", "['S', 'S']", "['S', 'T', 'U', 'V', 'W']", "[false]"],
    ),
    (
        "table.indexes.GSI1.partition_key",
        &["'P'", "['P', { name = 'Q', type = 'N' }]"],
        &["false", "[]", "['P', 'P']", "['P', 'Q', 'R', 'S', 'T']", "[['P']]"],
    ),
    ("table.indexes.GSI1.local", &["false"], &["'yes'", "1"]),
    ("table.indexes.GSI1.projection", &["['a', 'b']", "'ALL'"], &["[]", "['a', 'a']", "'KEYS'", "[1]"]),
    ("table.indexes.GSI1.create", &["{ billing = 'on-demand' }", "{}"], &["{ billing = 5 }"]),
    ("table.indexes.G", &[], &["{ partition_key = 'P' }"]),
    ("write.rate", &["'auto'", "1"], &["0", "'fast'", "'50%'", "2.5"]),
    ("write.concurrency", &["1", "1024"], &["0", "1025"]),
    ("write.max_rejects", &["0"], &["-1", "'all'"]),
    ("entities.User.from", &["'s.t'"], &["''", "7"]),
    ("entities.User.where", &["'a > 0'"], &["' '", "true"]),
    ("entities.User.key", &["['a', 'b']"], &["[]", "'a'", "['a', 'a']", "['']"]),
    (
        "entities.User.pk",
        &[
            "'{a:trim|lower}'",
            "'{a:%Y-%m}#{b:%6f|hex}'",
            "'{{a}}'",
            "'{\"a: }b\":010}'",
            "'{é}'",
            "'{a:shard(8)}'",
            "'{a:epoch|sortable}'",
        ],
        &[
            "''",
            "'{a'",
            "'a}'",
            "'{}'",
            "'{a b}'",
            "'{a:lowr}'",
            "'{a:10}'",
            "'{a:%y}'",
            "'{a:}'",
            "['{a}']",
            "{ template = 'a' }",
        ],
    ),
    ("entities.User.type", &["'USER'"], &["''", "7"]),
    (
        "entities.User.columns",
        &["'*'", "[]", "['a']", "{ except = ['a'] }"],
        &["'a'", "{}", "[1]", "{ only = ['a'] }"],
    ),
    ("entities.User.let", &["{ a = 'b' }"], &["'b'", "{ a = 1 }", "{ a = '' }"]),
    (
        "entities.User.column.a.format",
        &["'epoch'", "'epoch_ms'", "'%Y-%jT%3f'"],
        &["'iso'", "'%y'", "'%Y %'", "7"],
    ),
    (
        "entities.User.index.GSI1",
        &["{ pk = '{a}' }", "{ pk = '{a}', when = 'b' }"],
        &["{}", "{ when = 'b' }", "'{a}'"],
    ),
    (
        "entities.User.attributes.A",
        &[
            "'a'",
            "'a{b'",
            "{ column = 'a' }",
            "{ template = '{a}' }",
            "{ value = '' }",
            "{ value = 7 }",
            "{ value = true }",
        ],
        &[
            "''",
            "'{a}'",
            "7",
            "['a']",
            "{}",
            "{ type = 'S' }",
            "{ column = 'a', value = 1 }",
            "{ value = 1.5 }",
            "{ value = ['a'] }",
        ],
    ),
    (
        "access_patterns",
        &["[]", "[{ name = 'n', pk = 'P', returns = { User = 'a = 1' } }]"],
        &["{}", "'n'", "[7]", "[{}]"],
    ),
    (
        "access_patterns",
        &[
            "[{ name = 'n', pk = '{id}', params = 'SELECT 1 AS id', sk = 'A', limit = 1, sample = 100000, returns = { User = 'a' } }]",
            "[{ name = 'n', pk = ['{shard:02}'], shards = 1000, sk = { begins_with = 'A' }, order = 'desc', returns = { User = 'a' } }]",
            "[{ name = 'n', pk = 'P', sk = { between = ['A', 'B'] }, limit = 2147483647, returns = { User = 'a' } }]",
        ],
        &[
            "[{ name = ' ', pk = 'P', returns = { User = 'a' } }]",
            "[{ name = 'n', pk = 'P', returns = {} }]",
            "[{ name = 'n', pk = 'P', returns = { User = 7 } }]",
            "[{ name = 'n', pk = '{shard}', shards = 0, returns = { User = 'a' } }]",
            "[{ name = 'n', pk = 'P', limit = 0, returns = { User = 'a' } }]",
            "[{ name = 'n', pk = 'P', limit = 2147483648, returns = { User = 'a' } }]",
            "[{ name = 'n', pk = 'P', sample = 0, returns = { User = 'a' } }]",
            "[{ name = 'n', pk = 'P', order = 'newest', returns = { User = 'a' } }]",
            "[{ name = 'n', pk = 'P', sk = {}, returns = { User = 'a' } }]",
            "[{ name = 'n', pk = 'P', sk = { between = ['A'] }, returns = { User = 'a' } }]",
            "[{ name = 'n', pk = 'P', sk = { gt = 'A', lt = 'B' }, returns = { User = 'a' } }]",
        ],
    ),
];

/// A mapping in which each key of [`WORDS`] and [`VALUES`] can be set.
const BASE: &str = r#"
[source]
url = "sqlite://shop.db"

[table]
name = "shop"
partition_key = { name = "PK" }

[table.indexes.GSI1]
partition_key = "GSI1PK"

[entities.User]
from = "users"
pk = "USER#{id}"
sk = "PROFILE"

[entities.User.attributes.A]
column = "a"
"#;

/// [`BASE`] with one key set to a value, both as TOML spells them.
pub fn with(key: &str, value: &str) -> toml::Table {
    let mut mapping: toml::Table = toml::from_str(BASE).unwrap();
    let mut value: toml::Table = toml::from_str(&format!("value = {value}")).unwrap();
    let (tables, last) = key.rsplit_once('.').unwrap_or(("", key));
    let table = tables.split('.').filter(|name| !name.is_empty()).fold(&mut mapping, |table, name| {
        let table = table.entry(name).or_insert_with(|| toml::Value::Table(toml::Table::new()));
        table.as_table_mut().unwrap()
    });
    table.insert(last.to_owned(), value.remove("value").unwrap());
    mapping
}
