CREATE EXTENSION hstore;
CREATE DOMAIN labels AS hstore;
CREATE SCHEMA elsewhere;
CREATE EXTENSION citext SCHEMA elsewhere;
CREATE TABLE attrs (attrs hstore PRIMARY KEY, id int NOT NULL);
CREATE TABLE own (labels labels PRIMARY KEY, id int NOT NULL);
CREATE TABLE hidden (name elsewhere.citext PRIMARY KEY, id int NOT NULL);
CREATE TABLE declared (id int NOT NULL, doc json NOT NULL, place point NOT NULL, page xml NOT NULL, points hstore[] NOT NULL);
CREATE TYPE mood AS ENUM ('sad', 'ok');
CREATE DOMAIN code AS varchar(9);
CREATE TABLE ordered (mood mood, span int4range, doc jsonb, code code, address inet, numbers int[], id int NOT NULL,
                      PRIMARY KEY (mood, span, doc, code, address, numbers));
