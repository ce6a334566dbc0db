#!/bin/sh
# SPDX-License-Identifier: MIT
# Runs examples/validate/measure.sh on the simulated device, completely and in
# parts, and accuracy.py on its results.
# measure.sh SOURCES BUILD PYTHON
set -u
if [ -z "$XS_RANGE_PROFILER" ]; then
	echo "skipped: this toolkit has no range profiler"
	exit 77
fi
validate=$1/examples/validate
build=$2
python=$3
export LD_LIBRARY_PATH="$build/tests/sim/lib"
. "$(dirname "$0")/../scratch.sh"
results=$scratch/out/validate/results/simulated.json

expect() {
	[ "$2" = "$3" ] && return
	echo "failed: $1: '$2', not '$3'"
	cat "$scratch/log"
	failed=1
}

measure() {
	"$validate/measure.sh" --workloads "$scratch/table" \
		--patterns "$scratch/patterns" "$@" "$build" "$scratch/out" \
		simulated >"$scratch/log" 2>&1
}

rows() {
	grep -c "\"workload\": \"$1\"" "$results"
}

cat >"$scratch/table" <<END
small|vecadd||1000 2000|2,4
whole|stencil|--n 20||3
chain-all|chain|--middle all --work 1|4000|2,4|pageable,pinned,streams
END
cat >"$scratch/patterns" <<END
tiles|--n 45056
small_waits|--n 1536|hash
END
mkdir -p "$scratch/out/validate/results"
cp "$1/examples/machines/simulated.json" \
	"$scratch/out/validate/results/simulated-machine.json"

# One row of as-is for each baseline, one of pinned, and two of each strategy
# that both predict: mapped, double-buffer; the rest by number of streams and
# order.
measure --only small
expect "exit code" $? 0
expect "rows of two sizes" "$(rows small)" $((2 * (3 + 2 * (2 + 2 * 2 * 2))))
measure --only whole
expect "exit code of the other part" $? 0
expect "rows that were there" "$(rows small)" $((2 * (3 + 2 * (2 + 2 * 2 * 2))))
expect "rows of the other part" "$(rows whole)" $((3 + 2 * (2 + 1 * 2 * 2)))
measure --only chain-all
expect "exit code of the part with variants of its own" $? 0
expect "rows of these variants" "$(rows chain-all)" $((3 + 2 * 2 * 2))
expect "rows that stayed" "$(rows whole)" $((3 + 2 * (2 + 1 * 2 * 2)))
expect "traces" "$(find "$scratch/out/traces" -size +0 | grep -c '\.xspy')" 12

# A pattern of each half, with 3 and with 5 variants, of which streams have two
# numbers in two orders; and the traced baseline.
measure --only patterns
expect "exit code of the patterns" $? 0
for half in develop first; do
	[ "$half" = develop ] && measured=$((3 * 3)) || measured=$((3 * (4 + 4)))
	patterns=$scratch/out/validate/patterns/simulated/$half
	expect "measurements in turns of $half" \
		"$(grep -c '"turn": [123]' "$patterns.json")" "$measured"
	expect "traced of $half" "$(grep -c '"turn": 0' "$patterns.json")" 1
	expect "traces of $half" \
		"$(find "$patterns" -size +0 | grep -c '\.xspy')" 2
done
expect "rows that stayed" "$(rows whole)" $((3 + 2 * (2 + 1 * 2 * 2)))
measure --only bogus
expect "exit code of a part that is not there" $? 1

"$python" -B "$validate/accuracy.py" --xferspy "$build/bin/xferspy" \
	--write "$scratch/page.md" "$results" >"$scratch/log" 2>&1
expect "exit code of accuracy.py" $? 0
# double-buffer of small_waits is not compared
expect "patterns of the page" \
	"$(grep -c '^| \(tiles-45056\|small_waits-1536\) | `' "$scratch/page.md")" 7
expect "rows of as-is" \
	"$(sed -n 's/^as-is  *\([0-9]*\) .*/\1/p' "$scratch/log")" 8
exit "$failed"
