-- Orders of 13 columns; :rows of them.
CREATE TABLE orders (
    id bigint PRIMARY KEY,
    reference uuid NOT NULL,
    customer_id bigint NOT NULL,
    status text NOT NULL,
    customer_name varchar(80) NOT NULL,
    total numeric(12, 2) NOT NULL,
    tax numeric(12, 4),
    created_at timestamptz NOT NULL,
    shipped_at timestamp,
    paid boolean NOT NULL,
    details jsonb,
    quantity integer NOT NULL,
    note text
);
INSERT INTO orders
SELECT n,
    md5(n::text)::uuid,
    n % 50000,
    (ARRAY['PENDING', 'PAID', 'SHIPPED', 'CANCELLED'])[1 + n % 4],
    'Customer Nº ' || (n % 50000) || ' of "Harbour & Sons"',
    (n % 1000000)::numeric / 100,
    CASE WHEN n % 5 <> 0 THEN (n % 90000)::numeric / 10000 END,
    timestamptz '2020-01-01 00:00:00Z' + n * interval '61.000217 seconds',
    CASE WHEN n % 4 >= 2 THEN timestamp '2020-01-02 00:00:00' + n * interval '61 seconds' END,
    n % 3 <> 0,
    jsonb_build_object('channel', 'web', 'lines', n % 7, 'weight', (n % 1000) / 8.0, 'tags', ARRAY['a', 'b']),
    n % 12,
    CASE WHEN n % 3 = 0 THEN 'Leave at the back door, please. Order ' || n END
FROM generate_series(1::bigint, :rows) AS n;
ANALYZE orders;
