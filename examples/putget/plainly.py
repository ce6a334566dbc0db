# SPDX-License-Identifier: MIT
"""Ends of scripts that read files of others."""
import json
import os
import pathlib
import shlex
import signal
import subprocess
import sys

CONTENTS = LookupError, TypeError, AttributeError, ArithmeticError


def read_json(path):
    """Returns what the file has; ValueError with its name if it is not JSON."""
    try:
        return json.loads(pathlib.Path(path).read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as failed:
        raise ValueError(f"{path}: not JSON: {failed}") from failed


def read_lines(path):
    """Returns what each line of the file has; ValueError with the first that is none."""
    out = []
    for number, line in enumerate(
            pathlib.Path(path).read_bytes().splitlines(), 1):
        try:
            out.append(json.loads(line))
        except (ValueError, RecursionError) as failed:
            raise ValueError(f"{path}: line {number} is not JSON") from failed
    return out


def is_size(value, least=1e-3):
    """Whether it is a number, and not true, false or NaN, of a size that a time in ns
    or a number of bytes can have."""
    return (isinstance(value, (int, float)) and not isinstance(value, bool)
            and least <= value < 1e15)


def end_plainly(run):
    """Exits with the code of run(), or with 2 and a line on what is wrong with its
    files or its output. An interrupt ends the script by its signal."""
    code = 2
    try:
        if sys.stdout is None:
            raise OSError("the standard output is closed")
        code = run()
        sys.stdout.flush()
    except (OSError, ValueError, subprocess.CalledProcessError, *CONTENTS) as failed:
        if sys.stdout:
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        why = failed
        if isinstance(failed, CONTENTS):
            why = f"a file has other contents: {failed!r}"
        elif isinstance(failed, subprocess.CalledProcessError):
            why = f"{shlex.join(map(str, failed.cmd))}: ended with {failed.returncode}"
        print(f"{pathlib.Path(sys.argv[0]).name}: {why}", file=sys.stderr)
    except KeyboardInterrupt:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        os.kill(os.getpid(), signal.SIGINT)
    sys.exit(code)
