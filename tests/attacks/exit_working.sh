#!/bin/sh
# SPDX-License-Identifier: MIT
# A program that exits while other threads issue work: its status is right, and
# the report says why the last ops have no call.
. "$(dirname "$0")/../e2e/lib.sh"
runs=${XS_LONG:+100}

# Ops that take longer than the program are not in the trace.
export XS_SIM_CALL_NS=300 XS_SIM_COPY_NS=300
for i in $(seq "${runs:-4}"); do
	traced "$XS_PROGRAMS/exits" working
	expect "run $i: exit code" "$status" 7
	read_trace
	expect "run $i: lost" "$(json lost)" 0
	wrong=$(grep -c 'no correlation id' report.json) || true
	expect "run $i: ops of the driver" "$wrong" 0
	if [ "$(json matched)" != "$(json gpu_ops_seen)" ]; then
		grep -q 'or began while it ended' report.json ||
			fail "run $i: not said why ops have no call"
	fi
done
