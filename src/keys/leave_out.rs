//! Takes the items of losers off a page.

use std::collections::HashSet;

use super::view::{Hash, row_hash};
use crate::item::{ItemPage, Rejection, Rule, source_key};
use crate::plan::{Keep, Layout};
use crate::source::Page;

/// Rejects the page's losers, or leaves them out in the way that `on_collision` asks for.
pub fn leave_out(items: &mut ItemPage, page: &Page, layout: &Layout, losers: &HashSet<Hash>, keep: Keep) {
    if losers.is_empty() {
        return;
    }
    let (mut rejected, mut skipped) = (Vec::new(), 0);
    items.retain(|row| {
        let source_key = source_key(layout, page, row);
        if !losers.contains(&row_hash(&source_key)) {
            return true;
        }
        match keep {
            Keep::Reject => rejected.push(collision(row, source_key)),
            Keep::First | Keep::Last => skipped += 1,
        }
        false
    });
    items.rejections.append(&mut rejected);
    items.skipped += skipped;
}

fn collision(row: usize, source_key: Vec<(String, String)>) -> Rejection {
    Rejection {
        row,
        rule: Rule::KeyCollision,
        column: None,
        message: "an earlier row has the same item key; `on_collision` keeps one of them".to_owned(),
        source_key,
    }
}
