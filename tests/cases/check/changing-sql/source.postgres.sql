CREATE TABLE orders (id int PRIMARY KEY, created_at timestamptz NOT NULL);
