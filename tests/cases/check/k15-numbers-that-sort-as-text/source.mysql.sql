CREATE TABLE product (id int PRIMARY KEY, price int NOT NULL);
