#!/usr/bin/env python3
"""Measures `migrate` from database to acknowledged batch, beside what one would write without it.

    ./test --with python3 benches/end_to_end.py [--rows N …] [--only postgres|mysql] [--rounds 3]

Fills a table of 13 columns, starts a server that acknowledges at once, and runs in turns: the dry run, the
load, the same load written with the plain SDK (`benches/plain_sdk.rs`), and a boto3 script on a part of
the rows. Prints medians of all rounds: items per second, the client's CPU time per item, its peak memory, and
how many times the script's speed that is. Items are counted by the server: a contender that loses some fails.

Client, database and server share the machine, so that items per second are only good for ratios within one
run; CPU per item carries over.
"""

import argparse
import os
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.parse
import urllib.request
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BUILD = ROOT / "target" / "release"
SCRIPT_ROWS = 40_000


def main():
    options = arguments()
    subprocess.run(
        ["cargo", "build", "--release", "--quiet", "--bin", "migrate", "--examples"], cwd=ROOT, check=True
    )
    alone = options.no_script or options.against or options.count_keys or options.verify
    python = None if alone else script_environment()
    for rows in options.rows:
        for kind in options.only or ["postgres", "mysql"]:
            database = DATABASES[kind]()
            try:
                say(f"{kind}: filling {rows:,} rows")
                database.fill(rows)
                if options.verify:
                    verification(database, rows, options.rounds)
                    continue
                if options.count_keys:
                    found = counting(database, rows)
                elif options.against:
                    found = pair(database, rows, options.against.resolve())
                else:
                    found = contenders(database, rows, python)
                results = measure(found, options.rounds)
            finally:
                database.drop()
            print(f"\n{kind}, {rows:,} rows, {os.cpu_count()} cores\n")
            if options.count_keys:
                passes(rows, results)
            elif options.against:
                compare(results)
            else:
                report(results)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rows", type=int, nargs="+", default=[1_000_000])
    parser.add_argument("--only", choices=DATABASES, nargs="+")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--no-script", action="store_true", help="leave the boto3 script out")
    parser.add_argument(
        "--against", type=Path, metavar="MIGRATE", help="an earlier build, to take turns with instead of the others"
    )
    parser.add_argument("--count-keys", action="store_true", help="measure the key pass instead")
    parser.add_argument("--verify", action="store_true", help="measure the verification behind a load instead")
    return parser.parse_args()


def script_environment():
    """A Python of its own with what the script needs."""
    folder = ROOT / "target" / "bench-python"
    python = folder / "bin" / "python"
    if not python.exists():
        say("installing boto3 and the database drivers")
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
        packages = ["boto3", "psycopg[binary]", "pymysql"]
        subprocess.run([python, "-m", "pip", "install", "--quiet", *packages], check=True)
    return python


class Postgres:
    def __init__(self):
        server = os.environ["TEST_POSTGRES_URL"]
        self.admin = server
        self.url = server.rsplit("/", 1)[0] + "/benchmark"
        self.mapping = ROOT / "benches" / "orders.postgres.toml"

    def fill(self, rows):
        self.drop()
        self.psql(self.admin, "-c", "CREATE DATABASE benchmark")
        self.psql(self.url, "-v", f"rows={rows}", "-f", ROOT / "benches" / "orders.postgres.sql")

    def drop(self):
        self.psql(self.admin, "-c", "DROP DATABASE IF EXISTS benchmark WITH (FORCE)")

    def psql(self, url, *words):
        subprocess.run(["psql", "-qX", "-v", "ON_ERROR_STOP=1", url, *words], check=True)


class Mysql:
    def __init__(self):
        server = os.environ["TEST_MYSQL_URL"]
        self.admin = server
        self.url = server.rsplit("/", 1)[0] + "/benchmark"
        self.mapping = ROOT / "benches" / "orders.mysql.toml"

    def fill(self, rows):
        self.drop()
        self.mysql("CREATE DATABASE benchmark")
        sql = (ROOT / "benches" / "orders.mysql.sql").read_text()
        self.mysql(f"USE benchmark; SET @rows = {rows};\n{sql}")

    def drop(self):
        self.mysql("DROP DATABASE IF EXISTS benchmark")

    def mysql(self, sql):
        parts = urllib.parse.urlsplit(self.admin)
        words = [f"--host={parts.hostname}", f"--port={parts.port}", f"--user={parts.username}"]
        environment = {**os.environ, "MYSQL_PWD": parts.password or ""}
        client = shutil.which("mariadb") or "mysql"
        subprocess.run(
            [client, "--default-character-set=utf8mb4", *words],
            input=sql.encode(),
            env=environment,
            stdout=subprocess.DEVNULL,
            check=True,
        )


DATABASES = {"postgres": Postgres, "mysql": Mysql}


class Server:
    """The acknowledging server, as a process of its own."""

    def __init__(self, keeps=False):
        self.words = ["--keep"] if keeps else []

    def __enter__(self):
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        self.url = f"http://127.0.0.1:{port}"
        command = [BUILD / "examples" / "acknowledge", str(port), *self.words]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE)
        self.process.stdout.readline()
        return self

    def items(self):
        # No proxy between us and a server on this machine.
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        with opener.open(f"{self.url}/items") as answer:
            return int(answer.read())

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()


def contenders(database, rows, python):
    """Name → (command for an endpoint and a state folder, items it must write, whether it writes)."""
    found = migrate(BUILD / "migrate", database, rows)
    found["plain SDK"] = (lambda url, _: [BUILD / "examples" / "plain_sdk", database.url, url], rows, True)
    if python:
        part = min(rows, SCRIPT_ROWS)
        script = ROOT / "benches" / "boto3_script.py"
        found["boto3 script"] = (
            lambda url, _: [python, script, database.url, url, str(part)],
            part,
            True,
        )
    return with_url(found, database)


def pair(database, rows, earlier):
    """As `contenders`: this build and an earlier one."""
    found = migrate(BUILD / "migrate", database, rows)
    for name, contender in migrate(earlier, database, rows).items():
        found[f"{name}, earlier"] = contender
    return with_url(found, database)


def counting(database, rows):
    """A load, a dry run, and the same with keys that no proof tells apart."""
    found = migrate(BUILD / "migrate", database, rows)
    text = Path(database.mapping).read_text()
    unproven = ROOT / "target" / Path(database.mapping).name
    unproven.write_text(text.replace("ORDER#{id:012}\"\n\n[entities.Order.index.GSI1]", "REF#{reference}\"\n\n[entities.Order.index.GSI1]"))
    command = [BUILD / "migrate", "run", "--mapping", unproven, "--quiet", "--json", "--dry-run"]
    found["dry run, keys counted"] = (lambda _, __: command, rows, False)
    return with_url(found, database)


def verification(database, rows, rounds):
    """A load and the verification of all of it, by turns, against a server that keeps the items."""
    figures = {"load": [], "verify": []}
    for round_ in range(rounds):
        with Server(keeps=True) as server, tempfile.TemporaryDirectory() as state:
            common = ["--mapping", database.mapping, "--quiet", "--json", "--state", state]
            for name, words in {"load": ["run", "--yes"], "verify": ["verify"]}.items():
                say(f"round {round_ + 1} of {rounds}: {name}")
                command = [BUILD / "migrate", *words, *common]
                figures[name].append(timed(name, command, rows, database.url, server.url))
    results = {name: tuple(statistics.median(column) for column in zip(*runs)) for name, runs in figures.items()}
    print(f"\n{database.mapping.name}, {rows:,} rows, {os.cpu_count()} cores\n")
    print("| | items/s | CPU µs/item | peak MB |")
    print("| --- | ---: | ---: | ---: |")
    for name, (speed, cpu, memory) in results.items():
        print(f"| {name} | {speed:,.0f} | {cpu:.2f} | {memory:.0f} |")
    print(f"\nverify: {results['verify'][0] / results['load'][0]:.2f} times the load's speed", flush=True)


def passes(rows, results):
    """The key pass is what a dry run with it takes longer."""
    print("| | items/s | CPU µs/item | peak MB |")
    print("| --- | ---: | ---: | ---: |")
    for name, (speed, cpu, memory) in results.items():
        print(f"| {name} | {speed:,.0f} | {cpu:.2f} | {memory:.0f} |")
    seconds = rows / results["dry run, keys counted"][0] - rows / results["dry run"][0]
    speed = rows / seconds
    ratio = speed / results["load"][0]
    print(f"\nkey pass: {speed:,.0f} rows/s, {ratio:.1f} times the load's speed", flush=True)


def migrate(binary, database, rows):
    command = [binary, "run", "--mapping", database.mapping, "--quiet", "--json"]
    return {
        "dry run": (lambda _, __: [*command, "--dry-run"], rows, False),
        "load": (lambda _, state: [*command, "--state", state, "--yes"], rows, True),
    }


def with_url(found, database):
    return {name: (*contender, database.url) for name, contender in found.items()}


def measure(found, rounds):
    """Figures of each contender by name; contenders take turns, so that a busy minute hits them all."""
    figures = {name: [] for name in found}
    for round_ in range(rounds):
        for name, contender in found.items():
            say(f"round {round_ + 1} of {rounds}: {name}")
            figures[name].append(run(name, *contender))
    return {name: tuple(statistics.median(column) for column in zip(*runs)) for name, runs in figures.items()}


def run(name, command, items, writes, url):
    """(items per second, CPU µs per item, peak MB) of one run."""
    with Server() as server, tempfile.TemporaryDirectory() as state:
        figures = timed(name, command(server.url, state), items, url, server.url)
        if writes and server.items() != items:
            sys.exit(f"{name} wrote {server.items():,} of {items:,} items")
    return figures


def timed(name, command, items, url, endpoint):
    environment = {**os.environ, "DATABASE_URL": url, "DYNAMODB_ENDPOINT": endpoint}
    started = time.monotonic()
    process = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    elapsed = time.monotonic() - started
    # Popen must not wait for what is waited for.
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        sys.exit(f"{name} ended with {process.returncode}")
    cpu = usage.ru_utime + usage.ru_stime
    return items / elapsed, cpu / items * 1e6, usage.ru_maxrss / 1024


def compare(results):
    print("| | items/s | CPU µs/item | peak MB | CPU × earlier |")
    print("| --- | ---: | ---: | ---: | ---: |")
    for name, (speed, cpu, memory) in results.items():
        ratio = cpu / results.get(f"{name}, earlier", (0, cpu))[1]
        print(f"| {name} | {speed:,.0f} | {cpu:.2f} | {memory:.0f} | {ratio:.3f} |", flush=True)


def report(results):
    script = results.get("boto3 script", (None,))[0]
    print("| | items/s | CPU µs/item | peak MB | × boto3 script | × plain SDK |")
    print("| --- | ---: | ---: | ---: | ---: | ---: |")
    for name, (speed, cpu, memory) in results.items():
        ratios = [f"{speed / base:.1f}" if base else "" for base in (script, results["plain SDK"][0])]
        print(f"| {name} | {speed:,.0f} | {cpu:.2f} | {memory:.0f} | {ratios[0]} | {ratios[1]} |", flush=True)


def say(text):
    print(f"bench: {text}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    # Ctrl-C in the script that started the servers ends this too.
    signal.signal(signal.SIGQUIT, lambda *_: sys.exit(131))
    main()
