-- Declared types of all kinds, with values that fit them and values that do not.
CREATE TABLE wide (
  id INTEGER PRIMARY KEY,
  i INT, big BIGINT, tiny TINYINT, r REAL, d DOUBLE, f FLOAT, n NUMERIC, de DECIMAL(10,2), bo BOOLEAN, t TEXT, v VARCHAR(20), c CHAR(4),
  b BLOB, untyped, da DATE, dt DATETIME, ts TIMESTAMP, ti TIME, j JSON, jb JSONB, u UUID, g GUID, odd POLYGON,
  virtual_one INT GENERATED ALWAYS AS (i + 1) VIRTUAL, stored_one TEXT GENERATED ALWAYS AS (v || '!') STORED
);
INSERT INTO wide (id, i, big, tiny, r, d, f, n, de, bo, t, v, c, b, untyped, da, dt, ts, ti, j, jb, u, g, odd) VALUES
  (1, 42, 9007199254740993, 1, 0.1, 19.99, 1.5, 7, 19.90, 1, 'naïve "text" with \ and
two lines', '02134', 'AB  ', x'00ff', 'free', '2024-02-29', '2024-02-29 12:34:56.789', '2024-02-29T12:34:56', '12:34:56', '{"a": [1.50, null]}',
   '{"a": {}}', 'AB9D25E0-64E6-469F-9873-8621910ED300', 'ab9d25e0-64e6-469f-9873-8621910ed300', 'POLYGON((0 0))'),
-- The largest and the smallest.
  (2, 9223372036854775807, 9223372036854775807, 255, 9.99e125, 9.99e125, 3.4028235e38, 1e15, 99999999.99, 1, printf('%.400c', '€'), '😀', '', x'ff',
   9223372036854775807, '9999-12-31', '9999-12-31 23:59:59.999999', '9999-12-31 23:59:59', '23:59:59.999999', '18446744073709551615', '1e-130',
   'ffffffff-ffff-ffff-ffff-ffffffffffff', NULL, NULL),
  (3, -9223372036854775808, -9223372036854775808, -128, 1e-130, -1e-130, -0.0, -1, -0.01, 0, NULL, NULL, NULL, NULL, -9223372036854775808, '0001-01-01',
   '0001-01-01 00:00:00', '0001-01-01 00:00:00', '00:00:00', '-0.0', 'null', '00000000-0000-0000-0000-000000000000', NULL, NULL),
  (4, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
  (5, '', '', '', '', '', '', '', '', '', '', '', '', x'', '', '', '', '', '', '""', '[]', '', '', ''),
-- Values of other classes than their column says.
  (6, 'seven', 1.5, x'07', 'one', 7, 7.0, '19.9000000000000000000000001', 'n/a', 2, 42, 1.5, x'0102', 'text in a blob', 1.5, 20240229, 1709210096,
   1709210096.5, 'noon', x'7b7d', x'5b5d', 'no uuid', x'00', 7);

CREATE TABLE strict_one (id INTEGER PRIMARY KEY, i INT, r REAL, t TEXT, b BLOB, a ANY) STRICT;
INSERT INTO strict_one VALUES (1, 1, 1.5, '1', x'01', '007'), (2, NULL, NULL, NULL, NULL, NULL), (3, 3, 3, '', x'', 9007199254740993);
