CREATE TABLE country (code varchar(20) COLLATE utf8mb4_general_ci NOT NULL PRIMARY KEY, name varchar(50) NOT NULL);
CREATE TABLE city (id int PRIMARY KEY, country_code varchar(20) COLLATE utf8mb4_general_ci NOT NULL, district varchar(20) COLLATE utf8mb4_general_ci NOT NULL, zone varchar(20) COLLATE utf8mb4_bin NOT NULL,
                   FOREIGN KEY (country_code) REFERENCES country (code));
