#!/usr/bin/env python3
"""Draws docs/demo.svg and docs/verify.svg, the terminal sessions in the README: python3 docs/picture.py

Runs the commands below on terminals of their own, with mappings over the shop of mappings/shop.sqlite.sql
(enlarged), and writes what stands on the screens afterwards. What terminals show is left to pyte, which the first
call installs into target/picture. MIGRATE names another binary than target/debug/migrate.
"""

import fcntl
import html
import os
import pty
import re
import shlex
import sqlite3
import struct
import subprocess
import sys
import tempfile
import termios
import venv
from itertools import groupby
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
ENVIRONMENT = ROOT / "target" / "picture"
PYTE = "pyte==0.8.2"

COLUMNS, ROWS = 100, 200

# Enough orders for numbers with a comma; the shop itself has forty.
MORE_ROWS = """
WITH RECURSIVE n(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 500)
INSERT INTO orders (id, user_id, order_date, status, shipped_status, total, gift)
SELECT id + 100 * n, user_id, order_date, status, shipped_status, total, gift FROM orders, n
WHERE deleted_at IS NULL;
"""

# What an application could do to the source after a load.
CHANGE = "UPDATE orders SET total = 99 WHERE id = 1007; DELETE FROM orders WHERE id = 1004"


class Picture:
    """A session: its commands, each with the exit code that it must have, and those before that are not shown."""

    def __init__(self, name, title, mapping, session, before=()):
        self.name, self.title, self.mapping = name, title, mapping
        self.session, self.before = session, before


def pictures():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    first = re.search(r"```toml\n(.*?)```", readme, re.DOTALL)[1]
    shop = (ROOT / "mappings" / "shop.toml").read_text(encoding="utf-8")
    return [
        Picture(
            "demo",
            "migrate checks a mapping, shows what a load would do, loads, and verifies every item",
            first,
            [
                ("migrate check --mapping shop.toml --quiet", 0),
                ("migrate --mapping shop.toml --dry-run --redact", 0),
                ("migrate --mapping shop.toml", 0),
                ("migrate verify --mapping shop.toml", 0),
            ],
        ),
        Picture(
            "verify",
            "migrate verify asks the application's questions, finds what a source has changed since, and repairs it",
            shop,
            [
                ("migrate verify --mapping shop.toml", 0),
                (f'sqlite3 shop.db "{CHANGE}"', 0),
                ("migrate verify --mapping shop.toml --orphans --no-patterns --quiet", 5),
                ("migrate verify --mapping shop.toml --repair --delete-orphans --no-patterns --yes --quiet", 0),
            ],
            before=["migrate --mapping shop.toml --create-table --quiet"],
        ),
    ]


CELL, LINE, MARGIN, BAR = 8.4, 19, 18, 34
BACKGROUND, TEXT = "#0d1117", "#e6edf3"
COLORS = {
    "black": "#6e7681", "red": "#ff7b72", "green": "#56d364", "brown": "#e3b341", "blue": "#79c0ff",
    "magenta": "#d2a8ff", "cyan": "#56d4dd", "white": "#ffffff",
}


def main():
    pyte = with_pyte()
    # In memory where there is such a place: a slow disk is not what the pictures are about.
    memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    for picture in pictures():
        screen = pyte.Screen(COLUMNS, ROWS)
        screen.set_mode(pyte.modes.LNM)
        stream = pyte.ByteStream(screen)
        with tempfile.TemporaryDirectory(dir=memory) as folder:
            prepare(Path(folder), picture.mapping)
            for command in picture.before:
                expect(run(command, folder, pyte.ByteStream(pyte.Screen(COLUMNS, ROWS))), 0, command)
            for number, (command, code) in enumerate(picture.session):
                gap = "\n" if number else ""
                stream.feed(f"{gap}\033[32m$\033[0m \033[1m{command}\033[0m\n".encode())
                expect(run(command, folder, stream), code, command)
        path = ROOT / "docs" / f"{picture.name}.svg"
        path.write_text(svg(lines(screen), picture.title), encoding="utf-8")
        print(f"{path}: {path.stat().st_size:,} bytes")


def expect(code, expected, command):
    if code != expected:
        sys.exit(f"exit code {code} instead of {expected}: {command}")


def with_pyte():
    """The module, from an environment of its own; nothing is installed for the whole machine."""
    try:
        import pyte
        return pyte
    except ImportError:
        python = ENVIRONMENT / "bin" / "python"
        if Path(sys.prefix) == ENVIRONMENT:
            sys.exit(f"no {PYTE} in {ENVIRONMENT}: remove the folder and try again")
        if not python.exists():
            venv.create(ENVIRONMENT, with_pip=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", PYTE], check=True)
        os.execv(python, [python, *sys.argv])


def prepare(folder, mapping):
    (folder / "shop.toml").write_text(mapping, encoding="utf-8")
    database = sqlite3.connect(folder / "shop.db")
    database.executescript((ROOT / "mappings" / "shop.sqlite.sql").read_text(encoding="utf-8") + MORE_ROWS)
    database.close()


def run(command, folder, stream):
    """Feeds the stream with what a command writes to a terminal of the picture's size; its exit code."""
    program, *arguments = shlex.split(command)
    if program == "sqlite3":
        database = sqlite3.connect(Path(folder) / arguments[0])
        database.executescript(arguments[1])
        database.close()
        return 0
    program = os.environ.get("MIGRATE", str(ROOT / "target" / "debug" / "migrate"))
    words = [os.path.abspath(program), *arguments]
    environment = {
        "DATABASE_URL": "sqlite://shop.db", "TERM": "xterm-256color", "HOME": folder,
        "PATH": os.environ["PATH"],
    }
    size = struct.pack("HHHH", ROWS, COLUMNS, 0, 0)
    child, terminal = pty.fork()
    if child == 0:
        fcntl.ioctl(0, termios.TIOCSWINSZ, size)
        os.chdir(folder)
        os.execve(words[0], words, environment)
    while True:
        try:
            written = os.read(terminal, 65536)
        except OSError:  # how Linux says that the terminal was closed
            break
        if not written:
            break
        stream.feed(written)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def lines(screen):
    """Of each line the runs of one look: (column, text, colour, bold)."""
    found = []
    for row in range(ROWS):
        cells = [screen.buffer[row][column] for column in range(COLUMNS)]
        runs, column = [], 0
        for (color, bold), group in groupby(cells, key=lambda cell: (cell.fg, cell.bold)):
            group = list(group)
            text = "".join(cell.data for cell in group)
            start = len(text) - len(text.lstrip())
            if text.strip():
                runs.append((column + start, text.strip(), color, bold))
            column += len(group)
        found.append(runs)
    while found and not found[-1]:
        found.pop()
    return found


def svg(found, title):
    width = round(COLUMNS * CELL + 2 * MARGIN)
    height = BAR + len(found) * LINE + MARGIN
    dots = "".join(
        f'<circle cx="{MARGIN + 6 + 20 * n}" cy="18" r="6" fill="{color}"/>'
        for n, color in enumerate(["#ff5f57", "#febc2e", "#28c840"])
    )
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" '
        f'height="{height}" role="img" aria-label="{title}">',
        f"<title>{title}</title>",
        "<style>text{font:14px ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace;"
        f"fill:{TEXT};white-space:pre}}.bold{{font-weight:bold}}"
        + "".join(f".{name}{{fill:{color}}}" for name, color in COLORS.items())
        + "</style>",
        # A frame of its own colour: to be seen on dark pages, too.
        f'<rect x=".5" y=".5" width="{width - 1}" height="{height - 1}" rx="8" fill="{BACKGROUND}" '
        'stroke="#30363d"/>',
        dots,
    ]
    for row, runs in enumerate(found):
        y = BAR + LINE * row + 14
        for column, text, color, bold in runs:
            # The length keeps columns in line whatever the reader's font is.
            x, length = round(MARGIN + column * CELL, 1), round(len(text) * CELL, 1)
            look = " ".join(name for name in (color if color in COLORS else "", "bold" if bold else "") if name)
            look = f' class="{look}"' if look else ""
            parts.append(
                f'<text x="{x:g}" y="{y}" textLength="{length:g}" xml:space="preserve"{look}>'
                f"{html.escape(text, quote=False)}</text>"
            )
    return "\n".join([*parts, "</svg>\n"])


if __name__ == "__main__":
    main()
