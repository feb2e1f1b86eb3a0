//! Where a row stands: its entity, the piece of its ranges, its position there. Eight bytes, in reading order.

/// Rows compare by entity, piece and position.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Place(u64);

const ENTITY_BITS: u32 = 10;
const PIECE_BITS: u32 = 14;
const ROW_BITS: u32 = 40;

impl Place {
    /// `None` beyond 1,024 entities, 16,384 pieces of one or 10^12 rows of a piece.
    pub(super) fn new(entity: usize, piece: usize, row: u64) -> Option<Self> {
        let (entity, piece) = (u64::try_from(entity).ok()?, u64::try_from(piece).ok()?);
        let fits = entity >> ENTITY_BITS == 0 && piece >> PIECE_BITS == 0 && row >> ROW_BITS == 0;
        fits.then_some(Self(entity << (PIECE_BITS + ROW_BITS) | piece << ROW_BITS | row))
    }

    pub(super) fn from_bytes(bytes: [u8; 8]) -> Self {
        Self(u64::from_be_bytes(bytes))
    }

    pub(super) fn to_bytes(self) -> [u8; 8] {
        self.0.to_be_bytes()
    }

    pub(super) fn entity(self) -> usize {
        usize::try_from(self.0 >> (PIECE_BITS + ROW_BITS)).unwrap_or(usize::MAX)
    }

    pub(super) fn piece(self) -> usize {
        usize::try_from(self.0 >> ROW_BITS & ((1 << PIECE_BITS) - 1)).unwrap_or(usize::MAX)
    }

    pub(super) fn row(self) -> u64 {
        self.0 & ((1 << ROW_BITS) - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_keep_their_parts_and_their_order() {
        let place = Place::new(3, 31, 123_456_789_012).unwrap();
        assert_eq!((place.entity(), place.piece(), place.row()), (3, 31, 123_456_789_012));
        assert_eq!(Place::from_bytes(place.to_bytes()), place);
        assert!(Place::new(0, 1, 0) > Place::new(0, 0, 999) && Place::new(1, 0, 0) > Place::new(0, 99, 9));
        assert_eq!(
            (Place::new(1 << 10, 0, 0), Place::new(0, 1 << 14, 0), Place::new(0, 0, 1 << 40)),
            (None, None, None)
        );
    }
}
