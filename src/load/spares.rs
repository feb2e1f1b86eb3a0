//! Memory of finished pages, to be filled again: the system gives fresh memory page by page and cleared,
//! which costs as much as writing an item into it.

use std::sync::{Arc, Mutex, PoisonError};

use crate::item::ItemPage;
use crate::source::Page;

/// As many pages as were open at once, at most.
#[derive(Debug, Clone, Default)]
pub(crate) struct Spares(Arc<Mutex<Vec<(Page, ItemPage)>>>);

/// A page of more bytes than this is exceptional; its memory is given back.
const LARGEST: usize = 8 << 20;

impl Spares {
    pub(crate) fn take(&self) -> (Page, ItemPage) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).pop().unwrap_or_default()
    }

    pub(crate) fn give(&self, page: Page, items: ItemPage) {
        if page.size() + items.bytes.len() <= LARGEST {
            self.0.lock().unwrap_or_else(PoisonError::into_inner).push((page, items));
        }
    }
}
