#!/bin/sh
# SPDX-License-Identifier: MIT
# A thread with a cancellation pending makes CUDA calls and ends as without us.
. "$(dirname "$0")/../e2e/lib.sh"

plain "$XS_PROGRAMS/cancelled"
expect "plain" "$(cat out)" "done"
for how in XFERSPY_MODE=trace XFERSPY_MODE=light XFERSPY_MODE=events \
	XFERSPY_MODE=calls XFERSPY_MODE=counters XFERSPY_HASH=full \
	XFERSPY_RANGE=profiler XFERSPY_MAX_SIZE=2M "XFERSPY_LOG=$work/log"; do
	traced env "$how" "$XS_PROGRAMS/cancelled"
	expect "$how: status" "$status" 0
	expect "$how: output" "$(cat out)" "done"
	read_report
	within "$how: calls" "$(json api_calls_seen)" 5000 5010
	expect "$how: lost" "$(json lost)" 0
done
