//! Texts in keys that are near to others without being equal: `abc` beside `ABC`. To SQL they may be one, to
//! DynamoDB they are two. `check --deep` counts them; knows no target and writes nothing.
//!
//! Where a text refers to a parent the database joins and counts. Where it stands for itself all of its entity's rows are
//! read, in pages: no database trims, folds and normalizes as keys do (in the C locale PostgreSQL's `lower` knows ASCII
//! alone, and the others know no normal forms). What is remembered meanwhile is bounded.

mod twins;

use std::sync::Arc;

use crate::item;
use crate::mapping::{Mapping, Rows, Span};
use crate::plan::{EntityPlan, Layout, NearColumn, Plan, near_columns};
use crate::source::{
    Bounds, Cursor, ForeignKey, Kinship, Page, PageLimits, Position, RawCell, RawType, Reader, Relation, Row,
    Select, Source, SourceError,
};
use twins::Twins;

/// What to ask about one entity.
#[derive(Debug)]
pub struct NearQuestions<'a> {
    pub entity: &'a EntityPlan,
    columns: Vec<NearColumn>,
}

/// Rows of one entity whose text in one column is near to another.
#[derive(Debug, Clone)]
pub struct Near {
    pub entity: String,
    pub column: String,
    /// The table whose rows are referred to; the column's own texts are meant without.
    pub parent: Option<ForeignKey>,
    pub rows: u64,
    /// Source keys of the first of them, five at most.
    pub examples: Vec<SourceKey>,
    /// Where a key of the mapping names the column.
    pub span: Span,
}

/// Columns and their values, as text.
pub type SourceKey = Vec<(String, String)>;

const EXAMPLES: usize = 5;

impl NearQuestions<'_> {
    /// Columns whose rows the database counts beside their parents, and those parents' tables.
    pub fn joined(&self) -> impl Iterator<Item = (&str, &str)> {
        self.columns.iter().filter_map(|near| {
            near.parent.as_ref().map(|(key, _)| (near.column.name.as_str(), key.table.as_str()))
        })
    }

    /// Columns for which all rows are read.
    pub fn read(&self) -> impl Iterator<Item = &str> {
        self.columns.iter().filter(|near| near.parent.is_none()).map(|near| near.column.name.as_str())
    }
}

/// What there is to ask; of the catalog only, at the cost of describing each entity once more.
pub async fn questions<'a>(
    mapping: &Mapping,
    plan: &'a Plan,
    source: &mut Source,
) -> Result<Vec<NearQuestions<'a>>, SourceError> {
    let mut questions = Vec::new();
    for planned in &plan.entities {
        let Some(entity) = mapping.entities.iter().find(|entity| *entity.name.get_ref() == planned.name)
        else {
            continue;
        };
        let rows = match &entity.rows {
            Rows::From(from) => crate::source::Rows::From(from.get_ref().clone()),
            Rows::Query(query) => crate::source::Rows::Query(query.get_ref().clone()),
        };
        let Some(mut relation) = described(source, &rows).await? else { continue };
        for key in &mut relation.foreign_keys {
            name_referenced(source, key).await?;
        }
        let columns = near_columns(entity, &relation, planned, plan);
        if !columns.is_empty() {
            questions.push(NearQuestions { entity: planned, columns });
        }
    }
    Ok(questions)
}

async fn described(source: &mut Source, rows: &crate::source::Rows) -> Result<Option<Relation>, SourceError> {
    match source.describe(rows, None, &[], &[]).await {
        Ok(relation) => Ok(Some(relation)),
        Err(errors) => errors.into_iter().next().map_or(Ok(None), Err),
    }
}

/// SQLite leaves the columns out where the parent's primary key is meant.
async fn name_referenced(source: &mut Source, key: &mut ForeignKey) -> Result<(), SourceError> {
    if !key.referenced.is_empty() {
        return Ok(());
    }
    let table = format!("\"{}\"", key.table.replace('"', "\"\""));
    let parent = described(source, &crate::source::Rows::From(table)).await?;
    let primary = parent.and_then(|parent| parent.unique_keys.into_iter().find(|key| key.primary));
    key.referenced = primary.map(|primary| primary.columns).unwrap_or_default();
    Ok(())
}

/// Asks about all of them, on one snapshot.
pub async fn near(
    questions: &[NearQuestions<'_>],
    source: &mut Source,
    limits: PageLimits,
) -> Result<Vec<Near>, SourceError> {
    let selects: Vec<Select> = questions.iter().map(|asked| (*asked.entity.select).clone()).collect();
    let mut snapshot = source.open(1, &selects).await?;
    let Some(reader) = snapshot.readers.first_mut() else { return Ok(Vec::new()) };
    let mut found = Vec::new();
    for asked in questions {
        for near in &asked.columns {
            if let Some((key, steps)) = &near.parent {
                let kin = Kinship { column: &near.column.name, key, child: &near.steps, parent: steps };
                let narrowed = source.spelled_otherwise(&asked.entity.select, kin);
                found.extend(children(reader, asked.entity, near, narrowed).await?);
            }
        }
        found.extend(among_themselves(reader, asked, limits).await?);
    }
    Ok(found)
}

/// The rows of a select that holds none but those that are meant.
async fn children(
    reader: &mut Reader,
    entity: &EntityPlan,
    near: &NearColumn,
    narrowed: Select,
) -> Result<Option<Near>, SourceError> {
    let rows = reader.count(&narrowed).await?;
    if rows == 0 {
        return Ok(None);
    }
    let looked = Looked::new(entity, narrowed, &[]);
    let page = reader.find(&looked.select, &[], u64::try_from(EXAMPLES).unwrap_or(1)).await?;
    let examples = (0..page.rows()).map(|row| item::source_key(&looked.layout, &page, row)).collect();
    Ok(Some(Near { rows, examples, ..nothing(entity, near) }))
}

fn nothing(entity: &EntityPlan, near: &NearColumn) -> Near {
    Near {
        entity: entity.name.clone(),
        column: near.column.name.clone(),
        parent: near.parent.as_ref().map(|(key, _)| key.clone()),
        rows: 0,
        examples: Vec::new(),
        span: near.span.clone(),
    }
}

/// Reads the rows as often as the memory for their texts asks for: once, up to a quarter of a million.
async fn among_themselves(
    reader: &mut Reader,
    asked: &NearQuestions<'_>,
    limits: PageLimits,
) -> Result<Vec<Near>, SourceError> {
    let columns: Vec<&NearColumn> = asked.columns.iter().filter(|near| near.parent.is_none()).collect();
    let mut twins: Vec<Twins> = columns.iter().map(|near| Twins::new(&near.steps)).collect();
    let looked = Looked::new(asked.entity, (*asked.entity.select).clone(), &columns);
    while twins.iter().any(|twins| !twins.is_done()) {
        let mut cursor = Cursor::new(Arc::clone(&looked.select), Bounds::default(), Position::Start, limits);
        while let Some((page, _)) = cursor.next(reader).await? {
            looked.add(&page, &columns, &mut twins);
            cursor.reuse(page);
        }
        twins.iter_mut().for_each(Twins::end_of_rows);
    }
    let found = columns.iter().zip(twins).map(|(near, twins)| {
        let (rows, examples) = twins.found();
        Near { rows, examples, ..nothing(asked.entity, near) }
    });
    Ok(found.filter(|near| near.rows > 0).collect())
}

/// An entity's SELECT of its source key and some columns, and how the keys of its rows are shown.
struct Looked {
    select: Arc<Select>,
    layout: Layout,
    /// Columns of the source key, which come first.
    keys: usize,
}

impl Looked {
    fn new(entity: &EntityPlan, select: Select, columns: &[&NearColumn]) -> Self {
        let keys = &entity.layout.source_key;
        let places: Vec<usize> =
            keys.iter().copied().chain(columns.iter().map(|near| near.position)).collect();
        let output = places.iter().filter_map(|place| select.output.get(*place).cloned()).collect();
        let shown = places.iter().filter_map(|place| entity.layout.columns.get(*place).cloned()).collect();
        let layout =
            Layout { columns: shown, source_key: (0..keys.len()).collect(), ..entity.layout.clone() };
        Self { select: Arc::new(Select { output, ..select }), layout, keys: keys.len() }
    }

    fn add(&self, page: &Page, columns: &[&NearColumn], twins: &mut [Twins]) {
        for (number, row) in page.iter().enumerate() {
            for (at, (near, twins)) in columns.iter().zip(twins.iter_mut()).enumerate() {
                if let Some(text) = text(row, self.keys + at, &near.column.raw) {
                    twins.add(text, || item::source_key(&self.layout, page, number));
                }
            }
        }
    }
}

/// What is no text, or not UTF-8, is nobody's twin.
fn text<'a>(row: Row<'a>, column: usize, raw: &RawType) -> Option<&'a str> {
    let (RawCell::Bytes(bytes) | RawCell::Text(bytes)) = row.cell(column) else { return None };
    let text = str::from_utf8(bytes).ok()?;
    let padded = *raw == RawType::Postgres(crate::source::PgType::Char);
    Some(if padded { text.trim_end_matches(' ') } else { text })
}
