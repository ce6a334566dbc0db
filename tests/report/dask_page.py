#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The script for Dask in docs/reference.md gives what xferspy merge does. Skipped (77)
without Dask.

    dask_page.py XFERSPY XS_MKTRACE SOURCES
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

try:
    import dask.bag  # noqa: F401
except ImportError:
    # that of the distribution, beside another Python
    if sys.executable == "/usr/bin/python3" or not os.path.exists("/usr/bin/python3"):
        sys.exit(77)
    os.execv("/usr/bin/python3", ["/usr/bin/python3", "-B", *sys.argv])

XFERSPY, MKTRACE, SOURCES = (pathlib.Path(path).resolve() for path in sys.argv[1:4])
TRACES = 20


def main():
    page = (SOURCES / "docs/reference.md").read_text()
    script = re.search(r"^```python\n(.*?)^```", page, re.M | re.S)[1]
    env = dict(os.environ, PATH=f"{XFERSPY.parent}:{os.environ['PATH']}")
    with tempfile.TemporaryDirectory() as folder:
        for i in range(TRACES):
            subprocess.run([MKTRACE, "-r", str(10 + i), "-i", f"rank={i}", "-i",
                            f"ranks={TRACES}", "-i", "app=./heat", f"{i}.xspy"],
                           check=True, cwd=folder)
        (pathlib.Path(folder) / "script.py").write_text(script)
        merged = subprocess.run([sys.executable, "-B", "script.py"], check=True,
                                cwd=folder, env=env, stdout=subprocess.PIPE).stdout
        digests = []
        for i in range(TRACES):
            digests.append(f"{folder}/{i}.digest")
            subprocess.run([XFERSPY, "digest", f"{i}.xspy", "-o", digests[-1]],
                           check=True, cwd=folder)
        wanted = subprocess.run([XFERSPY, "merge", *digests], check=True,
                                stdout=subprocess.PIPE).stdout
    assert merged == wanted, (merged[:200], wanted[:200])


if __name__ == "__main__":
    main()
