#!/bin/sh
# SPDX-License-Identifier: MIT
# A program that closes all descriptors, the trace's among them, is unharmed,
# its own files are not written to, and the trace counts what it lacks.
. "$(dirname "$0")/../e2e/lib.sh"

for mode in trace light calls; do
	rm -f mine
	XFERSPY_MODE=$mode traced "$XS_PROGRAMS/closes" mine
	[ "$status" != 77 ] || exit 77
	expect "$mode: status" "$status" 0
	expect "$mode: output" "$(cat out)" "done"
	expect "$mode: the program's file" "$(cat mine)" mine
	read_trace
	within "$mode: calls" "$(json api_calls_seen)" 1000 31001
	lost=$(sed -n 's/.*, lost \([0-9]*\) calls.*/\1/p' err)
	expect "$mode: recorded, counted or lost" \
		$(($(json api_calls_seen) + ${lost:-0})) 31001
	expect "$mode: damage" "$(count '^# damaged')" 0
done
