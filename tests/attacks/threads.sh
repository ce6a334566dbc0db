#!/bin/sh
# SPDX-License-Identifier: MIT
# A storm of short threads: every call is recorded, and the trace stays small.
. "$(dirname "$0")/../e2e/lib.sh"
count=${XS_LONG:+20000}
count=${count:-1000}

for mode in trace light calls; do
	XFERSPY_MODE=$mode traced "$XS_PROGRAMS/threads" "$count"
	expect "$mode: status" "$status" 0
	expect "$mode: output" "$(cat out)" $((3 * count))
	read_report
	expect "$mode: calls" "$(json api_calls_seen)" $((3 * count + 1))
	expect "$mode: lost" "$(json lost)" 0
done
