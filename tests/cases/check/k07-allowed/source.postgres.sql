CREATE TABLE visit (id int PRIMARY KEY, user_id int NOT NULL, day date NOT NULL);
