#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What the command does on a terminal: colours and width.

    terminal.py XFERSPY SOURCE
"""
import fcntl
import os
import pty
import re
import struct
import subprocess
import sys
import tempfile
import termios
import unittest

XFERSPY = TRACE = ""
PLAIN = "TERM=xterm "
CODE = "       | "


def show(line, rows=24, columns=80):
    """Runs a line of a shell on a terminal. Returns what it shows."""
    child, terminal = pty.fork()
    if child == 0:
        # the size is there before the command asks for it
        sys.stdin.readline()
        os.execl("/bin/sh", "sh", "-c", line)
    attributes = termios.tcgetattr(terminal)
    attributes[3] &= ~termios.ECHO
    termios.tcsetattr(terminal, termios.TCSANOW, attributes)
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
    os.write(terminal, b"\n")
    text = b""
    try:
        while piece := os.read(terminal, 4096):
            text += piece
    except OSError:  # the last program on the terminal has ended
        pass
    os.close(terminal)
    os.waitpid(child, 0)
    return text.decode()


class Terminal(unittest.TestCase):
    def shows(self, line, text, rows=24, columns=80):
        self.assertIn(text, show(line, rows, columns), line)

    def lacks(self, line, text, rows=24, columns=80):
        self.assertNotIn(text, show(line, rows, columns), line)

    def test_colours_are_for_terminals(self):
        self.shows(PLAIN + REPORT, "\033[1m")
        self.shows(f"{PLAIN}{XFERSPY} diff {TRACE} {TRACE}", "\033[1m")
        self.lacks(PLAIN + REPORT + " | cat", "\033")
        self.lacks(PLAIN + "NO_COLOR=1 " + REPORT, "\033")
        self.shows(PLAIN + "NO_COLOR= " + REPORT, "\033[1m")
        self.lacks(PLAIN + "TERM=dumb " + REPORT, "\033")
        self.lacks(PLAIN + REPORT + " --color never", "\033")
        self.shows(PLAIN + REPORT + " --color always | cat", "\033[1m")
        self.shows(PLAIN + "NO_COLOR=1 " + REPORT + " --color=always", "\033[1m")
        self.shows(PLAIN + REPORT + " --color blue",
                   "--color: not known when; use one of: auto")

    def widest_is(self, least, most, columns):
        """The longest line, of ASCII, but of code."""
        text = show(PLAIN + "NO_COLOR=1 " + REPORT, 24, columns)
        widest = max(len(line) for line in re.split("[\r\n]+", text)
                     if not line.startswith(CODE))
        self.assertTrue(least <= widest <= most, (columns, widest))

    def test_lines_fit_the_terminal(self):
        self.widest_is(1, 80, 80)
        self.widest_is(81, 90, 90)
        # prose has at most 100
        self.widest_is(91, 100, 200)
        # tables have at least 80
        self.widest_is(61, 80, 60)
        report = PLAIN + "NO_COLOR=1 " + REPORT
        self.shows(report, "  once\r\n", columns=60)
        self.shows(report, "GPU to find a\r\ncalibration by;", columns=60)
        # a pipe has 80 columns, whatever the terminal has
        plain = subprocess.run([XFERSPY, "report", TRACE], capture_output=True, text=True)
        same = show(PLAIN + REPORT + " --color never | tr '\\n' '|'", 24, 120)
        self.assertEqual(len(same), len(plain.stdout))


XFERSPY, TRACE = sys.argv[1], sys.argv[2] + "/tests/report/traces/pageable.txt"
REPORT = f"{XFERSPY} report {TRACE}"
with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    unittest.main(argv=sys.argv[:1])
