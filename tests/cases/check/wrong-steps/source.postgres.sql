CREATE TABLE things (id bigint PRIMARY KEY, name text NOT NULL, raw bytea NOT NULL, at timestamp NOT NULL,
    day date NOT NULL, weight double precision NOT NULL, doc jsonb NOT NULL, tags text[] NOT NULL, flag boolean NOT NULL);
