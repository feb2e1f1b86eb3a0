CREATE TABLE account (id int PRIMARY KEY, balance numeric(65,30) NOT NULL, fine numeric(38,10), interest numeric(40,20),
                      as_text numeric(50), history numeric(50,2)[]);
