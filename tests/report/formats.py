#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""JSON, CSV and the page, read back: each has the figures of the others, and no name is
markup. The keys of JSON are checked by schemas.py and json_page.py.

    formats.py XFERSPY SOURCE
"""
import base64
import csv
import io
import itertools
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest
import zlib

XFERSPY, SOURCE = sys.argv[1], pathlib.Path(sys.argv[2]).resolve()
TRACES = SOURCE / "tests/report/traces"
PAGEABLE = TRACES / "pageable.txt"
STENCIL = SOURCE / "examples/traces/stencil-512-pageable.xspy"
DATA = '<script type="text/plain" class="'


def report(kind, *arguments):
    done = subprocess.run([XFERSPY, "report", "--format", kind, *map(str, arguments)],
                          capture_output=True)
    if done.returncode or done.stderr:
        sys.exit(f"report {arguments}: {done.returncode}, {done.stderr}")
    return done.stdout.decode()


def json_of(*arguments):
    return json.loads(report("json", *arguments))


def csv_of(*arguments):
    return list(csv.reader(io.StringIO(report("csv", *arguments), newline=""), strict=True))


class Page:
    """Its head, the same in all pages, and its data by name."""
    def __init__(self, *arguments):
        page = report("html", *arguments)
        self.head, self.rest = page[:page.index(DATA)], page[page.index(DATA):]
        found = re.findall(DATA + r'(\w+)">([A-Za-z0-9+/]*=*)</script>\n', self.rest)
        self.data = {name: zlib.decompress(base64.b64decode(text, validate=True))
                     for name, text in found}

    def report(self):
        return json.loads(self.data["report"])

    def views(self):
        """The views, whose lanes have slices (start_ns, end_ns, name, site, bytes)."""
        texts = json.loads(self.data["texts"])
        numbers = iter(self.numbers())
        for view in texts["views"]:
            for lane in view["lanes"]:
                starts, *columns = [list(itertools.islice(numbers, lane["count"]))
                                    for _ in range(5)]
                end, lane["slices"] = 0, []
                for start, ns, name, site, size in zip(starts, *columns):
                    start = end + (start >> 1 ^ -(start & 1))
                    end = start + ns
                    lane["slices"].append((start, end, texts["names"][name],
                                           texts["sites"][site], size))
        assert next(numbers, None) is None
        return texts["views"]

    def numbers(self):
        value = shift = 0
        for byte in self.data["slices"]:
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                yield value
                value = shift = 0


def last_ns(view):
    return max(end for lane in view["lanes"] for _, end, *_ in lane["slices"])


class Formats(unittest.TestCase):
    def rounds_of(self, path, strategy, phase=0):
        """Returns the view of a strategy's rounds, and its row."""
        page = Page(path)
        estimates = page.report()["phases"][phase]["estimates"]
        (view, row), = [(view, estimates[view["estimate"]]) for view in page.views()
                        if view["phase"] == phase and view["estimate"] is not None and
                        estimates[view["estimate"]]["strategy"] == strategy]
        return view, row

    def test_csv_has_the_values_of_the_estimates(self):
        heading, *rows = csv_of(PAGEABLE, "--machine", "h200")
        wanted = [(phase, row) for phase in json_of(PAGEABLE, "--machine", "h200")["phases"]
                  for row in phase["estimates"]]
        self.assertEqual(len(rows), len(wanted))
        for cells, (phase, row) in zip(rows, wanted):
            self.assertEqual(len(cells), len(heading))
            self.assertEqual(cells[:3],
                             [str(PAGEABLE), str(phase["id"]), str(phase["rounds"])])
            for key, cell in zip(heading[3:], cells[3:]):
                value = row[key]
                if isinstance(value, float):
                    self.assertAlmostEqual(float(cell), value, 3)
                else:
                    self.assertEqual(cell, "" if value is None else str(value).lower()
                                     if isinstance(value, bool) else str(value))
        abstains = next(row for _, row in wanted if not row["applies"])
        self.assertEqual([abstains[key] for key in ("round_ns", "speedup", "n_streams")],
                         [None] * 3)
        self.assertTrue(abstains["why"])

    def test_csv_may_contain_anything(self):
        for name in 'a "quoted" word', '"', "one, two", '","':
            pathlib.Path(name).write_bytes(PAGEABLE.read_bytes())
            self.assertEqual(csv_of(name)[1][0], name)

    def test_unknown_is_null(self):
        lacks = pathlib.Path("lacks.txt")
        lacks.write_text("xferspy-text 1\nheader pid=7\nchunk thread=7\n")
        found = json_of(lacks)
        self.assertEqual([found["trace"][key] for key in
                          ("driver_version", "max_connections", "host")], [None] * 3)

    def test_several_traces_are_an_array(self):
        self.assertEqual([one["trace"]["path"] for one in json_of(PAGEABLE, STENCIL, "--each")],
                         [str(PAGEABLE), str(STENCIL)])

    def test_no_name_is_markup(self):
        hostile = pathlib.Path("hostile.txt")
        app = "</script><script>alert(1)</script>'&\u202e"
        hostile.write_text(re.sub('text="app=[^"]*', 'text="app=' + app,
                                  PAGEABLE.read_text(), count=1))
        plain, page = Page(PAGEABLE), Page(hostile)
        self.assertEqual(page.head, plain.head)
        self.assertEqual(list(page.data), ["report", "texts", "slices"])
        self.assertEqual(self.without_data(page), self.without_data(plain))
        self.assertEqual(page.report(), json_of(hostile))
        self.assertEqual(page.report()["trace"]["app"], app)
        # names in a damaged trace may be any bytes
        hostile.write_text(hostile.read_text().replace("\u202e", r"\xff\xfe \"x\""))
        self.assertEqual(json_of(hostile)["trace"]["app"], app[:-1] + '?? "x"')

    def without_data(self, page):
        return re.sub(r'>[A-Za-z0-9+/=]*</script>', "", page.rest)

    def test_data_of_a_long_page_come_back(self):
        path = SOURCE / "examples/frameworks/h100/kv_paging.xspy"
        page = Page(path)
        # more than the encoder's buffer of 48 KiB
        self.assertGreater(page.rest.index("</script>") * 3 / 4, 50000)
        self.assertEqual(page.report(), json_of(path))

    # Ranges of a thread lie above its calls, those inside of others below these; those of
    # the process come first. Threads that take turns share lanes.
    def test_nvtx_ranges_are_lanes(self):
        lanes = Page(TRACES / "nvtx.txt").views()[0]["lanes"]
        self.assertEqual(
            [(lane["kind"], lane["name"], lane["count"]) for lane in lanes[:5]],
            [("range", "process: NVTX", 1), ("range", "thread 100: NVTX", 1),
             ("range", "thread 100: NVTX", 15),   # steps, and hostile names
             ("range", "thread 100: NVTX", 25),   # forward, backward
             ("range", "thread 100: NVTX", 25)])  # halo exchange
        self.assertEqual(lanes[4]["slices"][0][2], "solver: halo exchange")
        self.assertEqual(lanes[5]["kind"], "call")
        for lane in lanes:
            starts = [start for start, *_ in lane["slices"]]
            self.assertEqual(starts, sorted(starts))

    # A round as it would be ends when its row says.
    def test_replayed_rounds_take_their_rows_time(self):
        for strategy in "pinned", "streams", "mapped", "hybrid":
            view, row = self.rounds_of(STENCIL, strategy)
            self.assertTrue(-10 <= last_ns(view) - row["round_ns"] <= 10, strategy)

    # PyTorch leaves out its waits after copies in from pinned memory.
    def test_rounds_of_frameworks_are_theirs(self):
        view, row = self.rounds_of(SOURCE / "examples/frameworks/h100/loader.xspy", "pinned", 1)
        self.assertTrue(0.9 <= last_ns(view) / row["round_ns"] <= 1.1)

    # A round of more than one buffer is shown several times, from where it is timed;
    # recorded steps keep their kernels' names and lines.
    def test_rounds_as_recorded_keep_their_names(self):
        view, row = self.rounds_of(STENCIL, "double-buffer")
        self.assertGreater(view["rounds"], 1)
        self.assertTrue(1 <= last_ns(view) / view["rounds"] / row["round_ns"] <= 1.2)
        view, _ = self.rounds_of(STENCIL, "pinned")
        _, _, name, site, _ = view["lanes"][-1]["slices"][0]
        self.assertEqual(view["lanes"][-1]["name"], "kernels")
        self.assertEqual(name, "stencil_kernel(int const*, int*, int, int, int)")
        self.assertEqual(site["line"], 57)


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    unittest.main(argv=sys.argv[:1])
