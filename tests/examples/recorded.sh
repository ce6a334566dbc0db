#!/bin/sh
# SPDX-License-Identifier: MIT
# Predictions from the recorded traces do not get worse, and docs/accuracy.md is
# current.
# recorded.sh SOURCES XFERSPY PYTHON
set -u
sources=$1
xferspy=$2
python=$3
validate=$sources/examples/validate
limits=$validate/limits.json
. "$(dirname "$0")/../scratch.sh"

# accuracy ARGS...: writes no byte code into the sources.
accuracy() {
	"$python" -B "$validate/accuracy.py" --summary --xferspy "$xferspy" "$@"
}

accuracy --check "$limits" --write "$scratch/accuracy.md" ||
	fail "predictions are worse than $limits"
for page in accuracy.md accuracy.svg; do
	diff -u "$sources/docs/$page" "$scratch/$page" >"$scratch/difference" || {
		head -20 "$scratch/difference"
		fail "docs/$page is not of today; write it again:" \
			"examples/validate/accuracy.py --write docs/accuracy.md"
	}
done

# The limits themselves, on one program: its current errors pass, and larger
# ones fail.
mkdir -p "$scratch/validate/results"
ln -s "$sources/examples/traces" "$sources/examples/machines" "$scratch"
small=$scratch/validate/results/h200.json
ln -s "$validate/results/h200-machine.json" "$scratch/validate/results"
{
	echo "["
	grep '"workload": "stencil", "size": 512' "$validate/results/h200.json" |
		sed '$s/,$//'
	echo "]"
} >"$small"
accuracy --record "$scratch/reached.json" "$small" >"$scratch/out" ||
	fail "the figures of now were not kept"
accuracy --check "$scratch/reached.json" "$small" >"$scratch/out" ||
	fail "what was reached does not pass as its own limit"
for tighter in 's/\("pinned, streams: mean.*: \).*[0-9]/\10.0/' \
	's/\("pinned, streams: rows": \).*[0-9]/\1100000/'; do
	sed "$tighter" "$scratch/reached.json" >"$scratch/tighter.json"
	accuracy --check "$scratch/tighter.json" "$small" >"$scratch/out" 2>&1
	[ $? -eq 3 ] || fail "passed, though it must not: $tighter"
done
exit "$failed"
