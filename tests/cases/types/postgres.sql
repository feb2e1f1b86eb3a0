-- A column of every type that a user can store values in.
CREATE EXTENSION hstore;
CREATE EXTENSION citext;
CREATE EXTENSION ltree;
CREATE EXTENSION cube;
CREATE TYPE mood AS ENUM ('sad', 'ok', '');
CREATE TYPE pair AS (a int, b text);
CREATE TYPE floatrange AS RANGE (subtype = float8);
CREATE DOMAIN price AS numeric(10,2);
CREATE DOMAIN cheap AS price CHECK (VALUE < 10);
CREATE DOMAIN tags AS text[];
CREATE DOMAIN dom_mood AS mood;
CREATE DOMAIN dom_pair AS pair;
CREATE DOMAIN dom_range AS int4range;
CREATE DOMAIN dom_char AS char(4);
CREATE DOMAIN dom_inet AS inet;
CREATE DOMAIN dom_bits AS bit(4);
CREATE DOMAIN dom_moment AS timestamptz(0);
CREATE DOMAIN dom_json AS jsonb;
CREATE DOMAIN dom_money AS money;
CREATE DOMAIN dom_oid AS oid;
CREATE DOMAIN grid AS int[];

CREATE TABLE wide (
  id int PRIMARY KEY,
  i2 smallint, i4 integer, i8 bigint, o oid, x xid, ci cid, x8 xid8,
  n numeric, n2 numeric(10,2), nn numeric(6,-2), m money, f4 real, f8 double precision,
  b boolean, b1 bit, b8 bit(8), b64 bit(64), b72 bit(72), vb bit varying, vb7 bit varying(7),
  t text, v varchar(20), nm name, c char(6), ch "char", ct citext, en mood, by bytea, u uuid,
  d date, ti time, ti0 time(0), tz timetz, tz3 timetz(3), ts timestamp, ts0 timestamp(0), ts3 timestamp(3),
  tstz timestamptz, tstz0 timestamptz(0), tstz3 timestamptz(3), iv interval, iv0 interval(0),
  j json, jb jsonb, x_ml xml, jp jsonpath, tv tsvector, tq tsquery,
  dom price, dom2 cheap, dom_array tags, pr pair, hs hstore, lt ltree, cu cube,
  ip inet, cd cidr, mac macaddr, mac8 macaddr8,
  r4 int4range, r8 int8range, rn numrange, rts tsrange, rtstz tstzrange, rd daterange, rf floatrange,
  mr4 int4multirange, mrn nummultirange, mrtstz tstzmultirange,
  pt point, ln line, ls lseg, bx box, pth path, po polygon, cc circle,
  lsn pg_lsn, snap pg_snapshot, txs txid_snapshot, td tid, i2v int2vector, ov oidvector,
  rc regclass, rt regtype, rp regproc, rpe regprocedure, rop regoperator, rr regrole, rns regnamespace,
  rco regcollation, rcf regconfig, rdi regdictionary, cur refcursor, acl aclitem,
  gen integer GENERATED ALWAYS AS (i4 / 2) STORED
);

INSERT INTO wide VALUES (1,
  -7, 42, 9007199254740993, 26, '700', '1', '4294967296',
  1234.56, 19.90, 1234567, '1234.5', 0.1, 19.99,
  true, B'1', B'10000001', B'0000000000000000000000000000000000000000000000000000000000001010',
  B'000000010000001000000011000001000000010100000110000001110000100000001001', B'0101', B'001',
  'naïve "text" with \ and
two lines', '02134', 'a_name', 'AB', 'x', 'Citext', 'ok', '\x00ff10', 'AB9D25E0-64E6-469F-9873-8621910ED300',
  '2024-02-29', '12:34:56.789', '12:34:56', '12:34:56.7+02', '12:34:56.789-05:30', '2024-02-29 12:34:56.789',
  '2024-02-29 12:34:56', '2024-02-29 12:34:56.789', '2024-02-29 12:34:56.789+02', '2024-02-29 12:34:56+02',
  '2024-02-29 12:34:56.789+02', '1 year 2 mons 3 days 04:05:06.789', '90 minutes',
  '{"a": 1.50, "a": {"deep": [true, null, "é\u0001\u0000"]}}', '{"n": 0.1000, "big": 123456789012345678, "s": "\u00e9"}',
  '<a href="x">é</a>', '$.a[*] ? (@ > 1)', 'fat:2 cat:1A', 'fat & !cat',
  1.5, 9.99, '{red,"a,b",NULL}', ROW(1, 'a,"b'), '"a b"=>"1", c=>NULL', 'Top.Science', '(1,2),(3,4)',
  '192.168.0.1', '10.0.0.0/8', '08:00:2b:01:02:03', '08:00:2b:01:02:03:04:05',
  '[1,5]', '(1,5)', '[1.50,2)', '[2024-01-01,2024-02-01 12:00)', '[2024-01-01 00:00+02,)', '[2024-01-01,2024-01-31]', '[0.1,1)',
  '{[1,2],[5,6]}', '{[0.1,0.2]}', '{[2024-01-01 00:00+02,2024-01-02 00:00+02)}',
  '(1,0.1)', '{1,-1,0}', '[(0,0),(1,1)]', '(0,0),(1,1)', '((0,0),(1,1))', '((0,0),(1,1),(1,0))', '<(0,0),1.5>',
  '16/B374D848', '10:20:10,14', '10:20:10,14', '(0,1)', '1 2 3', '1 2',
  'pg_class', 'int4', 'now', 'abs(int4)', '*(int4,int4)', 'pg_monitor', 'pg_catalog', '"C"', 'simple', 'simple', 'cursor',
  'pg_monitor=r/pg_monitor');

-- The largest.
INSERT INTO wide (id, i2, i4, i8, o, x, ci, x8, n, n2, nn, m, f4, f8, b, b1, b8, b64, vb, t, v, nm, c, ch, u, d, ti, ti0, tz,
  ts, ts0, tstz, tstz3, iv, j, jb, dom, hs, ip, cd, mac8, r4, r8, rn, rts, rtstz, rd, mr4, mrtstz, pt, lsn, i2v)
VALUES (2, 32767, 2147483647, 9223372036854775807, '4294967295', '4294967295', '4294967295', '18446744073709551615',
  99999999999999999999999999999999999999e88, 99999999.99, 99999900, '92233720368547758.07', 3.4028235e38, 9.99e125,
  true, B'1', B'11111111', ~B'0000000000000000000000000000000000000000000000000000000000000000', repeat('1', 70)::varbit,
  repeat('€', 400), repeat('😀', 20), repeat('n', 63), repeat('€', 6), '~', 'ffffffff-ffff-ffff-ffff-ffffffffffff',
  '9999-12-31', '24:00:00', '24:00:00', '24:00:00-15:59:59', '9999-12-31 23:59:59.999999', '9999-12-31 23:59:59',
  '9999-12-31 23:59:59.999999+00', '9999-12-31 23:59:59.999+00', '178000000 years 11 mons 30 days 23:59:59.999999',
  '[9.9999999999999999999999999999999999999E+125]', '[18446744073709551616, 1e-130]',
  99999999.99, '"=>"=>"\"\\"', 'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', '::1/128', 'ff:ff:ff:ff:ff:ff:ff:ff',
  '[,2147483647)', '(,)', 'empty', '[-infinity,infinity]', '[-infinity,infinity]', '[2024-01-01,infinity]', '{}',
  '{[-infinity,infinity]}', '(1e300,-1e-300)', 'FFFFFFFF/FFFFFFFF', '32767 -32768');

-- The smallest.
INSERT INTO wide (id, i2, i4, i8, o, x, ci, x8, n, n2, nn, m, f4, f8, b, b1, b8, b64, b72, vb, d, ti, tz, ts, tstz, iv, iv0, jb, rn)
VALUES (3, -32768, -2147483648, -9223372036854775808, 0, '0', '0', '0', 1e-130, -0.01, -100, '-92233720368547758.08',
  1.4e-45, 1e-130, false, B'0', B'00000000', B'0000000000000000000000000000000000000000000000000000000000000000',
  B'000000000000000000000000000000000000000000000000000000000000000000000000', B'0', '0001-01-01', '00:00:00', '00:00:00+15:59',
  '0001-01-01 00:00:00', '0001-01-01 00:00:00+00', '-1 year -2 mons +3 days -04:05:06.789', '0', '-0.0', '[-0.00,0.00]');

INSERT INTO wide (id) VALUES (4);

-- Empty, as far as a type can be.
INSERT INTO wide (id, n, vb, t, v, nm, c, ch, ct, en, by, j, jb, tv, tq, dom_array, pr, hs, lt, r4, mr4, i2v, ov, cur)
VALUES (5, 0, '', '', '', '', '', '', '', '', '', '{}', '[]', '', '', '{}', ROW(NULL, NULL), '', '', 'empty', '{}', '', '', '');

-- Domains over all kinds of types, and arrays of them.
CREATE TABLE domains (
  id int PRIMARY KEY,
  e dom_mood, p dom_pair, r dom_range, c dom_char, i dom_inet, b dom_bits, t dom_moment, j dom_json, m dom_money, o dom_oid, g grid,
  ea dom_mood[], pa dom_pair[], ra dom_range[], ca dom_char[], ia dom_inet[], ba dom_bits[], ta dom_moment[], ja dom_json[], ma dom_money[],
  oa dom_oid[], ga grid[]
);
INSERT INTO domains VALUES (1, 'ok', ROW(1, 'x'), '[1,5]', 'AB', '10.0.0.1', B'0101', '2024-02-29 12:34:56+02', '{"a": 1.50}', '-1.50', 26, '{{1,2},{3,NULL}}',
  '{ok}', ARRAY[ROW(1, 'x')::dom_pair], '{"[1,5]"}', '{AB}', '{10.0.0.1,NULL}', '{0101}', '{"2024-02-29 12:34:56+02"}', '{"{\"a\": 1.50}"}', '{-1.50}',
  '{26}', ARRAY['{1,2}'::grid]);
INSERT INTO domains (id) VALUES (2);

CREATE TABLE arrays (
  id int PRIMARY KEY,
  i2 smallint[], i4 integer[], i8 bigint[], o oid[], x xid[], ci cid[], x8 xid8[], n numeric[], n2 numeric(10,2)[], m money[],
  f4 real[], f8 double precision[], b boolean[], b1 bit[], b12 bit(12)[], b72 bit(72)[], vb bit varying[],
  t text[], v varchar(9)[], nm name[], c char(4)[], ch "char"[], ct citext[], en mood[], by bytea[], u uuid[],
  d date[], ti time[], tz timetz[], ts timestamp[], ts3 timestamp(3)[], tstz timestamptz[], tstz0 timestamptz(0)[], iv interval[],
  j json[], jb jsonb[], x_ml xml[], jp jsonpath[], tv tsvector[], dom price[], dom2 cheap[], dom_array tags[],
  pr pair[], hs hstore[], lt ltree[], cu cube[], ip inet[], cd cidr[], mac macaddr[],
  r4 int4range[], rtstz tstzrange[], mr4 int4multirange[], pt point[], bx box[], i2v int2vector[], rc regclass[]
);

INSERT INTO arrays VALUES (1,
  '{1,NULL,3}', '{{1,2},{3,4}}', '[0:1]={7,9223372036854775807}', '{26}', '{700}', '{1}', '{18446744073709551615}',
  '{0.1,10000,0.0001,1234.56}', '{19.90,0.00}', '{1.50,-1234.56}', '{0.1,0.360465}', '{0.1,1e21}', '{t,f,NULL}', '{1,0}',
  '{000000000101}', '{000000010000001000000011000001000000010100000110000001110000100000001001}', '{0101,1,""}',
  '{"a,b","",NULL,"NULL","\"{}\\"}', '{é}', '{name}', '{AB,"A  "}', '{x}', '{Ci}', '{{ok},{sad}}', '{"\\x00ff",""}',
  '{AB9D25E0-64E6-469F-9873-8621910ED300}', '{2024-02-29}', '{12:34:56.7,24:00:00}', '{12:34:56+02}', '{"2024-02-29 12:34:56"}',
  '{"2024-02-29 12:34:56.7"}', '{"2024-02-29 12:34:56+02"}', '{"2024-02-29 12:34:56+02"}', '{"1 day 00:00:01.5",-1 mon}',
  '{"{\"a\": [1.50]}",null}', '{"{\"a\": [1.50]}"}', '{<a/>}', '{$.a}', '{"fat:2 cat:1"}', '{1.50,NULL}', '{{9.99},{0.01}}',
  ARRAY['{a,b}'::tags, '{}'::tags], ARRAY[ROW(1, 'a,"b')::pair, NULL], ARRAY['a=>"1,2"'::hstore], '{a.b,c}', '{"(1,2),(3,4)"}',
  '{{10.0.0.1,::1},{10.0.0.0/8,NULL}}', '{10.0.0.0/8}', '{08:00:2b:01:02:03}', '{"[1,5)",empty}', '{"[-infinity,infinity]"}',
  '{"{[1,2),[5,6)}"}', '{"(1,0.1)"}', '{(2,2),(1,1);(1,1),(0,0)}', ARRAY['1 2'::int2vector], '{pg_class}');

-- Six dimensions, bounds of their own, and nothing at all.
INSERT INTO arrays (id, i4, t, ip, en) VALUES (2, '{{{{{{1,NULL}}}}}}', '[5:6][-1:0]={{a,b},{c,d}}', '[7:8]={10.0.0.1,NULL}', '[3:3]={ok}');
INSERT INTO arrays (id) VALUES (3);
INSERT INTO arrays (id, i4, n, m, t, en, by, j, dom, dom_array, pr, ip, bx, iv)
VALUES (4, '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}');
