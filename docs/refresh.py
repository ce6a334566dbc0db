#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Brings what README.md quotes up to date, and docs/report.svg.

    docs/refresh.py [--check] [XFERSPY]

XFERSPY is the built command (default build/bin/xferspy). README.md has what is to
be run in comments. An output is quoted between two of them; a name in brackets
takes one section of it:

    <!-- output[Phases]: diff before.xspy after.xspy -->
    <!-- output: end -->

docs/report.svg is a picture of an output, with the colours of a terminal:

    <!-- docs/report.svg: report examples/traces/... -->

The table of errors is that of docs/accuracy.md, which is written first.

--check changes nothing, and exits with 1 where something is out of date.
"""
import argparse
import fcntl
import os
import pathlib
import pty
import re
import struct
import subprocess
import sys
import termios
from xml.sax.saxutils import escape

ROOT = pathlib.Path(__file__).resolve().parent.parent
BLOCK = re.compile(r"(<!-- output(?:\[(?P<section>[^]]+)\])?: "
                   r"(?P<arguments>(?!end)[^>]+?) -->\n).*?"
                   r"(<!-- output: end -->\n)", re.S)
PICTURE = re.compile(r"<!-- (?P<path>docs/\S+\.svg): (?P<arguments>[^>]+?) -->")
ACCURACY = re.compile(r"(<!-- accuracy -->\n).*?(<!-- accuracy: end -->\n)", re.S)
ERRORS = re.compile(r"^\| (?P<name>[^|]+) \| (?P<rows>\d+) of \d+ \| (?P<mean>[^|]+ %) \| "
                    r"(?P<largest>[^|]+ %) \| (?P<inside>[^|]+ %) \|", re.M)
COLUMNS = 80
WIDTH, HEIGHT, MARGIN = 8.0, 18, 16  # of a character, of a line, around all
# What the report's escape sequences stand for.
CLASSES = {"1": "bold", "2": "dim", "32": "good", "33": "warn"}
STYLE = """
  text { font: 13.3px ui-monospace, "DejaVu Sans Mono", Menlo, Consolas,
    monospace; fill: #d8dee9 }
  .bold { font-weight: bold; fill: #ffffff }
  .dim { fill: #8f9bb0 }
  .good { fill: #8fd48f }
  .warn { fill: #e5c07b }
"""


def command_text(arguments):
    """The command as a reader types it, in lines of one terminal."""
    lines, line = [], "$ xferspy"
    for word in arguments.split():
        if len(line) + len(word) + 3 > COLUMNS:
            lines.append(line + " \\")
            line = "     "
        line += " " + word
    return "\n".join([*lines, line]) + "\n\n"


def output_of(xferspy, arguments):
    """What the command prints to a file."""
    return subprocess.run([xferspy, *arguments.split()], cwd=ROOT,
                          stdout=subprocess.PIPE, check=True).stdout.decode()


def terminal_output_of(xferspy, arguments):
    """What the command prints to a terminal, with escape sequences."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ,
                struct.pack("HHHH", 0, COLUMNS, 0, 0))
    environment = {name: value for name, value in os.environ.items()
                   if name != "NO_COLOR"}
    child = subprocess.Popen([xferspy, *arguments.split()], cwd=ROOT,
                             stdout=theirs, env=environment)
    os.close(theirs)
    printed = b""
    while True:
        try:
            read = os.read(ours, 65536)
        except OSError:  # the other end was closed
            break
        if not read:
            break
        printed += read
    os.close(ours)
    if child.wait():
        raise SystemExit(f"refresh.py: {arguments}: exit code "
                         f"{child.returncode}")
    return printed.decode().replace("\r\n", "\n")


def section_of(text, name):
    """From the line that begins with name to the next empty line."""
    sections = text.split("\n\n")
    for section in sections:
        if section.startswith(name):
            return section.rstrip("\n") + "\n"
    heads = ", ".join(section.partition("  ")[0].strip().splitlines()[0]
                      for section in sections if section.strip())
    raise SystemExit(f"refresh.py: no section {name!r}; there are: {heads}")


def quoted(text, xferspy):
    """README's text with today's outputs in it."""
    def block(found):
        output = output_of(xferspy, found["arguments"])
        if found["section"]:
            output = section_of(output, found["section"])
        return f"{found[1]}```\n{output}```\n{found[4]}"
    return BLOCK.sub(block, text)


def with_accuracy(text):
    """README's text with the errors of docs/accuracy.md in it."""
    page = (ROOT / "docs/accuracy.md").read_text().partition("\n## On a first use")[0]
    rows = "".join("| " + " | ".join(row.groups()) + " |\n"
                   for row in ERRORS.finditer(page) if row["name"] != "as-is")
    return ACCURACY.sub(
        "\\1| strategies | predictions | mean error | largest | "
        "inside the 90 % interval |\n|---|---:|---:|---:|---:|\n"
        rf"{rows}\2", text)


def pieces(text):
    """(line, column, words, class) of the text of a terminal."""
    style = ""
    for line, row in enumerate(text.split("\n")):
        column = 0
        for part in re.split(r"(\x1b\[\d+m)", row):
            code = re.fullmatch(r"\x1b\[(\d+)m", part)
            if code:
                style = CLASSES.get(code[1], "")
                continue
            # columns of a table stay where they are in any font
            for words in re.finditer(r"\S+(?: \S+)*", part):
                yield line, column + words.start(), words[0], style
            column += len(part)


def svg(text):
    lines = text.rstrip("\n").count("\n") + 1
    width = round(COLUMNS * WIDTH + 2 * MARGIN)
    height = lines * HEIGHT + 2 * MARGIN
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" '
           f'height="{height}" viewBox="0 0 {width} {height}" role="img">',
           "<!-- Written by docs/refresh.py. -->",
           "<title>A report of xferspy in a terminal</title>",
           f"<style>{STYLE}</style>",
           f'<rect width="{width}" height="{height}" rx="8" fill="#1e2430"/>']
    for line, column, words, style in pieces(text):
        name = f' class="{style}"' if style else ""
        out.append(f'<text{name} x="{MARGIN + column * WIDTH:g}" '
                   f'y="{MARGIN + line * HEIGHT + 13}" '
                   f'textLength="{len(words) * WIDTH:g}">'
                   f"{escape(words)}</text>")
    return "\n".join([*out, "</svg>"]) + "\n"


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--check", action="store_true",
                        help="only say what is out of date")
    parser.add_argument("xferspy", nargs="?", type=pathlib.Path,
                        default=ROOT / "build/bin/xferspy")
    args = parser.parse_args()
    xferspy = args.xferspy.resolve()
    page = ROOT / "README.md"
    text = page.read_text()
    found = {page: with_accuracy(quoted(text, xferspy))}
    for picture in PICTURE.finditer(text):
        arguments = picture["arguments"]
        found[ROOT / picture["path"]] = svg(
            command_text(arguments) + terminal_output_of(xferspy, arguments))
    if len(found) < 2 or not BLOCK.search(text) or not ACCURACY.search(text):
        raise SystemExit("refresh.py: README.md names no picture, output or accuracy")
    stale = [path for path, content in found.items()
             if not path.exists() or path.read_text() != content]
    for path in stale:
        if args.check:
            print(f"{path.relative_to(ROOT)} is out of date; "
                  "write it again: docs/refresh.py")
        else:
            path.write_text(found[path])
    return 1 if args.check and stale else 0


if __name__ == "__main__":
    sys.exit(main())
