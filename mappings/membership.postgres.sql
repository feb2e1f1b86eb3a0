-- Users and their groups for PostgreSQL: the same rows as in its two siblings.

CREATE TABLE users (
    id    bigint PRIMARY KEY,
    name  varchar(100) NOT NULL,
    email varchar(255) NOT NULL UNIQUE
);
-- `groups` is a reserved word of MySQL.
CREATE TABLE user_groups (
    id    bigint PRIMARY KEY,
    name  varchar(100) NOT NULL,
    about varchar(200)
);
CREATE TABLE memberships (
    group_id  bigint NOT NULL,
    user_id   bigint NOT NULL,
    role      varchar(20) NOT NULL,
    joined_at timestamp(0) NOT NULL,
    PRIMARY KEY (group_id, user_id),
    FOREIGN KEY (group_id) REFERENCES user_groups (id),
    FOREIGN KEY (user_id) REFERENCES users (id)
);

INSERT INTO users
    (id, name, email)
VALUES
    (1, 'Ada Lovelace', 'ada@example.com'),
    (2, 'Grace Hopper', 'grace@example.com'),
    (3, 'Zoë O''Brien', 'zoe@example.com'),
    (4, '李明', 'li.ming@example.com'),
    (5, 'Marie Curie', 'marie@example.com'),
    (6, 'Alan Turing', 'turing@example.com'),
    (7, 'Søren Kierkegaard', 'soren@example.com'),
    (8, 'José Álvarez', 'jose@example.com'),
    (9, 'Olga Ladyzhenskaya', 'olga@example.com'),
    (10, 'Chidi Okonkwo', 'chidi@example.com');

INSERT INTO user_groups
    (id, name, about)
VALUES
    (1, 'Chess', 'Thursdays'),
    (2, 'Choir', NULL),
    (3, 'Book club', 'One book a month'),
    (4, 'Nobody yet', NULL);

INSERT INTO memberships
    (group_id, user_id, role, joined_at)
VALUES
    (1, 1, 'member', '2024-12-18 18:00:00'),
    (1, 2, 'member', '2024-09-10 18:00:00'),
    (1, 3, 'admin', '2024-02-23 18:00:00'),
    (1, 5, 'member', '2024-09-12 18:00:00'),
    (1, 8, 'member', '2024-06-25 18:00:00'),
    (1, 9, 'member', '2024-09-18 18:00:00'),
    (2, 4, 'member', '2024-04-27 18:00:00'),
    (2, 5, 'member', '2024-12-26 18:00:00'),
    (2, 6, 'member', '2024-04-17 18:00:00'),
    (2, 9, 'member', '2024-06-24 18:00:00'),
    (3, 1, 'member', '2024-12-12 18:00:00'),
    (3, 2, 'member', '2024-02-08 18:00:00'),
    (3, 3, 'member', '2024-04-16 18:00:00'),
    (3, 4, 'member', '2024-06-07 18:00:00'),
    (3, 5, 'member', '2024-10-20 18:00:00'),
    (3, 6, 'member', '2024-08-21 18:00:00'),
    (3, 10, 'member', '2024-11-03 18:00:00');
