#!/bin/sh
# SPDX-License-Identifier: MIT
# A sampling profiler's SIGPROF at 1 kHz disturbs nothing.
. "$(dirname "$0")/../e2e/lib.sh"
seconds=${XS_LONG:+20}

for mode in trace events calls; do
	XFERSPY_MODE=$mode traced "$XS_PROGRAMS/profiled" "${seconds:-1}"
	expect "$mode: status" "$status" 0
	read_trace
	expect "$mode: copies" "$(count '^copycall ')" "$(cat out)"
	expect "$mode: lost" "$(json lost)" 0
	expect "$mode: damage" "$(count '^# damaged')" 0
done
