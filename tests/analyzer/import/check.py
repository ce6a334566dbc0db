#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Traces of other tools: what xferspy reads of them, and what it says it lacks.

    check.py XFERSPY
"""
import json
import pathlib
import sqlite3
import subprocess
import sys
import tempfile
import unittest

import write_nsys

XFERSPY = ""
SCHEMAS = ("2.9", "3.0", "3.8", "3.17", "3.25")


def run(*arguments):
    return subprocess.run([XFERSPY, *map(str, arguments)], capture_output=True,
                          text=True, timeout=120)


def records(path):
    """Lines of the dump, by kind: [{field: value}]."""
    done = run("dump", path)
    assert done.returncode == 0, done.stderr
    out = {}
    for line in done.stdout.splitlines()[1:]:
        kind, _, rest = line.partition(" ")
        fields = dict(part.split("=", 1) for part in rest.split(" ")
                      if "=" in part and '"' not in part)
        text = rest.split('"')[1] if '"' in rest else None
        out.setdefault(kind, []).append(fields | {"text": text})
    return out


def report(path):
    done = run("report", "--format", "json", "--machine", "h200", path)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


class Nsys(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = pathlib.Path(self.folder.name)

    def write(self, schema):
        path = self.path / f"{schema}.db"
        write_nsys.write(schema, path)
        return path

    def test_all_schemas_have_the_same_times(self):
        for schema in SCHEMAS:
            with self.subTest(schema):
                made = report(self.write(schema))
                totals = made["totals"]
                self.assertEqual(totals["h2d_ns"], 3 * 1800000 + 100000)
                self.assertEqual(totals["d2h_ns"], 3 * 1890000)
                self.assertEqual(totals["kernel_ns"], 3 * 1980000)
                self.assertEqual(totals["h2d_bytes"], 16 << 20)
                self.assertEqual(made["trace"]["wall_ns"], 40000000)
                self.assertEqual(made["trace"]["pid"], 4711)
                self.assertEqual(made["trace"]["host"], "node7")
                self.assertEqual(made["trace"]["driver_version"], "580.26.07")
                self.assertEqual(made["coverage"]["matched"], 10)
                self.assertEqual(made["phases"][0]["rounds"], 3)

    def test_kinds_of_memory(self):
        def kinds(schema):
            return [(copy["src_memory"], copy["dst_memory"]) for copy in
                    records(self.write(schema))["copy"]]
        self.assertEqual(kinds("3.0"), [("1", "3"), ("3", "1")] * 3 + [("2", "3")])
        # the numbers of older exports are not explained in them
        self.assertEqual(kinds("2.9"), [("0", "0")] * 7)
        notes = " ".join(report(self.path / "2.9.db")["coverage"]["notes"])
        self.assertIn("whether their host memory is pageable or pinned", notes)

    def test_calls(self):
        made = records(self.write("3.25"))
        copies = made["copycall"]
        self.assertEqual(copies[0]["bytes"], str(4 << 20))
        self.assertEqual([call["direction"] for call in copies],
                         ["1", "2"] * 3 + ["1"])
        # launches: each once, though the runtime called the driver
        self.assertEqual(len(made["call"]), 3)
        # the stream of a copy is that of its op, and the wait is for it
        self.assertEqual(copies[0]["stream"], "0")
        self.assertEqual(made["waitcall"][0]["stream"], copies[-1]["stream"])
        self.assertEqual(made["waitcall"][1]["event"], "5")
        self.assertEqual(made["waitcall"][1]["error"], "2")
        self.assertEqual(made["memcall"][0]["bytes"], str(4 << 20))
        self.assertEqual([op["flags"] for op in made["copy"]], ["0"] * 6 + ["1"])
        self.assertEqual({call["tid"] for call in made["thread"]}, {"4712"})

    def test_call_stacks(self):
        sites = [site["function"] for phase in
                 report(self.write("3.25"))["phases"] for site in phase["sites"]]
        self.assertIn("load(float*)", sites)
        self.assertIn("step(float*)", sites)
        self.assertNotIn("main", sites)

    def test_what_is_missing_is_said(self):
        made = report(self.write("3.0"))
        notes = " ".join(made["coverage"]["notes"])
        self.assertIn("has no call stacks", notes)
        self.assertIn("has no addresses of host memory", notes)
        self.assertIn("has no sizes of allocations", notes)
        self.assertIn("2 processes of the capture used CUDA", notes)
        self.assertEqual(made["coverage"]["imported"],
                         "Nsight Systems 2099.1, SQLite schema 3.0.0")
        resident = [row for row in made["phases"][0]["estimates"]
                    if row["strategy"] == "resident"]
        self.assertIn("cannot, because", resident[0]["why"])
        self.assertFalse(resident[0]["applies"])
        flow = run("report", "--dataflow", "--machine", "h200",
                   self.path / "3.0.db").stdout
        self.assertIn("cannot, because the imported file", flow)
        notes = " ".join(report(self.write("3.25"))["coverage"]["notes"])
        self.assertNotIn("call stacks", notes)
        self.assertNotIn("sizes of allocations", notes)

    def test_the_dump_reads_back(self):
        path = self.write("3.17")
        text, trace = self.path / "a.txt", self.path / "a.xspy"
        text.write_text(run("dump", path).stdout)
        self.assertEqual(run("dump", "--read", text, "-o", trace).returncode, 0)
        first, second = report(path), report(trace)
        first["trace"]["path"] = second["trace"]["path"] = ""
        self.assertEqual(first, second)

    def test_waits_and_graphs(self):
        path = self.write("3.24")
        db = sqlite3.connect(path)
        db.execute("CREATE TABLE CUPTI_ACTIVITY_KIND_GRAPH_TRACE (start, end,"
                   " deviceId, contextId, streamId, correlationId, globalPid,"
                   " graphId, graphExecId)")
        name = db.execute("SELECT max(id) + 1 FROM StringIds").fetchone()[0]
        db.execute("INSERT INTO StringIds VALUES (?, 'cudaGraphLaunch_v10000')", [name])
        db.execute("INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES "
                   "(33000000, 33010000, 0, ?, 900, ?, 0, NULL)",
                   [write_nsys.GLOBAL | 4712, name])
        db.execute("INSERT INTO CUPTI_ACTIVITY_KIND_GRAPH_TRACE VALUES "
                   "(33020000, 34000000, 0, 1, 7, 900, ?, 2, 3)",
                   [write_nsys.GLOBAL])
        db.commit()
        self.assertEqual(records(path)["graph"][0]["exec"], "3")
        self.assertEqual(report(path)["coverage"]["graphs_unknown"], 1)


class Refused(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = pathlib.Path(self.folder.name) / "file"

    def refuse(self, words):
        for command in ("report", "dump"):
            done = run(command, self.path)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn(words, done.stderr)

    def test_a_report_of_nsys_says_the_command(self):
        self.path.write_bytes(b"NVIDIA Tegra Profiler Report 2025@6@1@190-\0")
        self.refuse("nsys export --type sqlite -o OUT.sqlite FILE")

    def test_another_database(self):
        with sqlite3.connect(self.path) as db:
            db.execute("CREATE TABLE a (b)")
        self.refuse("no export of Nsight Systems")

    def test_damage(self):
        write_nsys.write("3.25", self.path)
        whole = self.path.read_bytes()
        self.path.write_bytes(whole[:len(whole) // 2])
        self.refuse("damaged or incomplete")
        self.path.write_bytes(whole[:100])
        self.refuse("damaged or incomplete")

    def test_a_schema_of_the_future(self):
        write_nsys.write("4.0", self.path)
        self.refuse("newer than this xferspy")

    def test_a_column_that_is_gone(self):
        write_nsys.write("3.25", self.path)
        with sqlite3.connect(self.path) as db:
            db.execute("ALTER TABLE CUPTI_ACTIVITY_KIND_KERNEL "
                       "RENAME COLUMN correlationId TO id")
        self.refuse("has no column correlationId")


if __name__ == "__main__":
    XFERSPY = sys.argv.pop()
    unittest.main()
