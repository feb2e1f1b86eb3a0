CREATE DOMAIN mask AS bit varying(8);
CREATE TABLE device (id int PRIMARY KEY, flags bit varying(8), own mask, "any" varbit, fixed bit(8));
