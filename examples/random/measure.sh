#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Measures the variants of random programs on this machine, and records a trace
# of each as it is; predict.py then sets predictions against the times.
#
#   examples/random/measure.sh BUILD OUT FIRST LAST [ROUNDS]
#
# BUILD: the build tree. OUT: where times.json and SEED.xspy go, and machine.json
# unless it is there.
# FIRST, LAST: seeds. ROUNDS: instead of the programs' own.
# Each of three turns is one process with all variants; turn 0 is the traced one.
set -eu
xferspy=$1/bin/xferspy
preload=$1/lib/libxferspy.so
program=$1/examples/random/random
out=$2
first=$3
last=$4
rounds=${5:+--rounds $5}
failed=0

mkdir -p "$out"
rows=$(mktemp)
trap 'rm -f "$rows"' EXIT
seeds=$(seq "$first" "$last")
[ -n "$seeds" ] || {
	echo "measure.sh: no seeds from $first to $last" >&2
	exit 2
}

# note TURN COMMAND...: one run, whose lines become rows.
note() {
	turn=$1
	shift
	if ! lines=$("$@"); then
		echo "measure.sh: failed: $*" >&2
		failed=1
	else
		echo "$lines" | sed "s/^{/{\"turn\": $turn, /" >>"$rows"
	fi
}

[ -s "$out/machine.json" ] ||
	"$xferspy" calibrate -o "$out/machine.json" >&2 || failed=1
# shellcheck disable=SC2086 # two words
for seed in $seeds; do
	for turn in 1 2 3; do
		note "$turn" "$program" --seed "$seed" --variant all $rounds
	done
	trace=$out/$seed.xspy
	rm -f "$trace"
	note 0 env XFERSPY_OUTPUT="$trace" XFERSPY_SUMMARY=0 \
		LD_PRELOAD="$preload" "$program" --seed "$seed" $rounds
	# Where the trace goes, the program's files are not.
	if "$xferspy" dump --resolve "$trace" -o "$trace.new" >&2; then
		gzip -9n <"$trace.new" >"$trace"
	else
		failed=1
	fi
	rm -f "$trace.new"
done
{
	echo "["
	sed '$!s/$/,/' "$rows"
	echo "]"
} >"$out/times.json"
exit "$failed"
