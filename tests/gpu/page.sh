#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The page of tried programs has the results of the cases, and docs/tried.md is
# up to date with the committed results.
#
#   page.sh SOURCES PYTHON
set -u
sources=$1
python=$2
gpu=$sources/tests/gpu
. "$(dirname "$0")/../scratch.sh"

# page ARGS...: leaves no byte code among the sources.
page() {
	"$python" -B "$gpu/page.py" "$@"
}

cat >"$scratch/results.json" <<'END'
{"machine": "A GPU", "date": "2026-01-02", "versions": {"driver": "580.1"},
 "cases": [
  {"case": "a", "what": "one thing", "outcome": "pass",
   "figures": {"ops": 1200, "matched": 1199, "lost": 0, "notes": [],
    "off_by": {"light": {"h2d_ns": -0.25, "two": 1.0}},
    "python_lines": "3 of 4", "missing_ms": 194}},
  {"case": "b", "what": "another", "outcome": "fail", "why": "ops 1, not 2"},
  {"case": "c", "what": "a third", "outcome": "back",
   "figures": {"ops": 0, "matched": 0, "lost": 0,
    "stepped_back": "ops 0, not 2", "notes": ["another tool has CUPTI"],
    "theirs": ["x.qdstrm"]}},
  {"case": "d", "what": "versions", "outcome": "pass", "figures": {"versions": [
    {"path": "/some/where/libcupti.so.12", "cupti": "12.9", "ops": 200,
     "rung": "callbacks", "matched": 200, "lost": 0, "notes": []}]}}]}
END
page --write "$scratch/tried.md" "$scratch/results.json" || fail "page.py"
while read -r line; do
	grep -qxF "$line" "$scratch/tried.md" || fail "no line: $line"
done <<'END'
| one thing | yes | 1,200 | 1,199 | 0 | 3 of 4 lines of Python; light off by h2d -0.2 %, two +1.0 %; usually 194 ms missing |
| another | **no** |  |  |  | ops 1, not 2 |
| a third | stepped back | 0 | 0 | 0 | ops 0, not 2: another tool has CUPTI; the other tool: x.qdstrm |
| libcupti.so.12 | 12.9 | yes | callbacks | 200 | 200 |  |
END

set -- "$gpu"/results/*.json
if [ -e "$1" ]; then
	page --write "$scratch/tried.md" "$@" || fail "page.py $*"
	diff -u "$sources/docs/tried.md" "$scratch/tried.md" ||
		fail "docs/tried.md is not of today; write it again:" \
			"tests/gpu/page.py tests/gpu/results/*.json"
fi
exit "$failed"
