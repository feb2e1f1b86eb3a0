CREATE TABLE account (id int PRIMARY KEY, balance decimal(65,30) NOT NULL, fine decimal(38,10), interest decimal(40,20),
                      as_text decimal(50));
