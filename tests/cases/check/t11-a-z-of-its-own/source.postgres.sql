CREATE TABLE visit (id int PRIMARY KEY, begun timestamp NOT NULL, ended timestamp, seen timestamptz);
