-- An excerpt of the Chinook database 1.4.5 for PostgreSQL: every table with a few dozen rows, foreign keys held.
-- The whole: https://github.com/lerocha/chinook-database. Its licence:
--
-- Copyright (c) 2008-2017 Luis Rocha
--
-- Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated
-- documentation files (the "Software"), to deal in the Software without restriction, including without limitation
-- the rights to use, copy, modify, merge, publish, distribute, sublicense, and/or sell copies of the Software, and
-- to permit persons to whom the Software is furnished to do so, subject to the following conditions:
--
-- The above copyright notice and this permission notice shall be included in all copies or substantial portions of
-- the Software. THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT
-- NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO
-- EVENT SHALL THE AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN
-- ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR
-- OTHER DEALINGS IN THE SOFTWARE.

CREATE TABLE album (
    album_id INT NOT NULL,
    title VARCHAR(160) NOT NULL,
    artist_id INT NOT NULL,
    CONSTRAINT album_pkey PRIMARY KEY  (album_id)
);
CREATE TABLE artist (
    artist_id INT NOT NULL,
    name VARCHAR(120),
    CONSTRAINT artist_pkey PRIMARY KEY  (artist_id)
);
CREATE TABLE customer (
    customer_id INT NOT NULL,
    first_name VARCHAR(40) NOT NULL,
    last_name VARCHAR(20) NOT NULL,
    company VARCHAR(80),
    address VARCHAR(70),
    city VARCHAR(40),
    state VARCHAR(40),
    country VARCHAR(40),
    postal_code VARCHAR(10),
    phone VARCHAR(24),
    fax VARCHAR(24),
    email VARCHAR(60) NOT NULL,
    support_rep_id INT,
    CONSTRAINT customer_pkey PRIMARY KEY  (customer_id)
);
CREATE TABLE employee (
    employee_id INT NOT NULL,
    last_name VARCHAR(20) NOT NULL,
    first_name VARCHAR(20) NOT NULL,
    title VARCHAR(30),
    reports_to INT,
    birth_date TIMESTAMP,
    hire_date TIMESTAMP,
    address VARCHAR(70),
    city VARCHAR(40),
    state VARCHAR(40),
    country VARCHAR(40),
    postal_code VARCHAR(10),
    phone VARCHAR(24),
    fax VARCHAR(24),
    email VARCHAR(60),
    CONSTRAINT employee_pkey PRIMARY KEY  (employee_id)
);
CREATE TABLE genre (
    genre_id INT NOT NULL,
    name VARCHAR(120),
    CONSTRAINT genre_pkey PRIMARY KEY  (genre_id)
);
CREATE TABLE invoice (
    invoice_id INT NOT NULL,
    customer_id INT NOT NULL,
    invoice_date TIMESTAMP NOT NULL,
    billing_address VARCHAR(70),
    billing_city VARCHAR(40),
    billing_state VARCHAR(40),
    billing_country VARCHAR(40),
    billing_postal_code VARCHAR(10),
    total NUMERIC(10,2) NOT NULL,
    CONSTRAINT invoice_pkey PRIMARY KEY  (invoice_id)
);
CREATE TABLE invoice_line (
    invoice_line_id INT NOT NULL,
    invoice_id INT NOT NULL,
    track_id INT NOT NULL,
    unit_price NUMERIC(10,2) NOT NULL,
    quantity INT NOT NULL,
    CONSTRAINT invoice_line_pkey PRIMARY KEY  (invoice_line_id)
);
CREATE TABLE media_type (
    media_type_id INT NOT NULL,
    name VARCHAR(120),
    CONSTRAINT media_type_pkey PRIMARY KEY  (media_type_id)
);
CREATE TABLE playlist (
    playlist_id INT NOT NULL,
    name VARCHAR(120),
    CONSTRAINT playlist_pkey PRIMARY KEY  (playlist_id)
);
CREATE TABLE playlist_track (
    playlist_id INT NOT NULL,
    track_id INT NOT NULL,
    CONSTRAINT playlist_track_pkey PRIMARY KEY  (playlist_id, track_id)
);
CREATE TABLE track (
    track_id INT NOT NULL,
    name VARCHAR(200) NOT NULL,
    album_id INT,
    media_type_id INT NOT NULL,
    genre_id INT,
    composer VARCHAR(220),
    milliseconds INT NOT NULL,
    bytes INT,
    unit_price NUMERIC(10,2) NOT NULL,
    CONSTRAINT track_pkey PRIMARY KEY  (track_id)
);
ALTER TABLE album ADD CONSTRAINT album_artist_id_fkey
    FOREIGN KEY (artist_id) REFERENCES artist (artist_id) ON DELETE NO ACTION ON UPDATE NO ACTION;
ALTER TABLE customer ADD CONSTRAINT customer_support_rep_id_fkey
    FOREIGN KEY (support_rep_id) REFERENCES employee (employee_id) ON DELETE NO ACTION ON UPDATE NO ACTION;
ALTER TABLE employee ADD CONSTRAINT employee_reports_to_fkey
    FOREIGN KEY (reports_to) REFERENCES employee (employee_id) ON DELETE NO ACTION ON UPDATE NO ACTION;
ALTER TABLE invoice ADD CONSTRAINT invoice_customer_id_fkey
    FOREIGN KEY (customer_id) REFERENCES customer (customer_id) ON DELETE NO ACTION ON UPDATE NO ACTION;
ALTER TABLE invoice_line ADD CONSTRAINT invoice_line_invoice_id_fkey
    FOREIGN KEY (invoice_id) REFERENCES invoice (invoice_id) ON DELETE NO ACTION ON UPDATE NO ACTION;
ALTER TABLE invoice_line ADD CONSTRAINT invoice_line_track_id_fkey
    FOREIGN KEY (track_id) REFERENCES track (track_id) ON DELETE NO ACTION ON UPDATE NO ACTION;
ALTER TABLE playlist_track ADD CONSTRAINT playlist_track_playlist_id_fkey
    FOREIGN KEY (playlist_id) REFERENCES playlist (playlist_id) ON DELETE NO ACTION ON UPDATE NO ACTION;
ALTER TABLE playlist_track ADD CONSTRAINT playlist_track_track_id_fkey
    FOREIGN KEY (track_id) REFERENCES track (track_id) ON DELETE NO ACTION ON UPDATE NO ACTION;
ALTER TABLE track ADD CONSTRAINT track_album_id_fkey
    FOREIGN KEY (album_id) REFERENCES album (album_id) ON DELETE NO ACTION ON UPDATE NO ACTION;
ALTER TABLE track ADD CONSTRAINT track_genre_id_fkey
    FOREIGN KEY (genre_id) REFERENCES genre (genre_id) ON DELETE NO ACTION ON UPDATE NO ACTION;
ALTER TABLE track ADD CONSTRAINT track_media_type_id_fkey
    FOREIGN KEY (media_type_id) REFERENCES media_type (media_type_id) ON DELETE NO ACTION ON UPDATE NO ACTION;

INSERT INTO genre (genre_id, name) VALUES
    (1, N'Rock'),
    (2, N'Jazz'),
    (3, N'Metal'),
    (4, N'Alternative & Punk'),
    (5, N'Rock And Roll'),
    (6, N'Blues'),
    (7, N'Latin'),
    (8, N'Reggae'),
    (9, N'Pop'),
    (10, N'Soundtrack'),
    (11, N'Bossa Nova'),
    (12, N'Easy Listening'),
    (13, N'Heavy Metal'),
    (14, N'R&B/Soul'),
    (15, N'Electronica/Dance'),
    (16, N'World'),
    (17, N'Hip Hop/Rap'),
    (18, N'Science Fiction'),
    (19, N'TV Shows'),
    (20, N'Sci Fi & Fantasy'),
    (21, N'Drama'),
    (22, N'Comedy'),
    (23, N'Alternative'),
    (24, N'Classical'),
    (25, N'Opera');

INSERT INTO media_type (media_type_id, name) VALUES
    (1, N'MPEG audio file'),
    (2, N'Protected AAC audio file'),
    (3, N'Protected MPEG-4 video file'),
    (4, N'Purchased AAC audio file'),
    (5, N'AAC audio file');

INSERT INTO artist (artist_id, name) VALUES
    (1, N'AC/DC'),
    (2, N'Accept'),
    (22, N'Led Zeppelin'),
    (25, N'Milton Nascimento & Bebeto'),
    (26, N'Azymuth'),
    (50, N'Metallica'),
    (70, N'Toquinho & Vinícius'),
    (81, N'Eric Clapton'),
    (88, N'Guns N'' Roses'),
    (90, N'Iron Maiden'),
    (124, N'R.E.M.'),
    (134, N'Stone Temple Pilots'),
    (135, N'System Of A Down'),
    (149, N'Lost'),
    (150, N'U2'),
    (158, N'Battlestar Galactica (Classic)'),
    (159, N'Aquaman');

INSERT INTO album (album_id, title, artist_id) VALUES
    (1, N'For Those About To Rock We Salute You', 1),
    (2, N'Balls to the Wall', 2),
    (3, N'Restless and Wild', 2),
    (4, N'Let There Be Rock', 1),
    (52, N'Vinícius De Moraes - Sem Limite', 70),
    (72, N'The Cream Of Clapton', 81),
    (91, N'Use Your Illusion I', 88),
    (107, N'Powerslave', 90),
    (129, N'Houses Of The Holy', 22),
    (130, N'In Through The Out Door', 22),
    (152, N'Master Of Puppets', 50),
    (188, N'Green', 124),
    (189, N'New Adventures In Hi-Fi', 124),
    (206, N'Core', 134),
    (207, N'Mezmerize', 135),
    (229, N'Lost, Season 3', 149),
    (237, N'Rattle And Hum', 150),
    (253, N'Battlestar Galactica (Classic), Season 1', 158),
    (254, N'Aquaman', 159);

INSERT INTO track (track_id, name, album_id, media_type_id, genre_id, composer, milliseconds, bytes, unit_price) VALUES
    (1, N'For Those About To Rock (We Salute You)', 1, 1, 1, N'Angus Young, Malcolm Young, Brian Johnson', 343719, 11170334, 0.99),
    (2, N'Balls to the Wall', 2, 2, 1, N'U. Dirkschneider, W. Hoffmann, H. Frank, P. Baltes, S. Kaufmann, G. Hoffmann', 342562, 5510424, 0.99),
    (3, N'Fast As a Shark', 3, 2, 1, N'F. Baltes, S. Kaufman, U. Dirkscneider & W. Hoffman', 230619, 3990994, 0.99),
    (4, N'Restless and Wild', 3, 2, 1, N'F. Baltes, R.A. Smith-Diesel, S. Kaufman, U. Dirkscneider & W. Hoffman', 252051, 4331779, 0.99),
    (5, N'Princess of the Dawn', 3, 2, 1, N'Deaffy & R.A. Smith-Diesel', 375418, 6290521, 0.99),
    (6, N'Put The Finger On You', 1, 1, 1, N'Angus Young, Malcolm Young, Brian Johnson', 205662, 6713451, 0.99),
    (7, N'Let''s Get It Up', 1, 1, 1, N'Angus Young, Malcolm Young, Brian Johnson', 233926, 7636561, 0.99),
    (8, N'Inject The Venom', 1, 1, 1, N'Angus Young, Malcolm Young, Brian Johnson', 210834, 6852860, 0.99),
    (9, N'Snowballed', 1, 1, 1, N'Angus Young, Malcolm Young, Brian Johnson', 203102, 6599424, 0.99),
    (10, N'Evil Walks', 1, 1, 1, N'Angus Young, Malcolm Young, Brian Johnson', 263497, 8611245, 0.99),
    (11, N'C.O.D.', 1, 1, 1, N'Angus Young, Malcolm Young, Brian Johnson', 199836, 6566314, 0.99),
    (12, N'Breaking The Rules', 1, 1, 1, N'Angus Young, Malcolm Young, Brian Johnson', 263288, 8596840, 0.99),
    (13, N'Night Of The Long Knives', 1, 1, 1, N'Angus Young, Malcolm Young, Brian Johnson', 205688, 6706347, 0.99),
    (14, N'Spellbound', 1, 1, 1, N'Angus Young, Malcolm Young, Brian Johnson', 270863, 8817038, 0.99),
    (15, N'Go Down', 4, 1, 1, N'AC/DC', 331180, 10847611, 0.99),
    (16, N'Dog Eat Dog', 4, 1, 1, N'AC/DC', 215196, 7032162, 0.99),
    (17, N'Let There Be Rock', 4, 1, 1, N'AC/DC', 366654, 12021261, 0.99),
    (18, N'Bad Boy Boogie', 4, 1, 1, N'AC/DC', 267728, 8776140, 0.99),
    (19, N'Problem Child', 4, 1, 1, N'AC/DC', 325041, 10617116, 0.99),
    (20, N'Overdose', 4, 1, 1, N'AC/DC', 369319, 12066294, 0.99),
    (21, N'Hell Ain''t A Bad Place To Be', 4, 1, 1, N'AC/DC', 254380, 8331286, 0.99),
    (22, N'Whole Lotta Rosie', 4, 1, 1, N'AC/DC', 323761, 10547154, 0.99),
    (648, N'Onde Anda Você', 52, 1, 11, NULL, 168437, 5550356, 0.99),
    (903, N'Lay Down Sally', 72, 1, 6, N'Clapton/Levy', 231732, 7774207, 0.99),
    (904, N'Knockin On Heavens Door', 72, 1, 6, N'Clapton/Dylan', 264411, 8758819, 0.99),
    (905, N'Wonderful Tonight', 72, 1, 6, N'Clapton', 221387, 7326923, 0.99),
    (1158, N'Right Next Door to Hell', 91, 2, 1, NULL, 182321, 3175950, 0.99),
    (1159, N'Dust N'' Bones', 91, 2, 1, NULL, 298374, 5053742, 0.99),
    (1160, N'Live and Let Die', 91, 2, 1, NULL, 184016, 3203390, 0.99),
    (1344, N'Aces High', 107, 1, 3, N'Harris', 269531, 6472088, 0.99),
    (1599, N'Dancing Days', 129, 1, 1, N'Jimmy Page/Jimmy Page & Robert Plant/Robert Plant', 223216, 7250104, 0.99),
    (1600, N'D''Yer Mak''er', 129, 1, 1, N'John Bonham/John Paul Jones', 262948, 8645935, 0.99),
    (1601, N'No Quarter', 129, 1, 1, N'John Paul Jones', 420493, 13656517, 0.99),
    (1603, N'In The Evening', 130, 1, 1, N'Jimmy Page, Robert Plant & John Paul Jones', 410566, 13399734, 0.99),
    (1605, N'Fool In The Rain', 130, 1, 1, N'Jimmy Page, Robert Plant & John Paul Jones', 372950, 12371433, 0.99),
    (1854, N'Master Of Puppets', 152, 1, 3, N'K.Hammett', 515239, 16893720, 0.99),
    (1855, N'The Thing That Should Not Be', 152, 1, 3, N'K.Hammett', 396199, 12952368, 0.99),
    (1856, N'Welcome Home (Sanitarium)', 152, 1, 3, N'K.Hammett', 387186, 12679965, 0.99),
    (1858, N'Leper Messiah', 152, 1, 3, N'C.Burton', 347428, 11310434, 0.99),
    (1860, N'Damage Inc.', 152, 1, 3, N'K.Hammett', 330919, 10725029, 0.99),
    (2295, N'Untitled', 188, 1, 4, N'Bill Berry-Peter Buck-Mike Mills-Michael Stipe', 191503, 6332426, 0.99),
    (2296, N'How The West Was Won And Where It Got Us', 189, 1, 1, N'Bill Berry-Peter Buck-Mike Mills-Michael Stipe', 271151, 8994291, 0.99),
    (2297, N'The Wake-Up Bomb', 189, 1, 1, N'Bill Berry-Peter Buck-Mike Mills-Michael Stipe', 308532, 10077337, 0.99),
    (2299, N'Undertow', 189, 1, 1, N'Bill Berry-Peter Buck-Mike Mills-Michael Stipe', 309498, 10131005, 0.99),
    (2301, N'Leave', 189, 1, 1, N'Bill Berry-Peter Buck-Mike Mills-Michael Stipe', 437968, 14433365, 0.99),
    (2550, N'Plush', 206, 1, 1, N'R. DeLeo/Weiland', 314017, 10229848, 0.99),
    (2551, N'Wet My Bed', 206, 1, 1, N'R. DeLeo/Weiland', 96914, 3198627, 0.99),
    (2552, N'Crackerman', 206, 1, 1, N'Kretz/R. DeLeo/Weiland', 194403, 6317361, 0.99),
    (2554, N'Soldier Side - Intro', 207, 1, 3, N'Dolmayan, John/Malakian, Daron/Odadjian, Shavo', 63764, 2056079, 0.99),
    (2556, N'Revenga', 207, 1, 3, N'Tankian, Serj', 228127, 7503805, 0.99),
    (2991, N'All Along The Watchtower', 237, 1, 1, N'Dylan, Bob', 264568, 8623572, 0.99),
    (2992, N'I Still Haven''t Found What I''m Looking for', 237, 1, 1, N'Bono/Clayton, Adam/Mullen Jr., Larry/The Edge', 353567, 11542247, 0.99),
    (2993, N'Freedom For My People', 237, 1, 1, N'Mabins, Macie/Magee, Sterling/Robinson, Bobby', 38164, 1249764, 0.99),
    (2995, N'Pride (In The Name Of Love)', 237, 1, 1, N'Bono/Clayton, Adam/Mullen Jr., Larry/The Edge', 267807, 8806361, 0.99),
    (2997, N'Love Rescue Me', 237, 1, 1, N'Bono/Clayton, Adam/Dylan, Bob/Mullen Jr., Larry/The Edge', 384522, 12508716, 0.99),
    (3247, N'Experiment In Terra', 253, 3, 20, NULL, 2923548, 547982556, 1.99),
    (3248, N'Take the Celestra', 253, 3, 20, NULL, 2927677, 512381289, 1.99),
    (3250, N'Pilot', 254, 3, 19, NULL, 2484567, 492670102, 1.99),
    (3252, N'Through the Looking Glass, Pt. 1', 229, 3, 21, NULL, 2610860, 493211809, 1.99);

INSERT INTO employee (employee_id, last_name, first_name, title, reports_to, birth_date, hire_date, address, city, state, country, postal_code, phone, fax, email) VALUES
    (1, N'Adams', N'Andrew', N'General Manager', NULL, '1962/2/18', '2002/8/14', N'11120 Jasper Ave NW', N'Edmonton', N'AB', N'Canada', N'T5K 2N1', N'+1 (780) 428-9482', N'+1 (780) 428-3457', N'andrew@chinookcorp.com'),
    (2, N'Edwards', N'Nancy', N'Sales Manager', 1, '1958/12/8', '2002/5/1', N'825 8 Ave SW', N'Calgary', N'AB', N'Canada', N'T2P 2T3', N'+1 (403) 262-3443', N'+1 (403) 262-3322', N'nancy@chinookcorp.com'),
    (3, N'Peacock', N'Jane', N'Sales Support Agent', 2, '1973/8/29', '2002/4/1', N'1111 6 Ave SW', N'Calgary', N'AB', N'Canada', N'T2P 5M5', N'+1 (403) 262-3443', N'+1 (403) 262-6712', N'jane@chinookcorp.com'),
    (4, N'Park', N'Margaret', N'Sales Support Agent', 2, '1947/9/19', '2003/5/3', N'683 10 Street SW', N'Calgary', N'AB', N'Canada', N'T2P 5G3', N'+1 (403) 263-4423', N'+1 (403) 263-4289', N'margaret@chinookcorp.com'),
    (5, N'Johnson', N'Steve', N'Sales Support Agent', 2, '1965/3/3', '2003/10/17', N'7727B 41 Ave', N'Calgary', N'AB', N'Canada', N'T3B 1Y7', N'1 (780) 836-9987', N'1 (780) 836-9543', N'steve@chinookcorp.com'),
    (6, N'Mitchell', N'Michael', N'IT Manager', 1, '1973/7/1', '2003/10/17', N'5827 Bowness Road NW', N'Calgary', N'AB', N'Canada', N'T3B 0C5', N'+1 (403) 246-9887', N'+1 (403) 246-9899', N'michael@chinookcorp.com'),
    (7, N'King', N'Robert', N'IT Staff', 6, '1970/5/29', '2004/1/2', N'590 Columbia Boulevard West', N'Lethbridge', N'AB', N'Canada', N'T1K 5N8', N'+1 (403) 456-9986', N'+1 (403) 456-8485', N'robert@chinookcorp.com'),
    (8, N'Callahan', N'Laura', N'IT Staff', 6, '1968/1/9', '2004/3/4', N'923 7 ST NW', N'Lethbridge', N'AB', N'Canada', N'T1H 1Y8', N'+1 (403) 467-3351', N'+1 (403) 467-8772', N'laura@chinookcorp.com');

INSERT INTO customer (customer_id, first_name, last_name, company, address, city, state, country, postal_code, phone, fax, email, support_rep_id) VALUES
    (1, N'Luís', N'Gonçalves', N'Embraer - Empresa Brasileira de Aeronáutica S.A.', N'Av. Brigadeiro Faria Lima, 2170', N'São José dos Campos', N'SP', N'Brazil', N'12227-000', N'+55 (12) 3923-5555', N'+55 (12) 3923-5566', N'luisg@embraer.com.br', 3),
    (2, N'Leonie', N'Köhler', NULL, N'Theodor-Heuss-Straße 34', N'Stuttgart', NULL, N'Germany', N'70174', N'+49 0711 2842222', NULL, N'leonekohler@surfeu.de', 5),
    (3, N'François', N'Tremblay', NULL, N'1498 rue Bélanger', N'Montréal', N'QC', N'Canada', N'H2G 1A7', N'+1 (514) 721-4711', NULL, N'ftremblay@gmail.com', 3),
    (4, N'Bjørn', N'Hansen', NULL, N'Ullevålsveien 14', N'Oslo', NULL, N'Norway', N'0171', N'+47 22 44 22 22', NULL, N'bjorn.hansen@yahoo.no', 4),
    (5, N'František', N'Wichterlová', N'JetBrains s.r.o.', N'Klanova 9/506', N'Prague', NULL, N'Czech Republic', N'14700', N'+420 2 4172 5555', N'+420 2 4172 5555', N'frantisekw@jetbrains.com', 4),
    (6, N'Helena', N'Holý', NULL, N'Rilská 3174/6', N'Prague', NULL, N'Czech Republic', N'14300', N'+420 2 4177 0449', NULL, N'hholy@gmail.com', 5),
    (7, N'Astrid', N'Gruber', NULL, N'Rotenturmstraße 4, 1010 Innere Stadt', N'Vienne', NULL, N'Austria', N'1010', N'+43 01 5134505', NULL, N'astrid.gruber@apple.at', 5),
    (8, N'Daan', N'Peeters', NULL, N'Grétrystraat 63', N'Brussels', NULL, N'Belgium', N'1000', N'+32 02 219 03 03', NULL, N'daan_peeters@apple.be', 4),
    (9, N'Kara', N'Nielsen', NULL, N'Sønder Boulevard 51', N'Copenhagen', NULL, N'Denmark', N'1720', N'+453 3331 9991', NULL, N'kara.nielsen@jubii.dk', 4),
    (10, N'Eduardo', N'Martins', N'Woodstock Discos', N'Rua Dr. Falcão Filho, 155', N'São Paulo', N'SP', N'Brazil', N'01007-010', N'+55 (11) 3033-5446', N'+55 (11) 3033-4564', N'eduardo@woodstock.com.br', 4),
    (11, N'Alexandre', N'Rocha', N'Banco do Brasil S.A.', N'Av. Paulista, 2022', N'São Paulo', N'SP', N'Brazil', N'01310-200', N'+55 (11) 3055-3278', N'+55 (11) 3055-8131', N'alero@uol.com.br', 5),
    (12, N'Roberto', N'Almeida', N'Riotur', N'Praça Pio X, 119', N'Rio de Janeiro', N'RJ', N'Brazil', N'20040-020', N'+55 (21) 2271-7000', N'+55 (21) 2271-7070', N'roberto.almeida@riotur.gov.br', 3),
    (13, N'Fernanda', N'Ramos', NULL, N'Qe 7 Bloco G', N'Brasília', N'DF', N'Brazil', N'71020-677', N'+55 (61) 3363-5547', N'+55 (61) 3363-7855', N'fernadaramos4@uol.com.br', 4),
    (14, N'Mark', N'Philips', N'Telus', N'8210 111 ST NW', N'Edmonton', N'AB', N'Canada', N'T6G 2C7', N'+1 (780) 434-4554', N'+1 (780) 434-5565', N'mphilips12@shaw.ca', 5),
    (15, N'Jennifer', N'Peterson', N'Rogers Canada', N'700 W Pender Street', N'Vancouver', N'BC', N'Canada', N'V6C 1G8', N'+1 (604) 688-2255', N'+1 (604) 688-8756', N'jenniferp@rogers.ca', 3),
    (16, N'Frank', N'Harris', N'Google Inc.', N'1600 Amphitheatre Parkway', N'Mountain View', N'CA', N'USA', N'94043-1351', N'+1 (650) 253-0000', N'+1 (650) 253-0000', N'fharris@google.com', 4);

INSERT INTO invoice (invoice_id, customer_id, invoice_date, billing_address, billing_city, billing_state, billing_country, billing_postal_code, total) VALUES
    (1, 2, '2021/1/1', N'Theodor-Heuss-Straße 34', N'Stuttgart', NULL, N'Germany', N'70174', 1.98),
    (34, 12, '2021/5/23', N'Praça Pio X, 119', N'Rio de Janeiro', N'RJ', N'Brazil', N'20040-020', 0.99),
    (35, 13, '2021/6/5', N'Qe 7 Bloco G', N'Brasília', N'DF', N'Brazil', N'71020-677', 1.98),
    (55, 8, '2021/8/24', N'Grétrystraat 63', N'Brussels', NULL, N'Belgium', N'1000', 0.99),
    (56, 9, '2021/9/6', N'Sønder Boulevard 51', N'Copenhagen', NULL, N'Denmark', N'1720', 1.98),
    (57, 11, '2021/9/6', N'Av. Paulista, 2022', N'São Paulo', N'SP', N'Brazil', N'01310-200', 1.98),
    (76, 4, '2021/11/25', N'Ullevålsveien 14', N'Oslo', NULL, N'Norway', N'0171', 0.99),
    (77, 5, '2021/12/8', N'Klanova 9/506', N'Prague', NULL, N'Czech Republic', N'14700', 1.98),
    (78, 7, '2021/12/8', N'Rotenturmstraße 4, 1010 Innere Stadt', N'Vienne', NULL, N'Austria', N'1010', 1.98),
    (98, 1, '2022/3/11', N'Av. Brigadeiro Faria Lima, 2170', N'São José dos Campos', N'SP', N'Brazil', N'12227-000', 3.98),
    (99, 3, '2022/3/11', N'1498 rue Bélanger', N'Montréal', N'QC', N'Canada', N'H2G 1A7', 3.98),
    (132, 13, '2022/7/31', N'Qe 7 Bloco G', N'Brasília', N'DF', N'Brazil', N'71020-677', 0.99),
    (133, 14, '2022/8/13', N'8210 111 ST NW', N'Edmonton', N'AB', N'Canada', N'T6G 2C7', 1.98),
    (153, 9, '2022/11/1', N'Sønder Boulevard 51', N'Copenhagen', NULL, N'Denmark', N'1720', 0.99),
    (154, 10, '2022/11/14', N'Rua Dr. Falcão Filho, 155', N'São Paulo', N'SP', N'Brazil', N'01007-010', 1.98),
    (155, 12, '2022/11/14', N'Praça Pio X, 119', N'Rio de Janeiro', N'RJ', N'Brazil', N'20040-020', 1.98),
    (174, 5, '2023/2/2', N'Klanova 9/506', N'Prague', NULL, N'Czech Republic', N'14700', 0.99),
    (175, 6, '2023/2/15', N'Rilská 3174/6', N'Prague', NULL, N'Czech Republic', N'14300', 1.98),
    (176, 8, '2023/2/15', N'Grétrystraat 63', N'Brussels', NULL, N'Belgium', N'1000', 1.98),
    (195, 1, '2023/5/6', N'Av. Brigadeiro Faria Lima, 2170', N'São José dos Campos', N'SP', N'Brazil', N'12227-000', 0.99),
    (196, 2, '2023/5/19', N'Theodor-Heuss-Straße 34', N'Stuttgart', NULL, N'Germany', N'70174', 1.98),
    (197, 4, '2023/5/19', N'Ullevålsveien 14', N'Oslo', NULL, N'Norway', N'0171', 1.98),
    (230, 14, '2023/10/8', N'8210 111 ST NW', N'Edmonton', N'AB', N'Canada', N'T6G 2C7', 0.99),
    (251, 10, '2024/1/9', N'Rua Dr. Falcão Filho, 155', N'São Paulo', N'SP', N'Brazil', N'01007-010', 0.99);

INSERT INTO invoice_line (invoice_line_id, invoice_id, track_id, unit_price, quantity) VALUES
    (1, 1, 2, 0.99, 1),
    (2, 1, 4, 0.99, 1),
    (188, 34, 1158, 0.99, 1),
    (189, 35, 1159, 0.99, 1),
    (190, 35, 1160, 0.99, 1),
    (302, 55, 1854, 0.99, 1),
    (303, 56, 1855, 0.99, 1),
    (304, 56, 1856, 0.99, 1),
    (305, 57, 1858, 0.99, 1),
    (306, 57, 1860, 0.99, 1),
    (416, 76, 2550, 0.99, 1),
    (417, 77, 2551, 0.99, 1),
    (418, 77, 2552, 0.99, 1),
    (419, 78, 2554, 0.99, 1),
    (420, 78, 2556, 0.99, 1),
    (531, 98, 3247, 1.99, 1),
    (532, 98, 3248, 1.99, 1),
    (533, 99, 3250, 1.99, 1),
    (534, 99, 3252, 1.99, 1),
    (720, 132, 903, 0.99, 1),
    (721, 133, 904, 0.99, 1),
    (722, 133, 905, 0.99, 1),
    (834, 153, 1599, 0.99, 1),
    (835, 154, 1600, 0.99, 1),
    (836, 154, 1601, 0.99, 1),
    (837, 155, 1603, 0.99, 1),
    (838, 155, 1605, 0.99, 1),
    (948, 174, 2295, 0.99, 1),
    (949, 175, 2296, 0.99, 1),
    (950, 175, 2297, 0.99, 1),
    (951, 176, 2299, 0.99, 1),
    (952, 176, 2301, 0.99, 1),
    (1062, 195, 2991, 0.99, 1),
    (1063, 196, 2992, 0.99, 1),
    (1064, 196, 2993, 0.99, 1),
    (1065, 197, 2995, 0.99, 1),
    (1066, 197, 2997, 0.99, 1),
    (1252, 230, 648, 0.99, 1),
    (1366, 251, 1344, 0.99, 1);

INSERT INTO playlist (playlist_id, name) VALUES
    (1, N'Music'),
    (2, N'Movies'),
    (3, N'TV Shows'),
    (4, N'Audiobooks'),
    (5, N'90’s Music'),
    (6, N'Audiobooks'),
    (7, N'Movies'),
    (8, N'Music'),
    (9, N'Music Videos'),
    (10, N'TV Shows'),
    (11, N'Brazilian Music'),
    (12, N'Classical'),
    (13, N'Classical 101 - Deep Cuts'),
    (14, N'Classical 101 - Next Steps'),
    (15, N'Classical 101 - The Basics'),
    (16, N'Grunge'),
    (17, N'Heavy Metal Classic'),
    (18, N'On-The-Go 1');

INSERT INTO playlist_track (playlist_id, track_id) VALUES
    (1, 2295),
    (1, 903),
    (1, 904),
    (1, 905),
    (1, 648),
    (1, 1344),
    (1, 1854),
    (1, 1855),
    (1, 1856),
    (1, 1858),
    (1, 1860),
    (1, 2554),
    (1, 2556),
    (1, 1),
    (1, 6),
    (1, 7),
    (1, 8),
    (1, 9),
    (1, 10),
    (1, 11),
    (1, 12),
    (1, 13),
    (1, 14),
    (1, 15),
    (1, 16),
    (1, 17),
    (1, 18),
    (1, 19),
    (1, 20),
    (1, 21),
    (1, 22),
    (1, 2),
    (1, 3),
    (1, 4),
    (1, 5),
    (1, 1158),
    (1, 1159),
    (1, 1160),
    (1, 1599),
    (1, 1600),
    (1, 1601),
    (1, 1603),
    (1, 1605),
    (1, 2296),
    (1, 2297),
    (1, 2299),
    (1, 2301),
    (1, 2550),
    (1, 2551),
    (1, 2552),
    (1, 2991),
    (1, 2992),
    (1, 2993),
    (1, 2995),
    (1, 2997),
    (3, 3250),
    (3, 3247),
    (3, 3248),
    (3, 3252),
    (5, 1158),
    (5, 1159),
    (5, 1160),
    (5, 2550),
    (5, 2551),
    (5, 2552),
    (5, 903),
    (5, 904),
    (5, 905),
    (5, 3),
    (5, 4),
    (5, 5),
    (5, 2296),
    (5, 2297),
    (5, 2299),
    (5, 2301),
    (10, 3250),
    (10, 3247),
    (10, 3248),
    (10, 3252),
    (16, 2550),
    (17, 1),
    (17, 2),
    (17, 3),
    (17, 4),
    (17, 5),
    (17, 1854);
