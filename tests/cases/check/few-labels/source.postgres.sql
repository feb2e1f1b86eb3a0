CREATE TYPE state AS ENUM ('new', 'paid', 'sent');
CREATE DOMAIN order_state AS state NOT NULL;
CREATE TABLE orders (id int PRIMARY KEY, state order_state);
