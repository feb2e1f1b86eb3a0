-- What DynamoDB cannot hold, and what it can although it looks bad. `rule` is what must come of a row.
SET sql_mode = '';
CREATE TABLE bad (
  id int PRIMARY KEY, k varchar(20) NOT NULL DEFAULT 'k', cases varchar(80) NOT NULL, rule varchar(30) NOT NULL,
  d65 decimal(65,30), d0 decimal(65,0), f double, da date, dn date NOT NULL DEFAULT '2000-01-01', dt datetime, dt6 datetime(6), ts timestamp NULL,
  local datetime, tm time(3), y year, e enum('a', 'b', ''), j json, big longtext
);
INSERT INTO bad (id, cases, rule) VALUES (1, 'nothing but NULL', 'carried');
INSERT INTO bad (id, cases, rule, d65) VALUES
  (10, 'N15 65 digits', 'number_digits', 12345678901234567890123456789012345.123456789012345678901234567890),
  (11, 'N15 38 digits', 'carried', 12345678.123456789012345678901234567890);
INSERT INTO bad (id, cases, rule, d0) VALUES
  (12, 'N01 39 digits', 'number_digits', 123456789012345678901234567890123456789),
  (13, 'N02 40 characters, 16 digits', 'carried', 1234567895171680000000000000000000000000);
INSERT INTO bad (id, cases, rule, f) VALUES
  (14, 'N04 1.7976931348623157e308', 'number_range', 1.7976931348623157e308),
  (15, 'N04 the smallest double', 'number_range', 2.2250738585072014e-308);
INSERT INTO bad (id, cases, rule, da) VALUES
  (20, 'T01 a zero date', 'date_invalid', '0000-00-00'),
  (21, 'T02 no month', 'date_invalid', '2025-00-15'),
  (22, 'T02 no day', 'date_invalid', '2025-01-00'),
  (23, 'T09 the year 0', 'date_range', '0000-01-01');
INSERT INTO bad (id, cases, rule, dn) VALUES (24, 'T01 a zero date that is NOT NULL', 'date_invalid', '0000-00-00');
INSERT INTO bad (id, cases, rule, dt) VALUES
  (25, 'T01 a zero datetime', 'date_invalid', '0000-00-00 00:00:00'),
  (26, 'T02 no day', 'date_invalid', '2025-06-00 00:00:00');
INSERT INTO bad (id, cases, rule, dt6) VALUES (27, 'T01 a zero datetime(6)', 'date_invalid', '0000-00-00 00:00:00');
INSERT INTO bad (id, cases, rule, ts) VALUES (28, 'T01 a zero timestamp', 'date_invalid', '0000-00-00 00:00:00');
INSERT INTO bad (id, cases, rule, local) VALUES
  (30, 'T11 a time that was skipped', 'local_time', '2024-03-31 02:30:00'),
  (31, 'T11 a time that came twice', 'local_time', '2024-10-27 02:30:00'),
  (32, 'T11 the time after it', 'carried', '2024-10-27 03:00:00'),
  (33, 'T01 a zero datetime with a zone', 'date_invalid', '0000-00-00 00:00:00');
INSERT INTO bad (id, cases, rule, tm) VALUES
  (40, 'a sign without an hour', 'carried', '-00:00:00.123'),
  (41, 'the longest time', 'carried', '-838:59:59.999');
INSERT INTO bad (id, cases, rule, y) VALUES (42, 'the year 0', 'carried', 0);
INSERT INTO bad (id, cases, rule, e) VALUES (43, 'S12 no member', 'carried', 'nope'), (44, 'S12 the empty member', 'carried', '');
INSERT INTO bad (id, cases, rule, j) VALUES
  (50, 'S15 a NUL in a document', 'carried', '{"s": "x\\u0000y"}'),
  (51, 'N20 39 digits', 'number_digits', '{"n": 123456789012345678901234567890123456789}'),
  (52, '31 levels', 'carried', CONCAT(REPEAT('[', 31), '1', REPEAT(']', 31))),
  (54, 'an empty name', 'json_invalid', '{"": 1}');
INSERT INTO bad (id, cases, rule, big) VALUES
  (60, 'Z01 401 KB', 'item_too_large', REPEAT('x', 410624)),
  (61, 'Z01 399 KB', 'carried', REPEAT('x', 408576));
INSERT INTO bad (id, cases, rule, k) VALUES (70, 'S15 a NUL in a key', 'text_invalid', CONCAT('a', CHAR(0), 'b'));
INSERT INTO bad (id, cases, rule, big) VALUES (71, 'S15 a NUL in a text', 'carried', CONCAT('a', CHAR(0), 'b'));
