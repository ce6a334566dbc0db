#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Runs four programs both ways on this machine, by copies and by flags of one
# kernel that stays, calibrates, and records traces of the first way; predict.py
# then sets predictions against the times.
#
#   examples/initiated/measure.sh [BUILD [OUTPUT]]
#
# BUILD: the build tree (build). OUTPUT: where results go (results). A part that
# fails is named and leaves the others standing.
set -u
turns=5

build=$(cd "${1:-build}" && pwd) || exit 1
mkdir -p "${2:-results}" && out=$(cd "${2:-results}" && pwd) || exit 1
failed=0

# part COMMAND...: a command that must not take more than five minutes
part() {
	timeout 300 "$@" && return
	echo "measure.sh: failed: $*" >&2
	failed=1
}

# traced FILE MODE PROGRAM ROUNDS
traced() {
	part env XFERSPY_OUTPUT="$out/$1.xspy" XFERSPY_MODE="$2" \
		LD_PRELOAD="$build/lib/libxferspy.so" \
		"$build/examples/initiated/$3" copies "$4" >/dev/null
}

part "$build/bin/xferspy" calibrate -o "$out/machine.json" >"$out/calibrate.txt"
rm -f "$out/times.jsonl"
for _ in $(seq $turns); do
	for program in convergence halo levels nearest; do
		for way in copies flags; do
			part "$build/examples/initiated/$program" $way \
				>>"$out/times.jsonl"
		done
	done
done
rm -f "$out/advised.jsonl"
for _ in $(seq $turns); do
	part "$build/examples/initiated/advised" >>"$out/advised.jsonl"
done
for program in convergence halo levels nearest; do
	traced $program trace $program 100
	traced $program-counters counters $program 5
done
part "$build/examples/putget" >"$out/putget.json"
[ "$(nvidia-smi -L | wc -l)" -lt 2 ] || part "$build/examples/peer" >"$out/peer.json"
for trace in "$out"/*.xspy; do
	gzip -9n <"$trace" >"$trace.new" && mv "$trace.new" "$trace"
done
exit $failed
