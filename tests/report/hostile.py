#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Names that would control a terminal or run in a spreadsheet, through everything that
the command prints.

    hostile.py XFERSPY SOURCE
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unicodedata
import unittest

XFERSPY = BASE = ""
# A colour, a C1 introducer, an override, bytes that are not UTF-8. Without slashes and
# brackets, at which names are cut.
BAD = b"\x1bc\xc2\x9b7m\xe2\x80\xaex\xff\xc0\xaf"
BAD_IN_TEXT = b"\\x1bc\xc2\x9b7m\xe2\x80\xaex\\xff\\xc0\\xaf"
TRACE = "hostile.txt"
PROFILE = "./hostile.json"


def make_bad(line):
    """Puts bad characters before the text of a line of a trace, if it has one."""
    head = (re.match(rb'string .*?text="', line) or
            re.match(rb'.*name="|.*text="(app|host|driver|cupti|mode)=', line))
    at = head.end() if head else 0
    return line[:at] + (BAD_IN_TEXT if head else b"") + line[at:]


def write_inputs():
    """Writes a trace whose names all begin with bad characters, and a profile of such a
    name."""
    with open(TRACE, "wb") as out:
        for line in pathlib.Path(BASE).read_bytes().splitlines():
            out.write(make_bad(line) + b"\n")
            if line.startswith(b"chunk"):
                out.write(b'info text="note=a note ' + BAD_IN_TEXT + b'"\n'
                          b'info text="rung=' + BAD_IN_TEXT + b'"\n'
                          b'info text="rank=0"\ninfo text="ranks=2"\n'
                          b'info text="job=' + BAD_IN_TEXT + b'"\n'
                          b"unknown kind=200 data=0a0b\n")
    parameters = {"lo_h2d_ns": 10000, "lo_d2h_ns": 10000, "G_h2d": 0.1, "G_d2h": 0.1,
                  "g_h2d_ns": 1000, "g_d2h_ns": 1000}
    pathlib.Path(PROFILE).write_text(json.dumps({
        "schema": 1, "name": "m\x1bc\x9b7m\u202e", "gpu": "g\x1bc\x9b7m\u202e",
        "source": "file", "copy_engines": 2, "notes": "n\x1bc\x9b\u202e",
        "parameters": {name: {"value": value} for name, value in parameters.items()}}))


class Hostile(unittest.TestCase):
    def expect_safe(self, arguments, code, text, environment=None):
        """Expects a code, safe output, and a text in it. arguments: with {bad}."""
        words = [word.replace(b"{bad}", BAD) for word in arguments.encode().split()]
        done = subprocess.run([XFERSPY, *words], capture_output=True,
                              env=os.environ | (environment or {}))
        self.assertEqual(done.returncode, code, (arguments, done.stderr))
        for said in done.stdout.decode(), done.stderr.decode():
            self.assertFalse(
                [letter for letter in said if letter != "\n" and
                 unicodedata.category(letter) in ("Cc", "Cf", "Zl", "Zp")], said)
        self.assertIn(text, (done.stderr if code else done.stdout).decode())

    def test_reports_are_safe(self):
        model = "model --h2d-bytes 1M --d2h-bytes 1M --kernel-ms 1 --machine " + PROFILE
        for arguments, text in (
                (f"report {TRACE}", "\\xc2\\x9b7m\\xe2\\x80\\xaex\\xff"),
                (f"report --atgpu --machine {PROFILE} {TRACE}", "\\x1bc\\xc2\\x9b"),
                (f"report --machine h200 --machine {PROFILE} {TRACE}",
                 "c\\xc2\\x9b7m\\xe2\\x80\\xae:"),
                (f"report --format json --machine {PROFILE} {TRACE}",
                 "\\u009b7m\\u202e"),
                (f"report --format csv --machine h200 --machine {PROFILE} {TRACE}",
                 "machine:m?c\\xc2\\x9b"),
                (f"report --format html --machine h200 {TRACE}", "<!DOCTYPE html>"),
                (f"diff {TRACE} {TRACE}", "as fast as before"),
                (f"diff --format json {TRACE} {TRACE}", '"schema"'),
                (model, "m\\x1bc\\xc2\\x9b7m"),
                (model + " --format json", "\\u202e")):
            self.expect_safe(arguments, 0, text)

    def test_digests_are_safe(self):
        self.expect_safe(f"digest {TRACE}", 0, "2 ranks, ?c?7m")
        self.expect_safe(f"digest {TRACE} -o hostile.digest", 0, "")
        self.expect_safe("report hostile.digest", 0, "?c?7m")

    def test_lists_are_safe(self):
        os.mkdir("machines")
        os.link(PROFILE, "machines/n\x1b.json")
        for text in "n\\x1b", "g\\x1bc\\xc2\\x9b7m":
            self.expect_safe("report --machine list", 0, text,
                             {"XFERSPY_MACHINES": "machines"})

    def test_dumps_are_safe(self):
        self.expect_safe(f"dump --read {BASE} -o hostile.xspy", 0, "")
        self.expect_safe("dump --resolve hostile.xspy -o {bad}", 0, "\\x1bc\\xc2\\x9b7m")
        os.remove(BAD)
        self.expect_safe(f"dump {TRACE}", 0,
                         "app=\\x1bc\\xc2\\x9b7m\\xe2\\x80\\xaex\\xff\\xc0\\xaf")

    def test_errors_are_safe(self):
        for name, text in (("bad.txt", b"xferspy-text 1\n" + BAD + b" x\n"),
                           ("head.txt", b"xferspy-text 1\nheader\n" + BAD + b" x\n"),
                           ("bad.json", b'{"schema": 1, ' + BAD + b"}")):
            pathlib.Path(name).write_bytes(text)
        for arguments, code, text in (
                ("{bad}", 1, "\\x1bc\\xc2\\x9b7m"),
                ("report {bad}", 2, "\\x1bc\\xc2\\x9b7m"),
                ("report --format {bad}", 1, "\\x1bc\\xc2\\x9b7m"),
                ("report --machine {bad} " + TRACE, 2, "\\x1bc\\xc2\\x9b7m"),
                ("report bad.txt", 2, "line 2"),
                ("report head.txt", 2, "\\x1bc\\xc2\\x9b7m"),
                ("dump --read head.txt -o out", 2, "\\x1bc\\xc2\\x9b7m"),
                ("report --machine ./bad.json " + TRACE, 2, "json")):
            self.expect_safe(arguments, code, text)

    def test_csv_fields_are_no_formulas(self):
        # a spreadsheet runs a field that begins with one of these characters
        for name, field in (("=cmd|calc", "'=cmd|calc"), ("+1+cmd", "'+1+cmd"),
                            ("-2+cmd", "'-2+cmd"), ("@SUM(1)", "'@SUM(1)"),
                            ('=a,"b"', "\"'=a,\"\"b\"\"\""), ("-1.5", "-1.5"),
                            ("a=b", "a=b")):
            pathlib.Path(name).write_bytes(pathlib.Path(BASE).read_bytes())
            self.expect_safe(f"report --format csv -- {name}", 0, f"\n{field},1,")


if __name__ == "__main__":
    XFERSPY, BASE = sys.argv[1], sys.argv[2] + "/tests/report/traces/pageable.txt"
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        write_inputs()
        done = unittest.main(argv=sys.argv[:1], exit=False)
        os.chdir("/")
    sys.exit(not done.result.wasSuccessful())
