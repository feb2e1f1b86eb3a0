CREATE TABLE a (x int, y int, note text, PRIMARY KEY (x, y));
CREATE TABLE b (id int PRIMARY KEY, code varchar(20) NOT NULL CONSTRAINT b_code UNIQUE);
CREATE TABLE c (id uuid);
INSERT INTO c VALUES ('98fa4fc8-c266-11e8-9ab6-0242c7bc9d97');
