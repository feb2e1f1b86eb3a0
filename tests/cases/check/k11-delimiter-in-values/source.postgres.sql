CREATE TABLE dk (a text, b text, PRIMARY KEY (a, b));
