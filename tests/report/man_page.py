#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""docs/xferspy.1 has every option that a command's --help lists, and every
strategy; and no other. docs/glossary.md has the same strategies. The variables
are those of the library's table.

    man_page.py XFERSPY SOURCES
"""
import pathlib
import re
import subprocess
import sys

XFERSPY, SOURCES = sys.argv[1], pathlib.Path(sys.argv[2])
failed = False


def help_of(*command):
    return subprocess.run([XFERSPY, *command, "--help"], check=True,
                          stdout=subprocess.PIPE).stdout.decode()


def same(what, wanted, found, page="docs/xferspy.1"):
    """Says which of both sets the other does not have."""
    global failed
    for name in sorted(wanted - found):
        print(f"{what}: {page} does not have {name}")
    for name in sorted(found - wanted):
        print(f"{what}: {page} has {name}, xferspy does not")
    failed |= wanted != found


def options_of(text):
    """The long options of a text; -o stands for --output."""
    found = re.findall(r"(?<![\w-])--[a-z][\w-]*|(?<![\w-])-o\b", text)
    return {"--output" if name == "-o" else name for name in found}


def main():
    page = (SOURCES / "docs/xferspy.1").read_text().replace(r"\-", "-")
    commands = re.findall(r"^  (\w+) ", help_of(), re.M)
    every = {"--help", "--version"}
    for command in commands:
        listed = set(re.findall(r"^  (?:-\w, )?(--[\w-]+)", help_of(command), re.M))
        every |= listed
        parts = re.findall(rf'^\.SY "xferspy {command}"\n(.*?)^\.YS', page,
                           re.M | re.S)
        same(f"SYNOPSIS of {command}", listed - {"--help"},
             options_of("".join(parts)))
    options = re.search(r"^\.SH OPTIONS\n(.*?)^\.SH ", page, re.M | re.S)[1]
    heads = re.findall(r"^\.TP\n(.*)", options, re.M)
    same("OPTIONS", every, options_of("\n".join(heads)))

    strategies = [re.search(r'\.id = "([^"]+)"', path.read_text())[1]
                  for path in SOURCES.glob("model/strategies/strategy_*.c")]
    terms = re.search(r"^\.B strategy\n.*?^\.RS\n(.*?)^\.RE", page, re.M | re.S)[1]
    same("TERMS", set(strategies),
         set(re.findall(r"^\.TP\n\.BR? ([\w-]+)", terms, re.M)))
    table = (SOURCES / "docs/glossary.md").read_text().partition("## The strategies")[2]
    same("The strategies", set(strategies),
         set(re.findall(r"^\| `([a-z-]+)", table, re.M)), "docs/glossary.md")

    source = (SOURCES / "preload/util/config.c").read_text()
    variables = set(re.findall(r'^    \{"(XFERSPY_\w+)"', source, re.M))
    part = re.search(r"^\.SH ENVIRONMENT\n(.*?)^\.SH ", page, re.M | re.S)[1]
    same("ENVIRONMENT", variables - {"XFERSPY_RUN_PID"},
         set(re.findall(r"^\.BI?R? (XFERSPY_\w+)= ?\S", part, re.M)))
    table = (SOURCES / "docs/reference.md").read_text()
    same("Environment", variables,
         set(re.findall(r"^\| `(XFERSPY_\w+)` ", table, re.M)), "docs/reference.md")
    if len(variables) < 12 or len(commands) < 6 or len(every) < 25 or len(strategies) < 13:
        sys.exit(f"only {len(commands)} commands, {len(every)} options, "
                 f"{len(variables)} variables and {len(strategies)} strategies seen")
    sys.exit(failed)


if __name__ == "__main__":
    main()
