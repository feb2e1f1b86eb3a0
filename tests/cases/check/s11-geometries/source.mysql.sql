CREATE TABLE shop (id int PRIMARY KEY, place point, area polygon);
