CREATE EXTENSION hstore;
CREATE TYPE span AS (low int, high int);
CREATE TABLE sensor (id int PRIMARY KEY, attrs hstore, spans span[], spare span, place point, every interval);
