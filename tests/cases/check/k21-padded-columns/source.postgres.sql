CREATE TABLE part (code char(10) PRIMARY KEY, name text, unit char(4), flag char(1), tags char(3)[]);
