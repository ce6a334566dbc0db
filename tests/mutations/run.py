#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Seeds known faults in a copy of the sources, one at a time, and checks that
the tests notice each of them.

The faults are in *.faults beside this file (README.md describes the format).
The copy and its build are in a folder of their own and are reused. Results are
kept there, too: an interrupted run goes on where it stopped, and a fault is
only tried again once it, its tests or the sources have changed.
"""
import argparse
import hashlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
SOURCES = HERE.parent.parent
KEYS = ("file", "tests", "why")
BUILD_SECONDS = 1200
TEST_SECONDS = 400


class Fault:
    def __init__(self, name, where):
        self.name = name
        self.where = where
        self.fields = {}
        self.texts = {}

    def __getattr__(self, key):
        return self.fields[key]

    @property
    def digest(self):
        text = json.dumps([self.fields, self.texts], sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()


def parse(path):
    """Returns the faults of a table. Raises ValueError on an error in it."""
    faults = []
    section = None
    for number, line in enumerate(path.read_text().splitlines(), 1):
        where = f"{path.name}:{number}"
        if line.startswith("== "):
            faults.append(Fault(line[3:].strip(), where))
            section = None
        elif line in ("-- find", "-- put"):
            section = line[3:]
            faults[-1].texts[section] = []
        elif section:
            faults[-1].texts[section].append(line)
        elif line.strip() and not line.startswith("#"):
            key, _, value = line.partition(": ")
            if not faults or key not in KEYS:
                raise ValueError(f"{where}: cannot be read: {line}")
            faults[-1].fields[key] = value.strip()
    for fault in faults:
        missing = [key for key in KEYS if not fault.fields.get(key)]
        missing += [key for key in ("find", "put") if key not in fault.texts]
        if missing:
            raise ValueError(
                f"{fault.where}: {fault.name} lacks {', '.join(missing)}")
        fault.texts = {key: "\n".join(text).strip()
                       for key, text in fault.texts.items()}
    return faults


def read_faults():
    faults = [fault for path in sorted(HERE.glob("*.faults"))
              for fault in parse(path)]
    names = [fault.name for fault in faults]
    for name in sorted({name for name in names if names.count(name) > 1}):
        raise ValueError(f"two faults have the name {name}")
    return faults


def pattern(text):
    """Matches the text with any white space between its tokens, so that a
    line that is broken elsewhere is still found."""
    tokens = re.findall(r"\w+|[^\w\s]", text)
    out = ""
    for before, token in zip([""] + tokens, tokens):
        if before:
            words = re.match(r"\w", before[-1]) and re.match(r"\w", token)
            out += r"\s+" if words else r"\s*"
        out += re.escape(token)
    return re.compile(out)


def seed(fault, root):
    """Returns the file's text and the text with the fault. Raises ValueError
    if the place is not found exactly once."""
    path = root / fault.file
    if not path.is_file():
        raise ValueError(f"{fault.file} is not there")
    text = path.read_text()
    found = pattern(fault.texts["find"]).findall(text)
    if len(found) != 1:
        raise ValueError(f"its text occurs {len(found)} times in {fault.file}")
    put = fault.texts["put"]
    return text, pattern(fault.texts["find"]).sub(lambda _: put, text)


def check(faults):
    """Returns the number of faults that cannot be seeded."""
    bad = 0
    for fault in faults:
        try:
            text, faulty = seed(fault, SOURCES)
            if text == faulty:
                raise ValueError("it changes nothing")
        except ValueError as error:
            print(f"{fault.where}: {fault.name}: {error}")
            bad += 1
    print(f"{len(faults) - bad} of {len(faults)} faults can be seeded")
    return bad


def run(command, seconds, **options):
    """Returns (exit code, output). 124: out of time; all that it started is
    killed."""
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True,
                               stderr=subprocess.STDOUT, errors="replace",
                               start_new_session=True, **options)
    try:
        output, _ = process.communicate(timeout=seconds)
        return process.returncode, output
    except subprocess.TimeoutExpired:
        return 124, "out of time"
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def tracked():
    files = subprocess.run(
        ["git", "-C", SOURCES, "ls-files", "-z", "-co", "--exclude-standard"],
        check=True, capture_output=True, text=True).stdout.split("\0")
    return sorted(name for name in files
                  if name and (SOURCES / name).is_file())


class Copy:
    """A copy of the sources, and its build."""

    def __init__(self, base):
        self.root = base / "sources"
        self.build = base / "build"
        self.kept = base / "results.json"
        base.mkdir(parents=True, exist_ok=True)
        self.digest = self.update()
        self.results = {}
        if self.kept.is_file():
            self.results = json.loads(self.kept.read_text())

    def update(self):
        """Copies what differs, deletes what is gone. Unchanged files keep
        their times, so that little is built again."""
        digest = hashlib.sha256()
        names = tracked()
        for name in names:
            data = (SOURCES / name).read_bytes()
            to = self.root / name
            if not name.endswith(".faults"):
                digest.update(f"{name}\0{len(data)}\0".encode() + data)
            if to.is_file() and to.read_bytes() == data:
                continue
            to.parent.mkdir(parents=True, exist_ok=True)
            to.write_bytes(data)
            to.chmod((SOURCES / name).stat().st_mode & 0o777)
        for path in self.root.rglob("*"):
            if path.is_file() and "__pycache__" not in path.parts and \
                    str(path.relative_to(self.root)) not in set(names):
                path.unlink()
        return digest.hexdigest()

    def configure(self):
        command = ["cmake", "-S", self.root, "-B", self.build, "-G", "Ninja"]
        if shutil.which("ccache"):
            command.append("-DCMAKE_C_COMPILER_LAUNCHER=ccache")
        code, output = run(command, BUILD_SECONDS)
        if code:
            sys.exit(f"{output}\nrun.py: the copy cannot be configured")

    def tests(self):
        """Returns the command of each test by its name; none is known of a
        test program that is not built yet, whose target has its name."""
        out = subprocess.run(
            ["ctest", "--test-dir", self.build, "--show-only=json-v1"],
            check=True, capture_output=True, text=True).stdout
        return {test["name"]: test.get("command", [self.build / test["name"]])
                for test in json.loads(out)["tests"]}

    def targets(self, commands):
        """Returns what has to be built for these tests."""
        targets = {"xferspy", "xferspy_preload"}
        for command in commands:
            path = Path(command[0])
            if path.is_relative_to(self.build):
                targets.add(path.name)
            for word in command:
                path = Path(word)
                if path.is_relative_to(self.root / "tests"):
                    folder = path.relative_to(self.root).parent
                    while not (self.root / folder / "CMakeLists.txt").is_file():
                        folder = folder.parent # data of tests
                    targets.add(f"{folder}/all")
                elif path.is_relative_to(self.build) and path.name.startswith("xs_"):
                    targets.add(path.name)  # a program that a script runs
        return sorted(targets)

    def make(self, commands):
        return run(["ninja", "-C", self.build, *self.targets(commands)],
                   BUILD_SECONDS)

    def failing(self, names):
        """Runs the tests. Returns those that failed."""
        regex = "^(" + "|".join(re.escape(name) for name in names) + ")$"
        code, output = run(["ctest", "--test-dir", self.build, "-R", regex,
                            "-j", str(os.cpu_count() or 1), "--no-tests=error"],
                           TEST_SECONDS + 30 * len(names))
        failed = re.findall(r"^\s*\d+ - (\S+) \((?!Skipped)", output, re.M)
        if code == 124:
            return ["out of time"]
        if code and not failed:
            sys.exit(f"{output}\nrun.py: ctest failed")
        return failed

    def remember(self, key, value):
        self.results[key] = value
        self.kept.write_text(json.dumps(self.results, indent=1))


def select(fault, commands):
    return [name for name in commands if re.search(fault.tests, name)]


def sound(copy, faults, commands):
    """Builds the unchanged copy and runs the tests. Exits if one fails."""
    names = sorted({name for fault in faults
                    for name in select(fault, commands)})
    key = f"unchanged {copy.digest} {' '.join(names)}"
    code, output = copy.make([commands[name] for name in names])
    if code:
        sys.exit(f"{output}\nrun.py: the copy cannot be built")
    if copy.results.get(key):
        return
    failed = copy.failing(names) if names else []
    if failed:
        failed = copy.failing(failed) # a test may fail on a busy machine
    if failed:
        sys.exit("run.py: these tests fail without any fault: "
                 + " ".join(failed))
    copy.remember(key, True)


def attempt(copy, fault, commands):
    """Returns (caught, what was found)."""
    names = select(fault, commands)
    if not names:
        return False, "ERROR: no such test"
    try:
        text, faulty = seed(fault, copy.root)
    except ValueError as error:
        return False, f"ERROR: {error}"
    path = copy.root / fault.file
    try:
        path.write_text(faulty)
        code, output = copy.make([commands[name] for name in names])
        if code:
            lines = [line for line in output.splitlines() if "error" in line]
            return False, "ERROR: does not build: " + " ".join(lines[:1])
        failed = copy.failing(names)
    finally:
        path.write_text(text)
    return bool(failed), " ".join(failed) or "SURVIVED"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("base", nargs="?", metavar="BUILD-BASE",
                        help="folder for the copy and its build")
    parser.add_argument("--only", action="append", metavar="NAME",
                        help="only this fault, or those of a table, such as "
                        "preload; tried again in any case")
    parser.add_argument("--check", action="store_true",
                        help="only check that each fault's place is found")
    parser.add_argument("--list", action="store_true", help="list the faults")
    args = parser.parse_args()
    faults = read_faults()
    if args.only:
        faults = [fault for fault in faults if fault.name in args.only or
                  fault.where.partition(".")[0] in args.only]
        if not faults:
            parser.error("there is no such fault")
    if args.list:
        for fault in faults:
            print(f"{fault.name:28} {fault.why}")
        return 0
    if args.check:
        return 1 if check(faults) else 0
    if not args.base:
        parser.error("where to build? Name a folder")
    copy = Copy(Path(args.base).resolve())
    copy.configure()
    commands = copy.tests()
    sound(copy, faults, commands)
    bad = []
    for fault in faults:
        key = f"{fault.name} {fault.digest} {copy.digest}"
        start = time.monotonic()
        if args.only or not copy.results.get(key):
            caught, found = attempt(copy, fault, commands)
            copy.remember(key, found if caught else None)
        else:
            caught, found = True, copy.results[key] + " (before)"
        if not caught:
            bad.append(fault.name)
        print(f"{'caught' if caught else 'NOT CAUGHT':10} {fault.name:28} "
              f"{time.monotonic() - start:4.0f} s  {found}", flush=True)
    print(f"{len(faults) - len(bad)} of {len(faults)} faults caught"
          + (": not " + " ".join(bad) if bad else ""))
    return 1 if bad else 0


if __name__ == "__main__":
    # what it started ends with it
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    try:
        sys.exit(main())
    except ValueError as error:
        sys.exit(f"run.py: {error}")
