//! Columns of types without a documented form, and the SQL that gives them one.

use crate::mapping::Diagnostic;
use crate::source::{Column, Foreign, RawType};

use super::{Looked, typed};

/// What makes a form that keeps the structure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    Hstore,
    Composite,
    PostGis,
    Geometry,
    Cast,
}

const WAYS: [Way; 5] = [Way::Hstore, Way::Composite, Way::PostGis, Way::Geometry, Way::Cast];

/// One remark for each way.
pub(super) fn remarks(looked: &Looked<'_>) -> Vec<Diagnostic> {
    let foreign = looked.columns(|used| used.column.foreign.is_some());
    let of = |wanted: Way| {
        let columns: Vec<&Column> =
            foreign.iter().copied().filter(|column| way(column) == Some(wanted)).collect();
        let first = columns.first()?;
        let message = format!(
            "columns of `{}` are read as the text that the server makes of them: {}",
            looked.name(),
            typed(&columns)
        );
        let help = help(wanted, &first.name, &looked.computed_table());
        Some(Diagnostic::note("text-fallback", looked.span(&columns), message).with_help(help))
    };
    WAYS.into_iter().filter_map(of).collect()
}

fn way(column: &Column) -> Option<Way> {
    let name = column.sql_type.rsplit('.').next().unwrap_or_default();
    let name = name.split('(').next().unwrap_or_default();
    Some(match (column.foreign?, name) {
        (Foreign::Composite, _) => Way::Composite,
        (Foreign::Geometry, _) => Way::Geometry,
        (Foreign::Extension, "hstore") => Way::Hstore,
        (Foreign::Extension, "geometry" | "geography") if is_postgres(column) => Way::PostGis,
        (Foreign::Extension, _) => Way::Cast,
    })
}

fn is_postgres(column: &Column) -> bool {
    matches!(column.raw, RawType::Postgres(_))
}

fn help(way: Way, column: &str, computed: &str) -> String {
    let sql = match way {
        Way::Hstore => format!("hstore_to_json({column})"),
        Way::Composite => format!("to_jsonb({column})"),
        Way::PostGis => format!("ST_AsGeoJSON({column})::json"),
        Way::Geometry => format!("ST_AsGeoJSON({column})"),
        Way::Cast => {
            return format!(
                "where another form is meant, make a column of it in {computed} by SQL of its own"
            );
        }
    };
    format!("for a document, write `{column}_json = \"{sql}\"` in {computed} and leave `{column}` out")
}
