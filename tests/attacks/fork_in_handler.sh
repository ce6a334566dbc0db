#!/bin/sh
# SPDX-License-Identifier: MIT
# A signal handler forks during the first CUDA call, and the child continues
# that call, such as with a new context: it writes nothing into the trace of its
# parent, and does not hang.
. "$(dirname "$0")/../e2e/lib.sh"
# CUDA's start takes until the first signal
export XS_SIM_INIT_NS=900000000

for mode in trace light events calls; do
	XFERSPY_MODE=$mode traced "$XS_PROGRAMS/fork_in_handler"
	expect "$mode: status" "$status" 0
	read -r parent calls <out
	# a child that was forked before the start has its own trace
	find . -name '*.xspy' ! -name "$parent.xspy" -delete
	read_trace
	expect "$mode: calls" "$(json api_calls_seen)" "$calls"
	expect "$mode: lost" "$(json lost)" 0
	expect "$mode: damage" "$(count '^# damaged')" 0
	expect "$mode: context of a child" \
		"$(grep '^context ' dump.txt | grep -vc " tid=$parent ")" 0
done
