CREATE TABLE orders (id bigint PRIMARY KEY, user_id bigint NOT NULL, email text NOT NULL, password text,
    total numeric(10,2), note text, created_at timestamp);
