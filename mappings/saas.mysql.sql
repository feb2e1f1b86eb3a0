-- A SaaS with tenants for MySQL and MariaDB: the same rows as in its two siblings.

CREATE TABLE tenants (
    id         bigint PRIMARY KEY,
    slug       varchar(40) NOT NULL UNIQUE,
    name       varchar(100) NOT NULL,
    plan       varchar(20) NOT NULL,
    created_at datetime NOT NULL
) DEFAULT CHARSET = utf8mb4;
-- One address once in each tenant, however it is spelled: that is what email_key is for.
CREATE TABLE users (
    tenant_id     bigint NOT NULL,
    id            bigint NOT NULL,
    email         varchar(255) NOT NULL,
    email_key     varchar(255) COLLATE utf8mb4_bin GENERATED ALWAYS AS (lower(trim(email))) STORED,
    name          varchar(100) NOT NULL,
    role          varchar(20) NOT NULL,
    password_hash varchar(100) NOT NULL,
    created_at    datetime NOT NULL,
    PRIMARY KEY (tenant_id, id),
    UNIQUE (tenant_id, email_key),
    FOREIGN KEY (tenant_id) REFERENCES tenants (id)
) DEFAULT CHARSET = utf8mb4;
CREATE TABLE projects (
    tenant_id  bigint NOT NULL,
    id         bigint NOT NULL,
    name       varchar(100) NOT NULL,
    state      varchar(20) NOT NULL,
    created_at datetime NOT NULL,
    PRIMARY KEY (tenant_id, id),
    FOREIGN KEY (tenant_id) REFERENCES tenants (id)
) DEFAULT CHARSET = utf8mb4;
CREATE TABLE project_members (
    tenant_id  bigint NOT NULL,
    project_id bigint NOT NULL,
    user_id    bigint NOT NULL,
    role       varchar(20) NOT NULL,
    PRIMARY KEY (tenant_id, project_id, user_id),
    FOREIGN KEY (tenant_id, project_id) REFERENCES projects (tenant_id, id),
    FOREIGN KEY (tenant_id, user_id) REFERENCES users (tenant_id, id)
) DEFAULT CHARSET = utf8mb4;
CREATE TABLE tasks (
    tenant_id   bigint NOT NULL,
    project_id  bigint NOT NULL,
    number      int NOT NULL,
    title       varchar(200) NOT NULL,
    state       varchar(20) NOT NULL,
    assignee_id bigint,
    due         date,
    PRIMARY KEY (tenant_id, project_id, number),
    FOREIGN KEY (tenant_id, project_id) REFERENCES projects (tenant_id, id),
    FOREIGN KEY (tenant_id, assignee_id) REFERENCES users (tenant_id, id)
) DEFAULT CHARSET = utf8mb4;

INSERT INTO tenants
    (id, slug, name, plan, created_at)
VALUES
    (1, 'acme', 'Acme GmbH', 'business', '2024-01-08 09:00:00'),
    (2, 'blue-ocean', 'Blue Ocean Ltd', 'free', '2024-02-29 23:59:59'),
    (3, 'kaffee', 'Kaffee & Söhne', 'business', '2025-03-01 00:00:00');

INSERT INTO users
    (tenant_id, id, email, name, role, password_hash, created_at)
VALUES
    (1, 1, 'Ada@Example.com', 'Ada', 'owner', 'argon2$101', '2024-01-11 08:30:00'),
    (1, 2, ' grace@example.com ', 'Grace', 'member', 'argon2$102', '2024-01-12 08:30:00'),
    (1, 3, 'zoe@example.com', 'Zoë', 'member', 'argon2$103', '2024-01-13 08:30:00'),
    (1, 4, 'ming@example.com', 'Ming', 'member', 'argon2$104', '2024-01-14 08:30:00'),
    (1, 5, 'marie@example.com', 'Marie', 'member', 'argon2$105', '2024-01-15 08:30:00'),
    (1, 6, 'alan@example.com', 'Alan', 'member', 'argon2$106', '2024-01-16 08:30:00'),
    (1, 7, 'soren@example.com', 'Søren', 'member', 'argon2$107', '2024-01-17 08:30:00'),
    (1, 8, 'jose@example.com', 'José', 'member', 'argon2$108', '2024-01-18 08:30:00'),
    (2, 1, 'Ada@Example.com', 'Ada', 'owner', 'argon2$201', '2024-02-11 08:30:00'),
    (2, 2, ' grace@example.com ', 'Grace', 'member', 'argon2$202', '2024-02-12 08:30:00'),
    (2, 3, 'zoe@example.com', 'Zoë', 'member', 'argon2$203', '2024-02-13 08:30:00'),
    (2, 4, 'ming@example.com', 'Ming', 'member', 'argon2$204', '2024-02-14 08:30:00'),
    (3, 1, 'Ada@Example.com', 'Ada', 'owner', 'argon2$301', '2024-03-11 08:30:00'),
    (3, 2, ' grace@example.com ', 'Grace', 'member', 'argon2$302', '2024-03-12 08:30:00'),
    (3, 3, 'zoe@example.com', 'Zoë', 'member', 'argon2$303', '2024-03-13 08:30:00');

INSERT INTO projects
    (tenant_id, id, name, state, created_at)
VALUES
    (1, 1, 'Website', 'active', '2024-03-01 10:00:00'),
    (1, 2, 'Billing', 'active', '2024-03-02 10:00:00'),
    (1, 3, 'Mobile app', 'active', '2024-03-03 10:00:00'),
    (1, 4, 'Import', 'archived', '2024-03-04 10:00:00'),
    (1, 5, 'Hiring', 'active', '2024-03-05 10:00:00'),
    (2, 1, 'Website', 'active', '2024-04-01 10:00:00'),
    (2, 2, 'Billing', 'active', '2024-04-02 10:00:00'),
    (3, 1, 'Website', 'active', '2024-05-01 10:00:00'),
    (3, 2, 'Billing', 'active', '2024-05-02 10:00:00');

INSERT INTO project_members
    (tenant_id, project_id, user_id, role)
VALUES
    (1, 1, 2, 'lead'),
    (1, 1, 4, 'editor'),
    (1, 1, 6, 'editor'),
    (1, 2, 2, 'lead'),
    (1, 2, 4, 'editor'),
    (1, 2, 7, 'editor'),
    (1, 3, 1, 'lead'),
    (1, 3, 2, 'editor'),
    (1, 3, 8, 'editor'),
    (1, 4, 2, 'lead'),
    (1, 4, 5, 'editor'),
    (1, 4, 7, 'editor'),
    (1, 5, 2, 'lead'),
    (1, 5, 4, 'editor'),
    (1, 5, 6, 'editor'),
    (2, 1, 1, 'lead'),
    (2, 1, 2, 'editor'),
    (2, 1, 4, 'editor'),
    (2, 2, 1, 'lead'),
    (2, 2, 3, 'editor'),
    (2, 2, 4, 'editor'),
    (3, 1, 1, 'lead'),
    (3, 1, 2, 'editor'),
    (3, 1, 3, 'editor'),
    (3, 2, 1, 'lead'),
    (3, 2, 2, 'editor'),
    (3, 2, 3, 'editor');

INSERT INTO tasks
    (tenant_id, project_id, number, title, state, assignee_id, due)
VALUES
    (1, 1, 1, 'Draw the new icons', 'open', 2, '2025-07-15'),
    (1, 1, 2, 'Draw the new icons', 'open', 4, NULL),
    (1, 2, 1, 'Write the tests', 'open', NULL, NULL),
    (1, 2, 2, 'Call the bank', 'open', 2, '2025-12-01'),
    (1, 3, 1, 'Fix the login page', 'open', NULL, '2025-06-30'),
    (1, 3, 2, 'Draw the new icons', 'open', 8, '2025-06-30'),
    (1, 3, 3, 'Draw the new icons', 'open', 2, '2025-07-15'),
    (1, 3, 4, 'Draw the new icons', 'open', 1, NULL),
    (1, 3, 5, 'Ünïcode in names', 'open', NULL, '2025-07-15'),
    (1, 3, 6, 'Draw the new icons', 'done', NULL, '2025-07-15'),
    (1, 4, 1, 'Draw the new icons', 'open', 7, '2025-12-01'),
    (1, 4, 2, 'Ünïcode in names', 'doing', 7, NULL),
    (1, 4, 3, 'Draw the new icons', 'open', NULL, '2025-06-30'),
    (1, 5, 1, 'Write the tests', 'open', 6, '2025-07-15'),
    (1, 5, 2, 'Draw the new icons', 'doing', NULL, '2025-12-01'),
    (1, 5, 3, 'Write the tests', 'open', 6, '2025-12-01'),
    (1, 5, 4, 'Write the tests', 'open', 6, '2025-12-01'),
    (1, 5, 5, 'Ünïcode in names', 'doing', 6, NULL),
    (2, 1, 1, 'Ünïcode in names', 'open', 1, '2025-06-30'),
    (2, 1, 2, 'Call the bank', 'doing', 2, '2025-12-01'),
    (2, 1, 3, 'Ünïcode in names', 'done', 1, '2025-06-30'),
    (2, 1, 4, 'Ünïcode in names', 'done', 4, '2025-06-30'),
    (2, 1, 5, 'Draw the new icons', 'done', 4, '2025-12-01'),
    (2, 1, 6, 'Ünïcode in names', 'doing', 2, '2025-06-30'),
    (2, 2, 1, 'Write the tests', 'open', NULL, '2025-06-30'),
    (2, 2, 2, 'Fix the login page', 'doing', 1, '2025-06-30'),
    (2, 2, 3, 'Draw the new icons', 'done', 4, '2025-07-15'),
    (3, 1, 1, 'Ünïcode in names', 'done', NULL, '2025-12-01'),
    (3, 1, 2, 'Ünïcode in names', 'open', NULL, NULL),
    (3, 1, 3, 'Write the tests', 'open', 2, '2025-12-01'),
    (3, 1, 4, 'Write the tests', 'open', 3, NULL),
    (3, 1, 5, 'Write the tests', 'open', 2, NULL),
    (3, 1, 6, 'Draw the new icons', 'doing', 1, NULL),
    (3, 2, 1, 'Draw the new icons', 'doing', 3, '2025-12-01'),
    (3, 2, 2, 'Write the tests', 'open', NULL, '2025-12-01'),
    (3, 2, 3, 'Ünïcode in names', 'done', 3, NULL),
    (3, 2, 4, 'Write the tests', 'open', 3, '2025-07-15');
