CREATE DOMAIN money2 AS numeric(60,2);
CREATE DOMAIN positive AS money2 CHECK (VALUE > 0);
CREATE DOMAIN history AS numeric(50,2)[];
CREATE DOMAIN price AS numeric(12,2);
CREATE TABLE account (id int PRIMARY KEY, balance money2 NOT NULL, fine positive, fines positive[], history history, price price);
