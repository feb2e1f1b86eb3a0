-- What DynamoDB cannot hold, and what it can although it looks bad. `rule` is what must come of a row.
CREATE TABLE bad (
  id int PRIMARY KEY, k text NOT NULL DEFAULT 'k', cases text NOT NULL, rule text NOT NULL,
  n numeric, f4 real, f8 double precision, na numeric[], fa double precision[], d date, da date[], ts timestamp, tstz timestamptz,
  local timestamp(0), j json, jb jsonb, big text
);
INSERT INTO bad (id, cases, rule) VALUES (1, 'nothing but NULL', 'carried');
INSERT INTO bad (id, cases, rule, n) VALUES
  (10, 'N01 39 digits', 'number_digits', 123456789012345678901234567890123456789),
  (11, 'N01 41 digits', 'number_digits', 12345678901234567890123456789012345678901),
  (12, 'N01 38 digits', 'carried', 0.00012345678901234567890123456789012345678),
  (13, 'N02 40 characters, 16 digits', 'carried', 1234567895171680000000000000000000000000),
  (14, 'N04 1e-131', 'number_range', 1e-131),
  (15, 'N04 1e-130', 'carried', 1e-130),
  (16, 'N04 1e126', 'number_range', 1e126),
  (17, 'N04 9.99e125', 'carried', 9.99e125),
  (18, 'N05 NaN', 'number_not_finite', 'NaN'),
  (19, 'N05 Infinity', 'number_not_finite', 'Infinity'),
  (20, 'N16 groups of four', 'carried', 9999.9999);
INSERT INTO bad (id, cases, rule, f8) VALUES
  (30, 'N04 5e-324', 'number_range', 5e-324),
  (31, 'N04 1.7976931348623157e308', 'number_range', 1.7976931348623157e308),
  (32, 'N05 NaN', 'number_not_finite', 'NaN'),
  (33, 'N05 Infinity', 'number_not_finite', 'Infinity'),
  (34, 'N05 -Infinity', 'number_not_finite', '-Infinity');
INSERT INTO bad (id, cases, rule, f4) VALUES (35, 'N05 NaN', 'number_not_finite', 'NaN'), (36, 'N04 1.4e-45', 'carried', 1.4e-45);
INSERT INTO bad (id, cases, rule, fa) VALUES (37, 'N05 NaN in an array', 'number_not_finite', '{1,NaN}');
INSERT INTO bad (id, cases, rule, na) VALUES (38, 'N12 1e-131 in an array', 'number_range', '{0.1,1e-131}');
INSERT INTO bad (id, cases, rule, d) VALUES
  (40, 'T05 infinity', 'date_range', 'infinity'),
  (41, 'T05 -infinity', 'date_range', '-infinity'),
  (42, 'T08 before Christ', 'date_range', '0044-03-15 BC'),
  (43, 'T09 the year 48113', 'date_range', '48113-11-21'),
  (44, 'T09 the year 10000', 'date_range', '10000-01-01'),
  (45, 'T07 the last date', 'date_range', '5874897-12-31'),
  (46, 'T08 the first date of the first year', 'carried', '0001-01-01');
INSERT INTO bad (id, cases, rule, da) VALUES (47, 'T05 infinity in an array', 'date_range', '{2024-01-01,infinity}');
INSERT INTO bad (id, cases, rule, ts) VALUES
  (48, 'T05 infinity', 'date_range', 'infinity'),
  (49, 'T07 the year 294276', 'date_range', '294276-12-31 23:59:59.999999');
INSERT INTO bad (id, cases, rule, tstz) VALUES
  (50, 'T05 -infinity', 'date_range', '-infinity'),
  (51, 'T07 the year 294276', 'date_range', '294276-12-31 23:59:59+00'),
  (52, 'T07 the year 48113', 'date_range', '48113-11-21 00:00:00+00'),
  (53, 'T08 4714 before Christ', 'date_range', '4714-11-24 00:00:00+00 BC'),
  (54, 'T09 10000 in UTC, 9999 here', 'date_range', '9999-12-31 23:30:00-01'),
  (55, 'T09 9999 in UTC, 10000 here', 'carried', '10000-01-01 00:30:00+01');
INSERT INTO bad (id, cases, rule, local) VALUES
  (60, 'T11 a time that was skipped', 'local_time', '2024-03-31 02:30:00'),
  (61, 'T11 a time that came twice', 'local_time', '2024-10-27 02:30:00'),
  (62, 'T11 the time after it', 'carried', '2024-10-27 03:00:00');
INSERT INTO bad (id, cases, rule, j) VALUES
  (70, 'S15 a NUL in a document', 'carried', '{"s": "x\u0000y"}'),
  (71, 'S16 equal names', 'carried', '{"a": 1, "b": 2, "a": 3}'),
  (72, 'half a surrogate pair', 'json_invalid', '"\ud800"'),
  (73, 'the other half', 'json_invalid', '"\udc00 x"'),
  (74, 'a whole pair', 'carried', '"\ud83d\ude00"'),
  (75, 'N21 1e400', 'number_range', '{"e": 1e400}'),
  (76, 'an empty name', 'json_invalid', '{"": 1}'),
  (77, '32 levels', 'carried', (repeat('[', 31) || '1' || repeat(']', 31))::json),
  (78, '33 levels', 'nesting', (repeat('[', 32) || '1' || repeat(']', 32))::json),
  (79, '6000 levels', 'nesting', (repeat('[', 6000) || repeat(']', 6000))::json);
INSERT INTO bad (id, cases, rule, jb) VALUES
  (80, 'N20 39 digits', 'number_digits', '{"n": 123456789012345678901234567890.123456789}'),
  (81, 'N20 beyond 64 bits', 'carried', '{"big": 18446744073709551616, "tiny": 0.1}'),
  (82, 'N21 1e400, 401 digits', 'number_range', '{"e": 1e400}');
INSERT INTO bad (id, cases, rule, big) VALUES
  (90, 'Z01 401 KB', 'item_too_large', repeat('x', 410624)),
  (91, 'Z01 399 KB', 'carried', repeat('x', 408576));
