CREATE TABLE orders (id bigint PRIMARY KEY, type text, "PK" text, note text);
