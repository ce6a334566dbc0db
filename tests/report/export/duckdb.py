#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The views of xferspy export --to sqlite, and the questions of docs/sqlite.md, have the
same answers in DuckDB. It gets the tables as CSV, since its extension that reads SQLite's
files comes from the network. Skipped (77) without node, npm or its registry.

    duckdb.py XFERSPY SOURCES FOLDER

FOLDER keeps the package.
"""
import csv
import json
import pathlib
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile

PACKAGE = "@duckdb/node-api@1.4.4-r.1"
TYPES = {"INTEGER": "BIGINT", "TEXT": "VARCHAR"}
HERE = pathlib.Path(__file__).parent


def install(folder):
    folder.mkdir(parents=True, exist_ok=True)
    if not (folder / "node_modules/@duckdb/node-api").exists():
        done = subprocess.run(["npm", "install", "--no-fund", "--no-audit", "--no-save",
                               PACKAGE], cwd=folder, capture_output=True, text=True)
        if done.returncode:
            print(f"skipped: npm: {done.stderr}")
            sys.exit(77)
    shutil.copy(HERE / "duckdb.mjs", folder)


def names(database, kind):
    return database.execute("SELECT name, sql FROM sqlite_master WHERE type = ?", [kind])


def write_table(database, name, folder):
    """Writes a table as CSV. NULL is \\N."""
    columns = {row[1]: TYPES[row[2]]
               for row in database.execute(f"PRAGMA table_info({name})")}
    path = folder / f"{name}.csv"
    with open(path, "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(columns)
        writer.writerows([r"\N" if value is None else value for value in row]
                         for row in database.execute(f"SELECT * FROM {name}"))
    return {"file": str(path), "columns": columns}


def ask_duckdb(database, questions, folder, package):
    job = {"questions": questions,
           "tables": {name: write_table(database, name, folder)
                      for name, _ in names(database, "table")},
           "views": [sql for _, sql in names(database, "view")]}
    done = subprocess.run(["node", "duckdb.mjs"], cwd=package, input=json.dumps(job),
                          capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def ordered(rows):
    return sorted(["NULL" if value is None else str(value) for value in row]
                  for row in rows)


def main():
    xferspy, sources, package = sys.argv[1], pathlib.Path(sys.argv[2]), \
        pathlib.Path(sys.argv[3])
    if not shutil.which("node") or not shutil.which("npm"):
        print("skipped: node or npm is missing")
        sys.exit(77)
    install(package)
    questions = re.findall(r"^```sql\n(.*?)^```",
                           (sources / "docs/sqlite.md").read_text(), re.M | re.S)
    questions += [f"SELECT count(*) FROM {view}"
                  for view in ("calls", "ops", "busy", "busy_gpu")]
    failed = False
    for trace in ("examples/traces/stencil-512-pageable.xspy",
                  "examples/putget/h100/peer.xspy", "tests/report/traces/nvtx.txt"):
        with tempfile.TemporaryDirectory() as name:
            path = pathlib.Path(name) / "trace.db"
            subprocess.run([xferspy, "export", "--to", "sqlite", sources / trace, "-o",
                            path], check=True)
            database = sqlite3.connect(path)
            found = ask_duckdb(database, questions, path.parent, package)
            for question, rows in zip(questions, found):
                told = database.execute(question).fetchall()
                if ordered(rows) != ordered(told):
                    print(f"failed: {trace}: {question}{rows}\n{told}")
                    failed = True
            database.close()
    sys.exit(failed)


if __name__ == "__main__":
    main()
