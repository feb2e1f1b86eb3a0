-- What MariaDB has beyond MySQL.
ALTER TABLE wide ADD u uuid, ADD i4 inet4, ADD i6 inet6, ADD hidden int INVISIBLE DEFAULT 5, ADD plain_check longtext CHECK (plain_check <> 'x');
UPDATE wide SET u = 'AB9D25E0-64E6-469F-9873-8621910ED300', i4 = '10.0.0.1', i6 = '2001:DB8::1', plain_check = '{"a": 1}' WHERE id = 1;
UPDATE wide SET u = 'ffffffff-ffff-ffff-ffff-ffffffffffff', i4 = '255.255.255.255', i6 = '::ffff:10.0.0.1', hidden = NULL WHERE id = 2;
UPDATE wide SET u = '00000000-0000-0000-0000-000000000000', i4 = '0.0.0.0', i6 = '::' WHERE id = 3;
UPDATE wide SET hidden = NULL WHERE id = 4;
