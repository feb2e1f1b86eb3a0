CREATE TABLE invoice (id binary(16) PRIMARY KEY, owner_id binary(16), digest binary(16), paid tinyint(1) NOT NULL,
                      sent tinyint(1), stars tinyint(1), age tinyint(2));
