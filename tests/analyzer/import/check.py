#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Traces of other tools: what xferspy reads of them, and what it says it lacks.

    check.py XFERSPY
"""
import collections
import gzip
import json
import pathlib
import resource
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import unittest

import write_nsys

XFERSPY = ""
RECORDED = pathlib.Path(__file__).parent / "recorded"
ADDRESS_KIB = 200000 # the input is mapped, but not all of it is read
TRIES = 8
LEFT_OUT = ("left out: {} events without a time, or with a time, stream, size or kind that "
            "cannot be")
SCHEMAS = ("2.9", "3.0", "3.8", "3.17", "3.25")


def run(*arguments):
    return subprocess.run([XFERSPY, *map(str, arguments)], capture_output=True,
                          text=True)


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


def cpu_seconds(path):
    """What a dump takes."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    assert run("dump", path).returncode == 0
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before


def takes_at_most(times, path, other):
    """Whether a dump of one takes at most so many times that of the other.
    Other programs may disturb a measurement: the shortest times count."""
    least = {path: float("inf"), other: float("inf")}
    for _ in range(TRIES):
        for each in least:
            least[each] = min(least[each], cpu_seconds(each))
        if least[path] <= times * least[other]:
            return True
    return False


def report(path, machine="h200"):
    done = run("report", "--format", "json", "--machine", machine, path)
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
                self.assertEqual(made["trace"]["driver_version"], "13.2")
                self.assertEqual(made["coverage"]["matched"], 10)
                self.assertEqual(made["phases"][0]["rounds"], 3)

    def test_the_program(self):
        path = self.write("3.8")
        self.assertEqual(report(path)["trace"]["app"], "scale -n 3")
        with sqlite3.connect(path) as db: # a child of what nsys started
            db.execute("UPDATE PROCESSES SET name = '/opt/child'")
        self.assertEqual(report(path)["trace"]["app"], "/opt/child")

    def test_kinds_of_memory(self):
        def kinds(schema):
            return [(copy["src_memory"], copy["dst_memory"]) for copy in
                    records(self.write(schema))["copy"]]
        self.assertEqual(kinds("3.0"), [("1", "3"), ("3", "1")] * 3 + [("2", "3")])
        # the numbers of older exports are not explained in them
        # which does not matter for a call that returns before its copy
        self.assertEqual(kinds("2.9"), [("0", "0")] * 6 + [("2", "0")])
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

    def test_a_recorded_export(self):
        for ours, theirs in (("rounds-2.xspy", "rounds.sqlite"),
                             ("rounds-h200.xspy", "rounds-h200.sqlite")):
            with self.subTest(theirs):
                self.compare(*(report(RECORDED / f"{name}.gz", "fitted")
                               for name in (ours, theirs)))

    def compare(self, ours, theirs):
        """Of another process than the trace: pageable memory is not alike."""
        self.assertEqual(*[made["coverage"]["gpu_ops_seen"] for made in (ours, theirs)])
        self.assertEqual(theirs["coverage"]["matched"], 134)
        self.assertEqual(*[(made["plan"][0]["strategy"], made["plan"][0]["phase"])
                           for made in (ours, theirs)])
        loops = [[phase for phase in made["phases"] if phase["rounds"] == 16]
                 for made in (ours, theirs)]
        for key in ("h2d_bytes", "d2h_bytes", "src_memory", "dst_memory"):
            self.assertEqual(*[[phase[key] for phase in made] for made in loops])
        for key in ("round_ns", "h2d_ns", "kernel_ns", "d2h_ns"):
            a, b = (made[1][key] for made in loops) # the pinned loop
            self.assertLess(abs(a - b), 0.015 * a, key)

    def changed(self, change, name="rounds.sqlite.gz"):
        """A recorded export in which statements changed rows of MEMCPY."""
        path = self.path / "changed"
        path.write_bytes(gzip.decompress((RECORDED / name).read_bytes()))
        with sqlite3.connect(path) as db:
            db.executescript(change.format("CUPTI_ACTIVITY_KIND_MEMCPY"))
        return path

    def test_copies_without_a_record(self):
        """Without those that the calls asked for there is no verdict."""
        for change, calls in (("DELETE FROM {}", 65),
                              ("DELETE FROM {} WHERE rowid % 2 = 0", 32),
                              ("UPDATE {} SET end = start - 5", 65)):
            path = self.changed(change)
            made = report(path)
            what = f"{calls} of 65 copies have no GPU record"
            self.assertIn(what, " ".join(made["coverage"]["notes"]))
            self.assertEqual([(gap["kind"], gap["calls"], gap["of"])
                              for gap in made["coverage"]["gaps"]],
                             [("copies", calls, 65)])
            self.assertEqual(made["verdict"]["text"],
                             f"What bounds the run is not known: {what}.")
            self.assertFalse(made["plan"])
            self.assertFalse([phase for phase in made["phases"]
                              if phase["tracer_ns"]])
        totals = report(self.changed("DELETE FROM {} WHERE copyKind = 1"))["totals"]
        self.assertEqual([totals[key] for key in ("h2d_ns", "h2d_ops", "overlap_ns")],
                         [None] * 3)
        self.assertEqual((totals["d2h_ops"], totals["kernels"]), (33, 69))
        self.assertIn(" 69 GPU ops, 69 joined to their calls",
                      run("report", self.changed("DELETE FROM {}")).stdout)
        lacking = run("diff", RECORDED / "rounds.sqlite.gz", path,
                      "--fail-above", "5")
        other = self.changed("UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET end = end + 1 "
                             "WHERE rowid = 1")
        whole = run("diff", RECORDED / "rounds.sqlite.gz", other,
                    "--fail-above", "5")
        self.assertEqual((whole.returncode, lacking.returncode), (0, 2))
        self.assertIn(f"! after: {path}: {what}", lacking.stdout)
        self.assertIn("not compared", lacking.stdout)

    def test_schema_that_is_no_number(self):
        path = self.changed("UPDATE META_DATA_EXPORT SET value = '2' || char(27) || 'c' "
                            "WHERE name = 'EXPORT_SCHEMA_VERSION'")
        self.assertIn("its schema 2 is not known", run("report", path).stderr)

    def test_kernels_without_a_record(self):
        made = report(self.changed("DROP TABLE CUPTI_ACTIVITY_KIND_KERNEL"))
        for totals in (made["totals"], made["steady"]["totals"], made["device_totals"][0]):
            self.assertEqual([totals[key] for key in ("kernel_ns", "kernels")], [None] * 2)
            self.assertGreater(totals["h2d_ops"], 30)
        self.assertIn("65 joined", run("report", self.path / "changed").stdout)
        # a call without an op takes none of the next one
        self.assertEqual([wait["bytes"] for wait in made["steady"]["waits"]
                          if wait["calls"] == 30 and wait["pageable"]], [30 * (32 << 20)])

    def test_more_copies_than_can_be_counted(self):
        for count, note in ((65534, None), (100000, "65 copies stand for 65535 or more "
                                            "each, and count as that")):
            made = report(self.changed(f"UPDATE {{}} SET copyCount = {count}"))
            self.assertEqual(made["totals"]["h2d_ops"], 32 * min(count, 65535))
            notes = " ".join(made["coverage"]["notes"])
            self.assertEqual("lower bounds" in notes, note is not None)
            self.assertIn(note or "", notes)

    def test_a_range_that_does_not_end(self):
        made = report(self.write("3.25"))
        with sqlite3.connect(self.path / "3.25.db") as db:
            db.execute("UPDATE NVTX_EVENTS SET end = 1 << 60 WHERE eventType = 60")
        self.assertEqual(*[one["trace"]["wall_ns"] for one in (
            made, report(self.path / "3.25.db"))])

    def test_what_pins_memory(self):
        """PyTorch does, so that its users cannot register other memory; nor is
        it a step to register 0 bytes."""
        other = "UPDATE StringIds SET value = replace(value, '2at6native', '2my6native');"
        for change, is_step in ((other, True), ("", False), (
                other + "DROP TABLE CUDA_GPU_MEMORY_USAGE_EVENTS", False)):
            text = run("report", self.changed(change, "rounds-h200.sqlite.gz"),
                       "--machine", "h200").stdout
            self.assertEqual("register: pinning" in text, is_step, text)
            self.assertEqual("pin_memory=True" in text, not change, text)

    def test_a_run_of_unknown_length(self):
        """It is from its first call on; the capture began 6 s before."""
        with_span, without = (report(self.changed(change)) for change in (
            "UPDATE {} SET bytes = bytes", "DROP TABLE ANALYSIS_DETAILS"))
        first = "from the first to the last call or GPU op"
        self.assertNotIn(first, " ".join(with_span["coverage"]["notes"]))
        notes = " ".join(without["coverage"]["notes"])
        self.assertIn(first, notes)
        self.assertNotIn("the run is the time of the capture", notes)
        self.assertLess(without["trace"]["wall_ns"], 1300000000)
        undated = report(self.changed("DROP TABLE TARGET_INFO_SESSION_START_TIME"))
        self.assertEqual(*[one["trace"]["wall_ns"] for one in (with_span, undated)])

    def test_a_run_begins_with_its_capture(self):
        """Which may be later than the session, from which times count."""
        made = report(self.changed("UPDATE {} SET bytes = bytes"))
        self.assertEqual(made["trace"]["wall_ns"], 7772932906)
        later = report(self.changed("UPDATE ANALYSIS_DETAILS SET startTime = startTime + 1e9, "
                                    "duration = duration - 1000000000"))
        self.assertEqual(made["verdict"]["startup_ns"] - later["verdict"]["startup_ns"], 10 ** 9)
        for name, value in ("TIMES_TO_EXPORT", "5.8s/6s"), ("TIME_SHIFT", "-4000000000"):
            notes = " ".join(report(self.changed(
                "UPDATE META_DATA_EXPORT SET value = '%s' WHERE name = 'EXPORT_PARAM_%s'" %
                (value, name)))["coverage"]["notes"])
            self.assertIn("a part of the capture or other times", notes)
            self.assertIn("does not tell how long the run was", notes)

    def test_what_nsys_says_it_lost(self):
        path = self.changed("CREATE TABLE DIAGNOSTIC_EVENT AS SELECT "
                            "'Not all CUDA events might have been collected.' AS text")
        self.assertIn("did not collect all", " ".join(report(path)["coverage"]["notes"]))

    def test_a_gpu_that_is_not_described(self):
        made = report(self.changed("UPDATE {} SET deviceId = 9"))
        notes = " ".join(made["coverage"]["notes"])
        self.assertIn("ran on a GPU that the trace does not name", notes)
        self.assertNotIn("another GPU model", notes)

    def test_clocks_and_rates_that_cannot_be(self):
        """Effects before their causes, ops after the last wait for them, and
        copies of 10 ns; not what clocks differ by."""
        moved = "UPDATE {{}} SET start = start {0}, end = end {0}"
        for change, kind, count, what in (
                (moved.format("- 1000000000"), "clocks", "65 of 134",
                 "GPU ops start before their calls, or end after a call that waited "
                 "for them"),
                (moved.format("+ 100000000000"), "clocks", "65 of 134", "GPU ops start"),
                ("UPDATE {} SET end = start + 10", "rates", "64 of 65",
                 "copies are faster than any link"),
                (moved.format("+ 100000000000") + ", contextId = 7", None, None, None),
                (moved.format("- 20000"), None, None, None)):
            made = report(self.changed(change), "h100")
            self.assertEqual([gap["kind"] for gap in made["coverage"]["gaps"]
                              if gap["kind"] != "order"], # copies move beside kernels
                             [kind] if kind else [])
            if kind:
                self.assertFalse(made["plan"])
                self.assertIn(f"not known: {count} {what}", made["verdict"]["text"])
                self.assertIn(f"{count} {what}", " ".join(made["coverage"]["notes"]))

    def test_two_hosts_with_one_pid(self):
        """In containers they are common. The other one did less."""
        path, tables = self.changed("UPDATE {} SET bytes = bytes"), (
            ("RUNTIME", "globalTid"), ("MEMCPY", "globalPid"),
            ("KERNEL", "globalPid"), ("SYNCHRONIZATION", "globalPid"))
        with sqlite3.connect(path) as db:
            for table, column in tables:
                db.execute(f"CREATE TEMP TABLE other AS SELECT * FROM "
                           f"CUPTI_ACTIVITY_KIND_{table} WHERE rowid > 9")
                db.execute(f"UPDATE other SET {column} = {column} + (1 << 48)")
                db.execute(f"INSERT INTO CUPTI_ACTIVITY_KIND_{table} "
                           "SELECT * FROM other")
                db.execute("DROP TABLE other")
            for table, column in (("TARGET_INFO_GPU", "vmId"),
                                  ("TARGET_INFO_SYSTEM_ENV", "globalVid"),
                                  ("PROCESSES", "globalPid")):
                db.execute(f"CREATE TEMP TABLE other AS SELECT * FROM {table}")
                db.execute(f"UPDATE other SET {column} = {column} + (1 << 48)")
                db.execute("UPDATE other SET " + (
                    "value = 'other'" if column == "globalVid" else "name = 'other'"))
                # the other one's rows come first
                db.execute(f"INSERT INTO other SELECT * FROM {table}")
                db.execute(f"DELETE FROM {table}")
                db.execute(f"INSERT INTO {table} SELECT * FROM other")
                db.execute("DROP TABLE other")
        whole, made = (report(RECORDED / "rounds.sqlite.gz", "h100"),
                       report(path, "h100"))
        self.assertEqual(made["coverage"]["notes"].pop(0),
                         "2 processes of the file used CUDA; this is process "
                         "8504 of vm, which did most")
        for one in (whole, made):
            one["trace"]["path"] = ""
        self.assertEqual(whole, made)

    def test_ops_of_one_stream_at_once(self):
        """Rows that are there twice, or moved into each other."""
        again = "INSERT INTO {{0}} SELECT * FROM {{0}} WHERE rowid {}"
        for change, count in ((again.format("> 0"), "65 of 199"),
                              (again.format("<= 2"), None)):
            made = report(self.changed(change), "h100")
            notes = " ".join(made["coverage"]["notes"])
            self.assertIn("run at the same time as others of their stream", notes)
            self.assertEqual(bool(made["plan"]), count is None)
            self.assertEqual(made["totals"]["overlap_ns"], 0) # nothing lacks
            if count:
                self.assertIn(f"not known: {count} GPU ops run at the same time",
                              made["verdict"]["text"])
        path = self.changed(again.format("> 0"))
        with sqlite3.connect(path) as db: # one begins before the other ends
            db.execute("UPDATE CUPTI_ACTIVITY_KIND_MEMCPY SET "
                       "start = start + (end - start) / 3 WHERE rowid > 65")
        self.assertIn("65 of 199 GPU ops run", report(path)["verdict"]["text"])
        path = self.changed("UPDATE {} SET bytes = bytes")
        with sqlite3.connect(path) as db:
            db.execute("INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL SELECT * "
                       "FROM CUPTI_ACTIVITY_KIND_KERNEL")
        self.assertIn("69 of 203 GPU ops run", report(path)["verdict"]["text"])

    def test_memory_tells_rounds_apart(self):
        """Loops with the same kernels, from pageable and from pinned memory."""
        path = self.changed("UPDATE StringIds SET value = 'k' WHERE value LIKE '%elementwise%'"
                            " OR value LIKE '%gemm%'")
        whole, made = (report(RECORDED / "rounds.sqlite.gz", "h100"),
                       report(path, "h100"))
        self.assertEqual(*[one["plan"][0]["adds_saves_ns"] for one in (whole, made)])
        self.assertEqual(sorted((phase["rounds"], phase["src_memory"])
                                for phase in made["phases"] if phase["h2d_bytes"]),
                         [(16, "pageable"), (16, "pinned")])

    def test_nothing_is_taken_off_for_recording(self):
        """The spread of unlike rounds, whose memory is unknown, is not tracing."""
        path = self.of_unknown_memory("cudaMemcpy_v3020")
        with sqlite3.connect(path) as db:
            db.execute("UPDATE StringIds SET value = 'k'"
                       " WHERE value LIKE '%elementwise%' OR value LIKE '%gemm%'")
        made = report(path, "h100")
        as_is = made["phases"][0]["estimates"][0]
        self.assertEqual((as_is["strategy"], made["trace"]["tracer_ns"]), ("as-is", 0))
        self.assertGreater(as_is["low_ns"], 1900000)  # its GPU work
        self.assertGreater(made["verdict"]["steady_ns"], 500000000)

    def test_few_copies_without_a_record(self):
        """A twentieth changes no figure by much."""
        few, more = (report(self.changed(f"DELETE FROM {{}} WHERE rowid <= {most}"),
                            "h100") for most in (3, 4))
        self.assertEqual([made["coverage"]["gaps"][0]["calls"]
                          for made in (few, more)], [3, 4])
        self.assertIn("3 of 65 copies have no GPU record, between 5.09 s and 5.69 s",
                      " ".join(few["coverage"]["notes"]))
        self.assertTrue(few["plan"])
        self.assertFalse(more["plan"])

    def test_values_that_cannot_be(self):
        for change, rows in (("UPDATE {} SET bytes = 'many'", 65),
                             ("UPDATE {} SET bytes = -1", 65),
                             ("UPDATE {} SET copyKind = 77 WHERE rowid < 9", 8),
                             ("UPDATE {} SET end = start - 1 WHERE rowid < 9", 8),
                             ("UPDATE {} SET end = 1 << 63 WHERE rowid < 9", 8),
                             ("UPDATE {} SET end = 9e99 WHERE rowid < 9", 8)):
            made = report(self.changed(change))
            self.assertIn(LEFT_OUT.format(rows), made["coverage"]["notes"])
            self.assertEqual(made["coverage"]["gpu_ops_seen"], 134 - rows)
        path = self.write("3.25")
        with sqlite3.connect(path) as db:
            db.execute("UPDATE CUPTI_ACTIVITY_KIND_RUNTIME SET start = NULL")
            db.execute("UPDATE NVTX_EVENTS SET end = 1")
            rows = sum(db.execute(f"SELECT count(*) FROM {where}").fetchone()[0]
                       for where in ("CUPTI_ACTIVITY_KIND_RUNTIME "
                                     f"WHERE globalTid >> 24 & 0xffffff = {write_nsys.PID}",
                                     "NVTX_EVENTS WHERE eventType IN (59, 60) AND "
                                     "end NOTNULL AND text IS NOT 'another process'"))
        made = report(path)
        self.assertIn(LEFT_OUT.format(rows), made["coverage"]["notes"])
        self.assertEqual(made["coverage"]["api_calls_seen"], 0)

    def test_kinds_and_results_that_cannot_be(self):
        path = self.changed("UPDATE {} SET srcKind = 1.5 WHERE copyKind = 1; UPDATE "
                            "CUPTI_ACTIVITY_KIND_RUNTIME SET returnValue = 65536")
        self.assertIn("for 32 of 65 copies between host and device the file does not say",
                      " ".join(report(path)["coverage"]["notes"]))
        self.assertNotIn("65535", run("report", path).stdout)

    def of_unknown_memory(self, function):
        path = self.changed("UPDATE {} SET srcKind = NULL, dstKind = NULL")
        with sqlite3.connect(path) as db:
            self.assertEqual(db.execute(
                "UPDATE StringIds SET value = ? WHERE value LIKE 'cudaMemcpyAsync%'",
                [function]).rowcount, 1)
        return path

    def test_memory_of_an_unknown_kind(self):
        """What needs pinned memory has the condition that it is pinned."""
        path = self.of_unknown_memory("cudaMemcpy_v3020")
        made = report(path, "h100")
        self.assertIn("for 65 of 65 copies between host and device the file does not "
                      "say whether their host memory is pageable or pinned",
                      made["coverage"]["notes"])
        self.assertEqual(made["plan"][0]["strategy"], "double-buffer")
        pinned = "the host memory is pinned, which the trace does not tell; "
        self.assertIn(f", only if {pinned}", made["opening"])
        text = " ".join(run("report", "--machine", "h100", path).stdout.split())
        self.assertIn(f" only if {pinned}", text[text.index("What to change"):])
        self.assertEqual(text.count("the host memory is pinned"), 2) # one for each

    def test_memory_that_calls_tell(self):
        """An asynchronous call waits for a large copy of pageable memory alone."""
        made = report(self.of_unknown_memory("cudaMemcpyAsync_v3020"), "h100")
        whole = report(RECORDED / "rounds.sqlite.gz", "h100")
        self.assertIn("for 65 of 65 copies between host and device the file does not "
                      "say whether their host memory is pageable or pinned; for 64 of "
                      "these their asynchronous calls tell",
                      " ".join(made["coverage"]["notes"]))
        self.assertEqual(*[[(step["strategy"], step["adds_saves_ns"])
                            for step in one["plan"]] for one in (made, whole)])
        self.assertEqual(*[[(phase["rounds"], phase["src_memory"], phase["dst_memory"])
                            for phase in one["phases"] if phase["rounds"] > 1]
                           for one in (made, whole)])

    def test_what_is_missing_is_said(self):
        made = report(self.write("3.0"))
        notes = " ".join(made["coverage"]["notes"])
        self.assertIn("has no call stacks", notes)
        self.assertIn("has no addresses of host memory", notes)
        self.assertIn("has no sizes of allocations", notes)
        self.assertIn("2 processes of the file used CUDA", notes)
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

    def test_ops_without_a_stream(self):
        for stream in ("'none'", "-1"):
            made = report(self.changed(f"UPDATE {{}} SET streamId = {stream}"))
            self.assertIn(LEFT_OUT.format(65), made["coverage"]["notes"])
            self.assertIn("65 of 65 copies have no GPU record", made["verdict"]["text"])

    def test_copies_again_on_another_stream(self):
        """A call has no two ops of the same times."""
        path = self.changed("INSERT INTO {0} SELECT * FROM {0}")
        with sqlite3.connect(path) as db:
            db.execute("UPDATE CUPTI_ACTIVITY_KIND_MEMCPY SET streamId = streamId + 1 "
                       "WHERE rowid > 65")
        self.assertIn("65 of 199 GPU ops run at the same time",
                      report(path)["verdict"]["text"])

    def test_a_run_of_an_impossible_length(self):
        """Nor is one that other columns contradict, or one shorter than the calls."""
        without = report(self.changed("DROP TABLE ANALYSIS_DETAILS"))
        for length, stop in ((7 * 10**15, "stopTime"), *(
                (ns, f"startTime + {ns}") for ns in (9 * 10**18, 1, 5 * 10**8))):
            made = report(self.changed("UPDATE ANALYSIS_DETAILS SET "
                                       f"duration = {length}, stopTime = {stop}"))
            for key in ("trace", "coverage"):
                self.assertEqual(*[{k: v for k, v in one[key].items() if k not in
                                    ("path", "bytes", "size_bytes")} for one in (made, without)])

    def test_a_date_that_cannot_be(self):
        """It is unknown, as if the file had none."""
        table = "TARGET_INFO_SESSION_START_TIME"
        made, without = (report(self.changed(change))["trace"] for change in (
            f"UPDATE {table} SET utcEpochNs = -5", f"DROP TABLE {table}"))
        for key in ("started_utc", "wall_ns"):
            self.assertEqual(made[key], without[key])

    def test_a_name_of_many_bytes(self):
        path = self.changed("UPDATE {} SET bytes = bytes")
        with sqlite3.connect(path) as db:
            db.execute("UPDATE StringIds SET value = ? WHERE value LIKE '%gemm%'",
                       ["x" * (6 << 20)])
        done = run("report", path)
        self.assertEqual(done.returncode, 2)
        self.assertIn("a text or row of more than 1 MiB", done.stderr)
        self.assertNotIn("export it again", done.stderr)

    def test_many_contexts(self):
        """Finding the default stream of each took the square of them."""
        path = self.write("3.25")
        many = 40000
        with sqlite3.connect(path) as db:
            db.executemany(
                "INSERT INTO TARGET_INFO_CUDA_CONTEXT_INFO (processId, contextId,"
                " nullStreamId) VALUES (4711, ?, ?)",
                ((i + 10, i) for i in range(many)))
            db.executemany(
                "INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY (start, end, deviceId,"
                " contextId, streamId, correlationId, globalPid, bytes, copyKind)"
                " VALUES (?, ?, 0, 1, 7, 0, ?, 1, 1)",
                ((5 * 10**7 + i, 5 * 10**7 + i, write_nsys.GLOBAL)
                 for i in range(many)))
        without = self.path / "without.db"
        shutil.copy(path, without)
        with sqlite3.connect(without) as db:
            db.execute("DELETE FROM TARGET_INFO_CUDA_CONTEXT_INFO")
        self.assertTrue(takes_at_most(5, path, without))

    def test_times_that_cannot_be(self):
        path = self.write("3.25")
        with sqlite3.connect(path) as db:
            for table in ("RUNTIME", "KERNEL", "MEMCPY"):
                db.execute(f"UPDATE CUPTI_ACTIVITY_KIND_{table} "
                           "SET start = 0, end = 0")
            db.execute("UPDATE CUPTI_ACTIVITY_KIND_MEMCPY SET bytes = 4")
        self.assertIn("times in the imported file do not fit each other",
                      report(path)["verdict"]["text"])

    def test_ids_are_of_32_bits(self):
        """A larger one joins nothing."""
        path = self.write("3.25")
        with sqlite3.connect(path) as db:
            for table in ("RUNTIME", "KERNEL", "MEMCPY"):
                db.execute(f"UPDATE CUPTI_ACTIVITY_KIND_{table} SET "
                           "correlationId = correlationId + 4294967296")
        dump = records(path)
        ids = {fields["correlation"] for kind in ("call", "copycall", "copy", "kernel")
               for fields in dump.get(kind, [])}
        self.assertEqual(ids, {"0"})

    def test_gpus_have_the_numbers_of_the_process(self):
        path = self.write("3.25")
        with sqlite3.connect(path) as db: # CUDA_VISIBLE_DEVICES=1,0
            db.execute("UPDATE TARGET_INFO_CUDA_DEVICE SET cudaId = 1")
            db.execute("INSERT INTO TARGET_INFO_CUDA_DEVICE VALUES (1, 0, 4711)")
            db.execute("INSERT INTO TARGET_INFO_CUDA_DEVICE VALUES (1, 1, 99)")
            gpu = write_nsys.GPU | {"id": 1, "cuDevice": 1, "name": "the other"}
            db.execute("INSERT INTO TARGET_INFO_GPU VALUES "
                       f"({','.join('?' * len(gpu))})", list(gpu.values()))
        self.assertEqual([(gpu["device"], gpu["text"])
                          for gpu in records(path)["device"]], [("0", "the other")])

    def test_copies_between_gpus(self):
        path = self.write("3.25")
        with sqlite3.connect(path) as db:
            db.execute("UPDATE CUPTI_ACTIVITY_KIND_MEMCPY SET copyKind = 10, "
                       "srcKind = 2, dstKind = 2 WHERE copyKind = 1")
        self.assertEqual(report(path)["gpu_links"], [])
        with sqlite3.connect(path) as db:
            for column, device in (("srcDeviceId", 0), ("dstDeviceId", 3)):
                db.execute("ALTER TABLE CUPTI_ACTIVITY_KIND_MEMCPY ADD COLUMN "
                           f"{column} DEFAULT {device}")
        link, = report(path)["gpu_links"]
        self.assertEqual((link["first"], link["second"]), (0, 3))

    def test_a_folder_is_no_library(self):
        path = self.write("3.25")
        with sqlite3.connect(path) as db:
            db.execute("UPDATE StringIds SET value = '/src/libcuda-app/scale' "
                       "WHERE value = '/home/user/app/scale'")
        self.assertIn("load(float*)", [
            site["function"] for phase in report(path)["phases"]
            for site in phase["sites"]])

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

    def test_nvtx_ranges(self):
        path, ms = self.write("3.25"), 1000000
        done = run("report", "--format", "json", "--by-range", "--machine", "h200", path)
        self.assertEqual(done.returncode, 0, done.stderr)
        found = {(r["domain"], r["name"]): r
                 for r in json.loads(done.stdout)["nvtx"]["ranges"]}
        self.assertEqual(set(found), {(None, "step"), (None, "request"),
                                      ("solver", "halo exchange")})
        step = found[None, "step"]
        self.assertEqual((step["count"], step["range_ns"]), (2, 8 * ms - 1000))
        self.assertEqual((step["h2d_bytes"], step["kernels"]), (8 << 20, 2))
        self.assertEqual(step["process"], False)
        request = found[None, "request"]
        self.assertEqual(request["process"], True)
        self.assertEqual(request["h2d_bytes"], 12 << 20)
        self.assertEqual(found["solver", "halo exchange"]["kernels"], 0)

    def add_ranges(self, path, *ranges):
        """Each is (start ms, end ms, name, domain), of the thread that calls."""
        with sqlite3.connect(path) as db:
            db.executemany(
                "INSERT INTO NVTX_EVENTS (start, end, text, domainId, eventType, "
                "globalTid) VALUES (? * 1000000, ? * 1000000, ?, ?, 59, ?)",
                [(*row, write_nsys.GLOBAL | write_nsys.TID) for row in ranges])

    def test_nvtx_ranges_of_one_name(self):
        """One that contains another counts once, wherever it is in the file."""
        path, ms = self.write("3.25"), 1000000
        self.add_ranges(path, (24, 25, "nested", 0), (24, 26, "nested", 0),
                        (26, 28, "crossing", 0), (27, 29, "crossing", 0))
        done = run("report", "--format", "json", "--by-range", "--machine", "h200", path)
        found = {r["name"]: (r["count"], r["total_ns"])
                 for r in json.loads(done.stdout)["nvtx"]["ranges"]}
        self.assertEqual(found["nested"], (1, 2 * ms))
        self.assertEqual(found["crossing"], (2, 4 * ms))

    def test_domains_without_a_name(self):
        """Ranges of one name within each other are of one domain each."""
        path, ms = self.write("3.25"), 1000000
        self.add_ranges(path, (20, 29, "x", 0), (24, 26, "x", 5), (27, 28, "x", 6))
        done = run("report", "--format", "json", "--by-range", "--machine", "h200", path)
        self.assertEqual({r["domain"]: r["range_ns"]
                          for r in json.loads(done.stdout)["nvtx"]["ranges"]
                          if r["name"] == "x"},
                         {None: 9 * ms, "domain 5": 2 * ms, "domain 6": ms})


def packed(path, events, **top):
    with gzip.open(path, "wt") as file:
        json.dump(top | {"traceEvents": events}, file)
    return path


def event(category, name, start_us, us, **arguments):
    on_gpu = category in ("kernel", "gpu_memcpy", "gpu_memset")
    rest = {"device": 0, "context": 1, "stream": 7} if on_gpu else {}
    return {"ph": "X", "cat": category, "name": name, "ts": start_us, "dur": us,
            "pid": 0 if on_gpu else 7, "tid": 7, "args": rest | arguments}


class Dump(unittest.TestCase):
    def test_no_source_lines_are_written_into_it(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "a"
            write_nsys.write("3.25", path)
            done = run("dump", "--resolve", path, "-o", path.with_suffix(".xspy"))
            self.assertEqual(done.returncode, 2)
            self.assertIn("not a binary trace", done.stderr)
            self.assertEqual(list(pathlib.Path(folder).iterdir()), [path])


class PyTorch(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = pathlib.Path(self.folder.name)

    def recorded(self, name):
        """A recorded trace, and what gzip held in it."""
        plain = self.path / name.removesuffix(".gz")
        plain.write_bytes(gzip.decompress((RECORDED / name).read_bytes()))
        return plain

    def test_copies_without_calls_are_not_merged(self):
        """What the host did between them is not known."""
        made = report(RECORDED / "put.json.gz", "h100")
        self.assertFalse([row for phase in made["phases"]
                          for row in phase["estimates"]
                          if row["strategy"] == "batch" and row["applies"]])

    def test_the_program_is_not_known(self):
        def head(name):
            return run("report", RECORDED / name).stdout.splitlines()[0]
        self.assertEqual(head("rounds.json.gz"),
                         "rounds.json.gz (pid 3911) 2026-11-25T23:21:22Z")
        self.assertEqual(head("put.json.gz"), "put.json.gz")

    def test_a_round_of_diff_is_that_of_report(self):
        path = RECORDED / "rounds-stack.json.gz"
        said = [line.split() for line in run("report", path).stdout.splitlines()]
        row, = [words for words in said if words[:2] == ["1", "15"]]
        done = run("diff", path, RECORDED / "rounds.json.gz").stdout.splitlines()
        line, = [line for line in done if line.startswith("  1 > 1")]
        self.assertIn(f" {row[2]} {row[3]} ", line)

    def test_what_jax_does_not_tell(self):
        path, made = RECORDED / "put.json.gz", self.path / "put.db"
        self.assertEqual(run("export", "--to", "sqlite", path, "-o", made).returncode, 0)
        with sqlite3.connect(made) as db:
            self.assertEqual(db.execute("SELECT pid, start_ns FROM run").fetchall(), [(None, None)])
        self.assertEqual(run("export", "--to", "sqlite", RECORDED / "rounds.json.gz", "-o",
                             made).returncode, 0)
        with sqlite3.connect(made) as db:
            self.assertEqual(db.execute("SELECT pid, start_ns / 86400000000000 FROM run").fetchall(),
                             [(3911, 20782)])
        self.assertIn("the trace does not name its GPU; ", run("report", path).stdout)
        self.assertEqual({part["what"] for part in report(path)["verdict"]["bounds"]},
                         {"copies", "kernels"})

    def test_numbers_that_do_not_fit(self):
        with gzip.open(RECORDED / "rounds.json.gz") as file:
            made = json.load(file)
        copies = [e for e in made["traceEvents"] if e.get("cat") == "gpu_memcpy"]
        for copy, (key, more) in zip(copies, (("device", 1 << 16), ("context", 1 << 32),
                                              ("stream", 1 << 32),
                                              ("correlation", 1 << 32))):
            copy["args"][key] += more
        made["traceEvents"].append({"ph": "X", "cat": "Trace", "name": "Iteration", "pid": 1,
                                    "tid": 1, "ts": copies[0]["ts"], "dur": 9e6})
        path = self.path / "numbers.json"
        path.write_text(json.dumps(made))
        found = report(path)
        self.assertIn(LEFT_OUT.format(4), " ".join(found["coverage"]["notes"]))
        self.assertEqual(found["trace"]["wall_ns"],
                         report(RECORDED / "rounds.json.gz")["trace"]["wall_ns"])

    def test_a_share_is_told_once(self):
        self.assertRegex(report(RECORDED / "event_sync.json.gz", "h100")["verdict"]["text"],
                         r"save at most [\d.]+ us: 1\.7 % of the run\.")

    def test_runs_of_programs_without_a_name(self):
        with gzip.open(RECORDED / "event_sync.json.gz") as file:
            other = json.load(file)
        other["deviceProperties"][0]["name"] = "NVIDIA H100 80GB HBM3"
        path = self.path / "other.json"
        path.write_text(json.dumps(other))
        paths = [RECORDED / "rounds.json.gz", RECORDED / "rounds-stack.json.gz", path]
        done = run("report", "--runs", "--format", "json", *paths)
        runs = json.loads(done.stdout)["runs"]
        self.assertEqual(len(runs["paths"]), 2)
        self.assertEqual([phase["runs"] for phase in runs["phases"]], [2, 2, 2])
        said = run("report", paths[0]).stdout
        self.assertIn(f"  {runs['phases'][0]['round_ns']['least'] / 1e6:.1f} ms ", said)
        self.assertIn("known by its kernels alone", runs["warnings"][0])
        self.assertIn("without a common kernel", runs["warnings"][1])
        done = run("diff", paths[0], path, "--fail-above", "5")
        self.assertEqual(done.returncode, 3)
        self.assertIn("have no kernel in common", done.stderr)
        done = run("diff", paths[0], paths[1], "--fail-above", "5")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("! a trace names no program", done.stdout)

    def totals(self, path):
        """Of copies and sets of at least 1 MiB and of kernels, ns by kind."""
        made, sums = records(path), collections.Counter()
        host = {"1": "pageable", "2": "pinned"}
        for one in made["copy"]:
            kind = {"1": ("in", one["src_memory"]), "2": ("out", one["dst_memory"])}.get(
                one["direction"], ("within", ""))
            if int(one["bytes"]) >= 1 << 20:
                sums[kind[0], host.get(kind[1])] += int(one["duration"])
        for kind in ("kernel", "set"):
            sums[kind] = sum(int(one["duration"]) for one in made[kind])
        return sums

    def test_one_program_by_three_tools(self):
        """Three runs in turn on one GPU: the same phases, totals and first step. Runs of one
        tool differ by up to a third in copies of pageable memory."""
        paths = [self.recorded("kinds-h200.xspy.gz"),
                 *(RECORDED / f"kinds-h200.{kind}.gz" for kind in ("json", "sqlite"))]
        ours, *others = map(self.totals, paths)
        self.assertEqual(len(ours), 7)
        for theirs in others:
            self.assertEqual(ours.keys(), theirs.keys())
            for kind, ns in ours.items():
                if kind[1] != "pageable":
                    self.assertLess(abs(theirs[kind] - ns), 0.01 * ns, kind)
        reports = [report(path) for path in paths]
        facts = [([(phase["rounds"], *(phase[key] for key in (
            "h2d_bytes", "d2h_bytes", "src_memory", "dst_memory")))
            for phase in made["phases"] if phase["rounds"] > 1],
            made["plan"][0]["strategy"], made["plan"][0]["phase"])
            for made in reports]
        self.assertEqual(facts, [facts[0]] * 3)
        self.assertEqual(facts[0][1], "pinned")
        for made in reports: # also where the range of step 1 reaches below 0
            self.assertIn("pin the host buffers", made["opening"])

    def test_savings_of_unknown_buffers(self):
        """What pinning saves is where xferspy, which knows the buffers, has it."""
        for name, machine in (("rounds", "h100"), ("rounds-h200", "h200")):
            with self.subTest(name):
                ours = report(self.recorded(f"{name}.xspy.gz"), machine)["plan"][0]
                theirs = [report(RECORDED / f"{name}.{kind}.gz", machine)["plan"][0]
                          for kind in ("json", "sqlite")]
                self.assertTrue(theirs[0]["saves_low_ns"] < ours["adds_saves_ns"] <
                                theirs[0]["saves_high_ns"], (ours, theirs))
                for step in theirs: # of nsys it is another run
                    self.assertLess(step["saves_low_ns"], ours["saves_high_ns"])
                    self.assertLess(ours["saves_low_ns"], 1.02 * step["saves_high_ns"])

    def test_one_run_seen_by_both(self):
        for name in ("rounds", "rounds-h200"):
            with self.subTest(name):
                self.compare(report(self.recorded(f"{name}.xspy.gz"), "fitted"),
                             report(RECORDED / f"{name}.json.gz", "fitted"))

    def compare(self, ours, theirs):
        for key in ("h2d_ns", "d2h_ns", "kernel_ns", "h2d_bytes", "d2h_bytes"):
            a, b = ours["totals"][key], theirs["totals"][key]
            self.assertLess(abs(a - b), 0.01 * a, key)

        def rounds(made):
            return [(phase["rounds"], phase["h2d_bytes"], phase["d2h_bytes"],
                     phase["src_memory"], phase["dst_memory"])
                    for phase in made["phases"] if phase["rounds"] > 1]
        self.assertEqual(rounds(ours), rounds(theirs))
        self.assertEqual(len(rounds(ours)), 2)
        for phase in ("round_ns", "h2d_ns", "d2h_ns", "kernel_ns"):
            a, b = ours["phases"][0][phase], theirs["phases"][0][phase]
            self.assertLess(abs(a - b), 0.01 * a, phase)
        first = [made["plan"][0] for made in (ours, theirs)]
        self.assertEqual(*[(step["strategy"], step["phase"]) for step in first])
        self.assertEqual(theirs["coverage"]["matched"],
                         theirs["coverage"]["gpu_ops_seen"])
        self.assertEqual(*[made["trace"]["driver_version"] for made in (ours, theirs)])

    def joined(self, pid, ids=0, later_us=0):
        """A recorded trace with the same events of another process."""
        whole = json.loads(gzip.decompress((RECORDED / "rounds.json.gz").read_bytes()))
        other = json.loads(json.dumps(whole["traceEvents"]))
        for one in other:
            if isinstance(one.get("pid"), int) and one["pid"] > 8: # of no GPU
                one["pid"] += pid
            if "correlation" in one.get("args", {}):
                one["args"]["correlation"] += ids
            if "ts" in one:
                one["ts"] += later_us
        return packed(self.path / "joined", other + whole["traceEvents"],
                      **{key: whole[key] for key in whole if key != "traceEvents"})

    def test_several_processes_are_refused(self):
        """GPU work does not name its process, and processes may have one number."""
        for pid, reason in ((1, "of several processes, and does not tell which GPU is whose"),
                            (0, "it is probably of several processes; give the file of one")):
            done = run("report", self.joined(pid, ids=10**6 * pid, later_us=700))
            self.assertEqual(done.returncode, 2, done.stdout)
            self.assertIn(reason, done.stderr)

    def test_another_process_without_calls(self):
        whole = json.loads(gzip.decompress((RECORDED / "rounds.json.gz").read_bytes()))
        frame = next(e for e in whole["traceEvents"] if e.get("cat") == "cpu_op")
        for call in [e for e in whole["traceEvents"] if e.get("cat") == "cuda_runtime"]:
            # as the innermost frame of each call, and a range around it
            whole["traceEvents"][:0] = [
                frame | {"pid": 9, "tid": call["tid"], "name": "foreign", "cat": category,
                         "ts": call["ts"], "dur": call["dur"]}
                for category in ("cpu_op", "user_annotation")]
        path = packed(self.path / "a", whole.pop("traceEvents"), **whole)
        before, made = (report(name) for name in (RECORDED / "rounds.json.gz", path))
        self.assertEqual(before["coverage"], made["coverage"])
        self.assertEqual(before["plan"], made["plan"])
        self.assertNotIn("foreign", json.dumps(made))

    def test_a_call_that_crosses_another_one(self):
        """One alone shows nothing, however few calls there are."""
        for crossing in (1, 2):
            path = packed(self.path / "a", [
                event("cuda_runtime", "cudaLaunchKernel", 100 * i,
                      110 if i <= crossing else 50, correlation=i) for i in range(1, 6)])
            done = run("report", path)
            self.assertEqual(done.returncode, 2 * (crossing > 1), done.stderr)
            if crossing > 1:
                self.assertIn("2 of its 5 calls share an id", done.stderr)

    def test_sets_of_nothing(self):
        """Libraries set 0 bytes, which have no record; copies without one lack it."""
        for function, gaps in (("cudaMemsetAsync", []), ("cudaMemcpyAsync", ["copies"])):
            made = report(packed(self.path / "a", [
                event("cuda_runtime", function, 10, 1, correlation=1),
                event("cuda_runtime", "cudaLaunchKernel", 12, 1, correlation=2),
                event("kernel", "k", 20, 5, correlation=2),
                event("cuda_runtime", "cudaDeviceSynchronize", 30, 5, correlation=3)]))
            self.assertEqual([gap["kind"] for gap in made["coverage"]["gaps"]], gaps)

    def test_graphs_may_use_one_stream_at_once(self):
        events = [event("cuda_runtime", name, 10, 5, correlation=1)
                  for name in ("cudaGraphLaunch", "cudaMemcpyAsync")]
        ops = [event("gpu_memcpy", "Memcpy HtoD (Pinned -> Device)", start, 100,
                     correlation=1, bytes=4096) for start in (20, 30)]
        for call, gaps in zip(events, ([], ["order"])):
            made = report(packed(self.path / "a", [call, *ops]))
            self.assertEqual([gap["kind"] for gap in made["coverage"]["gaps"]], gaps)

    def test_plain_and_compressed_are_the_same(self):
        packed_one = report(RECORDED / "rounds.json.gz")
        plain = report(self.recorded("rounds.json.gz"))
        packed_one["trace"]["path"] = plain["trace"]["path"] = ""
        self.assertEqual(packed_one, plain)

    def test_python(self):
        sites = {(site["file"], site["function"]) for phase in
                 report(RECORDED / "rounds-stack.json.gz")["phases"]
                 for site in phase["sites"]}
        self.assertIn(("rounds.py", "pageable"), sites)
        self.assertIn(("rounds.py", "pinned"), sites)

    def test_annotations(self):
        path = packed(self.path / "a.gz", [
            event("cuda_runtime", "cudaMemcpyAsync", 110, 5, correlation=1),
            event("gpu_memcpy", "Memcpy HtoD (Pageable -> Device)", 120, 10,
                  correlation=1, bytes=4096),
            event("user_annotation", "ProfilerStep#3", 100, 100),
            event("user_annotation", "ProfilerStep#4", 300, 120),
            event("user_annotation", "ProfilerStepper", 300, 1),
            event("user_annotation", "load", 105, 20),
            event("gpu_user_annotation", "load", 120, 10)])
        names = {s["id"]: s["text"] for s in records(path)["string"]}
        self.assertEqual(sorted((names[r["name"]], r["duration"], r["domain"])
                                for r in records(path)["nvtx"]),
                         [("ProfilerStep", "100000", "0"),
                          ("ProfilerStep", "120000", "0"),
                          ("ProfilerStepper", "1000", "0"), ("load", "20000", "0")])

    def test_what_was_waited_for(self):
        made = records(RECORDED / "event_sync.json.gz")
        events = [int(call["event"], 0) for call in made["waitcall"]]
        # two records of events, and a wait for the second one
        self.assertEqual(events.count(1522), 1)
        self.assertEqual(events.count(1533), 2)
        self.assertEqual(len(made["device"]), 1) # of eight: it was used

    def test_unknown_handles_join_nothing(self):
        path = packed(self.path / "a", [
            event("cuda_runtime", "cudaEventRecord", 10, 1, correlation=1),
            event("cuda_runtime", "cudaEventRecord", 12, 1, correlation=2),
            event("cuda_runtime", "cudaStreamWaitEvent", 14, 1, correlation=3),
            event("cuda_runtime", "cudaStreamWaitEvent", 15, 1, correlation=6),
            event("cuda_runtime", "cudaLaunchKernel", 16, 1, correlation=4),
            event("kernel", "k", 20, 5, correlation=4, stream=20),
            event("cuda_runtime", "cudaLaunchKernel", 26, 1, correlation=5),
            event("kernel", "k", 30, 5, correlation=5)])
        waits = records(path)["waitcall"]
        self.assertEqual(len({call["event"] for call in waits}), 4)
        self.assertEqual(len({call["stream"] for call in waits}), 4)
        notes = " ".join(report(path)["coverage"]["notes"])
        self.assertIn("does not tell which events streams waited for", notes)

    def test_the_inner_of_calls_that_start_together_comes_first(self):
        path = packed(self.path / "a", [
            event("cuda_driver", "cuLaunchKernel", 10, 4, correlation=1),
            event("cuda_runtime", "cudaLaunchKernel", 10, 5, correlation=1),
            event("kernel", "k", 20, 5, correlation=1)])
        made = records(path)
        self.assertEqual(len(made["call"]), 1)
        self.assertIn("cudaLaunchKernel", [row["text"] for row in made["string"]])
        self.assertEqual(made["call"][0]["duration"], "5000")

    def test_calls_of_no_time_count_once(self):
        """Times may be whole microseconds."""
        path = packed(self.path / "a", [
            event("cuda_runtime", "cudaLaunchKernel", 10, 0, correlation=1),
            event("cuda_driver", "cuLaunchKernel", 10, 0, correlation=1),
            event("cuda_runtime", "cudaLaunchKernel", 10, 0, correlation=2),
            event("cuda_runtime", "cudaLaunchKernel", 20, 1, correlation=3),
            event("cuda_driver", "cuLaunchKernel", 21, 0, correlation=3),
            event("cuda_runtime", "cudaLaunchKernel", 21, 0, correlation=4)])
        self.assertEqual([call["correlation"] for call in records(path)["call"]],
                         ["1", "2", "3", "4"])

    def test_pairs_of_surrogates(self):
        path = packed(self.path / "a", [
            event("kernel", name, 10, 1, correlation=1) for name in
            ("\U0001f600b", "a\ud83d", "\ude00b", "\ud83dx\ude00",
             "\ud83d\ud83d\ude00")])
        self.assertEqual([row["text"] for row in records(path)["string"][:5]],
                         ["\U0001f600b", "a?", "?b", "?x?", "?\U0001f600"])

    def test_time_is_linear(self):
        """Each took the square of what the file has: minutes."""
        many = 50000
        sets = [event("gpu_memset", "Memset (Device)", i, 1, stream=i)
                for i in range(many)]
        nested = [event("python_function", "a.py(1): f", 1, i)
                  for i in range(many)] + sets[:1]
        plain = packed(self.path / "plain", sets)
        for name, events, devices in (("nested", nested, []),
                                      ("devices", sets, [{"id": 9}] * many)):
            path = packed(self.path / name, events, deviceProperties=devices)
            self.assertTrue(takes_at_most(5, path, plain), name)

    def test_what_follows_the_compressed_data(self):
        plain = records(RECORDED / "rounds.json.gz")
        data = (RECORDED / "rounds.json.gz").read_bytes()
        text = gzip.decompress(data)
        path = self.path / "a"
        for content in (data + b"\0", data + bytes(70000), # as gzip -t
                        gzip.compress(text[:9999]) + gzip.compress(text[9999:])):
            path.write_bytes(content)
            self.assertEqual(records(path)["copy"], plain["copy"])

    def test_times_are_exact(self):
        path = packed(self.path / "a", [
            event("cuda_runtime", "cudaMemcpyAsync", "START", 3, correlation=1)])
        text = gzip.decompress(path.read_bytes()).decode()
        with gzip.open(path, "wt") as file:
            file.write(text.replace('"START"', "1700000000000000.123"))
        header = records(path)["header"][0]
        self.assertEqual(header["start_realtime_ns"], "1700000000000000123")
        self.assertEqual(header["end_realtime_ns"], "1700000000000003123")

    def test_events_without_a_time(self):
        """They are left out, and counted; nothing is made of them."""
        wrong = ("-5", "NaN", "1e400", "9" * 400, "null")
        for key in ("ts", "dur"):
            whole = [event("gpu_memcpy", "Memcpy HtoD (Pageable -> Device)", i, 1,
                           bytes=4096) for i in range(1, 9)]
            for value, part in zip(wrong, whole):
                part[key] = f"@{value}@"
            path = self.path / "a.json"
            path.write_text(json.dumps({"traceEvents": whole}).replace('"@', "").replace(
                '@"', ""))
            made = report(path)
            self.assertEqual(made["totals"]["h2d_ops"], 3)
            self.assertIn(LEFT_OUT.format(5), made["coverage"]["notes"])

    def test_sizes_that_cannot_be(self):
        for category, name in (("gpu_memcpy", "Memcpy HtoD (Pageable -> Device)"),
                               ("gpu_memset", "Memset (Device)")):
            whole = [event("kernel", "f", 1, 1)] + [
                event(category, name, 2 * i, 1, bytes=4096) for i in range(1, 12)]
            del whole[-1]["args"]["bytes"]
            wrong = ("1e30", "NaN", '"4096 B"', "-1", "4.5", "9" * 40, "null", "[1]")
            for value, part in zip(wrong, whole[1:]):
                part["args"]["bytes"] = f"@{value}@"
            path = self.path / "a.json"
            path.write_text(json.dumps({"traceEvents": whole}).replace(
                '"@\\"4096 B\\"@"', '"4096 B"').replace('"@', "").replace('@"', ""))
            made = report(path)
            self.assertEqual(made["coverage"]["gpu_ops_seen"], 1 + 2)
            self.assertIn(LEFT_OUT.format(9), made["coverage"]["notes"])

    def test_sizes_with_a_fraction_of_0(self):
        copies = [event("gpu_memcpy", "Memcpy HtoD (Pageable -> Device)", 2 * i, 1, bytes=size)
                  for i, size in enumerate((4096, "4096", 4096.0, "1.0.0", "1.5"))]
        made = report(packed(self.path / "a", copies))
        self.assertEqual(made["totals"]["h2d_bytes"], 3 * 4096)
        self.assertIn(LEFT_OUT.format(2), made["coverage"]["notes"])

    def test_kinds_that_contradict_the_direction(self):
        """A copy whose name says two things is left out and counted."""
        for name in ("HtoD (Device -> Pageable)", "DtoH (Pinned -> Device)",
                     "PtoP (Pageable -> Device)", "HtoH (Device -> Pinned)"):
            path = packed(self.path / "a", [
                event("kernel", "f", 1, 1),
                event("gpu_memcpy", f"Memcpy {name}", 3, 1, bytes=4096),
                event("gpu_memcpy", "Memcpy HtoD (Managed -> Device)", 5, 1, bytes=4096)])
            made = report(path)
            self.assertEqual(made["totals"]["h2d_bytes"], 4096, name)
            self.assertEqual(made["coverage"]["gpu_ops_seen"], 2, name)
            self.assertIn(LEFT_OUT.format(1).replace("events", "event"),
                          made["coverage"]["notes"])

    def test_sizes_and_kinds(self):
        path = packed(self.path / "a", [
            event("cuda_runtime", "cudaMemcpyAsync", 10, 30, correlation=1),
            event("gpu_memcpy", "Memcpy DtoH (Device -> Pinned)", 15, 20,
                  correlation=1, bytes=4096),
            event("gpu_memcpy", "Memcpy Somewhere", 45, 2, correlation=9),
            event("gpu_memset", "Memset (Device)", 50, 2, correlation=2, bytes=64)],
            baseTimeNanoseconds=1700000000000000000)
        made = records(path)
        copy = made["copy"][0]
        self.assertEqual((copy["bytes"], copy["direction"], copy["src_memory"],
                          copy["dst_memory"], copy["flags"]),
                         ("4096", "2", "3", "2", "1"))
        self.assertEqual(len(made["copy"]), 1)
        self.assertEqual(made["set"][0]["memory"], "3")
        self.assertEqual(made["copycall"][0]["bytes"], "4096")

    def test_jax(self):
        made = report(RECORDED / "put.json.gz")
        self.assertEqual(made["totals"]["h2d_bytes"], 16 * (16 << 20))
        self.assertEqual(made["coverage"]["imported"], "the profiler of JAX")
        self.assertIsNone(made["totals"]["host_blocked_ns"])
        self.assertIsNone(made["trace"]["started_utc"])
        self.assertEqual(made["plan"], [])
        self.assertNotIn("host's own code", made["verdict"]["text"])
        text = run("report", "--all", RECORDED / "put.json.gz").stdout
        for made_up in ("host's own", "phase 1", "phases 1", "other threads", "never waits",
                        "Strategies"):
            self.assertNotIn(made_up, text)
        self.assertIn("none: the trace has no calls of CUDA", text)
        self.assertEqual(made["phases"], [])
        text = gzip.decompress((RECORDED / "put.json.gz").read_bytes()).decode()
        for size in ("size:-5", "size:" + "9" * 23, "size"):
            path = self.path / "a.json"
            path.write_text(text.replace("size:16777216", size))
            made = report(path)
            self.assertIn(LEFT_OUT.format(16), made["coverage"]["notes"])
            self.assertEqual(made["totals"]["h2d_bytes"], 0)

    def test_streams_that_are_no_number(self):
        with gzip.open(RECORDED / "rounds.json.gz") as file:
            made = json.load(file)
        copies = [e for e in made["traceEvents"] if e.get("cat") == "gpu_memcpy"]
        copies[0]["args"]["stream"], copies[1]["args"]["stream"] = "x", 1e300
        path = self.path / "streams.json"
        path.write_text(json.dumps(made))
        self.assertIn(LEFT_OUT.format(2), report(path)["coverage"]["notes"])

    def test_bytes_behind_a_compressed_file(self):
        path = self.path / "behind.json.gz"
        path.write_bytes((RECORDED / "event_sync.json.gz").read_bytes() + b"zzzz")
        self.assertIn("bytes that are not compressed follow the compressed ones",
                      " ".join(report(path)["coverage"]["notes"]))

    def test_a_long_file_takes_little_memory(self):
        """Most of a trace are events that are passed over."""
        path = self.path / "long.json"
        filler = json.dumps({"ph": "X", "cat": "ac2g", "name": "x" * 900}) + ","
        with open(path, "w") as file:
            file.write('{"traceEvents":[')
            for _ in range(64):
                file.write(filler * 1024)
            file.write(json.dumps(event("cuda_runtime", "cudaMalloc", 1, 2,
                                        correlation=1)) + "]}")
        self.assertGreater(path.stat().st_size, 55 << 20)
        done = subprocess.run(
            ["sh", "-c", f"ulimit -v {ADDRESS_KIB}; exec {XFERSPY} dump {path}"],
            capture_output=True, text=True)
        if "ASan" not in done.stderr and "AddressSanitizer" not in done.stderr:
            self.assertEqual(done.returncode, 0, done.stderr)


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
        for table in ("StringIds", "CUDA_CALLCHAINS"):
            self.path.write_bytes(whole)
            with sqlite3.connect(self.path) as db:
                page, = db.execute("SELECT rootpage FROM sqlite_master "
                                   "WHERE name = ?", [table]).fetchone()
            at = 512 * (page - 1)
            self.path.write_bytes(whole[:at] + bytes(512) + whole[at + 512:])
            self.refuse("damaged or incomplete")

    def test_json(self):
        whole = (RECORDED / "rounds.json.gz").read_bytes()
        self.path.write_bytes(whole[:len(whole) // 2])
        self.refuse("JSON: the compressed file ends early; ")
        self.path.write_bytes(gzip.compress(b"a letter"))
        self.refuse("compressed, and no trace")
        self.path.write_bytes(gzip.decompress(whole)[:50000])
        self.refuse("not a whole trace in JSON")
        for text, words in (('{"a": 1}', "no trace of PyTorch's profiler"),
                            ("[]", "no trace of PyTorch's profiler"),
                            ('{"traceEvents": [}', "brackets do not match"),
                            ('{"traceEvents": [{"ph" 1}]}', "a key has no value"),
                            ("[" * 100, "nested too deeply"),
                            ('{"a": "\\q"}', "wrong escape"),
                            ('{"a": 1} b', "comma is missing")):
            self.path.write_text(text)
            self.refuse(words)

    def test_a_schema_of_the_future(self):
        write_nsys.write("4.0", self.path)
        self.refuse("newer than this xferspy")

    def test_a_column_that_is_gone(self):
        for table, column in (("KERNEL", "correlationId"), ("MEMCPY", "bytes"),
                              ("MEMCPY", "copyKind"), ("RUNTIME", "nameId")):
            self.path.unlink(missing_ok=True)
            write_nsys.write("3.25", self.path)
            with sqlite3.connect(self.path) as db:
                db.execute(f"ALTER TABLE CUPTI_ACTIVITY_KIND_{table} "
                           f"RENAME COLUMN {column} TO id")
            self.refuse(f"CUPTI_ACTIVITY_KIND_{table} has no column {column}")

    def test_strings_without_a_column(self):
        write_nsys.write("3.25", self.path)
        with sqlite3.connect(self.path) as db:
            db.execute("ALTER TABLE StringIds RENAME COLUMN value TO text")
        self.refuse("table StringIds has no column value")

    def test_computed_texts(self):
        """They could be of any size."""
        write_nsys.write("3.25", self.path)
        with sqlite3.connect(self.path) as db:
            db.execute("DROP TABLE StringIds")
            db.execute("CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value "
                       "TEXT AS (printf('%.*c', 1000000, 'x')))")
        self.refuse("table StringIds has computed columns")

    def test_a_view(self):
        """It is not read, and does not count as missing."""
        write_nsys.write("3.25", self.path)
        with sqlite3.connect(self.path) as db:
            db.execute("ALTER TABLE CUPTI_ACTIVITY_KIND_KERNEL RENAME TO kernels")
            db.execute("CREATE VIEW CUPTI_ACTIVITY_KIND_KERNEL AS "
                       "SELECT * FROM kernels")
        self.refuse("CUPTI_ACTIVITY_KIND_KERNEL is a view")

    def test_an_unfinished_write(self):
        write_nsys.write("3.25", self.path)
        salt, later = b"salted..", b"salted!!"
        journal, log = b"\xd9\xd5\x05\xf9 \xa1c\xd7", b"\x37\x7f\x06\x82"
        head = log + bytes(12) + salt + bytes(8)
        # all is in the file itself, but for the last of each
        for suffix, contents in (
                ("-wal", (b"", b"0", head, head + bytes(8) + later,
                          head + bytes(8) + salt)),
                ("-journal", (b"", b"0", bytes(28), journal + bytes(20)))):
            beside = self.path.with_name(self.path.name + suffix)
            for content in contents[:-1]:
                beside.write_bytes(content)
                self.assertEqual(run("dump", self.path).returncode, 0)
            beside.write_bytes(contents[-1])
            self.refuse(f"still in its {suffix} beside it; `sqlite3 "
                        f"{self.path.resolve()} .tables` joins them")
            beside.unlink()

    def test_a_log_of_sqlite(self):
        """What is written, and not yet in the database."""
        write_nsys.write("3.25", self.path)
        with sqlite3.connect(self.path) as db:
            db.execute("PRAGMA journal_mode=WAL")
            db.execute("CREATE TABLE more (id INTEGER)")
            db.commit()
            self.refuse("still in its -wal beside it")
            db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            self.assertEqual(run("dump", self.path).returncode, 0)
            piped = subprocess.run([XFERSPY, "dump", "-"], capture_output=True,
                                   input=self.path.read_bytes())
            self.assertEqual(piped.returncode, 0, piped.stderr)

    def test_a_compressed_export(self):
        write_nsys.write("3.25", self.path)
        plain = run("dump", self.path).stdout
        self.path.write_bytes(gzip.compress(self.path.read_bytes()))
        self.assertEqual(run("dump", self.path).stdout, plain)

    def test_tables_without_keys(self):
        """Each name would be looked for in the whole table."""
        write_nsys.write("3.25", self.path)
        runtime = "CUPTI_ACTIVITY_KIND_RUNTIME"
        with sqlite3.connect(self.path) as db:
            db.execute("CREATE TABLE names (id INTEGER, value TEXT)")
            db.executemany("INSERT INTO names VALUES (?, ?)",
                           ((i, f"name {i}") for i in range(40000)))
            db.execute("DROP TABLE StringIds")
            db.execute("ALTER TABLE names RENAME TO StringIds")
            columns = [row[1] for row in
                       db.execute(f"PRAGMA table_info({runtime})")]
            first = dict(zip(columns, db.execute(
                f"SELECT * FROM {runtime}").fetchone()))
            db.executemany(
                f"INSERT INTO {runtime} VALUES ({','.join('?' * len(columns))})",
                (list((first | {"nameId": i, "start": first["end"] + i,
                                "end": first["end"] + i + 1}).values())
                 for i in range(40000)))
        self.refuse("takes too long to read for its size")


if __name__ == "__main__":
    XFERSPY = sys.argv.pop()
    unittest.main()
