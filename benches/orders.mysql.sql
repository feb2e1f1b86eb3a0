-- Orders of 13 columns; @rows of them.
CREATE TABLE orders (
    id BIGINT PRIMARY KEY,
    reference BINARY(16) NOT NULL,
    customer_id BIGINT NOT NULL,
    status VARCHAR(20) NOT NULL,
    customer_name VARCHAR(80) NOT NULL,
    total DECIMAL(12, 2) NOT NULL,
    tax DECIMAL(12, 4),
    created_at TIMESTAMP(6) NOT NULL,
    shipped_at DATETIME(6),
    paid TINYINT(1) NOT NULL,
    details JSON,
    quantity INT NOT NULL,
    note TEXT
);
SET time_zone = '+00:00';
INSERT INTO orders
WITH RECURSIVE digits AS (SELECT 0 AS d UNION ALL SELECT d + 1 FROM digits WHERE d < 9),
    thousand AS (SELECT a.d * 100 + b.d * 10 + c.d AS d FROM digits a, digits b, digits c),
    numbers AS (
        SELECT (h.d * 1000 + t.d) * 1000 + u.d + 1 AS n
        FROM digits h, thousand t, thousand u
        WHERE (h.d * 1000 + t.d) * 1000 + u.d < @rows
    )
SELECT n,
    UNHEX(MD5(n)),
    n % 50000,
    ELT(1 + n % 4, 'PENDING', 'PAID', 'SHIPPED', 'CANCELLED'),
    CONCAT('Customer Nº ', n % 50000, ' of "Harbour & Sons"'),
    (n % 1000000) / 100,
    CASE WHEN n % 5 <> 0 THEN (n % 90000) / 10000 END,
    TIMESTAMP'2020-01-01 00:00:00' + INTERVAL n * 13.000217 SECOND,
    CASE WHEN n % 4 >= 2 THEN TIMESTAMP'2020-01-02 00:00:00' + INTERVAL n * 13 SECOND END,
    n % 3 <> 0,
    JSON_OBJECT('channel', 'web', 'lines', n % 7, 'weight', (n % 1000) / 8, 'tags', JSON_ARRAY('a', 'b')),
    n % 12,
    CASE WHEN n % 3 = 0 THEN CONCAT('Leave at the back door, please. Order ', n) END
FROM numbers;
ANALYZE TABLE orders;
