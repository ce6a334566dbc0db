#!/bin/sh
# SPDX-License-Identifier: MIT
# A program that exits while four other threads issue work: its status is right,
# and the report says why the last ops have no call and why some have no times:
# those that run when the records are asked for the last time. Each thread waits
# for its copy, so that there are four of them at most.
. "$(dirname "$0")/../e2e/lib.sh"
runs=${XS_LONG:+100}

export XS_SIM_CALL_NS=300
for i in $(seq "${runs:-4}"); do
	# every other time so long that ops surely run at the end
	export XS_SIM_COPY_NS=$((i % 2 ? 300 : 1000000))
	traced "$XS_PROGRAMS/exits" working
	expect "run $i: exit code" "$status" 7
	read_trace
	expect "run $i: lost calls" "$(json lost_calls)" 0
	within "run $i: lost ops" "$(json lost)" 0 4
	[ "$(json lost)" = 0 ] ||
		grep -q 'the program ended before their work' report.json ||
		fail "run $i: not said why ops are lost"
	wrong=$(grep -c 'no correlation id' report.json) || true
	expect "run $i: ops of the driver" "$wrong" 0
	if [ "$(json matched)" != "$(json gpu_ops_seen)" ]; then
		grep -q 'or began while it ended' report.json ||
			fail "run $i: not said why ops have no call"
	fi
done

# Work that surely has not ended, of five copies of 100 s, is counted as lost.
XS_SIM_CALL_NS=0 XS_SIM_COPY_NS=3000 XS_SIM_D2H_GBS=1e-11 \
	traced "$XS_PROGRAMS/exits" waiting
expect "waiting: exit code" "$status" 7
read_trace
within "waiting: lost ops" "$(json lost)" 4 5
expect "waiting: copies out" "$(count '^copy .*direction=2')" 0
grep -q 'the program ended before their work' report.json ||
	fail "waiting: not said why ops are lost"
