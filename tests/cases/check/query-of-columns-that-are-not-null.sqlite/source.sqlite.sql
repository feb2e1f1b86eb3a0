CREATE TABLE orders (id bigint PRIMARY KEY, user_id bigint NOT NULL);
CREATE TABLE items (order_id bigint NOT NULL, line_no int NOT NULL, PRIMARY KEY (order_id, line_no));
CREATE VIEW seen AS SELECT id, user_id FROM orders;
