//! Which of several rows with one key is kept.

use super::record::{Loser, Rival};
use super::sorter::Sorter;
use super::{Collisions, EXAMPLES, Example, KeyPassError, ROOM, SourceKey};

/// All but the first of each key.
pub(super) fn lose(
    sorters: Vec<Sorter<Rival>>,
    collisions: &mut Collisions,
) -> Result<Sorter<Loser>, KeyPassError> {
    let mut losers = Sorter::new(ROOM);
    let mut kept: Option<(Rival, bool)> = None;
    for rival in Sorter::join(sorters)? {
        let rival = rival?;
        match &mut kept {
            Some((first, _)) if first.key == rival.key && first.is_like(&rival) => return Err(alike(&rival)),
            Some((first, shared)) if first.key == rival.key => {
                collisions.keys += u64::from(!*shared);
                *shared = true;
                *collisions.lost.entry(rival.entity).or_default() += 1;
                if collisions.examples.len() < EXAMPLES {
                    collisions.examples.push(Example { kept: shown(first), lost: shown(&rival) });
                }
                losers.push(Loser { place: rival.place, row: rival.row })?;
            }
            _ => kept = Some((rival, false)),
        }
    }
    Ok(losers)
}

/// By its source key alone a loser is known again.
fn alike(rival: &Rival) -> KeyPassError {
    let (_, key) = shown(rival);
    let key: Vec<String> = key.iter().map(|(name, text)| format!("{name} = {text}")).collect();
    KeyPassError::Alike { key: key.join(", ") }
}

fn shown(rival: &Rival) -> (usize, SourceKey) {
    (rival.entity, serde_json::from_slice(&rival.shown).unwrap_or_default())
}
