CREATE TABLE orders (id bigint PRIMARY KEY, status varchar(20), created_at timestamp NULL);
