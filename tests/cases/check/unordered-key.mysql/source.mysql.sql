CREATE TABLE reading (id int NOT NULL, value double NOT NULL);
CREATE TABLE state (name enum('b', 'a') PRIMARY KEY);
