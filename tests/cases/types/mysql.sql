-- A column of every type, as old rows were written: without strict mode.
SET sql_mode = '';
CREATE TABLE wide (
  id int PRIMARY KEY,
  t1 tinyint(1), ti tinyint, tu tinyint unsigned, si smallint, su smallint unsigned, mi mediumint, mu mediumint unsigned,
  i int, iu int unsigned, bi bigint, bu bigint unsigned, z int(5) zerofill, zb bigint zerofill,
  d decimal(10,2), d65 decimal(65,30), dz decimal(8,2) zerofill, du decimal(65,0) unsigned, f float, f74 float(7,4), fd double, fd2 double(10,3),
  b1 bit, b8 bit(8), b33 bit(33), b64 bit(64), y year,
  da date, dt datetime, dt3 datetime(3), dt6 datetime(6), ts timestamp NULL, ts1 timestamp(1) NULL, ts6 timestamp(6) NULL,
  tm time, tm3 time(3), tm6 time(6),
  c char(6), v varchar(20), nc national varchar(6), tt tinytext, tx text, mt mediumtext, lt longtext,
  l1 varchar(20) CHARACTER SET latin1, l1bin varchar(20) CHARACTER SET latin1 COLLATE latin1_bin, ub varchar(20) COLLATE utf8mb4_bin,
  u3 varchar(20) CHARACTER SET utf8mb3, u2 varchar(20) CHARACTER SET ucs2, u16 text CHARACTER SET utf16, u32 char(4) CHARACTER SET utf32,
  sj varchar(20) CHARACTER SET sjis, cp varchar(20) CHARACTER SET cp1251, asc_ii varchar(20) CHARACTER SET ascii, garbled varchar(20) CHARACTER SET latin1,
  e enum('a', 'b', ''), ecp enum('да', 'нет') CHARACTER SET cp1251, s set('x', 'y', 'z'), scp set('да', 'нет') CHARACTER SET cp1251,
  bin binary(4), vbin varbinary(20), tb tinyblob, bl blob, mb mediumblob, lb longblob,
  j json, g geometry, g_srid geometry, p point, ls linestring, po polygon, mp multipoint, mls multilinestring, mpo multipolygon, gc geometrycollection,
  virtual_one int GENERATED ALWAYS AS (i + 1) VIRTUAL, stored_one varchar(30) GENERATED ALWAYS AS (CONCAT(v, '!')) STORED
);

INSERT INTO wide (id, t1, ti, tu, si, su, mi, mu, i, iu, bi, bu, z, zb, d, d65, dz, du, f, f74, fd, fd2, b1, b8, b33, b64, y, da, dt, dt3, dt6,
  ts, ts1, ts6, tm, tm3, tm6, c, v, nc, tt, tx, mt, lt, l1, l1bin, ub, u3, u2, u16, u32, sj, cp, asc_ii, garbled, e, ecp, s, scp,
  bin, vbin, tb, bl, mb, lb, j, g, g_srid, p, ls, po, mp, mls, mpo, gc)
VALUES (1, 1, -7, 200, -300, 60000, -70000, 16000000, -42, 4000000000, -9007199254740993, 9007199254740993, 42, 7,
  19.90, 0.1, 19.90, 7, 0.1, 123.45678, 19.99, 1.5, b'1', b'10000001', b'100000000000000000000000000000001', 10, 2024,
  '2024-02-29', '2024-02-29 12:34:56', '2024-02-29 12:34:56', '2024-02-29 12:34:56.789', '2024-02-29 12:34:56', '2024-02-29 12:34:56.7',
  '2024-02-29 12:34:56.000001', '12:34:56', '-00:00:00.123', '01:02:03.000004',
  'AB', '02134 ', 'é', 'naïve "text" with \\ and
two lines', '😀', 'x', 'y', 'é€', 'É', 'Ü', '€', '€', '😀', '😀', 'アイ', 'Ж', 'ascii', CONVERT(CAST('é' AS BINARY) USING latin1),
  'b', 'нет', 'z,x', 'да,нет', x'00ff', x'00ff00', x'01', x'02', x'03', x'04',
  '{"a": 1.50, "b": [true, null, "é"], "c": {}}', ST_GeomFromText('POINT(0.1 -2)'), ST_GeomFromText('POINT(1 2)', 4326), ST_GeomFromText('POINT(1 2)'),
  ST_GeomFromText('LINESTRING(0 0,1 1)'), ST_GeomFromText('POLYGON((0 0,0 1,1 1,0 0))'), ST_GeomFromText('MULTIPOINT(0 0,1 1)'),
  ST_GeomFromText('MULTILINESTRING((0 0,1 1))'), ST_GeomFromText('MULTIPOLYGON(((0 0,0 1,1 1,0 0)))'),
  ST_GeomFromText('GEOMETRYCOLLECTION(POINT(1 2),LINESTRING(0 0,1 1))'));

-- The largest.
INSERT INTO wide (id, t1, ti, tu, si, su, mi, mu, i, iu, bi, bu, z, d, d65, du, f, fd, b1, b8, b33, b64, y, da, dt, dt6, ts, ts6, tm, tm6,
  c, v, tx, e, s, bin, vbin, j)
VALUES (2, 127, 127, 255, 32767, 65535, 8388607, 16777215, 2147483646, 4294967295, 9223372036854775807, 18446744073709551615, 4294967295,
  99999999.99, 12345678.123456789012345678901234567890, 99999999999999999999999999999999999999000000000000000000000000000, 3.40282e38, 9.99e125,
  b'1', b'11111111', ~0, ~0, 2155, '9999-12-31', '9999-12-31 23:59:59', '9999-12-31 23:59:59.999999', '2038-01-19 03:14:07', '2038-01-19 03:14:07.999999',
  '838:59:59', '838:59:59.999999', REPEAT('€', 6), REPEAT('😀', 20), REPEAT('é', 400), 'a', 'x,y,z', x'ffffffff', x'ffffffffffffffff',
  '{"big": 18446744073709551615, "max": 9.9999999999999999999999999999999999999e125}');

-- The smallest.
INSERT INTO wide (id, t1, ti, tu, si, su, mi, mu, i, iu, bi, bu, z, d, d65, f, fd, b1, b8, b33, b64, y, da, dt, dt6, ts, ts6, tm, tm6, bin, s, j)
VALUES (3, -128, -128, 0, -32768, 0, -8388608, 0, -2147483648, 0, -9223372036854775808, 0, 0, -99999999.99, -0.000000000000000000000000000001,
  1e-38, -1e-130, b'0', b'0', b'0', b'0', 1901, '0001-01-01', '0001-01-01 00:00:00', '0001-01-01 00:00:00', '1970-01-01 00:00:01',
  '1970-01-01 00:00:01', '-838:59:59', '-838:59:59.999999', x'00000000', 'x', '-0.0');

INSERT INTO wide (id) VALUES (4);

-- Empty, and the values that stand for an error: a year of 0, an ENUM that is no member.
INSERT INTO wide (id, y, c, v, tx, l1, e, ecp, s, bin, vbin, bl, j, gc, tm)
VALUES (5, 0, '', '', '', '', '', 'nonsense', '', '', '', '', '[]', ST_GeomFromText('GEOMETRYCOLLECTION EMPTY'), 0);
