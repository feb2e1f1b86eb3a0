-- What DynamoDB cannot hold, and what it can although it looks bad. `rule` is what must come of a row.
CREATE TABLE bad (
  id INTEGER PRIMARY KEY, k TEXT NOT NULL DEFAULT 'k', cases TEXT NOT NULL, rule TEXT NOT NULL,
  i INT, r REAL, de DECIMAL(10,2), t TEXT, da DATE, dt DATETIME, local DATETIME, j JSON, big TEXT
);
INSERT INTO bad (id, cases, rule) VALUES (1, 'nothing but NULL', 'carried');
INSERT INTO bad (id, cases, rule, r) VALUES
  (10, 'N05 Infinity', 'number_not_finite', 9e999),
  (11, 'N05 -Infinity', 'number_not_finite', -9e999),
  (12, 'N05 NaN is NULL to SQLite', 'carried', 9e999 - 9e999),
  (13, 'N04 5e-324', 'number_range', 5e-324),
  (14, 'N04 1.7976931348623157e308', 'number_range', 1.7976931348623157e308),
  (15, 'N04 1e-130', 'carried', 1e-130);
INSERT INTO bad (id, cases, rule, i) VALUES
  (20, 'N13 beyond a float', 'carried', 9007199254740993),
  (21, 'a number that SQLite keeps as text', 'carried', '0x10');
INSERT INTO bad (id, cases, rule, t) VALUES
  (30, 'not UTF-8', 'text_invalid', CAST(x'ff' AS TEXT)),
  (31, 'UTF-8 cut short', 'text_invalid', CAST(x'c3' AS TEXT)),
  (32, 'half a surrogate pair', 'text_invalid', CAST(x'eda080' AS TEXT)),
  (33, 'S15 a NUL in a text', 'carried', 'a' || char(0) || 'b');
INSERT INTO bad (id, cases, rule, k) VALUES
  (34, 'S15 a NUL in a key', 'text_invalid', 'a' || char(0) || 'b'),
  (35, 'not UTF-8 in a key', 'text_invalid', CAST(x'ff' AS TEXT));
INSERT INTO bad (id, cases, rule, da) VALUES
  (40, 'T01 a zero date is a text', 'carried', '0000-00-00'),
  (41, 'T09 the year 48113 is a text', 'carried', '48113-11-21'),
  (42, 'not UTF-8 in a date', 'text_invalid', CAST(x'ff' AS TEXT));
INSERT INTO bad (id, cases, rule, local) VALUES
  (50, 'T11 a time that was skipped', 'local_time', '2024-03-31 02:30:00'),
  (51, 'T11 a time that came twice', 'local_time', '2024-10-27 02:30:00'),
  (52, 'T11 the time after it', 'carried', '2024-10-27 03:00:00');
INSERT INTO bad (id, cases, rule, j) VALUES
  (60, 'S15 a NUL in a document', 'carried', '{"s": "x\u0000y"}'),
  (61, 'S16 equal names', 'carried', '{"a": 1, "b": 2, "a": 3}'),
  (62, 'half a surrogate pair', 'json_invalid', '"\ud800"'),
  (63, 'N21 1e400', 'number_range', '[1e400]'),
  (64, 'N20 39 digits', 'number_digits', '{"n": 123456789012345678901234567890123456789}'),
  (65, '32 levels', 'carried', '[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]'),
  (66, '33 levels', 'nesting', '[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]'),
  (67, 'no document', 'json_invalid', '{');
INSERT INTO bad (id, cases, rule, big) VALUES
  (70, 'Z01 401 KB', 'item_too_large', printf('%.410624c', 'x')),
  (71, 'Z01 399 KB', 'carried', printf('%.408576c', 'x'));
