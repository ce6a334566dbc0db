#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes docs/tried.md from the results of run.py, one file for each machine.

    page.py [--write PAGE.md] RESULTS.json...
"""
import argparse
import json
import os
import pathlib
import textwrap

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
OUTCOMES = {"pass": "yes", "back": "stepped back", "fail": "**no**",
            "skip": "not tried"}


def wrap(text):
    return textwrap.fill(" ".join(text.split()), 80)


def table(header, rows):
    """Returns a Markdown table; headers that start with > are of numbers."""
    names = [name.lstrip(">") for name in header]
    rule = ["---:" if name.startswith(">") else "---" for name in header]
    return ["| " + " | ".join(str(cell) for cell in cells) + " |"
            for cells in [names, rule, *rows]]


def off_text(percent):
    """Returns the errors as text."""
    return "off by " + ", ".join(
        f"{name.removesuffix('_ns')} {value:+.1f} %"
        for name, value in percent.items())


def remark(row):
    figures = row.get("figures", {})
    # the failure comes before the figures of the case
    why = row.get("why", "").partition(" {")[0].rstrip(":").splitlines()
    words = why[:1]
    if "stepped_back" in figures:
        words.append(figures["stepped_back"] + ": " +
                     "; ".join(figures["notes"]))
    if "theirs" in figures:
        theirs = figures["theirs"]
        words.append("the other tool: " + (
            ", ".join(theirs) if isinstance(theirs, list) else theirs))
    words += [f"CUDA {name}: {len(tried)} programs" for name, tried in
              figures.get("toolkits", {}).items()]
    if not figures.get("python_lines", " 0").endswith(" 0"):
        words.append(f"{figures['python_lines']} lines of Python")
    if "off_percent" in figures:
        words.append("times " + off_text(figures["off_percent"]))
    words += [f"{way} {off_text(percent)}" for way, percent in
              figures.get("off_by", {}).items()]
    if "missing_ms" in figures:
        words.append(f"usually {figures['missing_ms']} ms missing")
    if "seconds" in figures:
        words.append(f"{figures['seconds']} s, {figures['plain_seconds']} s "
                     "without")
    return "; ".join(words).replace("|", "\\|")


def case_row(row):
    figures = row.get("figures", {})
    return [row["what"], OUTCOMES[row["outcome"]],
            *(f"{figures[key]:,}" if key in figures else ""
              for key in ("ops", "matched", "lost")), remark(row)]


def cupti_rows(results):
    rows = []
    for case in results["cases"]:
        for tried in case.get("figures", {}).get("versions", []):
            back = "stepped_back" in tried
            rows.append([os.path.basename(tried["path"]),
                         tried["cupti"] or "–",
                         OUTCOMES["back" if back else "pass"], tried["rung"],
                         f"{tried['ops']:,}", f"{tried['matched']:,}",
                         " ".join(tried["notes"]) if back else ""])
    return rows


def machine_lines(results):
    versions = ", ".join(f"{name} {version}" for name, version in
                         results["versions"].items())
    lines = [f"## {results['machine']}", "",
             wrap(f"{results['date']}; {versions}."), "",
             *table(["tried", "works", ">ops", ">matched", ">lost", ""],
                    [case_row(row) for row in results["cases"]])]
    cupti = cupti_rows(results)
    if cupti:
        lines += ["", wrap("""The libcupti versions that were installed there,
                  each with a program of 200 ops. CUPTI reports its own version:
                  up to CUDA 12 a running number, 18 in CUDA 11.8 and 28 in
                  12.9. A dash means that the library is older than 11.8 and was
                  not used; GPU times are then from CUDA events around the
                  calls."""), "",
                  *table(["file", "CUPTI", "works", "timing source", ">ops",
                          ">matched", ""], cupti)]
    return lines


def page(machines):
    lines = ["# What was tried", "",
             wrap("""Each row is a program that was run without and with xferspy.
             \"Yes\" means that its stdout was identical byte for byte, its exit
             was the same, and the trace had every op and every byte that the
             program states; for Python frameworks, which do more, at least
             those. Lost records are counted. Rows on kills, light mode and
             other tools state what was compared. \"Stepped back\" means that the
             program was not affected, but the trace is incomplete and says why.
             Matched ops are those with a known call."""),
             "", "    tests/gpu/run.py build OUT     "
             "# on a machine with a GPU: OUT/results.json",
             "    tests/gpu/page.py tests/gpu/results/*.json    "
             "# writes this page"]
    for results in machines:
        lines += ["", *machine_lines(results)]
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--write", type=pathlib.Path, metavar="PAGE.md",
                        default=ROOT / "docs/tried.md")
    parser.add_argument("results", nargs="+", type=pathlib.Path)
    args = parser.parse_args()
    args.write.write_text(page([json.loads(path.read_text())
                                for path in sorted(args.results)]))


if __name__ == "__main__":
    main()
