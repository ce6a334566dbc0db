#!/bin/sh
# SPDX-License-Identifier: MIT
# Several threads fork while others make CUDA calls: no child hangs or writes
# into the trace of its parent, which is complete.
. "$(dirname "$0")/../e2e/lib.sh"
count=${XS_LONG:+1500}
count=${count:-35}

for mode in trace light events; do
	XFERSPY_MODE=$mode traced "$XS_PROGRAMS/forks" "$count"
	expect "$mode: status" "$status" 0
	read -r copies right <out
	expect "$mode: children" "$right" "$count"
	read_trace
	expect "$mode: calls" "$(json api_calls_seen)" $((copies + 1))
	expect "$mode: lost" "$(json lost)" 0
	expect "$mode: damage" "$(count '^# damaged')" 0
	expect "$mode: lines at exit" "$(grep -c '^xferspy: ' err)" 1
done
