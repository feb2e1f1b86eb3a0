CREATE EXTENSION citext;
CREATE TABLE country (code citext NOT NULL PRIMARY KEY, name varchar(50) NOT NULL);
CREATE TABLE city (id int PRIMARY KEY, country_code citext NOT NULL, district citext NOT NULL, zone varchar(20) NOT NULL,
                   FOREIGN KEY (country_code) REFERENCES country (code));
