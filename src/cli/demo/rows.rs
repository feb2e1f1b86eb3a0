//! Further rows for the demo's shop, beside those of the example: made up, the same at every run.

use std::fmt::Write as _;

/// Users to add; each has four orders of three items.
const USERS: u32 = 400;
const ORDERS_A_USER: u32 = 4;
const ITEMS_AN_ORDER: u32 = 3;

/// Far above the ids of the example.
const FIRST_ID: u32 = 100_001;

const NAMES: [&str; 8] = ["Zoë", "José", "李明", "Ольга", "Nguyễn", "Marie 🌻", "O''Brien", "Åsa \"Bo\" Ek"];

/// INSERT statements for the schema of `mappings/shop.sqlite.sql`.
pub(super) fn rows() -> String {
    let mut sql = String::new();
    for user in 0..USERS {
        insert_user(&mut sql, FIRST_ID + user);
        for order in 0..ORDERS_A_USER {
            insert_order(&mut sql, FIRST_ID + user, FIRST_ID + user * ORDERS_A_USER + order);
        }
    }
    sql
}

// Writing into a String cannot fail.
fn insert_user(sql: &mut String, id: u32) {
    let name = pick(&NAMES, id);
    let bio =
        if id.is_multiple_of(3) { "NULL".to_owned() } else { format!("'customer since {}'", 2000 + id % 25) };
    let _ = writeln!(
        sql,
        "INSERT INTO users (id, email, name, password_hash, bio, avatar, birthday, preferences, created_at) \
         VALUES ({id}, 'user{id}@example.com', '{name}', 'argon2${id}', {bio}, NULL, '{}', \
         '{{\"theme\": \"dark\", \"visits\": {id}}}', '{}');",
        day(id),
        moment(id)
    );
}

fn insert_order(sql: &mut String, user: u32, id: u32) {
    let shipped = if id.is_multiple_of(5) { "'UNSHIPPED'" } else { "NULL" };
    let deleted = if id.is_multiple_of(50) { format!("'{}'", moment(id)) } else { "NULL".to_owned() };
    let _ = writeln!(
        sql,
        "INSERT INTO orders (id, user_id, order_date, status, shipped_status, total, gift, note, purge_after, deleted_at) \
         VALUES ({id}, {user}, '{}', '{}', {shipped}, '{}', {}, NULL, '{}', {deleted});",
        moment(id),
        pick(&["paid", "open", "cancelled"], id),
        price(id),
        id % 2,
        moment(id + 7)
    );
    for line in 1..=ITEMS_AN_ORDER {
        let product = 1 + (id + line) % 12;
        let _ = writeln!(
            sql,
            "INSERT INTO order_items (order_id, line_no, product_id, sku, quantity, price, discount) \
             VALUES ({id}, {line}, {product}, 'SKU-{product:03}', {}, '{}', NULL);",
            1 + id % 4,
            price(id + line)
        );
    }
}

fn pick<'a>(texts: &[&'a str], number: u32) -> &'a str {
    let position = usize::try_from(number).unwrap_or_default().checked_rem(texts.len()).unwrap_or_default();
    texts.get(position).copied().unwrap_or_default()
}

fn day(number: u32) -> String {
    format!("{}-{:02}-{:02}", 1950 + number % 55, 1 + number % 12, 1 + number % 28)
}

fn moment(number: u32) -> String {
    let (hour, minute, second) = (number % 24, number % 60, number * 7 % 60);
    format!(
        "2025-{:02}-{:02} {hour:02}:{minute:02}:{second:02}.{:06}",
        1 + number % 12,
        1 + number % 28,
        number % 1_000_000
    )
}

fn price(number: u32) -> String {
    format!("{}.{:02}", 5 + number % 90, number * 5 % 100)
}
