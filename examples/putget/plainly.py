# SPDX-License-Identifier: MIT
"""Ends of scripts that read files of others."""
import json
import os
import pathlib
import subprocess
import sys

CONTENTS = LookupError, TypeError, AttributeError, ArithmeticError


def read_json(path):
    """Returns what the file has; ValueError with its name if it is not JSON."""
    try:
        return json.loads(pathlib.Path(path).read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as failed:
        raise ValueError(f"{path}: not JSON: {failed}") from failed


def end_plainly(run):
    """Exits with the code of run(), or with 2 and a line on what is wrong with its
    files or its output."""
    try:
        code = run()
        sys.stdout.flush()
    except (OSError, ValueError, subprocess.CalledProcessError, *CONTENTS) as failed:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        why = f"a file has other contents: {failed!r}" \
            if isinstance(failed, CONTENTS) else failed
        print(f"{pathlib.Path(sys.argv[0]).name}: {why}", file=sys.stderr)
        code = 2
    sys.exit(code)
