CREATE TABLE orders (id int PRIMARY KEY, price decimal(9,2) NOT NULL, paid tinyint(1) NOT NULL,
    state enum('new', 'sent') NOT NULL, made datetime NOT NULL, day date NULL);
CREATE TABLE `lines` (order_id int, no int, price decimal(9,2) NOT NULL, PRIMARY KEY (order_id, no));
